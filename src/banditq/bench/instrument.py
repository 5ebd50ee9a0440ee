"""LLVM code that counts itself: every basic block adds its instructions to a counter as it is entered.

The counts are those of the optimised code, before a processor's own instructions are chosen for it. With
the processor fixed (``NUMBA_CPU_NAME``) they hang on the sources, the compiler and the input, on nothing
else: not on the machine, nor on what it is busy with.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LABEL = re.compile(r'^(?:[-\w.$]+|"[^"]*"):')
_SLOW = re.compile(r"\b(?:fdiv|frem|sdiv|udiv|srem|urem)\b|@llvm\.sqrt")
_LIBRARY = re.compile(
    r"\b(?:call|invoke)\b[^@]*@(?:llvm\.)?(?:log|log1p|log2|log10|exp|expm1|exp2|pow|sin|cos|tan|erf\w*|lgamma)\b"
)
_FREE = ("phi ", "landingpad ", "bitcast ", "call void @llvm.lifetime", "call void @llvm.assume")


class Counts(NamedTuple):
    """What was executed; ``slow`` and ``library`` are among the ``instructions``."""

    instructions: int
    slow: int  # divisions and square roots
    library: int  # logarithms and their like

    @property
    def work(self) -> int:
        """One number: a division counts as 8 instructions, a logarithm as 40, about what they take."""
        return self.instructions + 7 * self.slow + 39 * self.library


def counted(ir: str, address: int) -> str:
    """The module with counters, three 64-bit words at an address, in the order of :class:`Counts`."""
    out: list[str] = []
    block: list[str] | None = None
    number = 0
    for line in ir.splitlines():
        ends = block is not None and (line == "}" or _LABEL.match(line))
        if ends and block is not None:
            out += _with_counter(block, address, number)
            number += 1
            block = [] if line != "}" else None
        if line.startswith("define "):
            block = []
            out.append(line)
        elif block is None or ends:
            out.append(line)
        else:
            block.append(line)
    return "\n".join(out) + "\n"


def tally(block: list[str]) -> Counts:
    """The instructions of a basic block, which are the lines indented by two."""
    lines = [line for line in block if re.match(r"  [^\s\]]", line)]
    paid = [line for line in lines if not _operation(line).startswith(_FREE)]
    slow = sum(bool(_SLOW.search(line)) for line in paid)
    return Counts(len(paid), slow, sum(bool(_LIBRARY.search(line)) for line in paid))


def _operation(line: str) -> str:
    """What a line does, without the name it gives the result."""
    return line.strip().partition(" = ")[2] or line.strip()


def _with_counter(block: list[str], address: int, number: int) -> Iterator[str]:
    """A basic block that counts itself, after what must stand at its head."""
    counts = tally(block)
    head = 0
    for k, line in enumerate(block):
        if _operation(line).startswith(("phi ", "landingpad ")):
            head = k + 1
            while head < len(block) and block[head].startswith("          "):
                head += 1  # the clauses of a landing pad
    yield from block[:head]
    for k, amount in enumerate(counts):
        if amount:
            yield from _add(amount, address + 8 * k, f"count.{number}.{k}")
    yield from block[head:]


def _add(amount: int, address: int, name: str) -> Iterator[str]:
    place = f"ptr inttoptr (i64 {address} to ptr)"
    yield f"  %{name}.old = load i64, {place}, align 8"
    yield f"  %{name}.new = add i64 %{name}.old, {amount}"
    yield f"  store i64 %{name}.new, {place}, align 8"
