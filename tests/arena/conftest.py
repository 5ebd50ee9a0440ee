"""A small arena, played and written once."""

import pytest

import banditq as bq

SIZE = {"rounds": 300, "runs": 8}
INSTANCES = "paper-5,gap-50,degenerate-one-arm"


@pytest.fixture(scope="session")
def league(tmp_path_factory):
    """Its folder and what was returned: every policy on three instances."""
    out = tmp_path_factory.mktemp("league")
    return out, bq.arena(INSTANCES, **SIZE, out=out)
