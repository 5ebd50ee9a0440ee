"""Policies that keep a share for each promise, from the whole history: lists, brackets, explicit schedules.

A history is a list of events, ("open", arm, explored) and ("reward", arm, reward, round), with rewards in
[0, 1]; ``explored`` matters to ETCAnytime alone. Targets are in units of the largest reward.
"""

import math

import numpy as np

from .bandit_learners import TsallisTwin
from .plain_policies import epsilon_greedy_law, kl_bound, kl_ucb, ucb1


def plain(events):
    """The history as the plain policies' twins know it: they see every round as one of their own."""
    return [event[:2] if event[0] == "open" else event[:3] for event in events]


def clipped(values, targets):
    return np.minimum(np.maximum(values, targets), 1.0)


def shares(targets, values):
    """λ over the clipped index; 0 without a promise."""
    q = np.zeros(len(targets))
    kept = targets > 0
    q[kept] = targets[kept] / clipped(values, targets)[kept]
    return q


def index(events, n_arms, kind, width):
    """One index an arm; openings stand in for rewards, at mean 0, before the first has come."""
    opened = [event[1] for event in events if event[0] == "open"]
    values = np.zeros(n_arms)
    for arm in range(n_arms):
        came = [event[2] for event in events if event[0] == "reward" and event[1] == arm]
        mean, count = (np.mean(came), len(came)) if came else (0.0, opened.count(arm))
        budget = width * np.log(len(opened) + 1) / count
        values[arm] = mean if kind == "mean" else kl_bound(mean, budget, 1 if kind == "upper" else -1)
    return values


def floors(events, targets, kind, switch, width):
    """q, and the share that it leaves."""
    n_arms, opened = len(targets), [event[1] for event in events if event[0] == "open"]
    if len(opened) < n_arms:
        return np.eye(n_arms)[len(opened)], 0.0
    q = shares(targets, index(events, n_arms, kind, width))
    if q.sum() < 1:
        return q, 1 - q.sum()
    if switch:
        hoped = shares(targets, index(events, n_arms, "upper", width))
        if hoped.sum() < 1:
            return hoped, 1 - hoped.sum()
    return q / q.sum(), 0.0


def top_ups(events, targets):
    """What ETCAnytime adds to λ, and the share that is left."""
    values = np.zeros(len(targets))
    opened = [event for event in events if event[0] == "open"]
    for arm in range(len(targets)):
        came = [e[2] for e in events if e[0] == "reward" and e[1] == arm and opened[e[3] - 1][2]]
        values[arm] = np.mean(came) if came else 0.0
    top = shares(targets, values) - targets
    room = 1 - targets.sum()
    if top.sum() < room:
        return top, room - top.sum()
    return top * (room / top.sum() if top.sum() > 0 else 0.0), 0.0


def etc_arm(events, targets, rounds, width):
    """The arm of ETC's schedule, written out in full, or −1 after its end."""
    n_arms, protected = len(targets), np.flatnonzero(targets > 0)
    opened = sum(event[0] == "open" for event in events)
    schedule = [arm for arm in protected for _ in range(math.ceil(targets[arm] * rounds / 4))]
    if opened < len(schedule):
        return schedule[opened]
    first = sample(events, 0, len(schedule), n_arms)
    again = np.minimum(shares(targets, first[0]) / 6, targets / 2) * rounds
    end = len(schedule)
    schedule += [arm for arm in protected for _ in range(math.ceil(again[arm]))]
    if opened < len(schedule):
        return schedule[opened]
    means, counts = sample(events, end, len(schedule), n_arms)
    q = shares(targets, means)
    if q.sum() > 1:
        budgets = width * np.log(len(schedule) + 1) / np.maximum(counts, 1)
        hoped = shares(targets, [kl_bound(m, b, +1) for m, b in zip(means, budgets, strict=True)])
        q = hoped if hoped.sum() <= 1 else q / q.sum()
    left = [max(math.ceil(q[arm] * rounds - schedule.count(arm)), 0) for arm in protected]
    schedule += [arm for arm, times in zip(protected, left, strict=True) for _ in range(times)]
    return schedule[opened] if opened < len(schedule) else -1


def sample(events, first, last, n_arms):
    """Means and counts of rewards of rounds first < t ≤ last that came before round last + 1 began."""
    rewards, opened = [[] for _ in range(n_arms)], 0
    for event in events:
        if event[0] == "open":
            opened += 1
            if opened > last:
                break
        elif first < event[3] <= last:
            rewards[event[1]].append(event[2])
    return np.array([np.mean(r) if r else 0.0 for r in rewards]), np.array([len(r) for r in rewards])


def queues(events, targets):
    """Lindley's queues in closed form: each walk above its lowest point so far."""
    steps = [targets if e[0] == "open" else -e[2] * np.eye(len(targets))[e[1]] for e in events]
    walk = np.cumsum(np.vstack([np.zeros(len(targets)), *steps]), axis=0)
    return np.where(targets > 0, walk[-1] - np.minimum.accumulate(walk)[-1], 0.0)


def neediest(events, targets):
    """The arm that is to be served, or −1: the one most rounds behind among those owed a whole reward."""
    n_opened = sum(event[0] == "open" for event in events)
    if n_opened < len(targets):
        return n_opened
    debts = queues(events, targets)
    owed = np.flatnonzero((targets > 0) & (debts >= 1 - 1e-9))
    if not owed.size:
        return -1
    behind = debts[owed] / targets[owed]
    return int(owed[np.flatnonzero(behind >= behind.max() - 1e-9)[0]])


class ByHistory:
    """A residual learner whose odds are a function of the whole history."""

    def __init__(self, odds):
        self.odds = odds

    def learn(self, arm, gain, own, probability):
        pass


class Tsallis:
    """A residual learner that divides by its own odds, and is told of its own choices alone."""

    def __init__(self, n_arms):
        self.twin = TsallisTwin(n_arms, "rv")

    def odds(self, events):
        return self.twin.law(1.0)

    def learn(self, arm, gain, own, probability):
        if own:
            self.twin.learn(arm, gain, 1.0, probability)


RESIDUALS = {
    "KLUCB": lambda n: ByHistory(lambda events: np.eye(n)[kl_ucb(plain(events), n)]),
    "UCB1": lambda n: ByHistory(lambda events: np.eye(n)[ucb1(plain(events), n)]),
    "EpsilonGreedy": lambda n: ByHistory(lambda e: epsilon_greedy_law(plain(e), n, 0.1, None)[0]),
    "TsallisInf": Tsallis,
}
