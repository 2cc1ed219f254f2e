"""The browser of the tests that need a real one."""

from __future__ import annotations

import pages
import pytest


@pytest.fixture(scope="module")  # not longer: while Playwright runs, no other test may start an event loop
def browser():
    """One browser for the tests of a file, or the reason why they are skipped."""
    if why := pages.missing():
        pytest.skip(f"a real browser is needed: {why}")
    with pages.browser() as started:
        yield started
