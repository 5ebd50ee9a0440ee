"""The paper's figures 1 to 13 as data: what each shows, and which simulations it is made from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..metrics import charged_regret
from ..plots import weight_of
from ..result import Result
from ..theory import standing_shortfall
from .lines import Line, curve, level, published
from .published import published_curves
from .remarks import nothing, of_lead, of_queues, of_regret

Results = Mapping[str, Result]


@dataclass(frozen=True)
class Figure:
    """An entry: ``lines`` takes the results by the names in ``settings``.

    The caption says what is drawn, ``remark`` what is seen in it.
    """

    id: str
    title: str
    caption: str
    ylabel: str
    settings: tuple[str, ...]
    lines: Callable[[Results], list[Line]]
    remark: Callable[[Sequence[Line]], str] = nothing

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


def regret_lines(run: Result, *, realised: bool = False) -> list[Line]:
    """Regret, and regret with shortfalls charged at their price."""
    regret, kind = run.regret(realised=realised), "realised regret" if realised else "pseudo-regret"
    return [
        curve(kind, 0, run.rounds, regret),
        curve(f"priced {kind}", 1, run.rounds, charged_regret(regret, run.shortfall(), run.price)),
    ]


LINES: dict[str, Callable[[Result], list[Line]]] = {
    "rate": rate_lines,
    "queue": queue_lines,
    "regret": regret_lines,
}
_AS_PUBLISHED = LINES | {"regret": lambda run: regret_lines(run, realised=True)}
_TITLES = {"rate": "Reward accrual rates", "queue": "Queue lengths", "regret": "Regret"}
YLABELS = {
    "rate": "reward per round",
    "queue": "queue length",
    "regret": "reward lost against the benchmark",
}
CAPTIONS = {
    "rate": "Reward per round that each protected arm has accrued so far, against its target.",
    "queue": "The queue of each protected arm: the most that it fell short over any stretch of rounds up "
    "to now.",
    "regret": "Pseudo-regret, of the means of what was played, against the best mix that keeps the "
    "promises; priced, it charges what arms are owed, and zero is the benchmark.",
}
REMARKS = {"rate": nothing, "queue": of_queues, "regret": of_regret}
_REALISED = (
    "Realised regret, of the rewards received as the author counts it, against the best mix that keeps the "
    "promises; priced, it charges what arms are owed, and zero is the benchmark."
)
_SETTING = {"full": "full information", "bandit": "bandit feedback"}


def with_published(feedback: str, quantity: str, lines: list[Line]) -> list[Line]:
    """The author's curves of one quantity over ours."""
    theirs = [
        published(
            f"the author's run, arm {arm}" if arm else "the author's run",
            int(arm) - 1 if arm else 0,
            rounds,
            values,
        )
        for (setting, what, arm), (rounds, values) in published_curves().items()
        if (setting, what) == (feedback, quantity)
    ]
    return [*lines, *theirs]


def _five(number: int, feedback: str, quantity: str) -> Figure:
    name = f"five-{feedback}"
    return Figure(
        id=f"fig{number}",
        title=f"{_TITLES[quantity]}, {_SETTING[feedback]}, N = 5",
        caption=CAPTIONS[quantity],
        ylabel=YLABELS[quantity],
        settings=(name,),
        lines=lambda results: LINES[quantity](results[name]),
        remark=REMARKS[quantity],
    )


def _thousand(number: int, feedback: str, quantity: str) -> Figure:
    name = f"thousand-{feedback}"
    return Figure(
        id=f"fig{number}",
        title=f"{_TITLES[quantity]}, {_SETTING[feedback]}, N = 1 000",
        caption=f"{_REALISED if quantity == 'regret' else CAPTIONS[quantity]} Broken lines: what the "
        "author published, one run of his.",
        ylabel=YLABELS[quantity],
        settings=(name,),
        lines=lambda results: with_published(feedback, quantity, _AS_PUBLISHED[quantity](results[name])),
        remark=REMARKS[quantity],
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
            "Rewards received, both on the same draws. LFG is told the pull fractions that nobody knows.",
            "reward so far",
            pair,
            _reward_against_lfg,
        ),
        Figure(
            "fig7-lead",
            "A closer look: BanditQ's lead over the oracle LFG",
            "The difference of figure 7 in rewards received, run by run; then with each policy's debts to "
            "the protected arms paid back at their price.",
            "difference in reward",
            pair,
            _lead_over_lfg,
            of_lead,
        ),
    ]
    thousand = [
        _thousand(8 + 3 * s + q, feedback, quantity)
        for s, feedback in enumerate(("full", "bandit"))
        for q, quantity in enumerate(quantities)
    ]
    return [*five, *against, *thousand]
