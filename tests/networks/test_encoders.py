"""Row encoders, pooling and the image encoder."""

from __future__ import annotations

import torch

from fullpool.games.contract import ObservationSpec, UnitBlock
from fullpool.networks.actor_critic import draw_weights
from fullpool.networks.encoders import ObservationEncoder, PoolGroups, pool_groups

GROUPS = (("self", 0, 1), ("allies", 1, 4), ("enemies", 4, 7))
SPEC = ObservationSpec(
    (UnitBlock("heroes", 7, 3, GROUPS), UnitBlock("global", 1, 2)), hero_block="heroes", image=(2, 8, 8)
)


def make_encoder(*, use_image: bool = False) -> ObservationEncoder:
    encoder = ObservationEncoder(
        SPEC, num_heroes=5, row_units=(6, 4), hero_embedding=3, image_channels=(4, 4), use_image=use_image
    )
    draw_weights(encoder, 0)
    return encoder


def test_pooling_takes_present_rows_only() -> None:
    generator = torch.Generator().manual_seed(0)
    rows = torch.rand(7, 5, 3, generator=generator) + 0.1
    rows[2, 1] = 0.0
    rows[4:, 3] = 0.0
    pooled = pool_groups(rows, rows, GROUPS)
    for b in range(5):
        expected = [rows[0, b]]
        for _, first, last in GROUPS[1:]:
            present = [rows[r, b] for r in range(first, last) if rows[r, b].any()] or [torch.zeros(3)]
            stacked = torch.stack(present)
            expected += [stacked.amax(dim=0), stacked.mean(dim=0)]
        torch.testing.assert_close(pooled[b], torch.cat(expected))


def test_pooling_gradient_is_numerically_right() -> None:
    generator = torch.Generator().manual_seed(0)
    rows = torch.rand(8, 3, 2, generator=generator, dtype=torch.float64).requires_grad_()
    counts = torch.tensor([[1.0] * 3, [3.0] * 3, [3.0] * 3], dtype=torch.float64)

    def pool(values: torch.Tensor) -> torch.Tensor:
        pooled: torch.Tensor = PoolGroups.apply(values, counts, GROUPS)  # type: ignore[no-untyped-call]
        return pooled

    assert torch.autograd.gradcheck(pool, (rows,))


def test_absent_rows_stay_zero_and_their_content_order_does_not_matter() -> None:
    encoder = make_encoder()
    observation = torch.rand(2, SPEC.size)
    observation[:, 3:6] = 0.0
    ids = torch.tensor([[0, -1, 1, 2, 3, 4, 0]] * 2, dtype=torch.int16)
    encoded = encoder(observation, ids, torch.float32)
    assert (encoded.rows["heroes"][1] == 0).all()
    swapped, swapped_ids = observation.clone(), ids.clone()
    swapped[:, 12:15], swapped[:, 15:18] = observation[:, 15:18], observation[:, 12:15]
    swapped_ids[:, 4], swapped_ids[:, 5] = ids[:, 5], ids[:, 4]
    torch.testing.assert_close(encoder(swapped, swapped_ids, torch.float32).features, encoded.features)


def test_the_hero_id_changes_the_row_and_receives_a_gradient() -> None:
    encoder = make_encoder()
    observation = torch.rand(1, SPEC.size)
    ids = torch.zeros(1, 7, dtype=torch.int16)
    first = encoder(observation, ids, torch.float32)
    second = encoder(observation, ids + 1, torch.float32)
    assert not torch.allclose(first.features, second.features)
    second.features.sum().backward()
    embedding = encoder.encoders["heroes"].embedding
    assert isinstance(embedding, torch.Tensor)
    gradient = embedding.grad
    assert gradient is not None
    assert (gradient[1] != 0).any()
    assert (gradient[2:] == 0).all()


def test_the_image_adds_features_when_it_is_wanted() -> None:
    plain, seeing = make_encoder(), make_encoder(use_image=True)
    observation, ids = torch.rand(2, SPEC.size), torch.zeros(2, 7, dtype=torch.int16)
    assert seeing.features > plain.features
    assert seeing(observation, ids, torch.float32).features.shape == (2, seeing.features)
    changed = observation.clone()
    changed[:, -1] += 1.0
    same = plain(changed, ids, torch.float32).features
    torch.testing.assert_close(same, plain(observation, ids, torch.float32).features)
    assert not torch.allclose(
        seeing(changed, ids, torch.float32).features, seeing(observation, ids, torch.float32).features
    )
