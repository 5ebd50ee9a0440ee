"""From a policy's runs to the figures of the league table and the curves of its plots.

Shortfalls are signed, and a policy is charged for the arms that fall short. Three figures look alike:

* the *worst mean shortfall* is the largest, over protected arms, of the mean over runs: what the paper
  calls V(T). A policy that owes arm 1 in half of the runs and arm 2 in the others, and as much the other
  way, has none;
* the *worst-arm shortfall* is the mean over runs of the largest in each: that policy has one;
* the *worst window* is the mean over runs of the largest debt to any protected arm over any window.

What was *delivered* is the mean reward of the arm that is worst off, as a share of what it was promised. It
stands beside priced regret because that alone does not tell who keeps promises from who breaks them: a
price is what a shortfall is worth to the others, so that playing the best arm for ever costs nothing by
it, as the benchmark does.

Worst-arm shortfall and worst window are plain means over runs, and so are their standard errors. The error
of the worst mean shortfall is that of the arm that came out worst: right where one arm is clearly the
worst, while K arms that are level put the figure up by no more than √(2 ln K) errors. The error of the
priced regret is that of the regret and the charges together, run by run, for the arms that came out
short: an arm that is on its target to within its own error e may add 0.4 · price · e to the figure. (The
verdict allows for that: see :class:`banditq.metrics.Charge`.)
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..metrics import Estimate, charged_regret, estimate
from ..result import Result

Floats = npt.NDArray[np.float64]

_BAND = (0.05, 0.95)


class Figure(NamedTuple):
    """A column of the league table: its key in the data, its heading, and how it is measured."""

    key: str
    heading: str
    measure: Callable[[Result], Estimate]


def _charged(run: Result, price: Floats) -> Floats:
    return charged_regret(run.regret()[:, -1:], run.shortfall()[:, -1:], price)[:, -1]


def priced_regret(run: Result) -> Estimate:
    """Regret and shortfalls at their price."""
    return estimate(_charged(run, run.price))


def regret(run: Result) -> Estimate:
    """Pseudo-regret."""
    return estimate(run.regret()[:, -1])


def worst_mean_shortfall(run: Result) -> Estimate:
    """The largest mean shortfall of a protected arm; 0 if there is none."""
    if not run.arms.size:
        return Estimate(0.0, 0.0)
    last = run.shortfall()[:, -1]
    return estimate(last[:, int(last.mean(axis=0).argmax())])


def delivered(run: Result) -> Estimate:
    """The share of its promise that the worst-off arm got; 1 if nothing was promised."""
    if not run.arms.size:
        return Estimate(1.0, 0.0)
    shares = run.accrued[:, -1] / (run.targets * run.rounds[-1])
    return estimate(shares[:, int(shares.mean(axis=0).argmin())])


def worst_arm_shortfall(run: Result) -> Estimate:
    """The mean of each run's largest shortfall."""
    return estimate(largest(run.shortfall()[:, -1]))


def worst_window(run: Result) -> Estimate:
    """The mean of each run's largest shortfall over any window, of any arm."""
    return estimate(largest(run.worst_window()[:, -1]))


def nanoseconds(run: Result) -> Estimate:
    """Processor time a round: the median over runs, which a busy machine moves least."""
    return Estimate(float(np.median(run.seconds) / run.rounds[-1] * 1e9), np.nan)


def excess_regret(run: Result) -> Estimate:
    """Positive parts of every round's expected regret, added up."""
    return estimate(run.excess_regret()[:, -1])


def lack(run: Result) -> Estimate:
    """Positive parts of what every round's law lacks of the targets, added up over rounds and arms."""
    return estimate(run.lack()[:, -1].sum(axis=-1))


def summed_violation(run: Result) -> Estimate:
    """Positive parts of the mean shortfalls, added up over arms."""
    short = run.shortfall()[:, -1:]
    nothing = np.zeros((run.runs, 1))
    return estimate(charged_regret(nothing, short, np.ones(run.arms.size))[:, -1])


FIGURES = (
    Figure("priced_regret", "priced regret", priced_regret),
    Figure("regret", "regret", regret),
    Figure("delivered", "delivered", delivered),
    Figure("worst_mean_shortfall", "worst mean shortfall", worst_mean_shortfall),
    Figure("worst_arm_shortfall", "worst-arm shortfall", worst_arm_shortfall),
    Figure("worst_window", "worst window", worst_window),
    Figure("nanoseconds", "ns a round", nanoseconds),
)
LAW_FIGURES = (
    Figure("excess_regret", "R per round", excess_regret),
    Figure("lack", "V per round", lack),
    Figure("summed_violation", "V long-term", summed_violation),
)


def figures(laws: bool) -> tuple[Figure, ...]:
    """The columns, with those that need the law of every round if it was watched."""
    return (*FIGURES, *LAW_FIGURES) if laws else FIGURES


def largest(values: Floats) -> Floats:
    """Over the last axis; 0 where that is empty."""
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1])
    top: Floats = values.max(axis=-1)
    return top


def curves(run: Result) -> dict[str, Floats]:
    """Means over runs at each checkpoint, and the middle 90 % of the runs."""
    regrets, shortfalls = run.regret(), run.shortfall()
    found = {"regret": regrets.mean(axis=0), "priced_regret": run.priced_regret()}
    found["regret_low"], found["regret_high"] = np.quantile(regrets, _BAND, axis=0)
    found["shortfall"] = run.violation()
    worst = np.zeros_like(regrets)
    if run.arms.size:
        arms = shortfalls.mean(axis=0).argmax(axis=-1)
        worst = np.take_along_axis(shortfalls, arms[None, :, None], axis=2)[:, :, 0]
    found["shortfall_low"], found["shortfall_high"] = np.quantile(worst, _BAND, axis=0)
    return found
