"""What a figure shows, in sentences that follow from its lines and their errors."""

from collections.abc import Sequence

import numpy as np

from ..page.files import number
from .lines import Line

_NEAR = 0.1  # of V · price: nearer than this, a queue stands there


def curves(lines: Sequence[Line]) -> list[Line]:
    """Those lines that are means over runs."""
    return [line for line in lines if line.kind == "curve"]


def end(line: Line) -> tuple[float, float]:
    """The last mean and the half width of its 95 % confidence interval."""
    return float(line.mean[-1]), float(line.half[-1])


def sign(line: Line) -> int:
    """+1 or −1 if a curve surely ends above or below zero, and 0 if that cannot be told."""
    mean, half = end(line)
    return 0 if abs(mean) <= half else int(np.sign(mean))


def settled(line: Line) -> float:
    """The mean of a curve over the second half of the rounds."""
    late = line.rounds >= 0.5 * line.rounds[-1]
    t, values = line.rounds[late], line.mean[late]
    return float(np.trapezoid(values, t) / (t[-1] - t[0]))


def near(mean: float, level: float) -> bool:
    """Whether a queue stands where it should, within a tenth."""
    return abs(mean / level - 1.0) <= _NEAR


def apart(one: Line, other: Line) -> bool:
    """Whether two curves surely end apart."""
    (a, wide), (b, narrow) = end(one), end(other)
    return abs(a - b) > float(np.hypot(wide, narrow))


def reading(lines: Sequence[Line]) -> str:
    """Where the curves of a figure end."""
    ends = [
        f"{line.series}: {number(line.mean[-1])} ({number(line.low[-1])} to {number(line.high[-1])})"
        for line in curves(lines)
    ]
    last = max(line.rounds[-1] for line in lines)
    return f"At round {last:,.0f}: {'; '.join(ends)}."


def nothing(lines: Sequence[Line]) -> str:
    """No remark."""
    return ""


def of_regret(lines: Sequence[Line]) -> str:
    """The sign of regret at the end, and what becomes of it when debts are charged."""
    regret, priced = curves(lines)
    said = sign(regret)
    if said == 0:
        return "Whether regret ends above or below zero cannot be told from these runs."
    if said > 0:
        return "Regret ends above zero, before any debt is charged."
    if sign(priced) < 0:
        return "Regret ends below zero, also with debts at their price."
    then = "it ends above zero" if sign(priced) > 0 else "it cannot be told from zero"
    return f"Regret ends below zero because arms are owed: with debts at their price {then}."


def of_queues(lines: Sequence[Line]) -> str:
    """How near the queues come to V · price, if that is where they should stand."""
    levels = [line for line in lines if line.kind == "level"]
    if not levels:
        return ""
    shares = [settled(line) / level.mean[0] for line, level in zip(curves(lines), levels, strict=True)]
    told = " and ".join(f"{share:.0%}" for share in shares)
    return (
        "Dotted: V · price, where a fixed V lets the debt stand in the long run; over the second half the "
        f"queues average {told} of it."
    )


def of_lead(lines: Sequence[Line]) -> str:
    """Who is ahead at the end, before and after debts."""
    words = {1: "BanditQ is ahead", -1: "LFG is ahead", 0: "who is ahead cannot be told"}
    plain, priced = map(sign, curves(lines))
    return f"At the end {words[plain]}; with debts paid, {words[priced]}."


def of_variants(lines: Sequence[Line]) -> str:
    """Which variants end lowest and highest, with those that cannot be told from them."""
    ranked = sorted(curves(lines), key=lambda line: line.mean[-1])
    parts = []
    for word, order in (("Lowest", ranked), ("Highest", ranked[::-1])):
        first, *others = order
        near = [line.series for line in others if not apart(first, line)]
        beside = f" (which cannot be told from {', '.join(near)})" if near else ""
        parts.append(f"{word} at the end: {first.series}{beside}.")
    return " ".join(parts)
