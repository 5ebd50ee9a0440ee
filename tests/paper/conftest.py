"""The whole report at the size of the tests, made once."""

import pytest

from banditq.paper.report import make_report
from banditq.paper.settings import TINY


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """Its folder: everything in the paper played, scored, drawn and on the page."""
    out = tmp_path_factory.mktemp("report")
    make_report(out, TINY)
    return out
