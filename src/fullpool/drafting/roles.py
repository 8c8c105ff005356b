"""Role rules: which heroes may fill which slots of a line-up, and whether a draft can still end in fieldable ones.

A rule is a list of slots, one a player, each naming the roles that may fill it: `[[tank], [tank, support], ...]`.
"At most two marksmen" is said by letting only two slots take a marksman. A line-up is fieldable when its heroes can
be put into different slots. The kernels work on bit masks: bit `s` of a hero's mask says that slot `s` takes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fullpool.drafting.formats import closest
from fullpool.games.contract import Ints
from fullpool.numerics.kernels import kernel
from fullpool.strict import Settings

Masks = NDArray[np.int32]
Owners = NDArray[np.int8]
Bools = NDArray[np.bool_]
ANY = "any"
"""Role name in a slot that every hero may fill."""


class RoleRules(Settings):
    """The user's rules on line-ups.

    Attributes:
        slots: roles that may fill each slot; as many slots as a team has players; `any` stands for every role.
    """

    slots: Annotated[tuple[Annotated[tuple[str, ...], Field(min_length=1)], ...], Field(min_length=1)]


def slot_masks(
    rules: RoleRules | None, roles: Mapping[str, Sequence[str]], heroes: Sequence[str], team_size: int
) -> Masks:
    """Compiles role rules for a pool.

    Args:
        rules: the rules; None lets every hero fill every slot.
        roles: roles of each hero by its name.
        heroes: names of the pool; ids are indices into it.
        team_size: slots of a team, P.

    Returns:
        `[H]` int32 bit masks.

    Raises:
        ValueError: if a slot names an unknown role, a hero has no role, or the number of slots is not P.
    """
    if rules is None:
        return np.full(len(heroes), (1 << team_size) - 1, np.int32)
    if len(rules.slots) != team_size:
        raise ValueError(f"role rules have {len(rules.slots)} slots, the format has {team_size} picks a team")
    missing = [name for name in heroes if not roles.get(name)]
    if missing:
        raise ValueError(f"role rules need a role for every hero; none for {missing[:5]}")
    known = {role for name in heroes for role in roles[name]}
    for role in {role for slot in rules.slots for role in slot} - {ANY}:
        if role not in known:
            raise ValueError(f"no hero has role {role!r} (slots of the role rules); {closest(role, known)}")
    masks = np.zeros(len(heroes), np.int32)
    for hero, name in enumerate(heroes):
        for slot, allowed in enumerate(rules.slots):
            if ANY in allowed or set(allowed) & set(roles[name]):
                masks[hero] |= 1 << slot
    return masks


@kernel
def _augment(
    start: int,
    team_size: int,
    owner: Owners,
    locked: Bools,
    masks: Masks,
    by_hero: Ints,
    by_slot: Ints,
    only_picks: bool,
) -> bool:
    """Finds an augmenting path from a free slot to an unmatched hero, breadth first; true if one was found.

    `only_picks` restricts the heroes to those already picked. Slots `0..P-1` belong to team 0, the rest to team 1.
    """
    num_heroes, num_slots = len(owner), 2 * team_size
    came_from = np.full(num_heroes, -1, np.int32)
    queue = np.empty(num_slots, np.int32)
    queue[0], head, tail = start, 0, 1
    while head < tail:
        slot = queue[head]
        head += 1
        team = slot // team_size
        bit = 1 << (slot - team * team_size)
        for hero in range(num_heroes):
            if came_from[hero] >= 0 or not masks[hero] & bit:
                continue
            mine = owner[hero] == team + 1
            free = owner[hero] == 0 and not locked[team, hero] and not only_picks
            if not (mine or free):
                continue
            came_from[hero] = slot
            if by_hero[hero] >= 0:
                queue[tail] = by_hero[hero]
                tail += 1
                continue
            while True:
                previous = came_from[hero]
                displaced = by_slot[previous]
                by_hero[hero], by_slot[previous] = previous, hero
                if previous == start:
                    return True
                hero = displaced
    return False


@kernel
def completable(owner: Owners, locked: Bools, masks: Masks, team_size: int) -> bool:
    """Whether both teams can still reach fieldable line-ups at once, out of their picks and different free heroes.

    A matching of all slots that also covers every pick exists when each of the two coverings exists alone
    (Mendelsohn and Dulmage 1958); so picks are matched first, and augmenting from the open slots keeps them matched.

    Args:
        owner: `[H]` int8; 0 free, 1 and 2 picked by team 0 and 1, 3 banned.
        locked: `[2, H]` bool; heroes that a team may not pick.
        masks: `[H]` int32 slot masks.
        team_size: slots a team, P.

    Returns:
        True if a completion exists.
    """
    by_hero = np.full(len(owner), -1, np.int32)
    by_slot = np.full(2 * team_size, -1, np.int32)
    num_picks, matched = 0, 0
    for hero in range(len(owner)):
        num_picks += owner[hero] == 1 or owner[hero] == 2
    for slot in range(2 * team_size):
        matched += _augment(slot, team_size, owner, locked, masks, by_hero, by_slot, True)
    if matched < num_picks:
        return False
    for slot in range(2 * team_size):
        if by_slot[slot] < 0 and not _augment(slot, team_size, owner, locked, masks, by_hero, by_slot, False):
            return False
    return True
