"""Beyond the paper: its figures for better choices, and what regret hides, as data."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..metrics import charged_regret
from ..result import Result
from .figures import YLABELS, Figure, Results, queue_lines, rate_lines, regret_lines
from .lines import Line, curve, level

VARIANTS = {
    "five-bandit": "the paper's",
    "beyond-tsallis": "TsallisInf (RV)",
    "beyond-backlog": "backlog",
    "beyond-anytime": "anytime",
    "beyond-small-v": "V = √T / 10",
    "beyond-all-three": "all three",
}
_WORDS = {
    "beyond-tsallis": "TsallisInf (RV) as the learner",
    "beyond-backlog": "queues that start where they will stand",
    "beyond-anytime": "the anytime form",
    "beyond-small-v": "V = √T / 10",
    "beyond-all-three": "TsallisInf, backlog and V = √T / 10 together",
}
_PARTS = {"rates": rate_lines, "queues": queue_lines, "regret": regret_lines}

Values = npt.NDArray[np.float64]


def _by_variant(measure: Callable[[Result], Values]) -> Callable[[Results], list[Line]]:
    def lines(results: Results) -> list[Line]:
        drawn = [
            curve(label, k, results[name].rounds, measure(results[name]))
            for k, (name, label) in enumerate(VARIANTS.items())
        ]
        return [*drawn, level("the benchmark", 6, 0.0)]

    return lines


def _worst_shortfall(run: Result) -> Values:
    """Shortfall of the arm that is owed most at the end, on average."""
    worst = int(run.shortfall()[:, -1].mean(axis=0).argmax())
    shortfall: Values = run.shortfall()[:, :, worst]
    return shortfall


def _charged(run: Result) -> Values:
    return charged_regret(run.regret(), run.shortfall(), run.price)


def _of_variant(name: str, words: str, part: str) -> Figure:
    ylabel = {"rates": YLABELS["rate"], "queues": YLABELS["queue"], "regret": YLABELS["regret"]}[part]
    return Figure(
        id=f"{name}-{part}",
        title=f"{part.capitalize()} with {words}",
        caption={
            "rates": "As figure 4.",
            "queues": "As figure 5.",
            "regret": "As figure 6.",
        }[part],
        ylabel=ylabel,
        settings=(name,),
        lines=lambda results: _PARTS[part](results[name]),
    )


def beyond_figures() -> list[Figure]:
    """Three figures that compare the variants, then three of each variant."""
    names = tuple(VARIANTS)
    overview = [
        Figure(
            "beyond-shortfall",
            "What the worst-served arm is owed",
            "Promised less received so far, of the arm that is owed most at the end.",
            "shortfall",
            names,
            _by_variant(_worst_shortfall),
        ),
        Figure(
            "beyond-regret",
            "Regret, which rewards debt",
            "Those who owe nothing, by a backlog or a small V, look worst.",
            "regret",
            names,
            _by_variant(lambda run: run.regret()),
        ),
        Figure(
            "beyond-priced",
            "Priced regret, which does not",
            "Regret plus what is owed at its price; zero is the benchmark.",
            "priced regret",
            names,
            _by_variant(_charged),
        ),
    ]
    each = [_of_variant(name, words, part) for name, words in _WORDS.items() for part in _PARTS]
    return [*overview, *each]
