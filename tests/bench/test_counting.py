"""Counted instructions against counts by hand, and the guard's verdicts."""

import ctypes
import json

import llvmlite.binding as llvm
import pytest

from banditq.bench import guard
from banditq.bench.instrument import Counts, counted, tally

# for i in range(n): total += 1 / i; then a logarithm if the argument is odd
LOOP = """
declare double @llvm.log.f64(double)

define i64 @work(i64 %n) {
entry:
  br label %head

head:                                             ; preds = %body, %entry
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %total = phi double [ 0.000000e+00, %entry ], [ %sum, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done

body:                                             ; preds = %head
  %x = sitofp i64 %i to double
  %q = fdiv double 1.000000e+00, %x
  %sum = fadd double %total, %q
  %next = add i64 %i, 1
  br label %head

done:                                             ; preds = %head
  %odd = trunc i64 %n to i1
  switch i64 %n, label %even [
    i64 7, label %seven
    i64 9, label %seven
  ]

seven:                                            ; preds = %done, %done
  %log = call double @llvm.log.f64(double %total)
  ret i64 1

even:                                             ; preds = %done
  ret i64 0
}
"""


@pytest.fixture(scope="module")
def engine():
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    counters = (ctypes.c_uint64 * 3)()
    module = llvm.parse_assembly(counted(LOOP, ctypes.addressof(counters)))
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    made = llvm.create_mcjit_compiler(module, machine)
    made.finalize_object()
    work = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(made.get_function_address("work"))
    return made, work, counters


@pytest.mark.parametrize(("n", "answer"), [(0, 0), (4, 0), (7, 1), (1_000, 0)])
def test_a_loop_counts_what_it_executes(engine, n, answer):
    """entry 1, each head 2 and n + 1 of them, each body 5, done 2, seven 2 or even 1."""
    _, work, counters = engine
    counters[:] = [0, 0, 0]
    assert work(n) == answer
    assert Counts(*counters) == Counts(1 + 2 * (n + 1) + 5 * n + 2 + (2 if answer else 1), n, answer)


def test_what_costs_nothing_is_not_counted():
    block = [
        "  %a = phi double [ 0.0, %x ], [ %b, %y ]",
        "  %c = bitcast <2 x double> %d to <2 x i64>",
        "  call void @llvm.lifetime.start.p0(i64 8, ptr %p)",
        "  %r = call double @llvm.sqrt.f64(double %a)",
        "  %e = tail call double @log1p(double %r)",
        "  %v = fdiv <8 x double> %s, %t",
        '  %w = invoke i32 @"catalog"(ptr %p)',
        "          to label %ok unwind label %bad",
    ]
    assert tally(block) == Counts(instructions=4, slow=2, library=1)


def figures(**works):
    made_with = {"numba": "1", "cpu": "generic"}
    cases = [
        {"case": name, "work": work, "instructions": work, "slow": 0.0, "library": 0.0}
        for name, work in works.items()
    ]
    return {"made_with": made_with, "cases": cases}


@pytest.mark.parametrize(
    ("before", "now", "good", "words"),
    [
        ({"a": 100.0}, {"a": 100.0}, True, "as accepted"),
        ({"a": 100.0}, {"a": 102.9}, True, "within 3%"),
        ({"a": 100.0}, {"a": 103.1}, False, "+3.1%: SLOWER"),
        ({"a": 100.0}, {"a": 50.0}, True, "accept it"),
        ({"a": 100.0}, {"a": 100.0, "b": 5.0}, False, "was never accepted"),
        ({"a": 100.0, "b": 5.0}, {"a": 100.0}, False, "no longer counted"),
    ],
)
def test_the_guard_says_what_regressed_and_by_how_much(before, now, good, words):
    lines, verdict = guard.compare(figures(**before), figures(**now))
    assert verdict is good
    assert words in "\n".join(lines)


@pytest.mark.parametrize(("work", "good"), [(124.0, True), (126.0, False)])
def test_another_compiler_gets_more_room_and_no_free_pass(work, good):
    other = figures(a=work) | {"made_with": {"numba": "2", "cpu": "generic"}}
    lines, verdict = guard.compare(figures(a=100.0), other)
    assert verdict is good
    assert "numba 1 → 2" in lines[0]


def test_accepting_writes_what_the_next_comparison_passes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(guard, "count_all", lambda: figures(a=100.0))
    path = tmp_path / "accepted.json"
    assert guard.main([str(path), "--accept"]) == 0
    assert guard.main([str(path)]) == 0
    monkeypatch.setattr(guard, "count_all", lambda: figures(a=110.0))
    assert guard.main([str(path)]) == 1
    said = capsys.readouterr()
    assert "+10.0%: SLOWER" in said.out
    assert "instructions 100.0 → 110.0" in said.out
    assert json.loads(path.read_text())["cases"][0]["work"] == 100.0
