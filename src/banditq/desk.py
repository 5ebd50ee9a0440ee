"""The compiled steps of a live agent, and the cheapest way to call them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64

from .kernels.compiling import INTERPRETED, is_compilable, is_foreign, kernel, python_form
from .kernels.ledger import Ledger, pay, pay_entry
from .kernels.noise import scramble
from .kernels.pinned import Pinned, fetched
from .kernels.protocol import (
    Allocation,
    Decision,
    Floats,
    allocate,
    choose,
    foresee,
    foresees,
    law,
    learn,
    pick,
)


class Desk(NamedTuple):
    """What an agent works with: its policy's state, its books, and the key of its random numbers."""

    policy: Any
    ledger: Ledger
    key: np.uint64


Record = tuple[int, float, float, float, int]  # a Decision's fields, as plain numbers


@kernel
def _choose(desk: Any, round: int) -> Record:
    here = fetched(desk)
    made = choose(here.policy, scramble(here.key, round))
    return made.arm, float(made.probability), float(made.queue), float(made.bound), made.round


@kernel
def _learn(
    desk: Any, now: int, arm: int, probability: float, queue: float, bound: float, round: int, reward: float
) -> None:
    here = fetched(desk)
    learn(here.policy, Decision(arm, probability, queue, bound, round), reward)
    pay(here.ledger, now, arm, 1.0, reward)


@kernel
def _foresee(desk: Any, rewards: Floats) -> None:
    here = fetched(desk)
    foresee(here.policy, rewards)


@kernel
def _allocate(desk: Any, round: int, law: Floats, queue: Floats) -> tuple[float, int]:
    here = fetched(desk)
    bound, _ = allocate(here.policy, law, queue)
    return float(bound), pick(law, scramble(here.key, round))


@kernel
def _learn_all(
    desk: Any, now: int, shares: Floats, queue: Floats, bound: float, round: int, rewards: Floats
) -> None:
    here = fetched(desk)
    learn(here.policy, Allocation(shares, queue, bound, round), rewards)
    for arm in range(rewards.size):
        pay_entry(here.ledger, now, arm, shares[arm], shares[arm] * rewards[arm])


@kernel
def _law(desk: Any, out: Floats) -> None:
    here = fetched(desk)
    law(here.policy, out)


_VECTOR = float64[::1]
_SIGNATURES: dict[Any, tuple[Any, ...]] = {
    _choose: (int64,),
    _learn: (int64, int64, float64, float64, float64, int64, float64),
    _foresee: (_VECTOR,),
    _allocate: (int64, _VECTOR, _VECTOR),
    _learn_all: (int64, _VECTOR, _VECTOR, float64, int64, _VECTOR),
    _law: (_VECTOR,),
}


class Steps(NamedTuple):
    """What an agent calls; ``desk`` is the first argument of each."""

    desk: Any
    choose: Callable[..., Any]
    learn: Callable[..., Any]
    law: Callable[..., Any]
    foresee: Callable[..., Any] | None  # of a policy that does
    kept: Any = None  # what must live as long as ``desk`` is used


def interpreted_steps(desk: Desk, *, full: bool) -> Steps:
    """The steps in plain Python."""
    return Steps(desk, *(step and python_form(step) for step in _steps(desk, full)))


def compiled_steps(desk: Desk, *, full: bool) -> Steps:
    """The steps as fast as this state lets them be called.

    A state of our own is pinned. Somebody else's may need reference counting and goes the ordinary way;
    a plain Python object cannot be compiled at all.
    """
    if INTERPRETED or not is_compilable(desk.policy):
        return interpreted_steps(desk, full=full)
    if is_foreign(desk.policy):
        return Steps(desk, *_steps(desk, full))
    pinned = Pinned(desk)
    steps = _steps(desk, full)
    choose, learn, law, foresee = (step and pinned.bind(step, *_SIGNATURES[step]) for step in steps)
    return Steps(pinned.address, choose, learn, law, foresee, kept=pinned)


def _steps(desk: Desk, full: bool) -> tuple[Any, Any, Any, Any]:
    if full:
        return _allocate, _learn_all, _law, _foresee if foresees(desk.policy) else None
    return _choose, _learn, _law, None
