"""Figures made up for the tests that tell and draw them."""

import pytest

from banditq.bench.figures import no_figures

SIZES = (2, 5, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


@pytest.fixture
def figures():
    """Two systems with yardsticks, one without, and a row under every heading."""
    made = no_figures("full")
    for n in SIZES:
        common = {"n_arms": n, "before": 1, "rounds": 1}
        bandit = {
            "entry": "BanditQ+LogBarrier",
            "kind": "learner",
            "feedback": "bandit",
            "ns": 64.0 * n**0.01,
        }
        full = {"entry": "BanditQ+OGA", "kind": "learner", "feedback": "full", "ns": 50.0 * n}
        index = {"entry": "UCB1", "kind": "policy", "feedback": "bandit", "ns": 5.0 * n}
        made["rounds"] += [bandit | common, full | common | {"plain_ns": 400.0 * n}, index | common]
    made["left_out"] = [
        {"entry": "LFG", "n_arms": n, "why": "it takes too long", "slow": True} for n in SIZES[-2:]
    ]
    made["live"] = [{"n_arms": 5, "microseconds": 1.25}, {"n_arms": 1_000, "microseconds": 9.0}]
    made["memory"] = [
        {"n_arms": n, "rounds": t, "mebibytes": 150.0 + n + t} for n in (5, 50) for t in (10, 20)
    ]
    made["experiments"] = [
        {"instance": "paper-5", "n_arms": 5, "rounds": 2_000_000, "bandit": 0.1, "full": 0.3, "pair": 0.4}
    ]
    made["author"] = [{"feedback": "full", "n_arms": 5, "rounds": 10, "ns": 50_000.0}]
    return made
