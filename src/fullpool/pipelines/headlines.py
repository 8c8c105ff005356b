"""What a person wants to see first: a stage's figures in a line, a campaign's results in a short table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fullpool.pipelines.progress import STEPS

HEADLINES = (
    "elo", "win_rate", "train_win_rate", "log_loss", "accuracy", "cross_entropy", "policy_loss", "value_loss",
    "entropy", "steps_per_s", "predicted", "played",
)  # fmt: skip
"""Beginnings of names, the most wanted first; without any of them the first figures are shown."""

NUM_SHOWN = 6

TOY_AGENT_STEPS = 1_000_000
"""A campaign that has learnt from fewer agent-steps plays hardly better than chance."""

GAIN = "elo_phase_gain"
PREDICTED = "predicted_"
REFERENCES = ("logistic_regression", "majority")
"""Models that the predictor must beat."""


def headline(figures: Mapping[str, float]) -> dict[str, float]:
    """Picks the figures that are shown: one of each headline, then more of them while there is room.

    Args:
        figures: latest figures by name, without the stage.

    Returns:
        At most `NUM_SHOWN` of them.
    """
    found = [
        # The figure itself before those that only begin like it.
        sorted(
            (name for name in figures if name.startswith(start)),
            key=lambda name: (name != start, _is_end(name)),
        )
        for start in HEADLINES
    ]
    firsts = [names[0] for names in found if names]
    others = sorted((name for names in found for name in names[1:]), key=_is_end)
    return {name: figures[name] for name in (firsts + others or list(figures))[:NUM_SHOWN]}


def by_group(figures: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Parts a stage's figures by teachers' groups.

    Args:
        figures: latest figures by name, without the stage.

    Returns:
        Figures by group, their names without it; those of a stage without groups by the empty name.
    """
    groups = _by_number(name.removeprefix(STEPS) for name in figures if name.startswith(f"{STEPS}_"))
    if not groups:
        return {"": dict(figures)}
    return {
        group[1:]: {name.removesuffix(group): figures[name] for name in figures if name.endswith(group)}
        for group in groups
    }


def agent_steps(figures: Mapping[str, Mapping[str, float]]) -> float:
    """Sums the agent-steps that a campaign has learnt from, over its stages and groups."""
    return sum(
        value
        for values in figures.values()
        for name, value in values.items()
        if name == STEPS or name.startswith(f"{STEPS}_")
    )


def size_note(steps: float) -> str:
    """Says how much a campaign has learnt from, and that little says nothing; empty where nothing has learnt yet."""
    if not steps:
        return ""
    toy = f"; toy size: below {TOY_AGENT_STEPS:,} figures mean nothing" if steps < TOY_AGENT_STEPS else ""
    return f"{steps:,.0f} agent-steps in all{toy}"


def _is_end(name: str) -> bool:
    """Whether a figure is an end of an interval, which is worth less room than a figure of its own."""
    return re.search("_(low|high)(_|$)", name) is not None


@dataclass(frozen=True)
class Result:
    """One line of the table at a campaign's end."""

    subject: str
    text: str


def results(figures: Mapping[str, Mapping[str, float]]) -> list[Result]:
    """Picks what a campaign came to: Elo a phase, win rates, predictor, draft.

    Args:
        figures: latest figures by stage and name.

    Returns:
        Lines for those stages that have come to their figures.
    """
    lines: list[Result] = []
    for stage in ("teachers", "student", "merged", "baseline"):
        lines += _gains(stage, figures.get(stage, {}))
    lines += _strength(figures.get("evaluation", {}))
    lines += _predictor(figures.get("winrate", {}))
    return lines + _drafts(figures.get("drafting", {}))


def _gains(stage: str, values: Mapping[str, float]) -> list[Result]:
    lines = []
    for group in _by_number(name.removeprefix(GAIN) for name in values if _is_gain(name)):
        low, high = values[f"{GAIN}_low{group}"], values[f"{GAIN}_high{group}"]
        text = f"{values[f'{GAIN}{group}']:+z.0f} [{low:+z.0f}, {high:+z.0f}]"
        if f"elo{group}" in values:
            text += f", to {values[f'elo{group}']:z.0f}"
        lines.append(Result(f"Elo gained, {stage}{group.replace('_', ' ')}", text))
    return lines


def _is_gain(name: str) -> bool:
    return name.startswith(GAIN) and not _is_end(name)


def _strength(values: Mapping[str, float]) -> list[Result]:
    games = f", {values['num_games']:,.0f} games" if "num_games" in values else ""
    ranked = sorted(_named("elo_", values), key=lambda name: -values[f"elo_{name}"])
    return [
        *[Result(f"Elo, {name}", _with_ends(f"elo_{name}", values, "z.0f")) for name in ranked],
        *[
            Result(f"merged v {name}", _with_ends(f"win_rate_vs_{name}", values, ".3f") + games)
            for name in _named("win_rate_vs_", values)
        ],
        *[
            Result(f"student v {name}, its line-up", _with_ends(f"student_vs_{name}", values, ".3f") + games)
            for name in _named("student_vs_", values)
        ],
    ]


def _named(start: str, values: Mapping[str, float]) -> list[str]:
    names = (name for name in values if name.startswith(start) and not _is_end(name))
    return _by_number(name.removeprefix(start) for name in names)


def _by_number(names: Iterable[str]) -> list[str]:
    """Sorts by the number that a name ends in, so that teachers that finish in any order come in their own."""
    return sorted(names, key=lambda name: int((re.findall(r"\d+$", name) or [0])[0]))


def _with_ends(name: str, values: Mapping[str, float], form: str) -> str:
    """Puts a figure into words, with the ends of its interval where they were logged."""
    text = f"{values[name]:{form}}"
    if f"{name}_low" not in values:
        return text
    return f"{text} [{values[f'{name}_low']:{form}}, {values[f'{name}_high']:{form}}]"


def _predictor(values: Mapping[str, float]) -> list[Result]:
    if "log_loss" not in values:
        return []
    others = [
        f"{name} {values[f'log_loss_{name}']:.4f}" for name in REFERENCES if f"log_loss_{name}" in values
    ]
    lines = [Result("predictor, log-loss", ", ".join([f"{values['log_loss']:.4f}", *others]))]
    lines += [
        Result(f"  difference to {name}", _with_ends(f"vs_{name}", values, "+.4f"))
        for name in REFERENCES
        if f"vs_{name}" in values
    ]
    shown = {name: values[name] for name in ("accuracy", "auc", "calibration_error") if name in values}
    return [*lines, Result("predictor", ", ".join(f"{name} {value:.3f}" for name, value in shown.items()))]


def _drafts(values: Mapping[str, float]) -> list[Result]:
    lines = []
    for pair in _named(PREDICTED, values):
        judged = [
            f"{kind} {_with_ends(f'{kind}_{pair}', values, '.3f')}"
            for kind in ("predicted", "played")
            if f"{kind}_{pair}" in values
        ]
        lines.append(Result(f"draft, {pair.replace('_vs_', ' v ')}", ", ".join(judged)))
    return lines
