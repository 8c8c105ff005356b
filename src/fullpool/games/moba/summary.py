"""The global row: clock, score and lanes as one team knows them; and the previous action of an agent."""

from __future__ import annotations

import numpy as np

from fullpool.games.moba import columns as c
from fullpool.games.moba import state as s
from fullpool.games.moba import tables as tb
from fullpool.games.moba.columns import ONE, ZERO, Scalar
from fullpool.games.moba.events import Row
from fullpool.games.moba.hero_columns import share_left
from fullpool.games.moba.masks import uses_who
from fullpool.games.moba.structures import is_sudden_death
from fullpool.games.moba.tables import Tables
from fullpool.games.moba.work import cut
from fullpool.numerics.kernels import inlined, kernel

G_TIME, G_PHASE, NUM_PHASES, G_SUDDEN, G_WAVE, G_KILLS, G_GOLD, G_LEVEL = 0, 1, 5, 6, 7, 8, 9, 10
G_OWN_TURRETS, G_ENEMY_TURRETS, G_OWN_CRYSTAL, G_ENEMY_CRYSTAL, G_VISIBLE = 11, 14, 17, 18, 19
G_OWN_DEAD, G_ENEMY_DEAD, G_OWN_RESPAWN, G_ENEMY_RESPAWN = range(20, 24)
G_GOLD_DIFFERENCE, G_LEVEL_DIFFERENCE, G_ITEM_DIFFERENCE, G_ENEMY_GOLD, G_ENEMY_LEVEL = range(24, 29)
G_OWN_MINIONS, G_ENEMY_MINIONS, G_OWN_SEEN = range(29, 32)


@kernel
def _write_lanes(f: Row, t: Tables, team: int, turrets: int, crystal: int, out: Row) -> None:
    """Writes which share of a team's turrets stands in each lane, and its crystal's hp."""
    first = team * s.STRUCTURES_PER_TEAM
    for lane in range(s.NUM_LANES):
        built, standing = ZERO, ZERO
        for tier in range(3):
            i = first + lane * 3 + tier
            if t.structure[i, 2] > ZERO:
                built += ONE
                standing += ONE if f[s.HP + s.STRUCTURE0 + i] > ZERO else ZERO
        out[turrets + lane] = standing / max(built, ONE)
    u = s.STRUCTURE0 + first + s.CRYSTAL
    out[crystal] = min(max(f[s.HP + u], ZERO) / max(f[s.MAX_HP + u], ONE), ONE)


@kernel
def _write_dead(f: Row, k: Row, team: int, dead: int, respawn: int, out: Row) -> None:
    """Writes the share of a team's heroes that is dead and when the first of them lives again."""
    out[dead], out[respawn] = ZERO, ZERO
    for h in range(team * s.TEAM_SIZE, (team + 1) * s.TEAM_SIZE):
        if f[s.HP + h] <= ZERO and k[s.HERO_ID + h] >= 0:
            left = share_left(k[s.RESPAWN_AT + h], k[s.TICK], c.PER_RESPAWN)
            out[respawn] = left if out[dead] == ZERO else min(out[respawn], left)
            out[dead] += c.PER_TEAM


@kernel
def team_gold(f: Row, team: int) -> Scalar:
    """All gold that a team has earned, a hero."""
    total = ZERO
    for h in range(team * s.TEAM_SIZE, (team + 1) * s.TEAM_SIZE):
        total += f[s.GOLD_TOTAL + h]
    return total * c.PER_TEAM


@kernel
def team_sum(k: Row, at: int, team: int) -> Scalar:
    """Mean of an integer field over a team."""
    total = 0
    for h in range(team * s.TEAM_SIZE, (team + 1) * s.TEAM_SIZE):
        total += k[at + h]
    return np.float32(total) * c.PER_TEAM


@inlined
def write_global(f: Row, k: Row, t: Tables, team: int, out: Row) -> None:
    """Writes the global row as a team's agents see it.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        team: who looks.
        out: `[>= GLOBAL_COLUMNS]`, written.
    """
    p, enemy, tick = t.preset, 1 - team, k[s.TICK]
    time = min(np.float32(tick) / (p[tb.P_CAP] * np.float32(s.TICKS_PER_DECISION)), ONE)
    out[G_TIME] = time
    for i in range(NUM_PHASES):
        out[G_PHASE + i] = ZERO
    phase = int(time * np.float32(NUM_PHASES))
    out[G_PHASE + min(phase, NUM_PHASES - 1)] = ONE
    out[G_SUDDEN] = ONE if is_sudden_death(k, t) else ZERO
    out[G_WAVE] = share_left(k[s.NEXT_WAVE], tick, ONE / p[tb.P_WAVE_EVERY_TICKS])
    difference = team_sum(k, s.KILLS, team) - team_sum(k, s.KILLS, enemy)
    out[G_KILLS] = cut(difference * c.PER_COUNT * np.float32(s.TEAM_SIZE))
    out[G_GOLD] = min(team_gold(f, team) * c.PER_GOLD_TOTAL, ONE)
    out[G_LEVEL] = team_sum(k, s.LEVEL, team) * c.PER_LEVEL
    _write_lanes(f, t, team, G_OWN_TURRETS, G_OWN_CRYSTAL, out)
    _write_lanes(f, t, enemy, G_ENEMY_TURRETS, G_ENEMY_CRYSTAL, out)
    out[G_VISIBLE] = ZERO
    for h in range(enemy * s.TEAM_SIZE, (enemy + 1) * s.TEAM_SIZE):
        if f[s.HP + h] > ZERO and (k[s.VISIBLE + h] >> team) & 1 == 1:
            out[G_VISIBLE] += c.PER_TEAM
    _write_dead(f, k, team, G_OWN_DEAD, G_OWN_RESPAWN, out)
    _write_dead(f, k, enemy, G_ENEMY_DEAD, G_ENEMY_RESPAWN, out)


@inlined
def write_critic_global(f: Row, k: Row, team: int, own_minions: int, enemy_minions: int, out: Row) -> None:
    """Writes the columns of the global row that only the critic sees, after `write_global`.

    Args:
        f: `[F_SIZE]` floats of the match.
        k: `[K_SIZE]` integers of the match.
        team: whose critic.
        own_minions: living minions of the team.
        enemy_minions: living minions of the other team.
        out: `[CRITIC_GLOBAL_COLUMNS]`, written from column `GLOBAL_COLUMNS` on.
    """
    enemy = 1 - team
    gold, enemy_gold = team_gold(f, team), team_gold(f, enemy)
    level, enemy_level = team_sum(k, s.LEVEL, team), team_sum(k, s.LEVEL, enemy)
    items = team_sum(k, s.ITEM_STEP, team) - team_sum(k, s.ITEM_STEP, enemy)
    out[G_GOLD_DIFFERENCE] = cut((gold - enemy_gold) * c.PER_GOLD)
    out[G_LEVEL_DIFFERENCE] = cut((level - enemy_level) * c.PER_ITEM)
    out[G_ITEM_DIFFERENCE] = cut(items * c.PER_ITEM)
    out[G_ENEMY_GOLD] = min(enemy_gold * c.PER_GOLD_TOTAL, ONE)
    out[G_ENEMY_LEVEL] = enemy_level * c.PER_LEVEL
    out[G_OWN_MINIONS] = np.float32(own_minions) * c.PER_MINIONS
    out[G_ENEMY_MINIONS] = np.float32(enemy_minions) * c.PER_MINIONS
    out[G_OWN_SEEN] = ZERO
    for h in range(team * s.TEAM_SIZE, (team + 1) * s.TEAM_SIZE):
        out[G_OWN_SEEN] += c.PER_TEAM if k[s.VISIBLE + h] == 3 else ZERO


@inlined
def write_previous(k: Row, t: Tables, h: int, out: Row, at: int) -> None:
    """Writes an agent's last action one-hot, a head it did not use as zeros; all zeros before the first decision.

    Args:
        k: `[K_SIZE]` integers of the match.
        t: tables of the game.
        h: seat.
        out: row written to.
        at: where the 53 columns begin.
    """
    row = out[at : at + c.PREVIOUS_COLUMNS]
    for i in range(c.PREVIOUS_COLUMNS):
        row[i] = ZERO
    action = s.ACTION + h * s.NUM_HEADS
    what = k[action + s.HEAD_WHAT]
    if k[s.DECISION] == 0 or k[s.HERO_ID + h] < 0 or what < 0 or what >= s.NUM_WHAT:
        return
    row[what] = ONE
    direction, dist = what == s.MOVE, False
    if s.SKILL1 <= what <= s.SKILL3:
        skill = t.skill[k[s.HERO_ID + h], what - s.SKILL1]
        direction, dist = skill[tb.SKILL_USES_DIR] != ZERO, skill[tb.SKILL_USES_DIST] != ZERO
    to = s.NUM_WHAT
    # An agent may have sent a number that no head has; the rules took it as none.
    if uses_who(k, t, h, what) and 0 <= k[action + s.HEAD_WHO] < s.NUM_WHO:
        row[to + k[action + s.HEAD_WHO]] = ONE
    to += s.NUM_WHO
    if direction and 0 <= k[action + s.HEAD_DIR] < s.NUM_DIR:
        row[to + k[action + s.HEAD_DIR]] = ONE
    to += s.NUM_DIR
    if dist and 0 <= k[action + s.HEAD_DIST] < s.NUM_DIST:
        row[to + k[action + s.HEAD_DIST]] = ONE
