"""What was set out to be reached, and whether it was. What hinders where it was not is in ``OBSTACLES``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .figures import ns_at

Figures = Mapping[str, Any]
Reading = Callable[[Figures], float | None]


@dataclass(frozen=True)
class Goal:
    """At most ``limit``, in ``unit``; ``read`` finds the figure, or None if it was not measured."""

    name: str
    limit: float
    unit: str
    read: Reading

    def met(self, figures: Figures) -> bool | None:
        """Whether it was reached; None if it was not measured."""
        value = self.read(figures)
        return None if value is None else value <= self.limit


def _round(entry: str, n_arms: int) -> Reading:
    return lambda figures: ns_at(figures, entry, n_arms)


def _growth(entry: str, small: int, large: int) -> Reading:
    def read(figures: Figures) -> float | None:
        low, high = ns_at(figures, entry, small), ns_at(figures, entry, large)
        return None if low is None or high is None else high / low

    return read


def _row(section: str, value: str, **wanted: Any) -> Reading:
    def read(figures: Figures) -> float | None:
        for row in figures.get(section, []):
            if all(row.get(name) == what for name, what in wanted.items()):
                return float(row[value])
        return None

    return read


def _whole_round(feedback: str) -> Reading:
    """Nanoseconds a round of a whole run on the paper's five arms, checkpoints and all."""

    def read(figures: Figures) -> float | None:
        for row in figures.get("experiments", []):
            if row["instance"] == "paper-5":
                return float(1e9 * row[feedback] / row["rounds"])
        return None

    return read


def _memory_growth(figures: Figures) -> float | None:
    """The largest ratio of peaks between more rounds and fewer, of one number of arms."""
    peaks: dict[int, list[tuple[int, float]]] = {}
    for row in figures.get("memory", []):
        peaks.setdefault(row["n_arms"], []).append((row["rounds"], row["mebibytes"]))
    ratios = [max(rows)[1] / min(rows)[1] for rows in peaks.values() if len(rows) > 1]
    return max(ratios, default=None)


_BANDIT, _FULL = "BanditQ+LogBarrier", "BanditQ+OGA"

GOALS = (
    Goal("a round, bandit, N = 5", 60, "ns", _round(_BANDIT, 5)),
    Goal("a round, bandit, the paper's run of five arms", 60, "ns", _whole_round("bandit")),
    Goal("a round, bandit, N = 1,000", 350, "ns", _round(_BANDIT, 1_000)),
    Goal("a round, bandit: N = 100,000 against N = 100", 2, "×", _growth(_BANDIT, 100, 100_000)),
    Goal("a round, full information, N = 5", 70, "ns", _round(_FULL, 5)),
    Goal("a round, full information, the paper's run of five arms", 70, "ns", _whole_round("full")),
    Goal("a round, full information, N = 1,000", 1_500, "ns", _round(_FULL, 1_000)),
    Goal("choose + learn from Python, N = 5", 2.5, "µs", _row("live", "microseconds", n_arms=5)),
    Goal("choose + learn from Python, N = 1,000", 3.5, "µs", _row("live", "microseconds", n_arms=1_000)),
    Goal("save an agent, N = 100,000", 20, "ms", _row("saving", "save_ms", n_arms=100_000)),
    Goal("load an agent, N = 100,000", 20, "ms", _row("saving", "load_ms", n_arms=100_000)),
    Goal("import banditq", 0.5, "s", _row("startup", "seconds", what="import")),
    Goal(
        "a small simulation from the command line", 1.5, "s", _row("startup", "seconds", what="warm call")
    ),
    Goal("the same, nothing compiled yet", 25, "s", _row("startup", "seconds", what="first call")),
    Goal("the paper's pair, N = 5, T = 2·10⁶, one core", 0.5, "s", _row("experiments", "pair", n_arms=5)),
    Goal(
        "the paper's pair, N = 1,000, T = 3·10⁶, one core",
        10,
        "s",
        _row("experiments", "pair", n_arms=1_000),
    ),
    Goal("memory: ten times the rounds", 1.02, "×", _memory_growth),
)

# The name of a goal, and what stands in its way with the measurement that shows it.
OBSTACLES = {
    "a round, bandit, N = 5": "here every round pays, and one that pays solves for two roots, with some "
    "three Newton steps between them, and takes the logarithms of the mixability gap, each waiting for "
    "the one before. Of the paper's own run, the next line, more than half the rounds pay nothing and "
    "change nothing. Tried without gain: one logarithm in the place of two, and a search for the drawn "
    "arm without branches."
}
