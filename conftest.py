"""Examples in documents write their files to a temporary folder."""

import pytest


@pytest.fixture(autouse=True)
def _files_of_examples_go_away(request: pytest.FixtureRequest) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
