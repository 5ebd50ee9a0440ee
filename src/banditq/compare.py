"""Several policies on the same reward table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import InvalidInput
from .learners.base import Learner
from .metrics import Estimate, charged_regret, estimate
from .policies.base import Policy
from .problem import Problem
from .result import Result
from .simulate import simulate
from .verdict import Verdict, tell_apart


@dataclass(frozen=True)
class Comparison(Mapping[str, Result]):
    """The results by name, and a table of their figures; best priced regret first."""

    results: dict[str, Result]

    def __getitem__(self, name: str) -> Result:
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def table(self) -> dict[str, dict[str, Estimate]]:
        """Figures of the last round for each policy, the best priced regret first."""
        rows = {name: run.summary().total for name, run in self.results.items()}
        return dict(sorted(rows.items(), key=lambda row: row[1]["priced regret"].value))

    def difference(self, name: str, other: str) -> Estimate:
        """Priced regret of one policy less the other's, paired by run.

        Both met the same rewards, so the standard error of the difference is the one to judge by.
        """
        paired = self.charged(name, other)
        return estimate(paired[:, 0] - paired[:, 1])

    def charged(self, *names: str) -> Any:
        """Regret of the last round with its shortfalls charged, (run, policy): what is paired by run.

        An arm is charged in every run, its surpluses too, if it falls short on average. Means are priced
        regrets. Which arms fall short is read off the same runs: an arm that keeps its target to within
        a standard error e of its shortfall can put the mean up by 0.4 · price · e at most.
        """
        results = [self.results[name] for name in names or self.results]
        if any(run.info["runs"] != results[0].info["runs"] for run in results):
            listed = " and ".join(names or self.results)
            raise InvalidInput(f"{listed} were stopped after different runs, which cannot be paired")
        return np.stack([_charged(run) for run in results], axis=1)

    def verdict(self, confidence: float = 0.95) -> Verdict:
        """Who is told apart from whom by priced regret, all pairs at one confidence.

        See :func:`banditq.verdict.tell_apart` for how, and what a group means.
        """
        return tell_apart(list(self.results), self.charged(), confidence)

    def __str__(self) -> str:
        table = self.table()
        columns = list(next(iter(table.values())))
        cells = [["policy", *columns]]
        cells += [
            [name, *(str(row[c]) if c in row else "" for c in columns)] for name, row in table.items()
        ]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells)


def _charged(run: Result) -> Any:
    charged = charged_regret(run.regret(), run.shortfall(), run.price)
    return np.asarray(charged[:, -1])


def compare(
    policies: Mapping[str, Policy | Learner], problem: Problem, rounds: int, **options: Any
) -> Comparison:
    """Simulate each policy on the same reward table; ``options`` are those of :func:`simulate`.

    Examples
    --------
    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.3, 0.8], targets=[0.1, 0.0])
    >>> policies = {"banditq": bq.BanditQ(), "tsallis": bq.BanditQ(learner=bq.TsallisInf())}
    >>> league = bq.compare(policies, problem, rounds=1_000, runs=4, seed=0)
    >>> sorted(league)
    ['banditq', 'tsallis']
    """
    if not policies:
        raise InvalidInput("policies is empty; give at least one, such as {'banditq': bq.BanditQ()}")
    return Comparison(
        {name: simulate(policy, problem, rounds, **options) for name, policy in policies.items()}
    )
