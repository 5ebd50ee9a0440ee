"""The paper's figures 1 to 13 as data: what each shows, and which simulations it is made from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..metrics import charged_regret
from ..plots import weight_of
from ..result import Result
from ..theory import standing_shortfall
from .lines import Line, curve, level, published
from .published import published_curves

Results = Mapping[str, Result]


@dataclass(frozen=True)
class Figure:
    """An entry: ``lines`` takes the results by the names in ``settings``."""

    id: str
    title: str
    caption: str
    ylabel: str
    settings: tuple[str, ...]
    lines: Callable[[Results], list[Line]]

    @property
    def heading(self) -> str:
        """The entry in a line."""
        return self.title


def rate_lines(run: Result) -> list[Line]:
    """Rates of the protected arms and their targets, arms counted from 1 as the paper does."""
    lines = []
    for k, arm in enumerate(run.arms):
        lines.append(curve(f"arm {arm + 1}", k, run.rounds, run.rates()[:, :, k]))
        lines.append(level(f"target of arm {arm + 1}", k, float(run.targets[k])))
    return lines


def queue_lines(run: Result) -> list[Line]:
    """Queues of the protected arms, and where theory expects them to stand."""
    weight, lines = weight_of(run), []
    for k, arm in enumerate(run.arms):
        lines.append(curve(f"arm {arm + 1}", k, run.rounds, run.queues()[:, :, k]))
        if weight is not None:
            stands = float(standing_shortfall(weight, run.price[k]))
            lines.append(level(f"V · price of arm {arm + 1}", k, stands))
    return lines


def regret_lines(run: Result) -> list[Line]:
    """Regret, and regret with shortfalls charged at their price."""
    charged = charged_regret(run.regret(), run.shortfall(), run.price)
    return [
        curve("regret", 0, run.rounds, run.regret()),
        curve("priced regret", 1, run.rounds, charged),
    ]


_LINES = {"rate": rate_lines, "queue": queue_lines, "regret": regret_lines}
_TITLES = {"rate": "Reward accrual rates", "queue": "Queue lengths", "regret": "Regret"}
YLABELS = {
    "rate": "reward per round",
    "queue": "queue length",
    "regret": "reward lost against the benchmark",
}
_CAPTIONS = {
    "rate": "Reward per round that each protected arm has accrued so far, against its target.",
    "queue": "What each protected arm is owed. Dotted: V · price, where a fixed V lets the debt stand.",
    "regret": "Regret against the best mix that keeps the promises. It is negative because arms are owed; "
    "priced regret charges what they are owed, and zero is the benchmark.",
}
_SETTING = {"full": "full information", "bandit": "bandit feedback"}


def with_published(feedback: str, quantity: str, lines: list[Line]) -> list[Line]:
    """The author's curves of one quantity over ours."""
    theirs = [
        published(f"the author's run, arm {arm}" if arm else "the author's run", 6, rounds, values)
        for (setting, what, arm), (rounds, values) in published_curves().items()
        if (setting, what) == (feedback, quantity)
    ]
    return [*lines, *theirs]


def _five(number: int, feedback: str, quantity: str) -> Figure:
    name = f"five-{feedback}"
    return Figure(
        id=f"fig{number}",
        title=f"{_TITLES[quantity]}, {_SETTING[feedback]}, N = 5",
        caption=_CAPTIONS[quantity],
        ylabel=YLABELS[quantity],
        settings=(name,),
        lines=lambda results: _LINES[quantity](results[name]),
    )


def _thousand(number: int, feedback: str, quantity: str) -> Figure:
    name = f"thousand-{feedback}"
    return Figure(
        id=f"fig{number}",
        title=f"{_TITLES[quantity]}, {_SETTING[feedback]}, N = 1 000",
        caption=f"{_CAPTIONS[quantity]} Dashed: the author's published curve, one run of his.",
        ylabel=YLABELS[quantity],
        settings=(name,),
        lines=lambda results: with_published(feedback, quantity, _LINES[quantity](results[name])),
    )


def _reward_against_lfg(results: Results) -> list[Line]:
    ours, oracle = results["five-bandit"], results["five-lfg"]
    return [
        curve("BanditQ", 0, ours.rounds, ours.reward),
        curve("oracle LFG, η = 100", 1, oracle.rounds, oracle.reward),
    ]


def _lead_over_lfg(results: Results) -> list[Line]:
    ours, oracle = results["five-bandit"], results["five-lfg"]
    owed = [
        charged_regret(0.0 * run.reward, run.shortfall(), run.price) - run.reward for run in (ours, oracle)
    ]
    return [
        curve("reward of BanditQ less LFG's", 0, ours.rounds, ours.reward - oracle.reward),
        curve("the same, debts paid at their price", 1, ours.rounds, owed[1] - owed[0]),
        level("equal", 6, 0.0),
    ]


def paper_figures() -> list[Figure]:
    """Figures 1 to 13 in order; 7 has a second panel, since its two curves cannot be told apart."""
    quantities = ("rate", "queue", "regret")
    five = [
        _five(1 + 3 * s + q, feedback, quantity)
        for s, feedback in enumerate(("full", "bandit"))
        for q, quantity in enumerate(quantities)
    ]
    pair = ("five-bandit", "five-lfg")
    against = [
        Figure(
            "fig7",
            "Cumulative reward of BanditQ and the oracle LFG",
            "Both on the same rewards. LFG is told the pull fractions that nobody knows.",
            "reward so far",
            pair,
            _reward_against_lfg,
        ),
        Figure(
            "fig7-lead",
            "A closer look: BanditQ's lead over the oracle LFG",
            "The difference of figure 7, run by run; then with each policy's debts to the protected arms "
            "paid back at their price.",
            "difference in reward",
            pair,
            _lead_over_lfg,
        ),
    ]
    thousand = [
        _thousand(8 + 3 * s + q, feedback, quantity)
        for s, feedback in enumerate(("full", "bandit"))
        for q, quantity in enumerate(quantities)
    ]
    return [*five, *against, *thousand]
