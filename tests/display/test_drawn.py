"""Figures say in words what they show: in a notebook, in a log and as an image."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET

import plotly.io as pio
import pytest
from known_runs import run as run_of
from waits import run

from serbench.api.reports.published import _described
from serbench.display.figures import budget_figure, drawn, finding_of, phases, ranking, scaling, tradeoff
from serbench.results import Point

POINTS = [Point("client", records, depth, 0, "hot") for records in (1, 10) for depth in (2, 4)]


@pytest.fixture(scope="module")
def figures():
    """A figure of each kind."""
    made = run_of("made", POINTS)
    here = [row for row in made.rows if row.point == POINTS[0]]
    decoding = [row for row in here if row.operation == "decode"]
    everywhere = [row for row in made.rows if row.operation == "decode"]
    return [
        ranking(decoding, made.info),
        scaling(everywhere, made.info, records=1, depth=2),
        tradeoff(decoding, made.info),
        phases(here, made.info),
        budget_figure(decoding, made.info, bandwidth_bits_per_s=1e9, cores=4),
    ]


@pytest.mark.slow
def test_a_figure_in_a_notebook_has_a_text_alternative(figures, monkeypatch):
    """Its text is its finding, and its HTML a figure of that name; Plotly's own data is there too."""
    monkeypatch.setattr(pio.renderers, "default", "plotly_mimetype+notebook_connected")
    for figure in figures:
        shown = drawn(figure)
        bundle = shown._repr_mimebundle_()
        text = finding_of(figure)
        assert len(text) > 20
        assert text == bundle["text/plain"]
        assert shown._ipython_display_ is None
        assert shown._repr_html_ is None
        assert bundle["text/html"].startswith('<div role="figure" aria-label="')
        assert "application/vnd.plotly.v1+json" in bundle


IN_A_KERNEL = """
import sys
import IPython
from serbench.display.figures import drawn

IPython.get_ipython = type("Shell", (), {"__module__": "ipykernel.zmqshell"})
figure = drawn({"data": [], "layout": {"meta": {"finding": "a"}}})
bundle = figure._repr_mimebundle_()
assert "nbformat" not in sys.modules
import plotly.io as pio
pio.renderers.default = "plotly_mimetype"
assert bundle == figure._repr_mimebundle_()
pio.renderers.default = "json"
assert bundle != figure._repr_mimebundle_()
"""


def test_the_first_figure_of_a_kernel_imports_no_nbformat():
    """It is shown as by Plotly, which imports that to choose a way of showing, and as the user chooses."""
    run([sys.executable, "-c", IN_A_KERNEL])


def test_an_svg_has_a_text_alternative(figures):
    """An SVG says its finding to a screen reader, whatever signs it holds."""
    figure = figures[0]
    figure["layout"]["meta"]["finding"] = 'a &lt;b&gt; &amp; "c"'
    svg = _described('<svg class="main-svg" xmlns="http://www.w3.org/2000/svg"><rect/></svg>', figure)
    root = ET.fromstring(svg)
    assert "img" == root.get("role")
    assert root.get("aria-label").startswith('a <b> & "c". ')
    assert root.get("aria-label") == root[0].text
