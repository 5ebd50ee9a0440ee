"""Call a compiled function on the same big state again and again, for the price of one integer.

Numba takes a NamedTuple of arrays apart at every call: it finds out the type of each member, then
unpacks each array, which for a policy's state costs ten times the round. A pinned value is taken apart
once; what is left is a block of memory, and a call passes its address, whose type says what lies there.

The arrays must live on and stay where they are; who pins them keeps them. Only functions compiled
without reference counting may take a pinned value, since it counts as nobody's reference.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.extending import NativeValue, intrinsic, models, overload, register_model, unbox

from .compiling import OPTIONS, kernel


class PinnedType(types.Type):  # type: ignore[misc]  # Numba ships no type hints
    """The address of a value of type ``inner``."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        super().__init__(name=f"Pinned({inner})")


@register_model(PinnedType)
class _PinnedModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


@unbox(PinnedType)
def _unbox_address(kind: Any, address: Any, c: Any) -> Any:
    return NativeValue(c.pyapi.long_as_voidptr(address))


@intrinsic
def _size(typing: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = context.get_abi_sizeof(context.get_value_type(value))
        return context.get_constant(types.intp, size)

    return types.intp(value), generate


@intrinsic
def _store(typing: Any, value: Any, memory: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        block = context.make_array(memory)(context, builder, args[1])
        place = builder.bitcast(block.data, context.get_value_type(value).as_pointer())
        builder.store(args[0], place)
        return context.get_dummy_value()

    return types.none(value, memory), generate


@intrinsic
def _fetch(typing: Any, pinned: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.bitcast(args[0], context.get_value_type(pinned.inner).as_pointer())
        return builder.load(place)

    return pinned.inner(pinned), generate


@kernel
def _size_of(value: Any) -> int:
    return _size(value)


@kernel
def _write(value: Any, memory: Any) -> None:
    _store(value, memory)


def fetched(value: Any) -> Any:
    """What lies at a pinned address; any other value is itself."""
    return value


@overload(fetched, strict=False, jit_options=OPTIONS)
def _compiled_fetched(value: Any) -> Any:
    if isinstance(value, PinnedType):
        return lambda value: _fetch(value)
    return lambda value: value


class Pinned:
    """A value, the memory where it lies taken apart, and the functions that take its address."""

    def __init__(self, value: Any) -> None:
        self._value = value  # its arrays must outlive the addresses
        self._kind = PinnedType(typeof(value))
        self._memory = np.zeros(_size_of(value) // 8 + 1, np.float64)  # for its alignment
        _write(value, self._memory)
        self.address = int(self._memory.ctypes.data)

    def bind(self, function: Any, *kinds: Any) -> Callable[..., Any]:
        """The compiled form of a kernel for this value and further arguments of the given types.

        It is called with :attr:`address` and plain numbers or arrays of just these types: nothing is
        looked up and nothing converted.
        """
        entry: Callable[..., Any] = function.compile((self._kind, *kinds))
        return entry
