"""Classes that are drawn: whatever they are, there is no traceback, and a row writes what a plain script writes."""

from __future__ import annotations

import itertools
import os
import sys

import drawn_classes
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

COUNT = int(os.environ.get("SERBENCH_DRAWN_CLASSES", "15"))
"""Classes of each kind; 400 make 2,000 in all."""
_numbers = itertools.count()


@pytest.mark.full
@pytest.mark.parametrize("kind", drawn_classes.KINDS)
def test_a_drawn_class_is_measured_as_it_is(kind, tmp_path, monkeypatch):
    """A drawn class is measured or refused in one line; its bytes are what the class writes in a plain script."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    refused = []

    @settings(max_examples=COUNT, deadline=None, suppress_health_check=list(HealthCheck), derandomize=COUNT < 100)
    @given(st.data())
    def measured(data):
        source = data.draw(drawn_classes.sources(kind))
        name = f"drawn_{kind}_{next(_numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        found = list(drawn_classes.faults(f"{name}:Model"))
        path.unlink()
        sys.modules.pop(name, None)  # thousands of modules would be held otherwise
        refused.extend(one for one in found if one.startswith("refused: "))
        assert [] == [one for one in found if not one.startswith("refused: ")], source

    measured()
    assert len(refused) * 5 <= COUNT, refused
