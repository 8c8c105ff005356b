"""How many agent-steps a second a learner takes in, everything counted: simulate, observe, infer, sample, learn.

An agent-step is one decision of a learning agent that enters an update.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from fullpool.bench.facts import Notify, machine, part_of, peak_memory_mib, unheard, versions
from fullpool.games.contract import BatchGame, BatchViews, GameSpec, Ints, Seeds, Shorts, StepResult
from fullpool.learning.matches import Learner, Match, MatchFn
from fullpool.learning.ppo.learner import PpoLearner
from fullpool.learning.ppo.settings import PpoSettings
from fullpool.learning.rollout import RolloutWorker
from fullpool.learning.trajectories import Trajectory
from fullpool.networks.actor_critic import ActorCritic
from fullpool.networks.precision import resolve_precision
from fullpool.networks.settings import NetworkSettings
from fullpool.runtime.shards import ThreadShards, collect_windows

GameFn = Callable[[int], BatchGame]


@dataclass(frozen=True)
class BenchSize:
    """How much a bench does.

    Attributes:
        num_games: matches under way over all threads.
        window: decisions a window.
        num_threads: shards of the batch, one torch thread each.
        num_updates: updates that are timed.
        num_warmup: updates before the clock starts.
        seed: of everything.
    """

    num_games: int
    window: int
    num_threads: int
    num_updates: int
    num_warmup: int
    seed: int


class TimedGame:
    """A game that counts the seconds spent in it.

    Attributes:
        seconds: time in `reset`, `observe`, `step` and `statistics`.
    """

    def __init__(self, game: BatchGame) -> None:
        """Wraps a game."""
        self.seconds = 0.0
        self._game = game

    @property
    def spec(self) -> GameSpec:
        """The game's description."""
        return self._game.spec

    @property
    def num_games(self) -> int:
        """Number of matches."""
        return self._game.num_games

    def reset(self, games: Ints, lineups: Shorts, seeds: Seeds, seats: NDArray[np.int8]) -> None:
        """Starts matches."""
        self._timed(lambda: self._game.reset(games, lineups, seeds, seats))

    def observe(self, views: BatchViews, *, bots: bool = False) -> None:
        """Writes the views."""
        self._timed(lambda: self._game.observe(views, bots=bots))

    def step(self, actions: Ints) -> StepResult:
        """Plays one decision."""
        result: StepResult = self._timed(lambda: self._game.step(actions))
        return result

    def save_state(self) -> dict[str, NDArray[Any]]:
        """Copies the matches."""
        return self._game.save_state()

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Puts the matches back."""
        self._game.load_state(state)

    def statistics(self) -> dict[str, NDArray[Any]]:
        """Figures of the matches."""
        result: dict[str, NDArray[Any]] = self._timed(self._game.statistics)
        return result

    def _timed(self, call: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = call()
        self.seconds += time.perf_counter() - start
        return result


class OperationCounter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the operations of products and convolutions, backward ones too.

    torch's own `FlopCounterMode` hooks into modules in a way that `torch.autograd.grad` does not allow.

    Attributes:
        total: floating point operations so far.
    """

    def __init__(self) -> None:
        """Starts at zero."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.total = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs an operator and adds what its formula says."""
        result = func(*args, **(kwargs or {}))
        formula = flop_registry.get(func._overloadpacket)
        if formula is not None:
            self.total += int(formula(*args, **(kwargs or {}), out_val=result))
        return result


def random_self_play(spec: GameSpec) -> MatchFn:
    """A matchmaker of random line-ups with the learner on both sides."""

    def draw(generator: np.random.Generator) -> Match:
        heroes = generator.permutation(len(spec.heroes))[: 2 * spec.team_size]
        lineup = heroes.reshape(2, spec.team_size).astype(np.int16)
        return Match(lineup, (Learner(), Learner()), int(generator.integers(2**60)))

    return draw


def no_snapshot(name: str) -> ActorCritic:
    """Finds no frozen network: the bench has none.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"the bench plays without snapshots, asked for {name!r}")


def measure_run(
    game_fn: GameFn,
    network: ActorCritic,
    settings: PpoSettings,
    size: BenchSize,
    *,
    notify: Notify = unheard,
) -> dict[str, float]:
    """Times a training loop.

    Args:
        game_fn: makes a batch of that many matches.
        network: the network to train; it is trained in place.
        settings: the learner's knobs.
        size: how much to do.
        notify: told how much is done.

    Returns:
        `agent_steps_per_s` and the shares of the time `simulate_share`, `infer_share`, `learn_share`.
    """
    games = [TimedGame(game_fn(size.num_games // size.num_threads)) for _ in range(size.num_threads)]
    workers = [
        RolloutWorker(
            game,
            random_self_play(game.spec),
            network,
            no_snapshot,
            window=size.window,
            seed=size.seed + index,
            precision=settings.precision,
        )
        for index, game in enumerate(games)
    ]
    collecting = learning = 0.0
    first = 0
    with ThreadShards(size.num_threads) as shards:
        learner = PpoLearner(network, games[0].spec, settings, seed=size.seed, map_fn=shards)
        for number in range(size.num_warmup + size.num_updates):
            notify(number / (size.num_warmup + size.num_updates))
            if number == size.num_warmup:
                collecting = learning = 0.0
                first = learner.num_agent_steps
                for game in games:
                    game.seconds = 0.0
            start = time.perf_counter()
            windows = collect_windows(workers, shards)
            middle = time.perf_counter()
            learner.update(windows)
            collecting += middle - start
            learning += time.perf_counter() - middle
    total = collecting + learning
    simulating = sum(game.seconds for game in games) / size.num_threads
    return {
        "agent_steps_per_s": (learner.num_agent_steps - first) / total,
        "simulate_share": simulating / total,
        "infer_share": (collecting - simulating) / total,
        "learn_share": learning / total,
    }


def count_flops(game: BatchGame, network: ActorCritic, settings: PpoSettings, *, window: int) -> float:
    """Counts the floating point operations of the products of one agent-step: acting, valuing and one pass.

    Args:
        game: a small batch to play one window on.
        network: the network; its weights stay as they are.
        settings: the learner's knobs.
        window: decisions a window.

    Returns:
        Operations an agent-step, a multiply-add counted as two.
    """
    copy = ActorCritic(game.spec, network.settings)
    copy.load_state_dict(network.state_dict())
    plain = settings.model_copy(update={"precision": "float32", "num_epochs": 1})
    worker = RolloutWorker(
        game, random_self_play(game.spec), copy, no_snapshot, window=window, seed=0, precision="float32"
    )
    learner = PpoLearner(copy, game.spec, plain, seed=0)
    counter = OperationCounter()
    with counter:
        trajectory = worker.collect()
        assert isinstance(trajectory, Trajectory)
        learner.update([trajectory])
    flops = counter.total / learner.num_agent_steps
    if copy.lstm is not None:
        # The fused LSTM is one opaque operator to the counter: forward when acting, forward and backward after.
        flops += 4 * 2 * 4 * copy.lstm.hidden_size * (copy.lstm.input_size + copy.lstm.hidden_size)
    return float(flops)


def measure_product(dtype: torch.dtype) -> float:
    """Floating point operations a second of a large matrix product on one thread."""
    left, right = torch.randn(2048, 512).to(dtype), torch.randn(512, 512).to(dtype)
    best = float("inf")
    for _ in range(20):
        start = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - start)
    return 2.0 * 2048 * 512 * 512 / best


def bench_training(
    game_fn: GameFn,
    network_settings: NetworkSettings,
    settings: PpoSettings,
    size: BenchSize,
    *,
    notify: Notify = unheard,
) -> dict[str, Any]:
    """Measures a training loop: one pass, two passes, and one pass with an LSTM of 96 units.

    Args:
        game_fn: makes a batch of that many matches.
        network_settings: sizes of the network.
        settings: the learner's knobs; the number of passes is set here.
        size: how much to do.
        notify: told how much is done.

    Returns:
        JSON data: `agent_steps_per_s` and the rest of the figures.

    Raises:
        ValueError: if the games cannot be shared out between the threads.
    """
    if size.num_games % size.num_threads:
        raise ValueError(f"num_games {size.num_games} must be a multiple of num_threads {size.num_threads}")
    torch.set_num_threads(1)
    small = game_fn(2)
    network = ActorCritic(small.spec, network_settings, seed=size.seed)
    once = settings.model_copy(update={"num_epochs": 1})
    twice = settings.model_copy(update={"num_epochs": 2})
    narrow = network_settings.model_copy(update={"lstm_units": 96})
    dtype = resolve_precision(settings.precision, network.device)
    flops = count_flops(small, network, once, window=size.window)
    product = measure_product(dtype)
    narrower = ActorCritic(small.spec, narrow, seed=size.seed)
    main, pair, less = (
        measure_run(game_fn, learnt, chosen, size, notify=part_of(notify, number, 3))
        for number, (learnt, chosen) in enumerate(((network, once), (network, twice), (narrower, once)))
    )
    return {
        **main,
        "agent_steps_per_s_two_passes": pair["agent_steps_per_s"],
        "agent_steps_per_s_lstm_96": less["agent_steps_per_s"],
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "flops_per_agent_step": flops,
        "product_flops_per_s": product,
        "flops_share": flops * main["agent_steps_per_s"] / (product * size.num_threads),
        "precision": str(dtype).removeprefix("torch."),
        "threads": size.num_threads,
        "games": size.num_games,
        "window": size.window,
        "minibatch_size": settings.minibatch_size,
        "game": small.spec.name,
        "preset": small.spec.preset,
        "observation_floats": small.spec.observation.size,
        "peak_memory_mib": peak_memory_mib(),
        "versions": versions(),
        "machine": machine(),
    }
