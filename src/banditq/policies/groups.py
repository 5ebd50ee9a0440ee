"""Disjoint groups of arms, each with bounds on its share of the pulls."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import finite_vector, whole, within
from ..errors import InvalidInput
from ..kernels.protocol import Floats
from .fractions import checked_fractions

Integers = npt.NDArray[np.int64]

_TOLERANCE = 1e-9


class Groups(NamedTuple):
    """``arms[start[g]:start[g + 1]]`` are the arms of group g, ``of`` maps back; a free arm is a group."""

    arms: Integers
    start: Integers
    of: Integers
    lower: Floats
    upper: Floats
    slack: float  # 1 − Σ lower


def checked_groups(
    fractions: Sequence[float], upper: Any, groups: Any
) -> tuple[tuple[float, ...], tuple[float, ...] | None, tuple[tuple[int, ...], ...] | None]:
    """Lower bounds, upper bounds and arms of the groups as tuples, if no two of them disagree."""
    lower = checked_fractions(fractions)
    return (
        lower,
        None if upper is None else _checked_upper(upper, lower),
        None if groups is None else _checked_members(groups, len(lower)),
    )


def _checked_upper(upper: Any, lower: tuple[float, ...]) -> tuple[float, ...]:
    limits = within("upper", finite_vector("upper", upper), 0.0, 1.0)
    if limits.size != len(lower):
        raise InvalidInput(
            f"upper has {limits.size} numbers, but fractions has {len(lower)}; give one a group"
        )
    crossed = np.flatnonzero(limits < lower)
    if crossed.size:
        g = crossed[0]
        raise InvalidInput(f"upper[{g}] is {limits[g]:g}, below fractions[{g}], which is {lower[g]:g}")
    return tuple(limits.tolist())


def _checked_members(groups: Any, n_groups: int) -> tuple[tuple[int, ...], ...]:
    try:
        members = tuple(tuple(whole("groups", arm, low=0) for arm in group) for group in groups)
    except TypeError:
        raise InvalidInput(f"groups must be a list of lists of arms, got {groups!r}") from None
    if len(members) != n_groups:
        raise InvalidInput(
            f"fractions has {n_groups} numbers, but groups has {len(members)}; give one a group"
        )
    if not all(members):
        raise InvalidInput(f"groups[{members.index(())}] is empty; a group needs an arm")
    arm, times = Counter(arm for group in members for arm in group).most_common(1)[0]
    if times > 1:
        raise InvalidInput(f"groups has arm {arm} {times} times; an arm may be in one group, and once")
    return members


def group_arms(
    n_arms: int,
    fractions: Sequence[float],
    upper: Sequence[float] | None,
    groups: Sequence[Sequence[int]] | None,
) -> Groups:
    """What :func:`checked_groups` let pass, for this many arms; each arm in no group becomes one."""
    if groups is None:
        finite_vector("fractions", fractions, n_arms)
        groups = [[arm] for arm in range(n_arms)]
    grouped = {arm for group in groups for arm in group}
    if grouped and max(grouped) >= n_arms:
        raise InvalidInput(f"groups has arm {max(grouped)}, but there are {n_arms} arms, counted from 0")
    free = [[arm] for arm in range(n_arms) if arm not in grouped]
    lower = np.append(fractions, np.zeros(len(free)))
    limits = np.append(np.ones(len(fractions)) if upper is None else upper, np.ones(len(free)))
    if limits.sum() < 1.0 - _TOLERANCE:
        raise InvalidInput(
            f"upper sums to {limits.sum():.12g} and no arm is free; a round has one pull, so it must sum "
            "to 1 at least"
        )
    lower /= max(lower.sum(), 1.0)
    limits = np.maximum(limits / min(limits.sum(), 1.0), lower)
    members = [*groups, *free]
    sizes = [len(group) for group in members]
    arms = np.array([arm for group in members for arm in group], np.int64)
    of = np.empty(n_arms, np.int64)
    of[arms] = np.repeat(np.arange(len(members)), sizes)
    start = np.cumsum([0, *sizes], dtype=np.int64)
    return Groups(arms, start, of, lower, limits, max(1.0 - float(lower.sum()), 0.0))


def inner_point(groups: Groups) -> Floats:
    """The law that takes every group the same part of its way from its least to its greatest mass."""
    lower, upper = groups.lower, groups.upper
    least = np.maximum(lower, 1.0 - (upper.sum() - upper))
    greatest = np.minimum(upper, groups.slack + lower)
    width = (greatest - least).sum()
    part = (1.0 - least.sum()) / width if width > 0.0 else 0.0
    masses = least + part * (greatest - least)
    sizes = np.diff(groups.start)
    point: Floats = (masses / sizes)[groups.of]
    return point
