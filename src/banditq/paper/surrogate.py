"""The learner's own regret inside BanditQ: on the surrogate gains r' = (Q + V) r that it is fed.

The simulation's loop keeps no such sums, since only the paper's theorems on learners need them. The
queues are computed here once more, from what was played, so that nothing hangs on the policy's books.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from ..kernels.compiling import kernel
from ..kernels.noise import Stream, scramble, stream_key
from ..kernels.protocol import Allocation, Floats, allocate, choose, law, learn, sample
from ..kernels.reductions import dot, largest
from ..policies.banditq import BanditQ
from ..problem import Problem
from ..terms import Terms


class Account(NamedTuple):
    """Sums of one run; row k of ``marks`` gets regret, Σ‖g‖² and max g so far at round ``rounds[k]``."""

    rounds: npt.NDArray[np.int64]
    marks: Floats
    gains: Floats  # Σ g, one an arm
    sums: Floats  # Σ⟨g, x⟩, Σ‖g‖², max g
    row: Floats  # work space: rewards, then surrogate gains
    law: Floats
    queue: Floats


def _open(n_arms: int, rounds: npt.NDArray[np.int64]) -> Account:
    arms = np.zeros((4, n_arms))
    return Account(rounds, np.zeros((rounds.size, 3)), arms[0], np.zeros(3), arms[1], arms[2], arms[3])


@kernel
def _book(account: Account, weight: float) -> None:
    """Turn rewards into surrogate gains with the queues before the round, and add them up."""
    row, gains, sums = account.row, account.gains, account.sums
    for arm in range(row.size):
        row[arm] *= account.queue[arm] + weight
        gains[arm] += row[arm]
    sums[0] += dot(row, account.law)
    sums[1] += dot(row, row)
    sums[2] = max(sums[2], largest(row))


@kernel
def _mark(account: Account, round: int, k: int) -> int:
    if round != account.rounds[k]:
        return k
    account.marks[k, 0] = largest(account.gains) - account.sums[0]
    account.marks[k, 1] = account.sums[1]
    account.marks[k, 2] = account.sums[2]
    return k + 1


@kernel
def _bandit(policy: Any, rewards: Any, keys: Any, targets: Floats, weight: float, account: Account) -> None:
    k = 0
    for t in range(1, account.rounds[-1] + 1):
        law(policy, account.law)
        decision = choose(policy, scramble(keys[0], t))
        paid = sample(rewards, keys[1], t, decision.arm)
        learn(policy, decision, paid)
        for arm in range(targets.size):
            account.row[arm] = sample(rewards, keys[1], t, arm)
        _book(account, weight)
        for arm in range(targets.size):
            served = paid if arm == decision.arm else 0.0
            account.queue[arm] = max(account.queue[arm] + targets[arm] - served, 0.0)
        k = _mark(account, t, k)


@kernel
def _full(
    policy: Any, rewards: Any, keys: Any, targets: Floats, weight: float, debt: Floats, account: Account
) -> None:
    k = 0
    for t in range(1, account.rounds[-1] + 1):
        bound, opened = allocate(policy, account.law, debt)
        for arm in range(targets.size):
            account.row[arm] = sample(rewards, keys[1], t, arm)
        learn(policy, Allocation(account.law, debt, bound, opened), account.row)
        for arm in range(targets.size):  # the next queue, kept aside until the gains are booked
            served = account.row[arm] * account.law[arm]
            debt[arm] = max(account.queue[arm] + targets[arm] - served, 0.0)
        _book(account, weight)
        for arm in range(targets.size):
            account.queue[arm] = debt[arm]
        k = _mark(account, t, k)


def surrogate_regrets(
    policy: BanditQ, problem: Problem, rounds: list[int], run: int, seed: int
) -> list[dict[str, float]]:
    """Regret on the surrogate gains, Σ‖g‖² and max ‖g‖ at some rounds of one run."""
    terms = Terms(problem.targets, problem.reward_max, rounds[-1])
    weight = policy.weight(terms)
    if weight is None:
        raise InvalidInput(
            f"policy is {policy}; the anytime form has no fixed V to weigh the surrogate gains with"
        )
    account = _open(problem.n_arms, np.array(rounds, np.int64))
    rewards, _ = problem.rewards.block(problem.means, problem.reward_max, 1, rounds[-1])
    keys = tuple(stream_key(seed, run, stream) for stream in (Stream.CHOICES, Stream.REWARDS))
    state, targets = policy.state(terms), np.array(problem.targets)
    if policy.feedback == "bandit":
        _bandit(state, rewards, keys, targets, weight, account)
    else:
        _full(state, rewards, keys, targets, weight, np.zeros(problem.n_arms), account)
    names = ("regret", "squares", "largest")
    return [
        {"run": run, "round": t, **dict(zip(names, map(float, row), strict=True))}
        for t, row in zip(rounds, account.marks, strict=True)
    ]
