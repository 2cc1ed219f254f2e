"""No test reads or writes the store or the environments of whoever runs it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory, monkeypatch):
    """An empty store and no environments but main for each test that names none."""
    monkeypatch.setenv("SERBENCH_ENVIRONMENTS", str(tmp_path_factory.mktemp("environments")))
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path_factory.mktemp("store") / "serbench.sqlite"))
