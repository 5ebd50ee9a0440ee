"""Problem: what the arms pay and what has been promised, and what can be had at best."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from .checks import MOST_ROUNDS, finite_vector, real, whole, within
from .errors import Infeasible, InvalidInput
from .feasibility import ROUNDING, above_one, largest_scaling, load_of, rounded_down
from .rewards.base import RewardModel
from .rewards.bernoulli import Bernoulli

Floats = npt.NDArray[np.float64]


class Benchmark(NamedTuple):
    """The best fixed distribution over arms that meets the targets, and its reward per round.

    Examples
    --------
    >>> import banditq as bq
    >>> bq.Problem(means=[0.5, 1.0], targets=[0.25, 0.0]).benchmark()
    Benchmark(mix=array([0.5, 0.5]), value=0.75)
    """

    mix: Floats
    value: float


@dataclass(frozen=True, eq=False)
class Problem:
    r"""Arms with unknown means, some of which are promised a reward per round.

    Parameters
    ----------
    means
        Expected reward of each arm; left out if ``rewards`` holds them itself (a recorded table).
    targets
        Promised reward per round :math:`\lambda_i` of each arm; 0 for an arm without a promise.
    rewards
        The reward model; Bernoulli by default.
    reward_max
        The largest reward; the model's own maximum by default.

    Examples
    --------
    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.335, 0.203, 0.241, 0.781, 0.617], targets=[0.167, 0.067, 0, 0, 0])
    >>> round(problem.load, 4)
    0.8286
    >>> mix, value = problem.benchmark()
    >>> mix.round(3)
    array([0.499, 0.33 , 0.   , 0.171, 0.   ])
    """

    means: Any = None
    targets: Any = None
    rewards: RewardModel = field(default_factory=Bernoulli)
    reward_max: float = None  # type: ignore[assignment]  # __post_init__ fills it in

    def __post_init__(self) -> None:
        if not isinstance(self.rewards, RewardModel):
            raise InvalidInput(
                f"rewards is {self.rewards!r}; it must be a reward model such as bq.Bernoulli()"
            )
        own = self.rewards.own_means()
        if own is not None and self.means is not None:
            raise InvalidInput(f"means are held by {type(self.rewards).__name__} itself; leave means out")
        if own is None and self.means is None:
            raise InvalidInput("means are missing: give the expected reward of each arm")
        if self.targets is None:
            raise InvalidInput("targets are missing: give each arm's promised reward, 0 for none")
        means = finite_vector("means", self.means) if own is None else own
        targets = within("targets", finite_vector("targets", self.targets, means.size), 0.0, np.inf)
        given = self.rewards.default_max() if self.reward_max is None else self.reward_max
        ceiling = real("reward_max", given, above=0.0)
        self.rewards.check(means, ceiling)
        within("means", means, 0.0, np.inf)
        for array in (means, targets):
            array.setflags(write=False)
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "targets", targets)
        object.__setattr__(self, "reward_max", ceiling)

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return int(self.means.size)

    @cached_property
    def protected(self) -> npt.NDArray[np.int64]:
        """Indices of the arms with a promise."""
        return np.flatnonzero(self.targets > 0.0)

    def _shares(self) -> Floats:
        """λ/μ: the share of rounds that each arm's promise takes; infinite if it can never be kept."""
        shares = np.zeros(self.n_arms)
        with np.errstate(divide="ignore"):
            shares[self.protected] = self.targets[self.protected] / self.means[self.protected]
        return shares

    @property
    def load(self) -> float:
        """Σ λ/μ over the protected arms: the share of rounds that the promises take."""
        return load_of(self.targets, self.means)

    @property
    def feasible(self) -> bool:
        """Whether some policy keeps all promises: load ≤ 1."""
        return self.load <= 1.0 + ROUNDING

    @property
    def price(self) -> Floats:
        """μ*/μ_i − 1: what a unit of reward for arm i costs in total reward; infinite where μ_i = 0."""
        best = self.means.max()
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            price: Floats = np.where(self.means > 0.0, best / self.means - 1.0, np.inf)
        return price

    @property
    def largest_scaling(self) -> float:
        """θ = min(1, 1/load): the largest common factor on the targets that can be met."""
        return largest_scaling(self.load)

    @property
    def refusal(self) -> str:
        """Why the targets cannot be met, and what could be."""
        hopeless = self.protected[self.means[self.protected] == 0.0]
        if hopeless.size:
            arm = hopeless[0]
            return (
                f"targets[{arm}] is {self.targets[arm]:g}, but arm {arm} never pays (its mean is 0); "
                "only a target of 0 can be met"
            )
        load = above_one(self.load)
        return (
            f"targets need {load} rounds per round (load Σ λ/μ = {load} > 1); "
            f"the largest common scaling that can be met is {rounded_down(self.largest_scaling)}"
        )

    def benchmark(self) -> Benchmark:
        """λ/μ on the protected arms, and all the slack on the best arm, protected or not."""
        if not self.feasible:
            raise Infeasible(self.refusal)
        mix = self._shares()
        mix[self.means.argmax()] += max(1.0 - mix.sum(), 0.0)
        mix /= mix.sum()
        return Benchmark(mix, float(mix @ self.means))

    def scaled(self, factor: float) -> Self:
        """The same problem with every target multiplied by a factor."""
        return self._with(self.means, self.targets * real("factor", factor, low=0.0))

    def averaged(self, rounds: int) -> "Problem":
        """This problem with each arm's mean over its first rounds: what a benchmark knows under drift."""
        means = self.rewards.average(self.means, whole("rounds", rounds, low=1, high=MOST_ROUNDS))
        return self._with(means, self.targets)

    def _with(self, means: Floats, targets: Floats) -> Self:
        """The same problem with other numbers, which need no second check."""
        other = replace(self, means=None if self.rewards.own_means() is not None else self.means)
        for name, array in (("means", means), ("targets", targets)):
            copied = np.array(array)
            copied.setflags(write=False)
            object.__setattr__(other, name, copied)
        return other

    def to_dict(self) -> dict[str, Any]:
        """Means, targets, rewards and reward_max as JSON can hold them."""
        own = self.rewards.own_means() is not None
        return {
            "means": None if own else self.means.tolist(),
            "targets": self.targets.tolist(),
            "rewards": self.rewards.to_dict(),
            "reward_max": self.reward_max,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Inverse of :meth:`to_dict`."""
        return cls(
            means=data["means"],
            targets=data["targets"],
            rewards=RewardModel.from_dict(data["rewards"]),
            reward_max=data["reward_max"],
        )
