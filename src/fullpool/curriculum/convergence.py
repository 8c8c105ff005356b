"""When a phase ends: the paper gives no rule, this is ours.

After some generations the agent is rated against fixed anchors and its own past. The phase has converged when
the upper end of the bootstrap interval of (last rating - rating `window` ratings ago) lies below `delta`
several times running.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fullpool.curriculum.settings import ConvergenceSettings
from fullpool.league.game_log import Ratings


@dataclass(frozen=True)
class Verdict:
    """What the rule says after a rating.

    Attributes:
        gain: last rating minus the one `window` ratings ago, in Elo points; None before there are enough.
        upper: upper end of its interval; None likewise.
        quiet: how many ratings running `upper` lay below delta.
        converged: whether the phase may end.
    """

    gain: float | None
    upper: float | None
    quiet: int
    converged: bool

    def text(self, settings: ConvergenceSettings) -> str:
        """One line for the log."""
        if self.gain is None or self.upper is None:
            return f"not converged: fewer than {settings.window + 1} ratings"
        word = "converged" if self.converged else "not converged"
        return (
            f"{word}: gain over {settings.window} ratings {self.gain:+.0f} Elo, upper end {self.upper:+.0f} "
            f"against {settings.delta:.0f}, {self.quiet} of {settings.patience} running"
        )


@dataclass
class ConvergenceRule:
    """The rule with its memory.

    Attributes:
        settings: its numbers.
        rated: names under which the agent was rated, oldest first.
        quiet: ratings running whose interval lay below delta.
    """

    settings: ConvergenceSettings
    rated: list[str] = field(default_factory=list)
    quiet: int = 0

    def judge(self, name: str, ratings: Ratings) -> Verdict:
        """Takes in the rating of the agent's latest state.

        Args:
            name: under which it played.
            ratings: of all its states so far, refitted with the new games.

        Returns:
            The verdict.
        """
        self.rated.append(name)
        window = self.settings.window
        if len(self.rated) <= window:
            return Verdict(None, None, 0, False)
        # A two-sided interval of 90 % has the upper end that 5 % of the resamples exceed.
        gain, _, upper = ratings.difference(name, self.rated[-1 - window], self.settings.confidence)
        self.quiet = self.quiet + 1 if upper < self.settings.delta else 0
        return Verdict(gain, upper, self.quiet, self.quiet >= self.settings.patience)

    def state(self) -> dict[str, list[str] | int]:
        """Plain data for a checkpoint."""
        return {"rated": list(self.rated), "quiet": self.quiet}

    def load_state(self, rated: list[str], quiet: int) -> None:
        """Puts a saved state back."""
        self.rated, self.quiet = list(rated), quiet
