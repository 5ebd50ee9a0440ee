"""Eight doubles at a time: sums over arms that are fast and come out the same everywhere.

A compiler may only vectorise ``total += x[i]`` if it may reorder the sum, and then the last bits depend
on the machine and on where the loop was inlined: the live agent would drift from the simulation. Here
the order is written down. Lane j adds up the elements at j, j + 8, j + 16, …, the eight lanes are added
pairwise, and what does not fill a row of eight is added one by one. In compiled code a ``Lanes`` is a
vector register; in plain Python it is an array of eight.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from .compiling import OPTIONS, kernel

WIDTH = 8


class LanesType(types.Type):  # type: ignore[misc]  # Numba ships no type hints
    """Numba's name for eight doubles in a register."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = LanesType()
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _broadcast(builder: Any, number: Any) -> Any:
    """A vector with the same number in every lane."""
    zero = ir.Constant(ir.IntType(32), 0)
    single = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, zero)
    pattern = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), pattern)


@intrinsic
def _spread(typing: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _broadcast(builder, args[0])

    return LANES(types.float64), generate


@intrinsic
def _load(typing: Any, array: Any, start: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.bitcast(builder.gep(view.data, [args[1]]), _VECTOR.as_pointer())
        return builder.load(place, align=8)

    return LANES(array, types.intp), generate


@intrinsic
def _store(typing: Any, array: Any, start: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.bitcast(builder.gep(view.data, [args[1]]), _VECTOR.as_pointer())
        builder.store(args[2], place, align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, LANES), generate


@intrinsic
def _lane(typing: Any, value: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.extract_element(args[0], args[1])

    return types.float64(LANES, types.intp), generate


def _binary(instruction: str) -> Any:
    @intrinsic
    def apply(typing: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args)

        return LANES(LANES, LANES), generate

    return apply


@intrinsic
def _larger(typing: Any, left: Any, right: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return LANES(LANES, LANES), generate


@intrinsic
def _positive(typing: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        above = builder.fcmp_ordered(">", args[0], ir.Constant(_VECTOR, [0.0] * WIDTH))
        return builder.uitofp(above, _VECTOR)

    return LANES(LANES), generate


def _overload_operator(function: Callable[..., Any], instruction: str) -> None:
    """Give an operator to Lanes, with a number on either side as well."""
    apply = _binary(instruction)
    is_lanes = (LanesType,)

    def choose(left: Any, right: Any) -> Any:
        if isinstance(left, is_lanes) and isinstance(right, is_lanes):
            return lambda left, right: apply(left, right)
        if isinstance(left, is_lanes) and isinstance(right, types.Float):
            return lambda left, right: apply(left, _spread(right))
        if isinstance(left, types.Float) and isinstance(right, is_lanes):
            return lambda left, right: apply(_spread(left), right)
        return None

    overload(function, strict=False, jit_options=OPTIONS)(choose)


for _function, _instruction in {
    operator.add: "fadd",
    operator.iadd: "fadd",
    operator.sub: "fsub",
    operator.mul: "fmul",
    operator.truediv: "fdiv",
}.items():
    _overload_operator(_function, _instruction)


def spread(number: float) -> Any:
    """The same number in every lane."""
    return np.full(WIDTH, number)


def load(array: Any, start: int) -> Any:
    """Eight neighbours of an array."""
    return array[start : start + WIDTH].copy()


def store(array: Any, start: int, value: Any) -> None:
    """Write eight neighbours of an array."""
    array[start : start + WIDTH] = value


def larger(left: Any, right: Any) -> Any:
    """The larger of the two in each lane."""
    return np.where(left > right, left, right)


def positive(value: Any) -> Any:
    """1 in each lane that is above zero, else 0."""
    return (value > 0.0).astype(np.float64)


def lane(value: Any, index: int) -> float:
    """The number in one lane."""
    return value[index]


def _compile_as(function: Callable[..., Any], implementation: Callable[..., Any]) -> None:
    overload(function, strict=False, jit_options=OPTIONS)(lambda *_: implementation)


_compile_as(spread, lambda number: _spread(number))
_compile_as(load, lambda array, start: _load(array, start))
_compile_as(store, lambda array, start, value: _store(array, start, value))
_compile_as(larger, lambda left, right: _larger(left, right))
_compile_as(positive, lambda value: _positive(value))
_compile_as(lane, lambda value, index: _lane(value, index))


@kernel
def gather(lanes: Any) -> float:
    """The sum of the eight lanes, added pairwise."""
    low = (lane(lanes, 0) + lane(lanes, 1)) + (lane(lanes, 2) + lane(lanes, 3))
    high = (lane(lanes, 4) + lane(lanes, 5)) + (lane(lanes, 6) + lane(lanes, 7))
    return low + high
