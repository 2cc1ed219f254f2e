"""Visits every measured state of the published runs, and 300 drawn ones with filters and baselines, in Chromium.

`look_at_boards.py [PAGE]` compares headline, cost, table and order of ranks on the screen with Python's boards and with
the terminal's table of the same board, and prints counts; it ends with 1 if anything differs. PAGE is an `index.html`
of the published runs; without one it is written to a temporary folder.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pages
from screens import READ, Tally, drawn_state, every_state

from serbench.api.reports.page import page
from serbench.api.reports.published import published_runs
from serbench.store.archive import Sheet, resources

DRAWN = 300
SHOWN = 20
"""The number of differences that are printed."""


def look(address: str, runs: list[Sheet]) -> Tally:
    """Count what differs between the screen and the boards of the runs."""
    states, random, tally = list(every_state(runs)), Random(49), Tally()
    with pages.browser() as browser:
        tab = pages.new_page(browser, viewport={"width": 1440, "height": 900})
        tab.goto(address)
        tab.wait_for_function("document.documentElement.dataset.shown", polling=20)
        for state in [*states, *(drawn_state(states, random) for _ in range(DRAWN))]:
            tally.take(state, tab.evaluate(READ, state.address))
    return tally


def main(given: str | None = None) -> int:
    """Print what was found; 1 if anything was."""
    runs = [one.run for one in published_runs(resources("data"))]
    with TemporaryDirectory() as folder:
        found = Path(given) if given else page(runs, folder).paths[0]
        tally = look(found.resolve().as_uri(), [Sheet.of(run) for run in runs])
    for line in tally.contradictions[:SHOWN]:
        print(line)
    print(tally)
    return int(bool(tally.contradictions or tally.empty_ranks or tally.timeless_leaders))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
