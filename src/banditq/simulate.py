"""The offline side: many runs of a policy on a problem, spread over the cores."""

import os
import platform
import threading
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .checks import MOST_ROUNDS, MOST_SEEDS, one_of, told, whole
from .errors import Infeasible, InterruptedRun, InvalidInput, PolicyFailed
from .kernels.compiling import explained, is_compilable, is_foreign, python_form
from .kernels.ledger import open_ledger
from .kernels.noise import Stream, stream_key
from .kernels.watch import LawWatch, Unwatched
from .learners.base import Learner
from .loops import Recorder, bandit_rounds, full_rounds
from .memory import require_memory
from .policies.alone import Alone
from .policies.base import Policy, Terms
from .problem import Problem
from .progress import Progress
from .result import Result
from .schedule import checkpoint_rounds, how_many, run_numbers, window_lengths

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_SLICE_SECONDS = 0.1  # how long a compiled call may hold up Ctrl-C and the progress bar


def simulate(
    policy: Policy | Learner,
    problem: Problem,
    rounds: int,
    *,
    runs: int | Sequence[int] = 1,
    seed: int = 0,
    arms: Literal["protected", "all"] = "protected",
    checkpoints: int | Sequence[int] = 1000,
    windows: Sequence[int] = (),
    laws: bool = False,
    allow_infeasible: bool = False,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Play a policy on a problem and keep what happened.

    Every reward is a pure function of (seed, run, round, arm), so all policies meet the same table.

    Parameters
    ----------
    policy
        A policy, or a bare learner, which then ignores the targets.
    rounds, seed
        How long, and which table of rewards.
    runs
        How many runs, or which: ``range(20, 40)`` carries on where ``runs=20`` stopped, and
        :meth:`Result.joined` puts the two together.
    arms
        Which arms are recorded.
    checkpoints
        About how many rounds are recorded (half of them evenly spaced, half in geometric progression,
        the last round always), or which.
    windows
        Lengths of windows whose worst shortfall is watched at every round.
    laws
        Watch the law of every round, for :meth:`Result.excess_regret` and :meth:`Result.lack`. A law can
        cost more than a choice: it is asked for at checkpoints only otherwise.
    allow_infeasible
        Simulate targets that no policy can meet; the benchmark then meets the largest common scaling.
    jobs
        Threads; by default as many as there are cores. No figure depends on it.
    progress
        Show a progress bar; by default if stderr is a terminal.

    Examples
    --------
    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.3, 0.8], targets=[0.1, 0.0])
    >>> run = bq.simulate(bq.BanditQ(), problem, rounds=1_000, runs=2, seed=0)
    >>> run.regret().shape == (2, run.rounds.size)
    True
    """
    policy = as_policy(policy)
    if not isinstance(problem, Problem):
        raise InvalidInput(f"problem is {told(problem)}; it must be a bq.Problem(means=..., targets=...)")
    rounds = whole("rounds", rounds, low=1, high=MOST_ROUNDS)
    seed = whole("seed", seed, low=0, high=MOST_SEEDS - 1)
    one_of("arms", arms, ("protected", "all"))
    jobs = (os.cpu_count() or 1) if jobs is None else whole("jobs", jobs, low=1)
    limit = problem.rewards.longest()
    if limit is not None and rounds > limit:
        raise InvalidInput(f"rounds is {rounds}, but the rewards are known for {limit} rounds only")
    averaged = problem.averaged(rounds)
    if not averaged.feasible and not allow_infeasible:
        raise Infeasible(f"{averaged.refusal}; allow_infeasible=True simulates them all the same")
    recorded = problem.protected if arms == "protected" else np.arange(problem.n_arms)
    watched = window_lengths(windows, rounds)
    require_memory(
        how_many("runs", runs),
        how_many("checkpoints", checkpoints),
        rounds,
        recorded.size,
        watched,
        laws,
        jobs,
    )
    job = _Job(
        policy=policy,
        problem=problem,
        rounds=checkpoint_rounds(checkpoints, rounds),
        arms=recorded.astype(np.int64),
        windows=watched,
        mix=_best_mix(averaged) if laws else None,
        seed=seed,
        numbers=run_numbers(runs),
    )
    job.prepare()
    started = time.perf_counter()
    job.play(jobs, progress)
    return job.result(averaged, time.perf_counter() - started)


def as_policy(policy: Any) -> Policy:
    """The policy that plays: itself, or a learner alone."""
    if isinstance(policy, Learner):
        return Alone(policy)
    if not callable(getattr(policy, "state", None)) or isinstance(policy, type):
        hint = f"; write {policy.__name__}()" if isinstance(policy, type) else ""
        raise InvalidInput(f"policy is {told(policy)}; it must be a policy such as bq.BanditQ(){hint}")
    one_of("policy.feedback", getattr(policy, "feedback", None), ("bandit", "full"))
    chosen: Policy = policy
    return chosen


@dataclass
class _Job:
    """The runs of one policy, and the arrays they write to."""

    policy: Policy
    problem: Problem
    rounds: Integers
    arms: Integers
    windows: Integers
    mix: Floats | None  # the benchmark's, if every round's law is watched against it
    seed: int
    numbers: list[int]  # of the runs; everywhere else a run is its place in this list
    stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.runs = len(self.numbers)
        shape = (self.runs, self.rounds.size)
        k, w = self.arms.size, self.windows.size
        self.out = {
            "reward": np.zeros(shape),
            "expected": np.zeros(shape),
            "accrued": np.zeros((*shape, k)),
            "played": np.zeros((*shape, k)),
            "queue": np.zeros((*shape, k)),
            "peak": np.zeros((*shape, k)),
            "worst": np.zeros((*shape, w, k)),
        }
        watched = shape if self.mix is not None else (self.runs, 0)
        self.watched = {"excess": np.zeros(watched), "lacking": np.zeros((*watched, k))}
        self.seconds = np.zeros(self.runs)  # of each run's thread in the compiled loop
        self.at = np.zeros(self.runs, np.int64)  # the round each run has reached
        self.reached = np.zeros(self.runs, np.int64)  # and the checkpoints it has written
        self.terms = Terms(self.problem.targets, self.problem.reward_max, int(self.rounds[-1]))
        self.loop = bandit_rounds if self.policy.feedback == "bandit" else full_rounds
        self.compiled = True

    def prepare(self) -> None:
        """Refuse bad settings and compile, before any thread starts."""
        state = self.policy.state(self.terms)
        rewards, _ = self.block(1, 1)
        self.compiled = is_compilable(state) and is_compilable(rewards)
        if not self.compiled:
            self.loop = python_form(self.loop)
        elif is_foreign(state) or is_foreign(rewards):  # a mistake shows best in plain Python
            rehearsal, block = self.policy.state(self.terms), self.block(1, 1)[0]
            python_form(self.loop)(rehearsal, block, *self.keys(0), *self.books(0), 1, 1, 0)
        names = f"{type(self.policy).__name__} with {type(self.problem.rewards).__name__} rewards"
        notice = Progress.notice(f"compiling {names}; the result is cached for the next time")
        with notice, explained(self.policy):
            self.loop(state, rewards, *self.keys(0), *self.books(0), 1, 0, 0)

    def block(self, first: int, last: int) -> tuple[Any, int]:
        problem = self.problem
        return problem.rewards.block(problem.means, problem.reward_max, first, last)

    def keys(self, run: int) -> tuple[np.uint64, np.uint64]:
        number = self.numbers[run]
        return stream_key(self.seed, number, Stream.CHOICES), stream_key(self.seed, number, Stream.REWARDS)

    def books(self, run: int) -> tuple[Any, Recorder]:
        n_arms = self.problem.n_arms
        rows = {name: array[run] for name, array in self.out.items()}
        work = {name: np.zeros(n_arms) for name in ("law", "row", "debt")}
        ledger = open_ledger(n_arms, self.arms, self.problem.targets, self.windows)
        return ledger, Recorder(rounds=self.rounds, **rows, **work, watcher=self.watcher(run))

    def watcher(self, run: int) -> LawWatch | Unwatched:
        if self.mix is None:
            return Unwatched(0)
        rows = {name: array[run] for name, array in self.watched.items()}
        targets = np.ascontiguousarray(self.problem.targets[self.arms])
        return LawWatch(np.zeros(self.mix.size), self.mix, self.arms, targets, **rows)

    def play_run(self, run: int) -> None:
        """One run from start to end, or until told to stop."""
        state, keys, books = self.policy.state(self.terms), self.keys(run), self.books(run)
        last = int(self.rounds[-1])
        length, checkpoint = 64, 0
        while self.at[run] < last and not self.stop.is_set():
            first = int(self.at[run]) + 1
            rewards, until = self.block(first, min(last, first + length - 1))
            clock, busy = time.perf_counter(), time.thread_time()
            checkpoint, failed = self.loop(state, rewards, *keys, *books, first, until, checkpoint)
            self.seconds[run] += time.thread_time() - busy
            if failed:
                self.stop.set()
                raise PolicyFailed(
                    f"{self.policy!r} left the numbers in run {self.numbers[run]}, round {failed}: "
                    f"its law no longer is a distribution; its state was {state!r}"
                )
            self.at[run], self.reached[run] = until, checkpoint
            if time.perf_counter() - clock < _SLICE_SECONDS / 2:
                length *= 2
            elif time.perf_counter() - clock > _SLICE_SECONDS * 2:
                length = max(length // 2, 1)

    def play(self, jobs: int, progress: bool | None) -> None:
        """All runs; the first Ctrl-C stops them where they are, and what is done is kept."""
        total = self.runs * int(self.rounds[-1])
        with Progress(total, self.runs, progress) as bar, ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(self.play_run, run) for run in range(self.runs)]
            try:
                waiting = set(futures)
                while waiting:
                    done, waiting = wait(waiting, timeout=0.1)
                    for future in done:
                        future.result()
                    bar.show(int(self.at.sum()), int((self.at == self.rounds[-1]).sum()))
            except BaseException as error:
                self.stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                if not isinstance(error, KeyboardInterrupt):
                    raise

    def result(self, averaged: Problem, seconds: float) -> Result:
        """The finished runs; if none is, every run that began, up to where all of them came."""
        keep, points = np.arange(self.runs), self.rounds.size
        interrupted = bool(self.stop.is_set())
        if interrupted:
            keep = np.flatnonzero(self.reached == points)
            if not keep.size:
                keep = np.flatnonzero(self.reached)
                points = int(self.reached[keep].min()) if keep.size else 0
            if not points:
                raise KeyboardInterrupt
            kept = f"kept {keep.size} of {self.runs} runs, up to round {self.rounds[points - 1]:,}"
            warnings.warn(f"stopped by Ctrl-C; {kept}", InterruptedRun, stacklevel=3)
        rounds = self.rounds[:points]
        info = {
            **_provenance(),
            "policy": _describe(self.policy),
            "problem": _describe(self.problem),
            "runs": [self.numbers[run] for run in keep],
            "rounds": int(self.rounds[-1]),  # asked for; an interrupted run has fewer
            "seed": self.seed,
            "compiled": self.compiled,
            "interrupted": interrupted,
            "seconds": round(seconds, 3),
            "rounds per second": round(float(self.at.sum()) / max(seconds, 1e-9)),
        }
        return Result(
            rounds=rounds,
            arms=self.arms,
            windows=self.windows,
            targets=self.problem.targets[self.arms],
            price=averaged.price[self.arms],
            benchmark=_benchmark(self.problem, averaged, rounds),
            info=info,
            seconds=self.seconds[keep],
            **{name: array[keep, :points] for name, array in self.out.items()},
            **{name: array[keep, :points].cumsum(axis=1) for name, array in self.watched.items()},
        )


def _best_mix(averaged: Problem) -> Floats:
    """The best fixed mix that meets the targets, or as much of them as can be met."""
    feasible = averaged if averaged.feasible else averaged.scaled(averaged.largest_scaling)
    return feasible.benchmark().mix


def _benchmark(problem: Problem, averaged: Problem, rounds: Integers) -> Floats:
    """What the best fixed mix earns up to each round, in expectation."""
    earned: Floats = problem.rewards.cumulative(problem.means, rounds) @ _best_mix(averaged)
    return earned


def _describe(thing: Any) -> Any:
    """A configuration as JSON, or its repr where it holds objects that JSON cannot."""
    try:
        return thing.to_dict()
    except (AttributeError, InvalidInput):
        return repr(thing)


def _provenance() -> dict[str, Any]:
    return {
        "versions": {name: version(name) for name in ("banditq", "numpy", "numba")},
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
