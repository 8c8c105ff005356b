"""Number type of the large products: bfloat16 where the CPU multiplies it natively, else float32.

Weights, losses and softmax stay float32. Autocast is a property of a thread: enter the context inside each thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

Precision = Literal["auto", "bfloat16", "float32"]


def resolve_precision(precision: Precision, device: torch.device) -> torch.dtype:
    """Decides the number type.

    Args:
        precision: `auto` takes bfloat16 where the device has it in hardware.
        device: where the network lies.

    Returns:
        `torch.bfloat16` or `torch.float32`.
    """
    # Settings name precisions, and are read without torch.
    import torch

    if precision == "bfloat16":
        return torch.bfloat16
    if precision == "float32":
        return torch.float32
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    # torch 2.6 to 2.13 answer this under a private name only; a build without it computes in float32.
    supported = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return torch.bfloat16 if supported() else torch.float32


def precision_context(dtype: torch.dtype, device: torch.device) -> torch.autocast:
    """Context in which products are computed in `dtype`."""
    import torch

    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=dtype == torch.bfloat16)
