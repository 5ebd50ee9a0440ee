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
licence). Policies that know their horizon end at round 100,000 there, the others at 99,501.
"""

import csv
from pathlib import Path
from typing import NamedTuple

from ..errors import InvalidInput

SOURCE = (
    "Means over 200 runs, from the data beside the code of Baudry et al. (AISTATS 2024). R per round is "
    "that of their code, the positive part of a round's whole regret; their text adds up the positive "
    "parts of the arms, which is at least as much. Indices and settings may differ from theirs: see "
    "each one's documentation."
)
PUBLISHED = Path(__file__).with_name("baudry_2024.csv")


class Preset(NamedTuple):
    """What an experiment plays."""

    title: str
    instances: tuple[str, ...]
    rounds: int
    runs: int


PRESETS = {
    "baudry-1": Preset(
        "Baudry et al. 2024, experiment 1: feasibility gaps",
        ("gap-0", "gap-10", "gap-50", "gap-90"),
        100_000,
        200,
    ),
    "baudry-5": Preset(
        "Baudry et al. 2024, experiment 5: the BanditQ paper's five arms", ("paper-5",), 100_000, 200
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
