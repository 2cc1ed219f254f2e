"""What the choice of endpoint changes, by the size of the body: proven for more than 10%, with its interval."""

from __future__ import annotations

from dataclasses import replace

import pytest

from serbench.display.board import findings
from serbench.display.result_table import table
from serbench.display.views import CHOICE, choice_sentences
from serbench.judge.figures import choices, series, threshold
from serbench.judge.rows import Row
from serbench.results import FLOOR, CaseId, Origin, Point

ROW = Row(
    id=0,
    **vars(Point("client", 1, 2, 0)),
    **vars(CaseId("fastapi", "default", "pydantic", "json", version="1.0")),
    operation="encode",
    work_class="objects, unchecked",
    status="ok",
    share=0.5,
)


def at(records, factor, half=0.02, **facts):
    """Two endpoints for that many records, of which the second takes `factor` times as long, and the floor."""

    def timed(time, **more):
        figures = {
            "time_ns": time * 1e5,
            "ratio": time,
            "ratio_low": time / (1 + half),
            "ratio_high": time * (1 + half),
        }
        return replace(ROW, records=records, size_bytes=100 * records, **figures, **{**facts, **more})

    floor = {"variant": FLOOR, "codec": FLOOR, "work_class": "bytes, unchecked", "share": None}
    return [timed(1.0), timed(factor, variant="response"), timed(0.1, **floor)]


def of(factors, **facts):
    return [row for records, factor in factors.items() for row in at(records, factor, **facts)]


@pytest.mark.parametrize(
    ("factors", "half", "size"),
    [
        ({1: 1.02, 100: 1.3, 10_000: 2.0}, 0.02, 10_000),
        ({1: 1.02, 100: 1.3, 10_000: 2.0}, 0.2, 1_000_000),  # 1.3 may be 1.02
        ({1: 1.3, 100: 1.5}, 0.02, 100),
        ({1: 1.3, 100: 1.02}, 0.02, None),  # not from there on
        ({1: 1.0, 100: 1.1}, 0.001, None),  # not more than 10%
        ({100: 1.5, 1: 1.0}, 0.02, 10_000),  # in any order
    ],
)
def test_the_threshold_is_where_the_interval_clears_ten_percent(factors, half, size):
    """It holds at every size from there on; a difference that might be smaller does not count."""
    (sizes,) = choices(of(factors, half=half))
    found = threshold(sizes)
    assert (found and found.fastest.size_bytes) == size


def test_a_figure_of_sizes_leaves_out_floors():
    """The fastest endpoint of a framework is one that writes something."""
    rows = [replace(row, time_per_record_ns=(row.time_ns or 0.0) / row.records) for row in of({1: 1.0, 100: 1.5})]
    assert {key[:2] for key in series(rows, 100, 2)} == {("fastapi", "default"), ("fastapi", "response")}


def test_noise_is_no_change():
    """A run with a noise floor of 40% proves no difference of 30%."""
    (sizes,) = choices(of({1: 1.3, 100: 2.0}), least=0.4)
    assert [choice.matters for choice in sizes] == [False, True]


def test_the_same_work_of_one_framework_is_compared():
    """The floor, another kind of work, another framework, one size alone and decoding are not mixed in."""
    two = of({1: 1.0, 100: 1.5})
    dicts = of({1: 3.0, 100: 3.0}, work_class="dicts, unchecked")
    flask = of({1: 4.0, 100: 4.0}, library="flask")
    one = of({1: 5.0}, library="django")
    decoding = of({1: 6.0, 100: 6.0}, operation="decode", share=None)
    found = choices([*two, *dicts, *flask, *one, *decoding])
    assert [[round(choice.factor.ratio, 6) for choice in sizes] for sizes in found] == [
        [1.0, 1.5],
        [3.0, 3.0],
        [4.0, 4.0],
    ]
    assert choices(row for row in two if row.variant != "response") == []


def test_json_lines_are_another_answer():
    """Slow lines say nothing of the choice among writers of one document: theirs is another work class."""
    slow = [row for row in of({1: 9.0, 100: 9.0}) if row.variant == "response"]
    (sizes,) = choices(
        [*of({1: 1.0, 100: 1.5}), *(replace(row, work_class="objects as lines, unchecked") for row in slow)]
    )
    assert [1.0, 1.5] == [round(choice.factor.ratio, 6) for choice in sizes]


@pytest.mark.parametrize(
    ("factors", "sentence"),
    [
        (
            {1: 1.02, 100: 1.5},
            (
                "fastapi (no validation): from 10.0 kB (100 records) on, where fastapi via pydantic answers 1.5× (1.46 to 1.54) as "
                "many requests as fastapi [response] via pydantic; at 100 bytes (1 record) it is 1.02× (0.992 to 1.05)"
            ),
        ),
        ({1: 1.5, 100: 1.5}, "at every size measured, from 100 bytes (1 record) on, where"),
        (
            {1: 1.0, 100: 1.05},
            "at none of the sizes measured; at 10.0 kB (100 records) fastapi via pydantic answers 1.05×",
        ),
        (
            {1: 1.5, 100: 1.05},
            "only at 100 bytes (1 record); at 10.0 kB (100 records) fastapi via pydantic answers 1.05×",
        ),
    ],
)
def test_the_sentence_says_from_where(factors, sentence):
    """It stands below the tables and in front of the findings; a run with one size has none."""
    rows = of(factors)
    (told,) = choice_sentences(rows)
    assert sentence in told
    assert findings(rows)[CHOICE] == [told]
    assert told in table(rows, {}, [], Origin("", "", "", {}, {})).to_markdown().replace("\\", "")
    assert CHOICE not in findings(at(100, 1.5))
