"""Experiments of the literature, with its own figures and published numbers beside ours.

Baudry, Merlis, Benjamin Molina, Richard & Perchet, "Multi-armed bandits with guaranteed revenue per arm",
AISTATS 2024: Section 4.1, Figure 1 (their experiment 5, the BanditQ paper's five arms) and Appendix C,
Figure 2 (their experiment 1, feasibility gaps). 200 runs, horizons up to 10⁵; here the last of them.

Their figures, as their code has them (github.com/DBaudry/Revenue_guaranteeing_bandits, experiments/mab.py)
for the law p_t of each round: per round R = E Σ_t (⟨p* − p_t, μ⟩)⁺ and V = E Σ_t Σ_k (λ_k − μ_k p_{k,t})⁺;
long-term, the regret E Σ_t ⟨p* − p_t, μ⟩ and Σ_k (E Σ_t λ_k − μ_k p_{k,t})⁺. The text of the paper
defines both regrets arm by arm, Σ_k Δ_k E(Σ_t) (p_{k,t} − p*_k)⁺, which is at least as large; the code is
followed here, as the published numbers are the code's. The long-term figures are measured from the rewards
received, whose expectation is the same. A policy that plays one arm for sure has V and R of the order of
T by definition.

``baudry_2024.csv`` holds the means over their 200 runs, read from plotting/data of that repository (BSD
licence). Policies that know their horizon end at round 100,000 there, the others at 99,501. The last of
these data are of 2023-10-20, when the confidence bounds of that code had the width 2 ln t; commits f25957b
and 7f22748 of 2023-10-23 made that 3 (1 + c) ln t, with c = 0.01, and left the data as they were. So the
presets play every entry that has a ``width`` at 2.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ..errors import InvalidInput

SOURCE = (
    "Means over 200 runs, from the data beside the code of Baudry et al. (AISTATS 2024). R per round is "
    "that of their code, the positive part of a round's whole regret; their text adds up the positive "
    "parts of the arms, which is at least as much. Confidence bounds have the width 2 ln t in both, as in "
    "their code when the data were made; it has 3.03 ln t since then, as our entries have elsewhere. Other "
    "indices and settings may differ from theirs: see each one's documentation."
)
PUBLISHED = Path(__file__).with_name("baudry_2024.csv")


class Preset(NamedTuple):
    """What an experiment plays; ``settings`` are those of every entry that has a field of the name."""

    title: str
    instances: tuple[str, ...]
    rounds: int
    runs: int
    settings: Mapping[str, Any]


_SETTINGS = MappingProxyType({"width": 2.0})

PRESETS = {
    "baudry-1": Preset(
        "Baudry et al. 2024, experiment 1: feasibility gaps",
        ("gap-0", "gap-10", "gap-50", "gap-90"),
        100_000,
        200,
        _SETTINGS,
    ),
    "baudry-5": Preset(
        "Baudry et al. 2024, experiment 5: the BanditQ paper's five arms",
        ("paper-5",),
        100_000,
        200,
        _SETTINGS,
    ),
}


def preset(name: str) -> Preset:
    """An experiment by its name."""
    if name not in PRESETS:
        raise InvalidInput(f"preset is {name!r}; it must be one of {', '.join(PRESETS)}")
    return PRESETS[name]


def published() -> list[dict[str, str]]:
    """A row an instance, policy and figure."""
    with PUBLISHED.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
