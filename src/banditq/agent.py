"""The live side: choose, learn, save, load."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from .checks import finite_vector, real, whole, within
from .config import Config
from .errors import InvalidInput, UnknownChoice
from .kernels.compiling import explained, is_compilable, is_foreign, kernel, python_form
from .kernels.ledger import Ledger, open_ledger, pay, pay_entry
from .kernels.noise import Stream, scramble, stream_key
from .kernels.protocol import Allocation, Decision, allocate, choose, law, learn, pick
from .saving import pack, read_file, unpack, write_file
from .terms import Terms

Floats = npt.NDArray[np.float64]

_WHAT, _FORMAT = "an agent", 1


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision of an agent; hand it back to :meth:`Agent.learn` with its reward, or just its ``id``.

    ``probability`` is the propensity that ``arm`` had; ``round`` counts from 1.
    """

    id: int
    arm: int
    probability: float
    round: int


@kernel
def _choose(policy: Any, key: Any, round: int) -> Decision:
    return choose(policy, scramble(key, round))


@kernel
def _learn(policy: Any, ledger: Ledger, now: int, decision: Decision, reward: float) -> None:
    learn(policy, decision, reward)
    pay(ledger, now, decision.arm, 1.0, reward)


@kernel
def _allocate(policy: Any, key: Any, round: int, law: Floats, queue: Floats) -> tuple[float, int]:
    bound, _ = allocate(policy, law, queue)
    return bound, pick(law, scramble(key, round))


@kernel
def _learn_all(policy: Any, ledger: Ledger, now: int, allocation: Allocation, rewards: Floats) -> None:
    learn(policy, allocation, rewards)
    for arm in range(rewards.size):
        share = allocation.law[arm]
        pay_entry(ledger, now, arm, share, share * rewards[arm])


@kernel
def _law(policy: Any, out: Floats) -> None:
    law(policy, out)


class Agent:
    """A policy at work: it chooses now and learns whenever the reward comes.

    Open one with :meth:`banditq.Policy.start`. It is not safe to share between threads without a lock.

    Examples
    --------
    >>> import banditq as bq
    >>> agent = bq.BanditQ(horizon=None).start(targets=[0.1, 0.1, 0.0], seed=7)
    >>> first, second = agent.choose(), agent.choose()
    >>> agent.learn(second, 1.0)  # in any order
    >>> agent.outstanding
    1
    >>> agent.learn(first, 0.0)
    >>> agent.learn(first, 0.0)
    Traceback (most recent call last):
    banditq.errors.UnknownChoice: choice 1 has been learnt already
    """

    def __init__(self, policy: Any, terms: Terms, seed: int, run: int) -> None:
        self.policy = policy
        self._terms = terms
        self._seed, self._run = seed, run
        self._key = stream_key(seed, run, Stream.CHOICES)
        self._state = policy.state(terms)
        self._ledger = self._fresh_ledger()
        self._round = 0
        self._open: dict[int, Any] = {}
        self._full = policy.feedback == "full"
        steps = (_choose, _learn, _allocate, _learn_all, _law)
        self._steps = steps if is_compilable(self._state) else tuple(map(python_form, steps))
        if is_foreign(self._state):
            self._rehearse()

    def _fresh_ledger(self) -> Ledger:
        arms = np.arange(self.n_arms, dtype=np.int64)
        return open_ledger(self.n_arms, arms, self._terms.targets, np.zeros(0, np.int64))

    def _rehearse(self) -> None:
        """Play a round with states to throw away: a mistake in somebody's verbs shows now, not later."""
        for steps in (tuple(map(python_form, self._steps)), self._steps):
            state, ledger = self.policy.state(self._terms), self._fresh_ledger()
            zeros, law = np.zeros(self.n_arms), np.zeros(self.n_arms)
            with explained(self.policy):
                if self._full:
                    bound, _ = steps[2](state, self._key, 1, law, zeros)
                    steps[3](state, ledger, 0, Allocation(law, zeros, bound, 1), np.zeros(self.n_arms))
                else:
                    steps[1](state, ledger, 0, steps[0](state, self._key, 1), 0.0)
                steps[4](state, law)

    @classmethod
    def open(
        cls,
        policy: Any,
        targets: Sequence[float],
        *,
        seed: int = 0,
        reward_max: float = 1.0,
        rounds: int | None = None,
        run: int = 0,
    ) -> Self:
        """As :meth:`banditq.Policy.start`."""
        promised = within("targets", finite_vector("targets", targets), 0.0, np.inf)
        ceiling = real("reward_max", reward_max, above=0.0)
        if promised.sum() > ceiling:
            raise InvalidInput(
                f"targets sum to {promised.sum():g}, more than reward_max = {ceiling:g}, "
                "which is all that a round can pay"
            )
        known = None if rounds is None else whole("rounds", rounds, low=1)
        terms = Terms(promised, ceiling, known)
        return cls(policy, terms, whole("seed", seed, low=0), whole("run", run, low=0))

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return self._terms.n_arms

    @property
    def round(self) -> int:
        """How many choices have been made."""
        return self._round

    @property
    def outstanding(self) -> int:
        """How many choices wait for their reward."""
        return len(self._open)

    def pending(self) -> list[Choice]:
        """The choices that wait for their reward, oldest first."""
        return [self._as_choice(key) for key in self._open]

    def _as_choice(self, key: int) -> Choice:
        record = self._open[key]
        if self._full:
            allocation, arm = record
            return Choice(key, arm, float(allocation.law[arm]), key)
        return Choice(key, record.arm, record.probability, key)

    def choose(self) -> Choice:
        """Choose an arm; the targets of this round accrue now."""
        now = self._round + 1
        if self._full:
            shares, queue = np.zeros(self.n_arms), np.zeros(self.n_arms)
            bound, arm = self._steps[2](self._state, self._key, now, shares, queue)
            self._open[now] = Allocation(shares, queue, bound, now), arm
        else:
            self._open[now] = self._steps[0](self._state, self._key, now)
        self._round = now
        return self._as_choice(now)

    def learn(self, choice: Choice | int, reward: float | Sequence[float]) -> None:
        """Take the reward of a choice: its arm's, or in full information every arm's.

        It may come late and in any order. A choice that is unknown or has been learnt, or a reward that
        is not a number in [0, reward_max], is an error and changes nothing.
        """
        key = choice.id if isinstance(choice, Choice) else choice
        record = self._open.get(key)
        if record is None:
            if isinstance(key, int) and 1 <= key <= self._round:
                raise UnknownChoice(f"choice {key} has been learnt already")
            raise UnknownChoice(f"choice {key!r} was not made by this agent, which has made {self._round}")
        if self._full:
            allocation, _ = record
            rewards = self._check_rewards(reward)
            self._steps[3](self._state, self._ledger, self._round, allocation, rewards)
        else:
            paid = real("reward", reward, low=0.0)
            if paid > self._terms.reward_max:
                raise InvalidInput(f"reward is {paid:g}; it must be at most {self._terms.reward_max:g}")
            self._steps[1](self._state, self._ledger, self._round, record, paid)
        del self._open[key]

    def _check_rewards(self, rewards: Any) -> Floats:
        vector = finite_vector("reward", rewards, self.n_arms)
        return within("reward", vector, 0.0, self._terms.reward_max)

    def law(self) -> Floats:
        """The distribution that the next choice will be drawn from."""
        out = np.zeros(self.n_arms)
        self._steps[4](self._state, out)
        return out

    def queues(self) -> Floats:
        """What each arm is owed: its largest shortfall over windows ending now."""
        ledger = self._ledger
        owed: Floats = ledger.queue + ledger.targets * (self._round - ledger.touched)
        return owed

    def rates(self) -> Floats:
        """Reward received per round by each arm; zeros before the first round."""
        received: Floats = self._ledger.accrued / max(self._round, 1)
        return received

    def save(self, path: str | Path) -> Path:
        """Write the agent, its open choices included, to one .npz file; returns where it went."""
        header = {
            "what": _WHAT,
            "format": _FORMAT,
            "policy": self.policy.to_dict(),
            "reward_max": self._terms.reward_max,
            "rounds": self._terms.rounds,
            "seed": self._seed,
            "run": self._run,
            "round": self._round,
        }
        arrays = {"targets": self._terms.targets}
        arrays |= pack("state", self._state) | pack("ledger", self._ledger)
        arrays["open"] = np.array(list(self._open), np.int64)
        records = list(self._open.values())
        if self._full:
            arrays["open.arm"] = np.array([arm for _, arm in records], np.int64)
            arrays["open.law"] = np.array([a.law for a, _ in records]).reshape(-1, self.n_arms)
            arrays["open.queue"] = np.array([a.queue for a, _ in records]).reshape(-1, self.n_arms)
            arrays["open.bound"] = np.array([a.bound for a, _ in records], np.float64)
        else:
            arrays["open.arm"] = np.array([d.arm for d in records], np.int64)
            arrays["open.real"] = np.array([(d.probability, d.queue, d.bound) for d in records]).reshape(
                -1, 3
            )
        return write_file(Path(path), header, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Inverse of :meth:`save`: it goes on bit for bit."""
        header, data = read_file(Path(path), _WHAT, _FORMAT)
        try:
            policy = Config.from_dict(header["policy"])
            terms = Terms(data["targets"], header["reward_max"], header["rounds"])
            agent = cls(policy, terms, header["seed"], header["run"])
            agent._state = unpack("state", agent._state, data)
            agent._ledger = unpack("ledger", agent._ledger, data)
            agent._round = header["round"]
            agent._open = agent._unpack_open(data)
        except KeyError as error:
            raise InvalidInput(f"{path} lacks {error}, which an agent needs") from None
        return agent

    def _unpack_open(self, data: dict[str, Any]) -> dict[int, Any]:
        ids, arms = data["open"].tolist(), data["open.arm"].tolist()
        if self._full:
            laws, queues, bounds = data["open.law"], data["open.queue"], data["open.bound"].tolist()
            return {
                key: (Allocation(laws[j].copy(), queues[j].copy(), bounds[j], key), arms[j])
                for j, key in enumerate(ids)
            }
        parts = zip(ids, arms, data["open.real"].tolist(), strict=True)
        return {
            key: Decision(arm, probability, queue, bound, key)
            for key, arm, (probability, queue, bound) in parts
        }
