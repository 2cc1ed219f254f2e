"""The next command of an answer can be pasted: the command line reads from it the data and the case of the run."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from known_advice import FAST, SMALL

from serbench.api.calling import make_plan, plan_of
from serbench.api.command_line import measuring
from serbench.api.command_line.program import main
from serbench.api.judging import check_present
from serbench.display.closing import advice_closing
from serbench.display.words import can_be_named, case_text, data_options
from serbench.errors import PlanError
from serbench.judge.leading import advise
from serbench.judge.rows import Row
from serbench.measure.plan import Plan
from serbench.results import Point

CHOICES = [
    ({}, ""),
    ({"workload": ["events"], "records": [10]}, " -w events -n 10"),
    ({"workload": "events,tiny", "records": [1, 100], "depth": 3, "seed": 7}, " -w events,tiny -n 1,100 -d 3 --seed 7"),
    ({"payload": "my orders.json", "literal_strings": True}, " --payload 'my orders.json' --literal-strings"),
    (
        {"payload": "orders.json", "as_map": ["a.b", "c"], "as_text": ["t"], "records": 5},
        " --payload orders.json -n 5 --map a.b --map c --text t",
    ),
    (
        {"payload": "/elsewhere/o.json", "schema": "api.yaml#/components/schemas/Pet"},
        " --payload /elsewhere/o.json --schema 'api.yaml#/components/schemas/Pet'",
    ),
    ({"model": "shop.py:Order"}, " --model shop.py:Order"),
    ({"model": ["shop.py:Order", "my shop.py:Order"]}, " --model shop.py:Order --model 'my shop.py:Order'"),
    ({"model": "pack.shop:Page[Order]", "payload": "o.json"}, " --payload o.json --model 'pack/shop.py:Page[Order]'"),
    ({"model": "collections:Order"}, " --model {home}:collections:Order"),
]


def typed(monkeypatch: pytest.MonkeyPatch, command: str) -> Plan:
    """The plan of a `serbench run` as the command line reads it."""
    seen = {}

    def watched(_: object, choices: dict[str, object], **_of_display: bool) -> None:
        seen.update(choices)
        raise PlanError("read")

    monkeypatch.setattr(measuring, "watched", watched)
    with pytest.raises(SystemExit):
        main(shlex.split(command))
    return plan_of(seen)


@pytest.mark.parametrize(("chosen", "options"), CHOICES)
def test_the_options_of_a_plan_choose_its_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chosen: dict[str, object], options: str
) -> None:
    """What is typed for a plan's data is the shortest that means it, and a command with it has the same plan."""
    monkeypatch.chdir(tmp_path)
    for name in ("shop.py", "my shop.py", "pack/__init__.py", "pack/shop.py"):
        tmp_path.joinpath(name).parent.mkdir(exist_ok=True)
        tmp_path.joinpath(name).touch()
    plan = make_plan(**chosen)

    text = data_options(plan.as_data())
    assert options.format(home=tmp_path) == text
    assert plan == typed(monkeypatch, f"run{text}")


def test_a_command_of_one_size_gets_that_of_the_answer() -> None:
    """Of several workloads, sizes and classes a command that takes one gets those that the answer is about."""
    several = make_plan("events,tiny", records=[1, 100]).as_data()
    assert " -w tiny -n 100" == data_options(several, Point("tiny", 100, 1, 0))
    classes = make_plan(model=["/a:b:C", "/a:b:D"]).as_data()
    assert " --model /a:b:C" == data_options(classes, Point("C", 100, 1, 0))


@pytest.mark.parametrize(
    ("library", "environment", "nameable"),
    [("msgspec", "main", True), ("yours (pydantic)", "main", True), ("mine", "main", False), ("msgspec", "3.9", False)],
)
def test_a_case_is_named_only_if_a_command_knows_it(library: str, environment: str, *, nameable: bool) -> None:
    """Functions in a file, and other interpreters, are nothing that `--present` or `adopt` takes; all else it does."""
    (row, _) = (replace(one, library=library, environment=environment) for one in FAST)
    assert nameable == can_be_named(row)
    if nameable:
        check_present(case_text(row), user_class=True)


def test_the_code_to_adopt_is_that_of_the_advice() -> None:
    """The command to adopt names the format, which a codec may have several of, the variant and the data."""

    def known(rows: list[Row]) -> list[Row]:
        return [replace(row, library="msgspec", codec="msgspec", format="msgpack", variant="gc=False") for row in rows]

    (advice,) = advise([*known(FAST), *SMALL])
    closing = advice_closing(advice, (), {"payload": "/my orders.json", "records": [7], "depth": [2]}, "again")
    point = advice.point
    assert (
        f"serbench adopt 'msgspec[gc=False]' msgspec/msgpack --payload '/my orders.json' -n {point.records} -d {point.depth} "
        "--output models.py"
    ) == closing.next
