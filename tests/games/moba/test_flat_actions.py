from __future__ import annotations

import numpy as np

from fullpool.games.contract import allocate_views
from fullpool.games.moba import state as s
from fullpool.games.moba.flat_actions import FLAT_ACTIONS, NUM_FLAT, flat_mask
from fullpool.games.moba.game import MobaGame
from fullpool.games.sampling import is_legal_action


def test_the_table_has_the_published_places() -> None:
    assert NUM_FLAT == 116
    assert FLAT_ACTIONS[0].tolist() == [s.NONE, 0, 0, 0]
    assert FLAT_ACTIONS[16].tolist() == [s.MOVE, 0, 15, 0]
    assert FLAT_ACTIONS[17].tolist() == [s.ATTACK, 0, 0, 0]
    assert FLAT_ACTIONS[40].tolist() == [s.ATTACK, 23, 0, 0]
    assert FLAT_ACTIONS[41].tolist() == [s.SKILL1, 0, 0, 0]
    assert FLAT_ACTIONS[89].tolist() == [s.SKILL3, 0, 0, 0]
    assert FLAT_ACTIONS[[113, 114, 115], 0].tolist() == [s.HEAL, s.RECALL, s.WARD]
    assert len(np.unique(FLAT_ACTIONS, axis=0)) == NUM_FLAT


def test_the_mask_allows_what_the_factored_masks_allow() -> None:
    game = MobaGame("blitz", 1, aim="assist")
    lineup = np.arange(10, dtype=np.int16).reshape(1, 2, 5)
    game.reset(np.zeros(1, np.int32), lineup, np.ones(1, np.uint64), np.array([[-1, 3]], np.int8))
    views = allocate_views(game.spec, 1)
    actions = np.zeros((1, 2, 5, 4), np.int32)
    actions[..., :3] = s.MOVE, 0, 2
    seen = np.zeros(NUM_FLAT, np.int64)
    for _ in range(60):
        game.step(actions)
        game.observe(views)
        for place in range(5):
            hero, mask = int(lineup[0, 0, place]), views.masks[0, 0, place]
            flat = flat_mask(game.spec.action, hero, mask)
            assert flat.any()
            seen += flat
            for index in np.flatnonzero(flat):
                assert is_legal_action(game.spec.action, hero, mask, FLAT_ACTIONS[index])
            targeted = FLAT_ACTIONS[:, s.HEAD_WHO] == 0
            for index in np.flatnonzero((flat == 0) & targeted):
                assert not is_legal_action(game.spec.action, hero, mask, FLAT_ACTIONS[index])
    assert seen[17:41].any()
    assert seen[41:113].any()
    assert not seen[115]
