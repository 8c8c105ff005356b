from __future__ import annotations

from fullpool.drafting import network, predictor, state, tree, uct, value
from fullpool.drafting.compilation import compile_all


def test_every_kernel_that_is_called_from_outside_kernels_is_compiled() -> None:
    told: list[str] = []
    compile_all(told.append)
    assert told == ["drafting uct_rollout", "drafting uct_value"]
    called = (
        network.mlp_outputs, predictor.owner_indices, value.value_indices, state.fill_legal,
        tree.plant, tree.reroot, uct.select, uct.back_up, uct.complete,
    )  # fmt: skip
    assert [str(kernel) for kernel in called if not getattr(kernel, "signatures")] == []  # noqa: B009
