"""What is public is explained: by an example that runs, and by name where users look first."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

import banditq as bq

ROOT = Path(__file__).resolve().parent.parent

# Public, callable and without an example of its own; why.
UNSHOWN = {
    "Allocation": "a record; allocate shows how it is made",
    "Choice": "a record; Agent shows what becomes of it",
    "Decision": "a record; choose shows what is in it",
    "BanditqWarning": "a base; Unproven shows one",
    "InterruptedRun": "needs a Ctrl-C",
    "PolicyFailed": "needs a policy that is broken",
    "kernel": "in a doctest it would take a function for the package's own, and look for its file",
}

PUBLIC = [name for name in bq.__all__ if callable(getattr(bq, name))]


def module_of(thing):
    return importlib.import_module(thing.__module__)


def examples_of(thing):
    """The lines of code that a doctest run of its module finds in the docstring of a thing, and runs."""
    found = doctest.DocTestFinder().find(module_of(thing))
    own = [test for test in found if test.name == f"{thing.__module__}.{thing.__name__}"]
    return [line for test in own for line in test.examples if not line.options.get(doctest.SKIP)]


def mentions(text, name):
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_an_example_or_a_reason(name):
    thing = getattr(bq, name)
    assert (thing.__doc__ or "").strip(), f"{name} has no docstring"
    if name not in UNSHOWN:
        lines = examples_of(thing)
        assert lines, f"{name} has no example, nor a reason in UNSHOWN for having none"
        assert any(line.want for line in lines), f"the example of {name} expects nothing"


@pytest.mark.parametrize("name", UNSHOWN)
def test_an_exception_is_one(name):
    assert name in PUBLIC
    assert not examples_of(getattr(bq, name)), f"{name} has an example now: take it from UNSHOWN"


def configurations():
    """Public learners, policies and reward models, the bases aside."""
    bases = (bq.Learner, bq.Policy, bq.RewardModel)
    things = {name: getattr(bq, name) for name in bq.__all__}
    return {
        n: c for n, c in things.items() if isinstance(c, type) and issubclass(c, bases) and c not in bases
    }


def undocumented(text):
    """The configurations that a Markdown text does not name as code."""
    code = " ".join(re.findall(r"`+([^`]+)`+", text))
    return {name for name in configurations() if not mentions(code, name)}


def readme():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_names_every_learner_policy_and_reward_model():
    missing = undocumented(readme())
    assert not missing, f"README.md does not mention {', '.join(sorted(missing))}"


@pytest.mark.parametrize("name", ["Alone", "BanditQ", "Table", "TsallisInf"])
def test_a_name_that_is_left_out_is_missed(name):
    assert name not in undocumented(readme())
    assert name in undocumented(readme().replace(name, f"Not{name}"))


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))], ids=lambda p: p.name
)
def test_the_pages_name_nothing_that_is_not_there(path):
    named = set(re.findall(r"\bbq\.([A-Za-z]\w*)", path.read_text(encoding="utf-8")))
    assert named or path.name not in ("README.md", "guide.md")
    assert named <= set(bq.__all__), f"{path.name} mentions {', '.join(sorted(named - set(bq.__all__)))}"
