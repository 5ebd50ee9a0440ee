"""Plain policies from the whole history, in NumPy and SciPy: no running counts, no Newton.

A history is a list of events, ("open", arm) and ("reward", arm, reward), with rewards in [0, 1].
"""

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import rel_entr


def kl(p, q):
    """The Bernoulli divergence."""
    return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


def kl_bound(p, budget, side):
    """The q above (+1) or below (-1) p with kl(p, q) = budget, by Brent's method."""
    end = 1.0 if side > 0 else 0.0
    inner = end - side * 1e-300 if side < 0 else np.nextafter(1.0, 0.0)
    if budget <= 0 or p == end or kl(p, inner) <= budget:
        return p if budget <= 0 else end
    return brentq(lambda q: kl(p, q) - budget, min(p, inner), max(p, inner), xtol=1e-16, rtol=1e-15)


def summary(events, n_arms):
    """Openings, and the rewards that came, arm by arm."""
    opened = np.zeros(n_arms, int)
    rewards = [[] for _ in range(n_arms)]
    for event in events:
        if event[0] == "open":
            opened[event[1]] += 1
        else:
            rewards[event[1]].append(event[2])
    return opened, rewards


def by_index(events, n_arms, index):
    """Arms never played first, then the first maximiser of index(mean, count, rounds played)."""
    opened, rewards = summary(events, n_arms)
    for arm in range(n_arms):
        if opened[arm] == 0:
            return arm
    means = [np.mean(r) if r else 0.0 for r in rewards]
    counts = [len(r) or opened[arm] for arm, r in enumerate(rewards)]
    values = [index(m, n, opened.sum()) for m, n in zip(means, counts, strict=True)]
    return int(np.flatnonzero(np.array(values) >= max(values) - 1e-13)[0])


def ucb1(events, n_arms):
    return by_index(events, n_arms, lambda m, n, played: m + np.sqrt(2 * np.log(played) / n))


def kl_ucb(events, n_arms):
    return by_index(events, n_arms, lambda m, n, played: kl_bound(m, np.log(played + 1) / n, +1))


def moss(events, n_arms, rounds):
    def index(m, n, played):
        return m + np.sqrt(max(np.log(rounds / (n_arms * n)), 0) / n)

    return by_index(events, n_arms, index)


def moss_anytime(events, n_arms, alpha):
    def index(m, n, played):
        return m + np.sqrt((1 + alpha) / 2 * max(np.log((played + 1) / (n_arms * n)), 0) / n)

    return by_index(events, n_arms, index)


def epsilon_greedy_law(events, n_arms, epsilon, decay):
    """The distribution of the next arm."""
    opened, rewards = summary(events, n_arms)
    if decay is not None:
        epsilon = min(epsilon, decay * n_arms / (opened.sum() + 1))
    means = [np.mean(r) if r else -1.0 for r in rewards]
    if opened.min() == 0 or max(means) < 0:
        greedy = int(np.argmin(opened))
    else:
        greedy = int(np.flatnonzero(np.array(means) >= max(means) - 1e-13)[0])
    law = np.full(n_arms, epsilon / n_arms)
    law[greedy] += 1 - epsilon
    return law, greedy, epsilon


def thompson_law(events, n_arms):
    """P(arm is the largest posterior draw)."""
    _, rewards = summary(events, n_arms)
    return largest_law([sum(r) for r in rewards], [len(r) for r in rewards])


def largest_law(successes, trials):
    """P(i is the largest), with SciPy's incomplete Beta functions at 40 nodes in each of many pieces.

    The pieces shrink geometrically towards 0 and 1, where a density need not be smooth.
    """
    posteriors = [stats.beta(1 + s, 1 + n - s) for s, n in zip(successes, trials, strict=True)]
    edges = {0.0, 1.0, *(2.0**-k for k in range(1, 50)), *(1 - 2.0**-k for k in range(2, 50))}
    for p in posteriors:
        edges |= set(np.clip(p.mean() + p.std() * np.arange(-12.0, 13.0), 0, 1).tolist())
    edges = np.array(sorted(edges))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    lengths = np.diff(edges)[:, None]
    x = (edges[:-1, None] + lengths * (nodes + 1) / 2).ravel()
    w = (lengths * weights / 2).ravel()
    cumulative = np.array([p.cdf(x) for p in posteriors])
    return np.array(
        [
            w @ (p.pdf(x) * np.prod(np.delete(cumulative, i, axis=0), axis=0))
            for i, p in enumerate(posteriors)
        ]
    )
