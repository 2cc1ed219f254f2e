"""No test reads or writes the store of whoever runs it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory, monkeypatch):
    """An empty store of its own for each test that names none."""
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path_factory.mktemp("store") / "serbench.sqlite"))
