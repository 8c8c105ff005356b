"""What a person wants to see first: a stage's figures in a line, a campaign's results in a short table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

HEADLINES = (
    "elo", "win_rate", "train_win_rate", "log_loss", "accuracy", "cross_entropy", "policy_loss", "value_loss",
    "entropy", "steps_per_s", "predicted", "played",
)  # fmt: skip
"""Beginnings of names, the most wanted first; without any of them the first figures are shown."""

NUM_SHOWN = 6

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
    for group in (name.removeprefix(GAIN) for name in values if _is_gain(name)):
        low, high = values[f"{GAIN}_low{group}"], values[f"{GAIN}_high{group}"]
        text = f"{values[f'{GAIN}{group}']:+.0f} [{low:+.0f}, {high:+.0f}]"
        if f"elo{group}" in values:
            text += f", to {values[f'elo{group}']:.0f}"
        lines.append(Result(f"Elo gained, {stage}{group.replace('_', ' ')}", text))
    return lines


def _is_gain(name: str) -> bool:
    return name.startswith(GAIN) and not _is_end(name)


def _strength(values: Mapping[str, float]) -> list[Result]:
    elo = {n.removeprefix("elo_"): v for n, v in values.items() if n.startswith("elo_")}
    won = {n.removeprefix("win_rate_vs_"): v for n, v in values.items() if n.startswith("win_rate_vs_")}
    own = {n.removeprefix("student_vs_"): v for n, v in values.items() if n.startswith("student_vs_")}
    ranked = sorted(elo.items(), key=lambda item: -item[1])
    lines = [
        ("Elo, all line-ups", ", ".join(f"{name} {value:.0f}" for name, value in ranked)),
        ("merged agent wins against", _shares(won)),
        ("student wins on their line-ups", _shares(own)),
    ]
    return [Result(subject, text) for subject, text in lines if text]


def _shares(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.1%}" for name, value in values.items())


def _predictor(values: Mapping[str, float]) -> list[Result]:
    if "log_loss" not in values:
        return []
    others = [
        f"{name} {values[f'log_loss_{name}']:.4f}" for name in REFERENCES if f"log_loss_{name}" in values
    ]
    lines = [Result("predictor, log-loss", ", ".join([f"{values['log_loss']:.4f}", *others]))]
    for name in REFERENCES:
        if f"vs_{name}" in values:
            low, high = values[f"vs_{name}_low"], values[f"vs_{name}_high"]
            lines.append(
                Result(f"  difference to {name}", f"{values[f'vs_{name}']:+.4f} [{low:+.4f}, {high:+.4f}]")
            )
    shown = {name: values[name] for name in ("accuracy", "auc", "calibration_error") if name in values}
    return [*lines, Result("predictor", ", ".join(f"{name} {value:.3f}" for name, value in shown.items()))]


def _drafts(values: Mapping[str, float]) -> list[Result]:
    lines = []
    for name in values:
        pair = name.removeprefix(PREDICTED)
        if not name.startswith(PREDICTED) or _is_end(name):
            continue
        judged = [
            f"{kind} {values[f'{kind}_{pair}']:.3f} "
            f"[{values[f'{kind}_{pair}_low']:.3f}, {values[f'{kind}_{pair}_high']:.3f}]"
            for kind in ("predicted", "played")
            if f"{kind}_{pair}" in values
        ]
        lines.append(Result(f"draft, {pair.replace('_vs_', ' v ')}", ", ".join(judged)))
    return lines
