"""Several policies on the same reward table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .checks import told
from .errors import InvalidInput
from .learners.base import Learner
from .metrics import Estimate, charged_regret, estimate
from .policies.base import Policy
from .problem import Problem
from .result import Result
from .simulate import as_policy, simulate


@dataclass(frozen=True)
class Comparison(Mapping[str, Result]):
    """The results by name, and a table of their figures; best priced regret first.

    Examples
    --------
    With means of ½ and 1 and a benchmark of ¾ a round, all rounds for the protected arm cost ¼ each.
    None for it cost nothing once the shortfall is charged, although the regret alone would be −¼ each.

    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.5, 1.0], targets=[0.25, 0.0])
    >>> mixes = {"all": bq.FixedMix([1, 0]), "none": bq.FixedMix([0, 1])}
    >>> league = bq.compare(mixes, problem, rounds=100)
    >>> list(league.table())
    ['none', 'all']
    >>> league.difference("all", "none").value
    25.0
    """

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
        first, second = self.results[name], self.results[other]
        if first.info["runs"] != second.info["runs"]:
            raise InvalidInput(
                f"{name} and {other} were stopped after different runs, which cannot be paired"
            )
        return estimate(_charged(first) - _charged(second))

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
    if not isinstance(policies, Mapping) or not policies:
        raise InvalidInput(
            f"policies is {told(policies)}; it must be a dict by name, such as {{'banditq': bq.BanditQ()}}"
        )
    entered = {name: as_policy(policy) for name, policy in policies.items()}  # all, before any plays
    return Comparison(
        {name: simulate(policy, problem, rounds, **options) for name, policy in entered.items()}
    )
