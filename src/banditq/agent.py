"""The live side: choose, learn, save, load."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from .checks import MOST_ROUNDS, MOST_SEEDS, finite_vector, real, told, whole, within
from .config import Config
from .desk import Desk, Steps, compiled_steps, interpreted_steps
from .errors import InvalidInput, UnknownChoice
from .kernels.compiling import explained, is_foreign
from .kernels.ledger import Ledger, open_ledger
from .kernels.noise import Stream, stream_key
from .saving import pack, read_file, unpack, write_file
from .terms import Terms

Floats = npt.NDArray[np.float64]

_WHAT, _FORMAT = "an agent", 1


class Choice(NamedTuple):
    """A decision of an agent; hand it back to :meth:`Agent.learn` with its reward, or just its ``id``.

    ``probability`` is the propensity that ``arm`` had; ``round`` counts from 1.
    """

    id: int
    arm: int
    probability: float
    round: int


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
        if is_foreign(self._state):
            self._rehearse()
        self._steps = self._bound_steps()

    def _bound_steps(self) -> Steps:
        """What is called; anew whenever the state or the ledger is another one."""
        return compiled_steps(Desk(self._state, self._ledger, self._key), full=self._full)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_steps"}

    def __setstate__(self, members: dict[str, Any]) -> None:
        self.__dict__.update(members)
        self._steps = self._bound_steps()

    def _fresh_ledger(self) -> Ledger:
        arms = np.arange(self.n_arms, dtype=np.int64)
        return open_ledger(self.n_arms, arms, self._terms.targets, np.zeros(0, np.int64))

    def _rehearse(self) -> None:
        """Play a round with states to throw away: a mistake in somebody's verbs shows now, not later."""
        for form in (interpreted_steps, compiled_steps):
            zeros, shares = np.zeros(self.n_arms), np.zeros(self.n_arms)
            with explained(self.policy):
                desk = Desk(self.policy.state(self._terms), self._fresh_ledger(), self._key)
                steps = form(desk, full=self._full)
                if steps.foresee is not None:
                    steps.foresee(steps.desk, zeros)
                if self._full:
                    bound, _ = steps.choose(steps.desk, 1, shares, zeros)
                    steps.learn(steps.desk, 0, shares, zeros, bound, 1, np.zeros(self.n_arms))
                else:
                    steps.learn(steps.desk, 0, *steps.choose(steps.desk, 1), 0.0)
                steps.law(steps.desk, shares)

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
        known = None if rounds is None else whole("rounds", rounds, low=1, high=MOST_ROUNDS)
        terms = Terms(promised, ceiling, known)
        chosen = whole("seed", seed, low=0, high=MOST_SEEDS - 1)
        return cls(policy, terms, chosen, whole("run", run, low=0))

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
            shares, _, _, arm = record
            return Choice(key, arm, float(shares[arm]), key)
        return Choice(key, record[0], record[1], key)

    def choose(self, rewards: Sequence[float] | None = None) -> Choice:
        """Choose an arm; the targets of this round accrue now.

        Only a policy that lives on seeing every arm's reward beforehand takes ``rewards``, and needs them.
        """
        now = self._round + 1
        steps = self._steps
        if rewards is not None or steps.foresee is not None:
            self._foresee("choose", rewards)
        if self._full:
            shares, queue = np.zeros(self.n_arms), np.zeros(self.n_arms)
            bound, arm = steps.choose(steps.desk, now, shares, queue)
            self._open[now] = shares, queue, bound, arm
            probability = float(shares[arm])
        else:
            self._open[now] = record = steps.choose(steps.desk, now)
            arm, probability = record[0], record[1]
        self._round = now
        return Choice(now, arm, probability, now)

    def learn(self, choice: Choice | int, reward: float | Sequence[float]) -> None:
        """Take the reward of a choice: its arm's, or in full information every arm's.

        It may come late and in any order. A choice that is unknown, altered or has been learnt, or a reward
        that is not a number in [0, reward_max], is an error and changes nothing.
        """
        key = choice.id if isinstance(choice, Choice) else choice
        try:
            record = self._open[key]
        except (KeyError, TypeError):  # of a list, say, one cannot even ask
            raise self._unknown(key) from None
        steps = self._steps
        if self._full:
            shares, queue, bound, arm = record
            if key is not choice and choice != (key, arm, shares[arm], key):
                raise self._altered(choice)
            rewards = self._check_rewards("reward", reward)
            steps.learn(steps.desk, self._round, shares, queue, bound, key, rewards)
        else:
            if key is not choice and choice != (key, record[0], record[1], key):
                raise self._altered(choice)
            ceiling = self._terms.reward_max
            if not (type(reward) is float and 0.0 <= reward <= ceiling):  # else it is as it should be
                reward = self._check_reward(reward)
            steps.learn(steps.desk, self._round, *record, reward)
        del self._open[key]

    def _foresee(self, call: str, rewards: Any) -> None:
        name, look = type(self.policy).__name__, self._steps.foresee
        if look is None:
            raise InvalidInput(
                f"rewards is {rewards!r}, but {name} chooses before it sees any; call {call}() without them"
            )
        if rewards is None:
            raise InvalidInput(
                f"rewards is None, but {name} chooses in sight of them; call {call}(rewards), one an arm"
            )
        look(self._steps.desk, self._check_rewards("rewards", rewards))

    def _unknown(self, key: Any) -> UnknownChoice:
        if isinstance(key, int) and 1 <= key <= self._round:
            return UnknownChoice(f"choice {key} has been learnt already")
        return UnknownChoice(f"choice {told(key)} was not made by this agent, which has made {self._round}")

    def _altered(self, choice: Any) -> UnknownChoice:
        return UnknownChoice(
            f"{choice} was not made by this agent, which made {self._as_choice(choice.id)}; hand back "
            "that, or its id alone"
        )

    def _check_reward(self, reward: Any) -> float:
        paid = real("reward", reward, low=0.0)
        if paid > self._terms.reward_max:
            raise InvalidInput(f"reward is {paid:g}; it must be at most {self._terms.reward_max:g}")
        return paid

    def _check_rewards(self, name: str, rewards: Any) -> Floats:
        vector = finite_vector(name, rewards, self.n_arms)
        return within(name, vector, 0.0, self._terms.reward_max)

    def law(self, rewards: Sequence[float] | None = None) -> Floats:
        """The distribution that the next choice will be drawn from; ``rewards`` as in :meth:`choose`."""
        if rewards is not None or self._steps.foresee is not None:
            self._foresee("law", rewards)
        out = np.zeros(self.n_arms)
        self._steps.law(self._steps.desk, out)
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
            laws, queues, bounds, arms = zip(*records, strict=True) if records else ((), (), (), ())
            arrays["open.arm"] = np.array(arms, np.int64)
            arrays["open.law"] = np.array(laws).reshape(-1, self.n_arms)
            arrays["open.queue"] = np.array(queues).reshape(-1, self.n_arms)
            arrays["open.bound"] = np.array(bounds, np.float64)
        else:
            arrays["open.arm"] = np.array([record[0] for record in records], np.int64)
            arrays["open.real"] = np.array([record[1:4] for record in records]).reshape(-1, 3)
        return write_file(Path(path), header, arrays, compressed=False)

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
            agent._steps = agent._bound_steps()
        except KeyError as error:
            raise InvalidInput(f"{path} lacks {error}, which an agent needs") from None
        return agent

    def _unpack_open(self, data: dict[str, Any]) -> dict[int, Any]:
        ids, arms = data["open"].tolist(), data["open.arm"].tolist()
        if self._full:
            laws, queues, bounds = data["open.law"], data["open.queue"], data["open.bound"].tolist()
            return {
                key: (laws[j].copy(), queues[j].copy(), bounds[j], arms[j]) for j, key in enumerate(ids)
            }
        parts = zip(ids, arms, data["open.real"].tolist(), strict=True)
        return {key: (arm, *numbers, key) for key, arm, numbers in parts}
