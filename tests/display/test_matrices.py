"""The matrices are shown whole: as a heat map with what was found on hover, as JSON and as Markdown."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import combinations

import plotly.graph_objects as go
import pytest

from serbench.display.matrices import (
    OUTCOMES,
    behaviours_data,
    kept_table,
    matrix_figure,
    matrix_finding,
    tally,
)
from serbench.errors import PlanError
from serbench.judge.outcomes import OTHER, Behaviour, Finding, by_type, finding_rows, packed_text, unpacked
from serbench.measure.probes.values import GROUPS


def behaviour(library, codec, **facts):
    """A made-up case in JSON."""
    return Behaviour(library, "default", "1.0", "main", "3.11", codec, "json", **facts)


EXACT = Finding("exact")
CASES = [
    behaviour(
        "careful",
        "json",
        work_class="objects, strict",
        fidelity={"a": EXACT, "b": EXACT},
        strictness={"x": Finding("rejected", "ValueError: <b>no</b>", names=False), "y": Finding("ignored")},
    ),
    behaviour(
        "careless",
        "json",
        work_class="objects, unchecked",
        fidelity={"a": Finding("changed", "expected 1, got 2", "{}"), "b": Finding("crashed", "SIGSEGV")},
        strictness={"x": Finding("let through", "becomes 12"), "y": Finding("unprobed", "cannot be made")},
    ),
    behaviour("absent", "other", reason="other is not installed"),
]


def test_the_heat_map_has_every_cell():
    """Each measured case is a line and each probe of a type a column; the hover text holds what was found, as text."""
    for matrix in ("fidelity", "strictness"):
        figure = matrix_figure(CASES, matrix, probes=OTHER)
        drawn = go.Figure(figure)
        (heat,) = drawn.to_dict()["data"]
        assert ("careful via json", "careless via json") == drawn.layout.yaxis.ticktext
        scale = list(OUTCOMES[matrix])
        outcomes = [[getattr(one, matrix)[name].outcome for name in heat["x"]] for one in CASES[:2]]
        assert outcomes == [[scale[number] for number in line] for line in heat["z"]]
    hover = matrix_figure(CASES, "strictness", probes=OTHER)["data"][0]["hovertext"]
    assert "rejected<br>names the field: no<br>ValueError: &lt;b&gt;no&lt;/b&gt;" == hover[0][0]


def test_the_least_harm_comes_first():
    """What cannot be tried hides neither a refusal nor a silent change, which is the worst that may happen."""
    assert ["exact", "unsupported", "refused", "timeout", "memory", "crashed", "changed"] == list(OUTCOMES["fidelity"])
    scale = list(OUTCOMES["strictness"])
    assert ("rejected", "unprobed", "let through") == (scale[0], scale[1], scale[-1])
    met = {"int 0": EXACT, "int 10^40": Finding("changed", "no"), "int 2^64": Finding("unsupported", "no")}
    for left_out, worst in (("", "changed"), ("int 10^40", "unsupported")):
        some = behaviour("some", "json", fidelity={name: one for name, one in met.items() if name != left_out})
        (heat,) = matrix_figure([some])["data"]
        assert [[list(OUTCOMES["fidelity"]).index(worst)]] == heat["z"]


def test_of_many_cases_each_library_has_a_line():
    """Of more cases than can be read each library keeps one, in JSON where it can; the title counts all of them."""
    many = [
        replace(one, library=f"{one.library}{n}", codec=codec) for n in range(20) for codec in "abc" for one in CASES
    ]
    lines = matrix_figure(many)["layout"]["yaxis"]["ticktext"]
    assert (40, 40) == (len(lines), len({name.partition(" ")[0] for name in lines}))
    assert "60 of 120 combinations silently change a value" in matrix_figure(many)["layout"]["title"]["text"].replace(
        "<br>", " "
    )
    able = replace(CASES[0], library="other", codec="fory", format="fory")
    unable = replace(able, codec="json", format="json", fidelity={"a": Finding("unsupported", "no")})
    assert "other via fory" in matrix_figure([*many, unable, able])["layout"]["yaxis"]["ticktext"]


def test_what_is_packed_comes_back():
    """Cases, findings and their order come back from the text that is published, and are packed to the same text."""
    text = packed_text(CASES)
    back = unpacked(json.loads(text))
    assert list(CASES) == back
    assert list(CASES[0].strictness) == list(back[0].strictness)
    assert text == packed_text(back)
    assert 8 == len(finding_rows(back))


def test_every_sign_comes_back():
    """A finding whose sign is a space of some script is not lost where it stands last."""
    many = [behaviour("some", str(n), fidelity={"a": Finding("changed", str(n))}) for n in range(9000)]
    assert many == unpacked(json.loads(packed_text(many)))


def test_a_case_that_lacks_a_probe_counts_with_the_others():
    """Cases that were probed at different times have different probes; a table counts each where it was tried."""
    older = replace(CASES[0], fidelity={"a": EXACT}, library="older")
    for cases in ([older, *CASES], [*CASES, older]):
        assert "| json | 1 | – | – | – |" in kept_table({"json": cases})


def test_the_finding_counts():
    """The title says how many cases change a value, and how many let wrong input through: what the matrix shows."""
    assert "1 of 2 combinations silently changes a value; 1 crashes, hangs or runs out of memory" == matrix_finding(
        CASES, "fidelity"
    )
    assert "0 of 1 combination silently change a value; 0 crash" in matrix_finding(CASES[:1], "fidelity")
    assert "Of 2 kinds of wrong input, 2 combinations let through 0 to 1, half of them at most 0" == matrix_finding(
        CASES, "strictness"
    )
    assert "Nothing has been probed yet" == matrix_finding([], "fidelity")


def test_the_data_is_json():
    """The cases are JSON data with every outcome, and nothing that is not known."""
    data = json.loads(json.dumps(behaviours_data(CASES), allow_nan=False))
    assert {"outcome": "changed", "detail": "expected 1, got 2", "written": "{}"} == data[1]["fidelity"]["a"]
    assert ("other is not installed", {}) == (data[2]["reason"], data[2]["fidelity"])


def test_a_case_in_one_line():
    """The tally counts each outcome, and how many refusals name the field."""
    assert {"exact": 2, "rejected": 1, "named": "0/1"}.items() <= tally(CASES[0]).items()
    assert {"changed": 1, "lost": 1, "let_through": 1, "named": None}.items() <= tally(CASES[1]).items()


SEEN = {  # Machado, Oliveira & Fernandes 2009, severity 1, on linear RGB
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def lab(colour, eyes):
    """A colour as these eyes see it, in CIE L*a*b*."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    red, green, blue = (min(max(sum(a * b for a, b in zip(line, linear, strict=True)), 0), 1) for line in SEEN[eyes])
    x, y, z = (
        value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
        for value in (
            (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
            0.2126 * red + 0.7152 * green + 0.0722 * blue,
            (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
        )
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("eyes", SEEN)
@pytest.mark.parametrize("matrix", OUTCOMES)
def test_outcomes_differ_for_everybody(matrix, eyes):
    """Any two outcomes have colours that also the colour-blind tell apart."""
    near = [
        (one, other)
        for (one, first), (other, second) in combinations(OUTCOMES[matrix].items(), 2)
        if math.dist(lab(first, eyes), lab(second, eyes)) < 20
    ]
    assert [] == near


def test_probes_are_counted_by_type_and_open():
    """A cell of a type has the worst colour and the number of probes that had it; a type opens to its probes."""
    met = {"int 0": EXACT, "int 10^40": Finding("changed", "no"), "int 2^64": Finding("refused", "no")}
    some = behaviour("some", "json", fidelity={**met, "str empty": EXACT})
    (heat,) = matrix_figure([some])["data"]
    assert (["int", "str"], [["1", ""]]) == (heat["x"], heat["text"])
    scale = list(OUTCOMES["fidelity"])
    assert [[scale.index("changed"), scale.index("exact")]] == heat["z"]
    assert "1 of 3 exact<br>changed: int 10^40<br>refused: int 2^64" == heat["hovertext"][0][0]
    (opened,) = matrix_figure([some], probes="int")["data"]
    assert [*met] == opened["x"]
    with pytest.raises(PlanError, match="unknown type of probes"):
        matrix_figure([some], probes="strr")


def test_every_probe_has_a_type():
    """The types of today's probes are few, and none of them has but one name by accident."""
    names = [probe.name for group in GROUPS for probe in group.probes]
    assert {
        "int",
        "float",
        "Decimal",
        "str",
        "datetime",
        "containers",
        "records",
        "None",
        "any JSON",
        "nesting",
    } <= set(by_type(names))
    assert 20 >= len(by_type(names))
