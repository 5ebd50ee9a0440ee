"""BanditQ with LogBarrier as one would write it down: the yardstick in bandit feedback.

Compiled by the same compiler, with the same random numbers, so that it walks the same trajectory; but
every round computes everything anew, in loops over all arms. Newton starts from scratch, the
gap is summed as it is defined, the sampling distribution is written out.
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..kernels.compiling import kernel
from ..kernels.noise import scramble, uniform
from ..kernels.protocol import Floats, sample


class PlainBandit(NamedTuple):
    """Everything that changes; ``numbers`` holds η, S and γ. Rewards are in units of ``reward_max``."""

    targets: Floats
    queue: Floats
    scores: Floats  # R̃
    p: Floats
    q: Floats
    x: Floats
    numbers: Floats
    weight: float  # V
    reward_max: float


def plain_bandit(targets: Floats, reward_max: float, rounds: int) -> PlainBandit:
    """The start: η = N, S = 1, γ = ½ and p uniform."""
    n_arms = targets.size
    even = np.full(n_arms, 1.0 / n_arms)
    return PlainBandit(
        targets=targets / reward_max,
        queue=np.zeros(n_arms),
        scores=np.zeros(n_arms),
        p=even,
        q=even.copy(),
        x=even.copy(),
        numbers=np.array([float(n_arms), 1.0, 0.5]),
        weight=sqrt(rounds),
        reward_max=float(reward_max),
    )


@kernel
def plain_barrier_point(scores: Floats, eta: float, out: Floats) -> None:
    """The argmax of ⟨R̃, q⟩ + (1/η) Σ log q: q = 1/(η (c − R̃)), by Newton from the left of the root."""
    top = scores[0]
    for i in range(scores.size):
        top = max(top, scores[i])
    c = top + 1.0 / eta
    for _ in range(100):
        value, slope = 0.0, 0.0
        for i in range(scores.size):
            pole = 1.0 / (c - scores[i])
            value += pole
            slope += pole * pole
        c += (value - eta) / slope
        if abs(value - eta) <= 1e-12 * eta:
            break
    total = 0.0
    for i in range(scores.size):
        out[i] = 1.0 / (eta * (c - scores[i]))
        total += out[i]
    for i in range(scores.size):
        out[i] /= total


@kernel
def plain_draw(state: PlainBandit, noise: Any) -> int:
    """Draw an arm from x = (1 − γ) p + γ/N, which is written out."""
    n_arms, gamma = state.x.size, state.numbers[2]
    for i in range(n_arms):
        state.x[i] = (1.0 - gamma) * state.p[i] + gamma / n_arms
    u = uniform(noise, 0)
    if u < gamma:
        return min(int(u / gamma * n_arms), n_arms - 1)
    left = (u - gamma) / (1.0 - gamma)
    arm = 0
    while arm < n_arms - 1:
        left -= state.p[arm]
        if left < 0.0:
            break
        arm += 1
    return arm


@kernel
def plain_learn(state: PlainBandit, t: int, arm: int, reward: float) -> None:
    """Queues, surrogate gain, mixability gap, rate, the next p and γ."""
    n_arms, eta = state.p.size, state.numbers[0]
    paid = reward / state.reward_max
    gain = (state.queue[arm] + state.weight) * paid
    for i in range(n_arms):
        service = paid if i == arm else 0.0
        state.queue[i] = max(state.queue[i] + state.targets[i] - service, 0.0)
    estimate = gain / state.x[arm]
    state.scores[arm] += estimate
    plain_barrier_point(state.scores, eta, state.q)
    divergence = 0.0
    for i in range(n_arms):
        ratio = state.q[i] / state.p[i]
        divergence += ratio - 1.0 - log(ratio)
    gap = estimate * (state.q[arm] - state.p[arm]) - divergence / eta
    state.numbers[1] += max(gap, 0.0)
    state.numbers[0] = n_arms / state.numbers[1]
    plain_barrier_point(state.scores, state.numbers[0], state.p)
    state.numbers[2] = min(0.5, sqrt(n_arms / t))


@kernel
def plain_bandit_rounds(
    state: PlainBandit, rewards: Any, choice_key: Any, reward_key: Any, first: int, last: int
) -> float:
    """Play rounds first..last; returns the reward."""
    total = 0.0
    for t in range(first, last + 1):
        arm = plain_draw(state, scramble(choice_key, t))
        reward = sample(rewards, reward_key, t, arm)
        total += reward
        plain_learn(state, t, arm, reward)
    return total
