"""Beyond the paper: its figures for better choices, and what regret hides, as data."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..metrics import charged_regret
from ..result import Result
from .figures import CAPTIONS, LINES, REMARKS, YLABELS, Figure, Results
from .lines import Line, curve, level
from .remarks import of_variants

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
_PARTS = {"rates": "rate", "queues": "queue", "regret": "regret"}

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
    quantity = _PARTS[part]
    return Figure(
        id=f"{name}-{part}",
        title=f"{part.capitalize()} with {words}",
        caption=CAPTIONS[quantity],
        ylabel=YLABELS[quantity],
        settings=(name,),
        lines=lambda results: LINES[quantity](results[name]),
        remark=REMARKS[quantity],
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
            of_variants,
        ),
        Figure(
            "beyond-regret",
            "Regret, which rewards debt",
            "Pseudo-regret of each variant. What an arm is owed was earned elsewhere, so that a debt "
            "lowers it.",
            "pseudo-regret",
            names,
            _by_variant(lambda run: run.regret()),
            of_variants,
        ),
        Figure(
            "beyond-priced",
            "Priced regret, which does not",
            "Pseudo-regret plus what is owed at its price; zero is the benchmark.",
            "priced pseudo-regret",
            names,
            _by_variant(_charged),
            of_variants,
        ),
    ]
    each = [_of_variant(name, words, part) for name, words in _WORDS.items() for part in _PARTS]
    return [*overview, *each]
