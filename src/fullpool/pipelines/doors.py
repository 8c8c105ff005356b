"""Checks at the start of a run what one settings class cannot see: names and sizes that the game or another stage sets.

A settings class checks ranges and its own keys. Here every stage of the run, and of the pipeline that it belongs to,
is checked against the game before the first of them starts, so that no campaign trains for hours towards a stage that
must refuse its settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from fullpool.drafting.formats import closest

if TYPE_CHECKING:
    from fullpool.drafting.settings import DraftingSettings
    from fullpool.games.contract import GameSpec
    from fullpool.learning.ppo.settings import PpoSettings
    from fullpool.networks.settings import NetworkSettings
    from fullpool.pipelines.game import GameSettings

MAX_SEED = 2**31 - 1

_KEY = re.compile(r"[a-z_.]+: ")


def check_environment(conf: Path, env: str) -> None:
    """Refuses an environment that is no folder of settings.

    Raises:
        ValueError: with the closest environments.
    """
    if not (conf / env).is_dir():
        known = [path.name for path in conf.iterdir() if path.is_dir()]
        raise ValueError(f"no environment {env!r} in {conf}; {closest(env, known)}")


def check_names(parameters: Iterable[str], known: Iterable[str]) -> None:
    """Refuses parameters that no pipeline takes, which Kedro would ignore.

    Raises:
        ValueError: with the closest known names.
    """
    known = set(known)
    for name in parameters:
        if name not in known:
            raise ValueError(f"unknown parameter {name!r}; {closest(name, known)}")


def check_run(parameters: Mapping[str, Any]) -> GameSpec | None:
    """Checks the settings of all stages of a run against the game and against each other.

    Args:
        parameters: what the run's nodes take, by name: settings objects and plain values.

    Returns:
        The game; None if the run takes none.

    Raises:
        ValueError: naming the key, the value and what is allowed.
    """
    from fullpool.pipelines.game import GameSettings

    seed = parameters.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"params:seed: a seed is a whole number from 0 to {MAX_SEED}, got {seed!r}")
    game = parameters.get("game")
    if not isinstance(game, GameSettings):
        return None
    spec = _open(game, seed)
    for path, settings in _parts(parameters):
        with _named(path):
            _check_part(settings, spec)
    _check_stages(parameters, spec)
    _check_sizes(parameters)
    return spec


def training_budgets(parameters: Mapping[str, Any], spec: GameSpec | None) -> dict[str, float]:
    """Counts the agent-steps that each stage may train for.

    Args:
        parameters: settings of the stages, by name.
        spec: the game, which decides how many teachers there are; None: no stage trains.

    Returns:
        Agent-steps by stage.
    """
    if spec is None:
        return {}
    from fullpool.curriculum.lineups import num_groups

    budgets = {name: getattr(settings, "budget_agent_steps", None) for name, settings in parameters.items()}
    num_teachers = num_groups(spec)
    return {
        name: float(budget * (num_teachers if name == "teachers" else 1))
        for name, budget in budgets.items()
        if budget is not None
    }


def _open(game: GameSettings, seed: int) -> GameSpec:
    """Opens the game, and says of options that it cannot use which they are."""
    from fullpool.pipelines.game import make_setting
    from fullpool.pipelines.moba_options import check_options

    if game.name == "moba":
        check_options(game, _named)
    with _named("game"):
        try:
            return make_setting(game, seed).spec
        except (AttributeError, LookupError) as error:
            raise ValueError(
                f"options: {game.name} cannot use {game.options} ({type(error).__name__}: {error})"
            ) from error


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Puts the path of a key before what a check says of it."""
    from fullpool.pipelines.failures import explain

    try:
        yield
    except (ValueError, TypeError) as error:
        line = explain(error) or ""
        joint = "." if _KEY.match(line) else ": "
        raise ValueError(f"params:{path}{joint}{line}") from error


def _parts(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, BaseModel]]:
    """Finds all settings objects, those within others too, with their paths."""
    for name, value in values.items():
        if isinstance(value, BaseModel):
            yield f"{prefix}{name}", value
            yield from _parts(dict(value), f"{prefix}{name}.")


def _check_part(settings: BaseModel, spec: GameSpec) -> None:
    """Checks one settings object against the game."""
    from fullpool.curriculum.settings import ConvergenceSettings, LineupSettings
    from fullpool.drafting.settings import DraftingSettings
    from fullpool.league.settings import EvaluationSettings, LeagueSettings
    from fullpool.learning.imitation.settings import ImitationSettings
    from fullpool.learning.ppo.settings import PpoSettings, check_reward_heads
    from fullpool.networks.settings import NetworkSettings
    from fullpool.pipelines.matches.settings import MatchesSettings

    if isinstance(settings, LineupSettings):
        _check_bots("bot", [settings.bot], spec)
    elif isinstance(settings, LeagueSettings | ImitationSettings | MatchesSettings):
        _check_bots("bot_shares", settings.bot_shares, spec)
    elif isinstance(settings, ConvergenceSettings | EvaluationSettings):
        _check_bots("anchors", settings.anchors, spec)
    elif isinstance(settings, PpoSettings):
        check_reward_heads(settings, spec)
    elif isinstance(settings, NetworkSettings):
        _check_network(settings, spec)
    elif isinstance(settings, DraftingSettings):
        _check_drafting(settings, spec)


def _check_bots(key: str, names: Iterable[str], spec: GameSpec) -> None:
    for name in names:
        if name not in spec.bots:
            raise ValueError(f"{key}: {spec.name} has no bot {name!r}; {closest(name, spec.bots)}")


def _check_network(settings: NetworkSettings, spec: GameSpec) -> None:
    if settings.opponent_information and spec.critic is None:
        raise ValueError(
            f"opponent_information is on, but {spec.name} has no critic view; switch it off for this game"
        )
    if settings.image and spec.observation.image is not None and not settings.image_channels:
        raise ValueError("image_channels: image is on and needs at least one layer, got none")


def _check_drafting(settings: DraftingSettings, spec: GameSpec) -> None:
    from fullpool.drafting.minimax import MAX_LINES, count_lines
    from fullpool.drafting.settings import MINIMAX
    from fullpool.drafting.state import initial_state
    from fullpool.pipelines.drafting.work import draft_rules

    rules = draft_rules(spec, settings)
    if MINIMAX in settings.tournament.strategies:
        lines = count_lines(rules, initial_state(rules))
        if lines > MAX_LINES:
            raise ValueError(
                f"tournament.strategies: {MINIMAX!r} looks at every line of a draft, of which {settings.format!r} has "
                f"up to {lines:.2g} with {len(spec.heroes)} heroes, at most {MAX_LINES:.2g}; leave it out"
            )


def _check_stages(parameters: Mapping[str, Any], spec: GameSpec) -> None:
    """Checks what stages must have in common, where the run has both."""
    networks = {name: getattr(parameters.get(name), "network", None) for name in ("teachers", "student")}
    teacher, student = networks["teachers"], networks["student"]
    if teacher and student and teacher.value_heads != student.value_heads:
        raise ValueError(
            f"params:student.network.value_heads: {student.value_heads!r}, but the teachers have "
            f"{teacher.value_heads!r}; the student learns their values, give both the same"
        )
    for name, network in {
        "teachers": teacher,
        "merged": student,
        "baseline": getattr(parameters.get("baseline"), "network", None),
    }.items():
        if network and name in parameters and network.value_heads == "single":
            _check_discounts(name, parameters[name].ppo)
    _check_replay(parameters.get("student"), spec)


def _check_discounts(stage: str, ppo: PpoSettings) -> None:
    discounts = {name: head.discount for name, head in ppo.reward_heads.items()}
    if len(set(discounts.values())) > 1:
        raise ValueError(
            f"params:{stage}.ppo.reward_heads: a single value head needs one discount, got {discounts}; "
            "give all the same, or set network.value_heads to per_reward"
        )


def _check_replay(student: Any, spec: GameSpec) -> None:
    needed = student.rollout.window * spec.team_size if student is not None else 0
    if student is not None and student.distillation.replay_agent_steps < needed:
        raise ValueError(
            f"params:student.distillation.replay_agent_steps: must be at least {needed}, one window of a team, "
            f"got {student.distillation.replay_agent_steps}"
        )


def _check_sizes(parameters: Mapping[str, Any]) -> None:
    """Checks whether a stage makes enough for those after it, where the run has both."""
    from fullpool.drafting.records import AGENT_COLUMNS, check_order
    from fullpool.drafting.value import num_validation
    from fullpool.pipelines.winrate.training import check_count

    matches, winrate, drafting = (parameters.get(name) for name in ("matches", "winrate", "drafting"))
    if winrate is not None:
        with _named("winrate.split.order"):
            check_order(winrate.split, has_times=AGENT_COLUMNS.start_time is not None)
    if matches is not None and winrate is not None:
        with _named("matches.num_matches"):
            check_count(matches.num_matches, winrate)
    if drafting is not None:
        with _named("drafting.self_drafts.num_drafts"):
            num_validation(drafting.self_drafts.num_drafts, drafting.value_validation)
