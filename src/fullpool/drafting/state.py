"""Draft states as small arrays, legal heroes, and what a draft is played by.

Team 0 is always the first to act. `owner[h]` is FREE, 1 or 2 for a pick of team 0 or 1, BANNED, or CLOSED: locked for
both teams from the start. A legal hero never leads to a dead end: after it both teams can still field line-ups that the
role rules and the locks allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fullpool.drafting.formats import DraftFormat, closest
from fullpool.drafting.roles import Bools, Masks, Owners, RoleRules, completable, slot_masks
from fullpool.games.contract import Shorts
from fullpool.numerics.kernels import kernel

FREE, BANNED, CLOSED = 0, 3, 4


@dataclass(frozen=True, eq=False)
class DraftRules:
    """A format for one pool, as arrays.

    Attributes:
        format: the format.
        heroes: names of the pool; ids are indices into it.
        team: `[S]` int8; which team acts in each step.
        is_pick: `[S]` bool; false is a ban.
        masks: `[H]` int32 slot masks of the role rules.
        has_roles: whether the user gave role rules.
    """

    format: DraftFormat
    heroes: tuple[str, ...]
    team: NDArray[np.int8]
    is_pick: Bools
    masks: Masks
    has_roles: bool

    @property
    def num_heroes(self) -> int:
        """Heroes in the pool, H."""
        return len(self.heroes)

    @property
    def num_steps(self) -> int:
        """Steps of the draft, S."""
        return len(self.team)

    @property
    def team_size(self) -> int:
        """Picks a team, P."""
        return self.format.team_size

    def hero_id(self, name: str) -> int:
        """Finds a hero by its name.

        Raises:
            ValueError: if the pool has no such hero; close matches are named.
        """
        if name not in self.heroes:
            raise ValueError(f"no hero {name!r} in the pool; {closest(name, self.heroes)}")
        return self.heroes.index(name)


@dataclass(frozen=True, eq=False)
class DraftState:
    """A draft under way.

    Attributes:
        history: hero ids in the order of the steps taken.
        owner: `[H]` int8; FREE, 1 or 2 for a pick of team 0 or 1, BANNED, CLOSED.
        locked: `[2, H]` bool; heroes that a team may not pick in this game of its series.
    """

    history: tuple[int, ...]
    owner: Owners
    locked: Bools = field(repr=False)

    @property
    def step(self) -> int:
        """Steps taken."""
        return len(self.history)


def make_rules(
    draft_format: DraftFormat,
    heroes: Sequence[str],
    *,
    role_rules: RoleRules | None = None,
    roles: Mapping[str, Sequence[str]] | None = None,
) -> DraftRules:
    """Fits a format to a pool.

    Args:
        draft_format: the format.
        heroes: names of the pool, each once.
        role_rules: rules on line-ups; None: every line-up can be fielded.
        roles: roles of each hero by its name; needed with role rules.

    Returns:
        The rules as arrays.

    Raises:
        ValueError: if the pool is too small, names a hero twice, or no line-ups can satisfy the role rules.
    """
    draft_format.check_pool(len(heroes))
    twice = sorted({name for name in heroes if list(heroes).count(name) > 1})
    if twice:
        raise ValueError(f"the pool names heroes twice: {twice[:5]}")
    masks = slot_masks(role_rules, roles or {}, heroes, draft_format.team_size)
    rules = DraftRules(
        format=draft_format,
        heroes=tuple(heroes),
        team=np.array([s.team for s in draft_format.steps], np.int8),
        is_pick=np.array([s.action == "pick" for s in draft_format.steps], bool),
        masks=masks,
        has_roles=role_rules is not None,
    )
    initial_state(rules)
    return rules


def initial_state(rules: DraftRules, locked: Bools | None = None) -> DraftState:
    """Starts a draft.

    Args:
        rules: format and pool.
        locked: `[2, H]` bool; heroes that each team may not pick; None: no locks.

    Returns:
        The state before the first step.

    Raises:
        ValueError: if no draft under these locks and role rules can end.
    """
    locks = np.zeros((2, rules.num_heroes), bool) if locked is None else np.array(locked, bool)
    if locks.shape != (2, rules.num_heroes):
        raise ValueError(f"locks must have shape (2, {rules.num_heroes}), got {locks.shape}")
    # A value network sees only owners: it must not count on heroes that nobody can take.
    owner = np.where(locks.all(0), CLOSED, FREE).astype(np.int8)
    state = DraftState((), owner, locks)
    if not legal_heroes(rules, state).any():
        raise ValueError(
            f"no draft of format {rules.format.name!r} can end in two line-ups that the role rules and locks allow; "
            "loosen the slots or give a bigger pool"
        )
    return state


def legal_heroes(rules: DraftRules, state: DraftState) -> Bools:
    """Finds the heroes that may be taken next.

    Returns:
        `[H]` bool; all false once the draft is over.
    """
    legal = np.zeros(rules.num_heroes, bool)
    if state.step < rules.num_steps:
        matched = needs_matching(rules, state.locked)
        arrays = (rules.team, rules.is_pick, rules.masks, rules.team_size)
        fill_legal(state.owner, state.step, state.locked, *arrays, matched, legal)
    return legal


def needs_matching(rules: DraftRules, locked: Bools) -> bool:
    """Whether free heroes can be illegal: there are role rules, or locks leave hardly enough heroes.

    Args:
        rules: format and pool.
        locked: `[2, H]` bool.

    Returns:
        False if every hero that is free and not locked is legal in every step.
    """
    return rules.has_roles or int((~locked).sum(1).min()) < rules.num_steps


def take(rules: DraftRules, state: DraftState, hero: int) -> DraftState:
    """Takes the next step of a draft.

    Args:
        rules: format and pool.
        state: state before the step.
        hero: id of the hero that is picked or banned.

    Returns:
        The state after it.

    Raises:
        ValueError: if the draft is over or the hero is not legal.
    """
    if state.step >= rules.num_steps:
        raise ValueError(f"the draft is over after {rules.num_steps} steps; start a new one")
    if not 0 <= hero < rules.num_heroes:
        raise ValueError(f"hero ids lie in [0, {rules.num_heroes}), got {hero}")
    name, team = rules.heroes[hero], int(rules.team[state.step])
    if state.owner[hero] not in (FREE, CLOSED):
        raise ValueError(f"step {state.step + 1}: {name!r} is already picked or banned")
    if not legal_heroes(rules, state)[hero]:
        why = (
            "is locked for this team"
            if state.locked[team, hero]
            else "would leave no line-up that can be fielded"
        )
        raise ValueError(f"step {state.step + 1}: {name!r} {why}")
    owner = state.owner.copy()
    owner[hero] = team + 1 if rules.is_pick[state.step] else BANNED
    return DraftState((*state.history, int(hero)), owner, state.locked)


def replay(rules: DraftRules, history: Sequence[int], locked: Bools | None = None) -> DraftState:
    """Takes the steps of a history one after another.

    Raises:
        ValueError: if a step is not legal.
    """
    state = initial_state(rules, locked)
    for hero in history:
        state = take(rules, state, hero)
    return state


def lineups(owners: Owners, team_size: int) -> Shorts:
    """Reads the line-ups of drafts that are over.

    Args:
        owners: `[B, H]` int8.
        team_size: picks a team, P.

    Returns:
        `[B, 2, P]` hero ids in ascending order; first the team that acted first.

    Raises:
        ValueError: if a draft is not over.
    """
    owners = np.asarray(owners)
    teams = []
    for team in (1, 2):
        rows, heroes = np.nonzero(owners == team)
        if len(rows) != len(owners) * team_size or np.any(
            np.bincount(rows, minlength=len(owners)) != team_size
        ):
            raise ValueError(f"line-ups need {team_size} picks a team; at least one draft is not over")
        teams.append(heroes.reshape(-1, team_size))
    return np.stack(teams, axis=1).astype(np.int16)


@kernel
def fill_legal(
    owner: Owners,
    step: int,
    locked: Bools,
    team_of: Owners,
    is_pick: Bools,
    masks: Masks,
    team_size: int,
    matched: bool,
    legal: Bools,
) -> int:
    """Writes the heroes that may be taken in a step into `legal` `[H]`; returns their number.

    With `matched` (see `needs_matching`), a matching is looked for once for each kind of hero: heroes with the same
    slot mask and the same locks are interchangeable.
    """
    num_heroes, num_steps = len(owner), len(team_of)
    team, picks = team_of[step], is_pick[step]
    count = 0
    for hero in range(num_heroes):
        free = owner[hero] == 0
        open_to_it = not locked[team, hero] if picks else not (locked[0, hero] and locked[1, hero])
        legal[hero] = free and open_to_it
        count += legal[hero]
    if not matched:
        return count

    bans_left, picks_left = 0, 0
    for later in range(step + 1, num_steps):
        picks_left += is_pick[later]
        bans_left += not is_pick[later]
    bannable = -1
    for hero in range(num_heroes):
        bannable += owner[hero] == 0 and not (locked[0, hero] and locked[1, hero])
    enough = bannable - picks_left >= bans_left
    verdicts = np.full(num_heroes, -1, np.int8)
    count = 0
    for hero in range(num_heroes):
        if not legal[hero]:
            continue
        for other in range(hero):
            same = masks[other] == masks[hero] and locked[0, other] == locked[0, hero]
            if verdicts[other] >= 0 and same and locked[1, other] == locked[1, hero]:
                verdicts[hero] = verdicts[other]
                break
        if verdicts[hero] < 0:
            owner[hero] = team + 1 if picks else 3
            verdicts[hero] = enough and completable(owner, locked, masks, team_size)
            owner[hero] = 0
        legal[hero] = verdicts[hero] == 1
        count += legal[hero]
    return count
