from __future__ import annotations

import numpy as np

from fullpool.games.contract import EXTERNAL, allocate_views
from fullpool.games.random_actions import RandomActions
from fullpool.games.sampling import head_masks, is_legal_action, sample_actions
from fullpool.games.testing import ToyGame, blitz_like_spec


def observed(num_games: int = 64) -> tuple[ToyGame, np.ndarray, np.ndarray]:
    game = ToyGame(num_games, blitz_like_spec())
    spec = game.spec
    lineups = np.stack(
        [np.random.default_rng(n).permutation(40)[:10].reshape(2, 5) for n in range(num_games)]
    )
    seats = np.full((num_games, 2), EXTERNAL, np.int8)
    game.reset(
        np.arange(num_games, dtype=np.int32),
        lineups.astype(np.int16),
        np.arange(num_games, dtype=np.uint64),
        seats,
    )
    views = allocate_views(spec, num_games)
    game.observe(views)
    return game, views.masks, lineups.astype(np.int16)


def test_masks_are_cut_where_the_spec_says() -> None:
    game, masks, _ = observed(1)
    blocks = head_masks(game.spec.action, masks)
    assert [block.shape[-2:] for block in blocks] == list(game.spec.action.mask_shapes)
    assert sum(block[0, 0, 0].size for block in blocks) == game.spec.action.mask_size
    assert np.array_equal(blocks[1][0, 0, 0, 1], masks[0, 0, 0, 9 + 24 : 9 + 48])


def test_drawn_actions_are_legal_and_reach_every_choice() -> None:
    game, masks, lineups = observed()
    action = game.spec.action
    generator = np.random.default_rng(0)
    drawer = RandomActions(action, 1)
    out = np.zeros((*lineups.shape, 4), np.int32)
    buttons: set[int] = set()
    for step in range(6):
        drawer.write(masks, lineups, step, out)
        for chosen in (sample_actions(action, lineups, masks, generator), out):
            buttons |= set(chosen[..., 0].ravel().tolist())
            for place in np.ndindex(lineups.shape):
                assert is_legal_action(action, int(lineups[place]), masks[place], chosen[place])
                unused = ~action.uses[lineups[place], chosen[place][0]]
                assert not chosen[place][unused].any()
    assert buttons == set(np.flatnonzero(masks[0, 0, 0, :9]).tolist())


def test_draws_are_even() -> None:
    game, masks, lineups = observed()
    out = np.zeros((*lineups.shape, 4), np.int32)
    counts = np.zeros(4)
    drawer = RandomActions(game.spec.action, 5)
    for step in range(30):
        drawer.write(masks, lineups, step, out)
        counts += np.bincount(out[..., 0].ravel(), minlength=4)[:4]
    share = counts / counts.sum()
    assert np.abs(share - 0.25).max() < 0.02


def test_illegal_actions_are_told_apart() -> None:
    game, masks, lineups = observed(1)
    action, hero, mask = game.spec.action, int(lineups[0, 0, 0]), masks[0, 0, 0].copy()
    assert is_legal_action(action, hero, mask, np.array([0, 99, 99, 99]))
    assert not is_legal_action(action, hero, mask, np.array([7, 0, 0, 0]))
    mask[9:] = 0
    assert not is_legal_action(action, hero, mask, np.array([2, 0, 0, 0]))
    assert not is_legal_action(action, hero, mask, np.array([2, -1, 0, 0]))
