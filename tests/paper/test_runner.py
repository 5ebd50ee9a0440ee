"""What is measured is found again as long as nothing that it may hang on has changed."""

import pytest

from banditq.paper import runner as running
from banditq.paper.measurement import Measurement
from banditq.paper.runner import Runner, sources_digest
from banditq.paper.settings import QUICK, TINY


@pytest.fixture
def counted():
    """A measurement, and how often it was made."""
    made = []
    return Measurement("counted", lambda size: made.append(size) or [{"size": size.name}], {"a": 1}), made


def test_it_is_made_once_and_read_after(tmp_path, counted):
    measurement, made = counted
    assert Runner(tmp_path, TINY).rows(measurement) == [{"size": "tiny"}]
    assert Runner(tmp_path, TINY).rows(measurement) == [{"size": "tiny"}]
    assert made == [TINY]


def test_another_size_configuration_or_source_is_made_anew(tmp_path, counted, monkeypatch):
    measurement, made = counted
    Runner(tmp_path, TINY).rows(measurement)
    Runner(tmp_path, QUICK).rows(measurement)
    Runner(tmp_path, TINY).rows(Measurement("counted", measurement.make, {"a": 2}))
    assert len(made) == 3
    monkeypatch.setattr(running, "sources_digest", lambda: "of other sources")
    Runner(tmp_path, TINY).rows(measurement)
    assert len(made) == 4


@pytest.mark.parametrize(
    "name", ["paper/as_printed.py", "paper/surrogate.py", "paper/claims/learners.py", "instances.py"]
)
def test_every_file_that_a_measurement_uses_is_among_the_sources(tmp_path, name):
    package = tmp_path / "banditq"
    source = package / name
    source.parent.mkdir(parents=True)
    source.write_text("a = 1")
    digest = sources_digest.__wrapped__
    before = digest(package)
    assert digest(package) == before
    source.write_text("a = 2")
    assert digest(package) != before
