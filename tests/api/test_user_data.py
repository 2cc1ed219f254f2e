"""Schemas of files, modules to take home, advice and objects as payloads, as the public verbs give them."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import serbench
from serbench.api import judging
from serbench.api.calling import make_plan
from serbench.api.judging import DEMANDS
from serbench.api.notebook.user_data import uploaded
from serbench.api.showing import worth_checking
from serbench.errors import PlanError, WorkloadError
from serbench.model.data.payload import from_payload
from serbench.model.inference.decided import worst_first
from serbench.model.json_schema.references import DRAFTS
from serbench.model.records import Ref
from serbench.render.library import libraries as known_libraries

ORDERS = [
    {"id": 1, "at": "2024-01-01T00:00:00Z", "class": "a", "pay": {"type": "card", "no": "1"}, "to": ["x"]},
    {"id": 2, "at": "2024-01-02T00:00:00Z", "class": "b", "pay": {"type": "cash"}, "to": "y", "note": None},
] * 2


@pytest.fixture
def orders(tmp_path):
    """A file of orders."""
    path = tmp_path / "orders.json"
    path.write_text(json.dumps(ORDERS), encoding="utf-8")
    return path


def test_the_tree_of_a_file(cli, orders):
    """`serbench show FILE` prints the records, fields and types of a file."""
    code, out, err = cli("show", orders)
    assert (0, "") == (code, err)
    assert out.splitlines() == [
        "list of Order",
        "  id: int",
        "  at: datetime",
        "  class_ ('class'): str",
        "  pay: (Card | Cash) by 'type'",
        "    Card (type: 'card')",
        "      no: str",
        "    Cash (type: 'cash')",
        "  to: (str | list of str)",
        "  note: any JSON",
        "worth checking:",
        (
            "- `at`: datetime, which some libraries write in another spelling, such as `+00:00` for `Z`; "
            "--text at keeps the text"
        ),
    ]
    assert "  at: str\n" in cli("show", orders, "--literal-strings")[1]


@pytest.mark.slow
def test_the_user_decides_what_a_file_has(cli, orders, tmp_path):
    """`--map`, `--record`, `--union` and `--text` say by path what is inferred otherwise, and a wrong path is refused."""
    asked = ("--text", "at", "--record", "pay")
    assert cli("show", orders, *asked)[1].splitlines()[2:6] == [
        "  at: str",
        "  class_ ('class'): str",
        "  pay: Pay",
        "    type: str",
    ]
    assert "pay: map of str\n" in cli("show", orders, "--map", "pay")[1].replace(" or null", "")
    two = tmp_path / "two.json"
    two.write_text(json.dumps(ORDERS[:2]), encoding="utf-8")
    assert "pay: Pay\n" in cli("show", two)[1]
    assert "pay: (Card | Cash) by 'type'\n" in cli("show", two, "--union", "pay.type")[1]
    code, _, said = cli("show", orders, "--map", "way")
    assert (2, True) == (code, "--map way: no objects are there" in said)
    cells = cli("verify", "--payload", orders, "-l", "msgspec", "-f", "json", *asked, "--json")[1]
    assert "ok" in cells
    source = cli("show", "msgspec", "json", "--payload", orders, *asked)[1]
    assert "at: str" in source
    assert "class Pay(" in source


def test_paths_decide_only_how_a_payload_is_read(cli, orders, tmp_path):
    """A JSON Schema as payload is refused with them in a line."""
    schema = tmp_path / "orders.schema.json"
    schema.write_text(cli("show", orders, "--as", "json-schema")[1], encoding="utf-8")
    for arguments in (("show", schema), ("verify", "--payload", schema)):
        code, _, said = cli(*arguments, "--map", "pay")
        assert (2, True) == (code, "have no effect on a JSON Schema" in said)


def test_a_schema_is_given_back(cli, orders, tmp_path):
    """The JSON Schema that is printed describes the same data when it is passed as --schema."""
    path = tmp_path / "orders.schema.json"
    path.write_text(cli("show", orders, "--as", "json-schema")[1], encoding="utf-8")

    assert from_payload(orders).value == from_payload(orders, schema=path).value
    assert from_payload(orders).schema == from_payload(orders, schema=path).schema


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (('"type": "integer"', '"type": "string"'), "Order.id: .*str.*int"),
        (('"id": {', '"number": {'), "no field for|Order.number:"),
        (('"const": "cash"', '"const": "cheque"'), "card, cheque.*'type'.*'cash'"),
    ],
)
def test_an_edited_schema_that_does_not_fit(cli, orders, tmp_path, edit, message):
    """Data that a given schema does not describe is refused with the record and the key."""
    path = tmp_path / "orders.schema.json"
    path.write_text(cli("show", orders, "--as", "json-schema")[1].replace(*edit), encoding="utf-8")
    with pytest.raises(WorkloadError, match=message):
        from_payload(orders, schema=path)


def test_python_of_a_schema_runs(orders):
    """The dataclasses of a schema are a module that Python runs."""
    namespace: dict[str, object] = {"__name__": "models"}
    source = serbench.describe(orders, form="python")
    sys.modules["models"] = sys.modules[__name__]
    try:
        exec(compile(source, "models", "exec"), namespace)
    finally:
        del sys.modules["models"]
    order = namespace["Order"]
    assert namespace["Document"] == list[order]


def test_values_are_made_of_a_json_schema(tmp_path, cli, orders):
    """A JSON Schema as payload is measured with values made of it, as many and as deep as asked for."""
    path = tmp_path / "orders.schema.json"
    path.write_text(cli("show", orders, "--as", "json-schema")[1], encoding="utf-8")
    data = from_payload(path, 7, seed=3)

    assert (7, 7) == (data.records, len(data.value))
    assert data.value == from_payload(path, 7, seed=3).value != from_payload(path, 7, seed=4).value
    assert {type(order["at"]) for order in data.value} == {datetime}
    cells = serbench.verify(payload=path, records=3, libraries="msgspec,dataclasses", formats="json/json, msgspec/json")
    assert {cell.status for cell in cells} == {"ok"}


def test_a_record_without_an_end(tmp_path):
    """A JSON Schema whose record must hold itself is refused in one line."""
    path = tmp_path / "x.json"
    node = {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}}
    path.write_text(json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **node}))
    with pytest.raises(WorkloadError, match="must contain another X endlessly"):
        from_payload(path)


@dataclass
class Day:
    """What a user may have in memory."""

    day: date
    names: tuple[str, ...]


def test_a_python_object_is_a_payload():
    """Dicts, lists and dataclasses in memory are measured like a file that has them as JSON."""
    plan = make_plan(payload=[Day(date(2024, 1, 1), ("a",)), {"day": date(2024, 1, 2), "names": []}])
    value = from_payload(plan.payload).value

    assert [{"day": date(2024, 1, 1), "names": ["a"]}, {"day": date(2024, 1, 2), "names": []}] == value


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a user's folders from others by itself")
def test_what_is_kept_is_its_user_s_alone(tmp_path):
    """An object, and a file that the explorer is sent, are files of rights 0600 in folders of 0700."""
    document = Path(make_plan(payload=[{"a": 1}]).payload)
    upload = Path(uploaded("orders.json", b'[{"a": 1}]', tmp_path)["payload"])
    folders = [document.parent, upload.parent, upload.parents[1]]
    assert {0o600} == {path.stat().st_mode & 0o777 for path in (document, upload)}
    assert {0o700} == {path.stat().st_mode & 0o777 for path in folders}


def test_a_dict_is_a_schema():
    """A JSON Schema may be a dict; what is no schema is refused in one line."""
    described = {"type": "array", "items": {"type": "object", "properties": {"day": {"type": "string"}}}}
    cells = serbench.verify(payload=[{"day": "2024-01-01"}], schema=described, libraries="msgspec", formats="orjson")

    assert {"ok"} == {cell.status for cell in cells}
    plan = make_plan(payload=[], schema=described)
    assert make_plan(payload=[], schema=plan.schema) == plan
    with pytest.raises(serbench.PlanError, match="the path of a JSON Schema or a dict, not list"):
        make_plan(payload=[{}], schema=[described])


def test_the_class_of_a_python_object():
    """The class of an object in memory has a plain name, the same for any content."""
    for value in ({"id": 1, "name": "a"}, {"id": 2, "name": "b"}):
        assert from_payload(make_plan(payload=value).payload).schema.root == Ref("Document")


def test_advice_names_the_worst_first():
    """What is worth checking begins with the thinnest evidence and what is read more narrowly, and has at most three lines."""
    rows = [{"at": "2024-01-01T00:00:00Z", "needs": {key: "1", f"{key}-x": "2"}} for key in ("react", "vue")]
    lines = worth_checking(make_plan(payload=rows))
    assert [line.partition(":")[0] for line in lines] == ["`needs`", "`at`"]
    part = {"minLength": 1, "type": "string", "format": "email"}
    described = {"$schema": DRAFTS[0], "properties": dict.fromkeys("ab", part), "type": ["object", "array"]}
    described |= {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "prefixItems": [part], "default": {}}
    notes = worth_checking(make_plan(payload=described))
    assert [f"JSON Schema read more {how}" for how in ("narrowly", "widely")] == [
        n.partition(":")[0] for n in notes[:2]
    ]
    assert worst_first((), "abcde")[2:] == ["JSON Schema c", "and 2 more, which `serbench show FILE` lists"]


def test_data_and_a_class_are_described(orders):
    """`describe` takes what `run` does: data in memory, and a class itself, whose options are refused as those of its name."""
    of_file = serbench.describe(orders).partition("\n")[2]
    assert f"list of Document\n{of_file}" == serbench.describe(ORDERS)
    assert "any JSON\n" == serbench.describe(None)
    assert serbench.describe(f"{__file__}:Day") == serbench.describe(Day)
    with pytest.raises(PlanError, match=r"Day'> says how its data is read; omit --map"):
        serbench.describe(Day, as_map="names")


@pytest.mark.slow
def test_recommend_measures_and_says(cli, orders):
    """Advice rests on a run, names what is used today, and is found again by the run's name."""
    choice = ("-l", "msgspec,dataclasses", "-f", "orjson,pickle", "-e", "quick", "--present", "dataclasses/orjson")
    code, out, _ = cli("recommend", "--payload", orders, *choice, "--json")
    said = json.loads(out)
    (advice,) = said["advice"]

    assert code == 0
    assert ["`at`: datetime"] == [line.partition(",")[0] for line in said["worth_checking"]]
    assert advice["validating"][0]["library"] == "msgspec"
    assert advice["against"][0]["present"]["library"] == "dataclasses"
    code, out, _ = cli("recommend", "--run", "latest", "--demand", "validating", "-v")
    assert (0, True) == (code, "left out: pickle runs code that comes with the data" in out)


@pytest.mark.parametrize(
    ("present", "awaited", "added", "codec"),
    [
        ("cattrs/orjson", "cattrs", [], None),
        ("attrs/orjson", "attrs", ["attrs"], None),
        ("msgspec[gc=False]/msgspec", "msgspec", ["msgspec[gc=False]"], None),
        ("pydantic/ujson", "pydantic", [], "ujson/json"),
        ("yours", None, [], None),
        (None, None, [], None),
    ],
)
def test_what_is_used_today_is_measured_among_the_first(monkeypatch, present, awaited, added, codec):
    """It is measured also if it is none of the usual ones, unless others are named; the user's own class is anyway."""
    heard, known = [], known_libraries()

    def planted(*_, libraries, **options):
        heard.append((libraries, options["formats"], options["listener"]))
        raise PlanError("planted")

    monkeypatch.setattr(judging, "run", planted)
    for named in (None, "msgspec"):
        with pytest.raises(PlanError, match="planted"):
            serbench.recommend(model=Day, present=present, libraries=named, formats=named)
    (libraries, formats, listener), named = heard
    assert ("msgspec", "msgspec") == named[:2]
    assert added == [name for name in libraries or () if name not in known or not known[name].core]
    assert codec == (formats[-1] if formats else None)
    assert [awaited] == ([name for name in known if listener.is_awaited(name)] if listener else [None])


@pytest.mark.slow
def test_advice_takes_the_file_as_it_is(tmp_path):
    """Who refuses 2.0 for an int is named and not recommended, also if another format of it is faster; so is who leaves 3 an
    int where the type is float.
    """
    path, schema = tmp_path / "rows.json", tmp_path / "rows.schema.json"
    path.write_text('[{"id": 1, "price": 2.5}, {"id": 2.0, "price": 3}]', encoding="utf-8")
    fields = {"id": {"type": "integer"}, "price": {"type": "number"}}
    rows = {"type": "array", "items": {"title": "Row", "type": "object", "properties": fields, "required": [*fields]}}
    choice = {"libraries": "dacite,msgspec,pydantic", "formats": "json/json", "effort": "quick"}
    where = {"store": tmp_path / "runs.sqlite"}

    schema.write_text(json.dumps({"$schema": DRAFTS[0], **rows}), encoding="utf-8")
    both = {**choice, "formats": "json/json,msgpack/msgpack"}
    said = serbench.recommend(payload=path, schema=schema, **both, **where)
    (advice,) = said.advice
    assert re.search("rows.json as it is: refused by (msgspec and dacite|dacite and msgspec) ", str(said))
    assert ["pydantic"] == [one.decode.library for one in advice.qualified if one.decode.format == "json"]
    assert 3 == sum(one.decode.format == "msgpack" for one in advice.qualified)
    assert {"rows.json as it is, is refused": 2} == advice.excluded
    again = serbench.recommend(measured=said.run)
    assert said.met == again.met

    said = serbench.recommend(payload=path, **choice, **where)
    assert "rows.json as it is: ints where the type is float, of dacite ([0].id)" in str(said)
    path.unlink()
    assert "as it is" not in str(serbench.recommend(measured=said.run))


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A run of the orders."""
    folder = tmp_path_factory.mktemp("judged")
    path = folder / "orders.json"
    path.write_text(json.dumps(ORDERS), encoding="utf-8")
    choice = {"libraries": "class,msgspec", "formats": "json/json,pickle", "effort": "quick"}
    return serbench.run(payload=path, store=folder / "runs.sqlite", **choice)


@pytest.mark.slow
@pytest.mark.parametrize("demand", DEMANDS)
def test_every_demand_can_be_judged(demand, judged):
    """Each demand leaves some cases and refuses others, or refuses none."""
    (advice,) = serbench.recommend(measured=judged, demands=demand).advice
    left = {(o.decode.library, o.decode.format) for o in advice.qualified}

    assert {
        "human-readable": {("class", "json"), ("msgspec", "json")},
        "validating": {("msgspec", "json")},
        "no-compiled-code": {("class", "json"), ("class", "pickle")},
        "standard-library": {("class", "json"), ("class", "pickle")},
        "exact-decimal": {(library, codec) for library in ("class", "msgspec") for codec in ("json", "pickle")},
    }[demand] == left


def test_utc_is_kept():
    """A moment of another zone in memory is measured as the same moment in UTC."""
    assert (
        datetime(2024, 1, 1, tzinfo=UTC)
        == from_payload(make_plan(payload={"at": datetime(2024, 1, 1, tzinfo=UTC)}).payload).value["at"]
    )


def test_an_object_that_cannot_be_kept_is_one_line(tmp_path, monkeypatch):
    """A payload is kept beside the store; where that is no place to write, the line says so and what to do."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "file" / "runs.sqlite"))
    with pytest.raises(WorkloadError, match=r"cannot be saved in .*set \$SERBENCH_STORE"):
        serbench.run(payload=[{"a": 1}], libraries="dataclasses", formats="json")
