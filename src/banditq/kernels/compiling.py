"""How banditq compiles: one decorator, dispatch on the type of a state, a cache that notices edits.

There is no fast-math anywhere: see :mod:`banditq.kernels.lanes` for how sums are fast all the same.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, singledispatch
from pathlib import Path
from typing import Any, TypeVar

from numba import njit, types
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.errors import NumbaError
from numba.extending import overload

from ..errors import InvalidInput

# Division by zero gives inf, as NumPy does; Python's check would forbid vectorising. Our own code
# allocates nothing in a round, so it can do without Numba's reference counting, which at five arms
# costs more than the round.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
_INLINED: dict[str, Any] = OPTIONS | {"forceinline": True}
_FOREIGN_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": True}

# NUMBA_DISABLE_JIT=1 runs everything as plain Python.
INTERPRETED = bool(config.DISABLE_JIT)

_F = TypeVar("_F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parent.parent


# Rooms from which no kernel outside the same file calls anything: an edit there compiles nothing anew.
_APART = ("arena", "bench", "cli", "exits", "options", "page", "paper")


@lru_cache
def sources_digest(own: Path) -> str:
    """Fingerprint of every source file that can reach a function compiled in the file ``own``."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        name = path.relative_to(_PACKAGE)
        if name.parts[0].removesuffix(".py") not in _APART or path == own:
            digest.update(name.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


class _Files(IndexDataCacheFile):  # type: ignore[misc]  # Numba ships no type hints
    """One function's files, safe with several processes at once.

    Numba numbers them: two processes that compile different specialisations would both write number 1,
    and an index could then lead to the other's machine code. Here no two files have the same name; a
    race over the index costs no more than compiling again.
    """

    def _data_name(self, number: int) -> str:
        return str(self._data_name_pattern.format(number=secrets.randbits(63)))

    def _load_index(self) -> dict[Any, str]:
        try:
            index: dict[Any, str] = super()._load_index()
        except Exception:  # whatever a damaged file makes of unpickling, it is no index
            return {}
        return index

    def save(self, key: Any, data: Any) -> None:
        if not self._load_index():  # whatever older sources left behind, on this line or another
            function, _, _ = self._index_name.rpartition("-")
            for old in Path(self._cache_path).glob(f"{function}-*.nb?"):
                old.unlink(missing_ok=True)
        super().save(key, data)


class _Cache(FunctionCache):  # type: ignore[misc]  # Numba ships no type hints
    """Numba's on-disk cache, stamped with all our sources instead of one file's time.

    Numba recompiles a function when its own file changes, not when a helper in another file does.
    A specialisation for a state defined outside the package is not stored at all, since no stamp of
    ours would notice an edit there.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _Files(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=sources_digest(Path(function.__code__.co_filename).resolve()),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return None if _has_foreign(sig) else super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        if not _has_foreign(sig):
            super().save_overload(sig, data)


def _has_foreign(signature: Any) -> bool:
    """Whether a signature, or a bare tuple of argument types, has a type from outside the package."""
    return any(_is_foreign(arg) for arg in getattr(signature, "args", signature))


def _is_ours(thing: Any) -> bool:
    """Whether a class or function is defined inside the package."""
    return thing.__module__.partition(".")[0] == __name__.partition(".")[0]


def _is_foreign(numba_type: Any) -> bool:
    """Whether a type, or one nested in it, is a NamedTuple defined outside the package."""
    numba_type = getattr(numba_type, "inner", numba_type)  # behind a pinned address
    if not isinstance(numba_type, types.BaseTuple):
        return False
    cls = getattr(numba_type, "instance_class", None)
    if cls is not None and not _is_ours(cls):
        return True
    return any(_is_foreign(member) for member in numba_type)


def kernel(function: _F) -> _F:
    """Compile a function on first use: no GIL, no fast-math, cached on disk."""
    return _compiled(function, OPTIONS if _is_ours(function) else _FOREIGN_OPTIONS)


def allocating_kernel(function: _F) -> _F:
    """As :func:`kernel`, for a function of our own that makes arrays, as no round of a policy does."""
    return _compiled(function, _FOREIGN_OPTIONS)


def inlined(function: _F) -> _F:
    """As :func:`kernel`, but always made part of its caller.

    For a helper that takes many arrays, or a few in every round: a call writes seven words for each of
    them, and LLVM, which sees only how long the helper is, would rather call. At five arms three calls
    of `dot` took 10 ns of a round of 57 in one process and 40 of 87 in the next, wherever that comes from.
    """
    return _compiled(function, _INLINED)


def _compiled(function: Any, options: dict[str, Any]) -> Any:
    compiled = njit(nogil=True, **options)(function)
    if _is_ours(function) and not INTERPRETED:  # no stamp of ours would notice an edit elsewhere
        compiled._cache = _Cache(function)
    return compiled


def verb(stub: Callable[..., Any], default: Callable[..., Any] | None = None) -> Any:
    """Make a function that dispatches on the type of its first argument, compiled or not.

    In plain Python it is a ``functools.singledispatch`` function, and ``stub`` answers for any class
    that has registered nothing. In compiled code the same registrations are found by Numba, and
    ``default``, if there is one, answers for the rest.
    """
    generic = singledispatch(stub)

    def find(state: Any, *args: Any) -> Any:
        return None if _is_foreign(state) else find_any(state, *args)

    def find_any(state: Any, *args: Any) -> Any:
        return generic.registry.get(getattr(state, "instance_class", None), default)

    overload(generic, strict=False, jit_options=_INLINED)(find)
    overload(generic, strict=False, jit_options=_FOREIGN_OPTIONS)(find_any)
    return generic


def implements(generic: Any, cls: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the implementation of a verb for a state, compiled and uncompiled alike.

    Examples
    --------
    >>> import banditq as bq
    >>> from typing import NamedTuple
    >>> class AlwaysState(NamedTuple):
    ...     arm: int
    >>> @bq.implements(bq.draw, AlwaysState)
    ... def _(state, bound, noise):
    ...     return state.arm, 1.0
    >>> bq.draw(AlwaysState(2), 1.0, None)
    (2, 1.0)
    """
    register: Callable[[Callable[..., Any]], Callable[..., Any]] = generic.register(cls)
    return register


def is_foreign(value: Any) -> bool:
    """Whether a state, or one nested in it, is a NamedTuple defined outside the package."""
    return isinstance(value, tuple) and (not _is_ours(type(value)) or any(map(is_foreign, value)))


@contextmanager
def explained(what: Any) -> Iterator[None]:
    """Put Numba's refusal of somebody's code in a sentence; call it in plain Python before."""
    try:
        yield
    except NumbaError as error:
        told = [line.strip() for line in str(error).splitlines() if ">>>" in line or "Error: " in line]
        reason = told[-1].removeprefix(">>> ") if told else str(error).splitlines()[0]
        raise InvalidInput(
            f"{what} runs in plain Python, but cannot be compiled: {reason}; keep to numbers, arrays and "
            "loops in its verbs, or let state() return a plain Python object, which runs uncompiled"
        ) from None


def is_compilable(value: Any) -> bool:
    """Whether a value, NamedTuples included, holds only what compiled code can take."""
    if isinstance(value, tuple):
        return hasattr(value, "_fields") and all(is_compilable(member) for member in value)
    return hasattr(value, "dtype") or isinstance(value, int | float)


def python_form(function: Any) -> Any:
    """The uncompiled form of a kernel."""
    return getattr(function, "py_func", function)
