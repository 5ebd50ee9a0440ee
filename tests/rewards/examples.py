"""Every reward model at work: examples at any scale, and a driver that plays them."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from banditq.kernels.compiling import kernel
from banditq.kernels.noise import Stream, stream_key
from banditq.kernels.protocol import mean, sample
from banditq.rewards.adversarial import Adversarial
from banditq.rewards.base import RewardModel
from banditq.rewards.bernoulli import Bernoulli
from banditq.rewards.beta import Beta
from banditq.rewards.drift import Drift
from banditq.rewards.table import Table
from banditq.rewards.uniform import Uniform

ROUNDS = 40


class Example(NamedTuple):
    """A model, and a problem that it can pay."""

    model: RewardModel
    means: np.ndarray
    reward_max: float


def emission(model: RewardModel, reward_max: float) -> Callable[[float], Example]:
    def scaled(scale: float) -> Example:
        return Example(model, scale * np.array([0.0, 0.2, 0.55, 1.0]), scale * reward_max)

    return scaled


def drift(**options: Any) -> Callable[[float], Example]:
    def scaled(scale: float) -> Example:
        changes = {5: [0.9, 0.2, 0.4], 6: [0.0, 0.7, 0.4], 30: [1.0, 0.1, 0.6]}
        model = Drift({t: [scale * m for m in later] for t, later in changes.items()}, **options)
        return Example(model, scale * np.array([0.3, 0.8, 0.45]), scale * model.default_max())

    return scaled


def recorded(scale: float) -> Example:
    model = Table(scale * np.random.default_rng(1).random((ROUNDS, 3)))
    return Example(model, model.own_means(), scale)


def path(scale: float) -> np.ndarray:
    return scale * np.random.default_rng(2).random((ROUNDS, 3))


class Function:
    """A function of the round that can be pickled."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __call__(self, round: int) -> Sequence[float]:
        return list(path(self.scale)[round - 1])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and other.scale == self.scale

    def __hash__(self) -> int:
        return hash(self.scale)


def generator() -> Iterator[np.ndarray]:
    yield from path(1.0)


def generators(scale: float) -> Example:
    def scaled() -> Iterator[np.ndarray]:
        yield from path(scale)

    return Example(Adversarial(generator if scale == 1.0 else scaled), np.zeros(3), scale)


EXAMPLES: dict[type[RewardModel], dict[str, Callable[[float], Example]]] = {
    Bernoulli: {"": emission(Bernoulli(), 1.0)},
    Beta: {"": emission(Beta(3.0), 1.0), "nearly-bernoulli": emission(Beta(0.05), 1.0)},
    Uniform: {"": emission(Uniform(), 2.0)},
    Drift: {
        "abrupt": drift(),
        "linear": drift(transition="linear"),
        "linear-uniform": drift(transition="linear", noise=Uniform()),
    },
    Table: {"": recorded},
    Adversarial: {
        "array": lambda scale: Example(Adversarial(path(scale)), np.zeros(3), scale),
        "function": lambda scale: Example(Adversarial(Function(scale)), np.zeros(3), scale),
        "generator": generators,
    },
}
NAMED = {
    f"{model.__name__}-{name}".rstrip("-"): example
    for model, examples in EXAMPLES.items()
    for name, example in examples.items()
}


@kernel
def read(state: Any, key: Any, rounds: Any, arms: Any, rewards: Any, means: Any) -> None:
    """Rewards and means of the cells (rounds[k], arms[k]), in the order given."""
    for k in range(rounds.size):
        rewards[k] = sample(state, key, rounds[k], arms[k])
        means[k] = mean(state, rounds[k], arms[k])


def cells(state: Any, rounds: Any, arms: Any, seed: int = 0, run: int = 0) -> tuple[Any, Any]:
    """Rewards and means of any cells of one block."""
    rounds, arms = np.array(rounds, np.int64), np.array(arms, np.int64)
    rewards, means = np.empty(rounds.size), np.empty(rounds.size)
    read(state, stream_key(seed, run, Stream.REWARDS), rounds, arms, rewards, means)
    return rewards, means


def play(
    example: Example, last: int = ROUNDS, seed: int = 0, run: int = 0, cuts: Sequence[int] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """The tables of rewards and means, (round, arm), played block by block with ``cuts`` in between."""
    n_arms = example.means.size
    rewards, means = np.empty((last, n_arms)), np.empty((last, n_arms))
    first = 1
    while first <= last:
        until = min((cut for cut in (*cuts, last) if cut >= first), default=last)
        state, until = example.model.block(example.means, example.reward_max, first, until)
        rounds, arms = np.mgrid[first : until + 1, 0:n_arms].reshape(2, -1)
        found = cells(state, rounds, arms, seed, run)
        rewards[first - 1 : until], means[first - 1 : until] = (x.reshape(-1, n_arms) for x in found)
        first = until + 1
    return rewards, means


def replayed(table: Table) -> np.ndarray:
    """What is paid over all rounds, which is also what is expected."""
    rewards, means = play(Example(table, table.own_means(), table.default_max()), table.longest())
    np.testing.assert_array_equal(rewards, means)
    return rewards


def says(error: Any, *parts: str) -> None:
    """The message of an error is one sentence without a full stop, and has these parts in it."""
    message = str(error.value)
    assert "\n" not in message
    assert not message.endswith(".")
    assert 10 < len(message) < 300
    for part in parts:
        assert part in message, message


if __name__ == "__main__":  # the tables of all examples, for a test that runs this uncompiled
    np.savez(sys.argv[1], **{name: np.array(play(example(1.0))) for name, example in NAMED.items()})
