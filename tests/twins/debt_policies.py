"""Policies with debts, duals or accounts: queues in closed form, sums over the whole history.

Rewards and targets in units of 1. A schedule says what happened: t for round t opened, −t for its reward
learnt, rounds counted from 1.
"""

import numpy as np
from scipy.special import softmax

from .full_learners import bisected
from .plain_policies import kl_bound


def queue_after(steps):
    """Lindley's queue in closed form: the walk of the steps above its lowest point so far."""
    walk = np.cumsum([np.zeros_like(steps[0]), *steps], axis=0)
    return walk[-1] - walk.min(axis=0)


def bandit_steps(events, targets):
    """What each event, ("open", arm) or ("reward", arm, reward), adds to the debts."""
    rows = np.eye(len(targets))
    return [
        np.array(targets, float) if event[0] == "open" else -event[2] * rows[event[1]] for event in events
    ]


def max_weight_values(events, targets, v):
    """(Q + V) u of each arm; the first maximiser is played."""
    queue = queue_after([np.zeros(len(targets)), *bandit_steps(events, targets)])
    arms = [event[1] for event in events if event[0] == "open"]
    bounds = np.ones(len(targets))
    for arm in set(arms):
        came = [event[2] for event in events if event[0] == "reward" and event[1] == arm]
        mean, count = (np.mean(came), len(came)) if came else (0.0, arms.count(arm))
        bounds[arm] = kl_bound(mean, np.log(len(arms) + 1) / count, +1)
    return (queue + v) * bounds


def genie_arms(schedule, rewards, targets, v):
    """The arm of each round, and its queues before it."""
    steps, arms, queues = [np.zeros(len(targets))], [], []
    for event in schedule:
        row = rewards[abs(event) - 1]
        if event > 0:
            queues.append(queue_after(steps))
            arms.append(int(np.argmax((queues[-1] + v) * row)))
            steps.append(np.array(targets, float))
        else:
            steps.append(-row * np.eye(len(targets))[arms[-event - 1]])
    return np.array(arms), np.array(queues)


def neely_yu_laws(schedule, rewards, targets, v, alpha):
    """Projects by bisection; the queue is the closed form of all that was booked."""
    point = np.full(len(targets), 1.0 / len(targets))
    steps, laws, queues = [np.zeros(len(targets))], [], []
    for event in schedule:
        if event > 0:
            laws.append(point)
            queues.append(queue_after(steps))
            steps.append(np.array(targets, float))
        else:
            row = rewards[-event - 1]
            point = bisected(point + (v + queues[-event - 1]) * row / (2 * alpha))
            steps.append(-row * point)
    return np.array(laws), np.array(queues)


def fair_laws(schedule, rewards, alpha, learner):
    """α-fair gains for the twin of a learner; what was received is summed afresh each time."""
    received, played, worths, laws = [np.ones(rewards.shape[1])], [], [], []
    for event in schedule:
        if event > 0:
            worths.append(np.sum(received, axis=0) ** -alpha)
            played.append(learner.law(float(worths[-1].max())))
            laws.append(np.array(played[-1], float))
        else:
            t = -event - 1
            received.append(laws[t] * rewards[t])
            learner.learn(played[t], worths[t] * rewards[t], float(worths[t].max()))
    return np.array(laws)


def lagrange_rates(n_arms, rounds, promised, scale):
    """η, γ, a, and what is added to a Lagrangian reward and what it is divided by."""
    eta = np.sqrt(rounds / np.sqrt(n_arms * rounds * np.log(n_arms * rounds)))
    gamma = min(3 / 5, 2 * np.sqrt(3 / 5 * n_arms * np.log(n_arms) / rounds))
    a = 2 * np.sqrt(np.log(n_arms * rounds**2))
    if scale == "unit" and len(promised):
        return eta, gamma, a, eta * min(promised), 1 + eta
    return eta, gamma, a, 0.0, 1 + eta * sum(1 / x - 1 for x in promised)


def lagrangian_rewards(arms, paid, targets, rounds, scale):
    """L and ⟨ρ, g⟩ of the rewards in the order in which they came, and all of g."""
    promised = [x for x in targets if x > 0]
    eta, _, _, shift, width = lagrange_rates(len(targets), rounds, promised, scale)
    if not promised:
        return np.array(paid), np.zeros(len(paid)), np.zeros((len(paid), 0))
    drawn = np.eye(len(targets))[arms][:, np.flatnonzero(targets)]
    slacks = min(promised) * (drawn * np.array(paid)[:, None] / promised - 1)
    weights = softmax(-np.sqrt(np.log(len(promised)) / rounds) * slacks.cumsum(axis=0), axis=1)
    pressed = np.sum(weights * slacks, axis=1)
    return (paid + eta * pressed + shift) / width, pressed, slacks


def lagrange_laws(schedule, arms, laws, rewards, targets, rounds, scale):
    """The laws that EXP3.P would have along these arms and laws; all rounds at once, no recursion."""
    n_arms = len(targets)
    _, gamma, a, _, _ = lagrange_rates(n_arms, rounds, [x for x in targets if x > 0], scale)
    learnt = -schedule[schedule < 0] - 1
    paid = rewards[learnt, arms[learnt]]
    lagrangians, _, _ = lagrangian_rewards(arms[learnt], paid, targets, rounds, scale)
    gains = np.zeros((len(schedule), n_arms))
    gains[schedule > 0] = a / (laws * np.sqrt(n_arms * rounds))
    gains[np.flatnonzero(schedule < 0), arms[learnt]] = lagrangians / laws[learnt, arms[learnt]]
    before = gamma / (3 * n_arms) * (gains.cumsum(axis=0) - gains)[schedule > 0]
    return (1 - gamma) * softmax(before, axis=1) + gamma / n_arms
