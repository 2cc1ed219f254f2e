"""A class of the user's is measured as it is, beside what is rendered for all others; so are models of pydantic 1 and serializers."""

from __future__ import annotations

import json

import class_table
import pytest

import serbench
from serbench.api.calling import make_plan
from serbench.api.command_line.program import main
from serbench.measure.plan import datasets
from serbench.model.records import Enum

NAMED = "class Model(NamedTuple):\n    x: float\n    name: str = 'a'\n"
SECTIONS = {section.id: section for section in class_table.sections()}
MANY = {section.kind: section for section in SECTIONS.values() if section.name == "many kinds of fields"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == "pydantic" else pytest.mark.full) for kind in MANY]
)
def test_every_kind_is_measured(kind, model):
    """A class of each kind keeps generated data with each codec that serves it, and so do the others' models."""
    if kind == "djangorestframework":
        pytest.importorskip("rest_framework")
    cells = serbench.verify(model=model(MANY[kind].source, MANY[kind].given), records=4, operations="decode")
    own = [cell for cell in cells if cell.library == f"yours ({kind})"]

    assert [(c.library, c.codec, c.reason) for c in cells if c.status not in ("ok", "unsupported")] == []
    assert {"json", "orjson", "msgspec"} <= {cell.codec for cell in own if cell.status == "ok"}
    assert {cell.library for cell in cells} > {"msgspec", "pydantic", "dataclasses", f"yours ({kind})"}


@pytest.mark.slow
def test_values_come_from_a_payload(model):
    """With a payload the class is measured with its data, as a list or as one object."""
    text = model(NAMED)
    for document in ([{"x": 1.5, "name": "b"}], {"x": 2, "name": "c"}):
        cells = serbench.verify(model=text, payload=document, libraries="msgspec", formats="orjson")
        assert {(cell.library, cell.status) for cell in cells} == {("msgspec", "ok"), ("yours (namedtuple)", "ok")}


@pytest.mark.slow
@pytest.mark.parametrize(("number", "refusing"), [(2**63, {"pymongo"}), (2**64, {"pymongo", "protobuf"})])
def test_an_int_that_a_format_cannot_hold_is_refused_beforehand(number, refusing, model):
    """A class or a JSON Schema may say int: what the data has beyond 64 bits is a reason, and no failure."""
    properties = {"x": {"type": "integer"}, "name": {"type": "string"}}
    described = {"type": "object", "title": "Model", "properties": properties, "required": ["x", "name"]}
    schema, payload = {"type": "array", "items": described}, [{"x": number, "name": "b"}]
    class_ = model("@dataclass\nclass Model:\n    x: int\n    name: str\n")
    for said in ({"model": class_}, {"schema": schema}):
        cells = serbench.verify(payload=payload, libraries="dataclasses", formats="json/json,pymongo,protobuf", **said)
        assert {"ok", "unsupported"} == {cell.status for cell in cells}
        assert refusing == {cell.codec for cell in cells if "64 bits" in (cell.reason or "")}


def test_raw_is_for_codecs_of_msgspec(model):
    """msgspec.Raw of JSON is refused beforehand by all other codecs, and no failure of a class that leaves out defaults."""
    fields = 'x: int\n    ok: bool = False\n    raw: msgspec.Raw = msgspec.Raw(b"")'
    source = f"class Model(msgspec.Struct, omit_defaults=True):\n    {fields}\n"
    formats = "json/json,msgspec/json,msgspec/msgpack"
    cells = serbench.verify(model=model(source), libraries="yours", formats=formats, records=3)
    found = {(cell.codec, cell.format, cell.status) for cell in cells if cell.operation == "decode"}
    refused = {("json", "json", "unsupported"), ("msgspec", "msgpack", "unsupported")}
    assert {*refused, ("msgspec", "json", "ok")} == found
    assert any("msgspec.Raw is encoded already" in (cell.reason or "") for cell in cells)


@pytest.mark.parametrize("values", ["1, 'two'", "0.5, 2.0"])
def test_a_format_of_types_has_no_enum_of_other_values(values, model):
    """An enum of floats, or of texts and integers, is refused by a format with types beforehand, and is no failure."""
    source = f"Odd = enum.Enum('Odd', dict(zip('ab', ({values}))))\n@dataclass\nclass Model:\n    odd: Odd\n"
    formats = "avro,csv,protobuf,pyarrow/parquet"
    cells = serbench.verify(model=model(source), libraries="yours,dataclasses", formats=formats, records=2)
    assert {"unsupported"} == {cell.status for cell in cells}
    assert all(cell.reason.endswith("has enums of texts or of integers, and Odd has other values") for cell in cells)


def test_values_come_from_examples(model):
    """Without a payload the examples of a pydantic model come first, and further records are drawn from them."""
    source = """
        class Model(pydantic.BaseModel):
            model_config = {"json_schema_extra": {"examples": [{"x": 1, "code": "a"}, {"x": 2, "code": "b"}]}}
            x: int
            code: str
        """
    plan = make_plan(model=model(source), records=20)
    (data,) = datasets(plan)

    assert data.value[:2] == [{"x": 1, "code": "a"}, {"x": 2, "code": "b"}]
    assert {("x", "code")} == {tuple(record) for record in data.value}
    assert {1, 2} == {record["x"] for record in data.value}
    assert (20, 20) == (data.records, len(data.value))


@pytest.mark.slow
def test_generated_values_keep_to_limits(model):
    """Drawn values are within the limits of the fields, and the same for a seed."""
    source = """
        class Model(pydantic.BaseModel):
            age: int = pydantic.Field(ge=18, le=20)
            code: str = pydantic.Field(pattern="^[a-f]{3}$")
            at: datetime
            day: date
        """
    text = model(source)
    (data,) = datasets(make_plan(model=text, records=9))
    (again,) = datasets(make_plan(model=text, records=9))

    assert data.value == again.value
    assert {record["age"] for record in data.value} <= {18, 19, 20}
    cells = serbench.verify(model=text, records=9, libraries="msgspec", formats=("json/json", "orjson/json"))
    assert {"ok"} == {cell.status for cell in cells}


@pytest.mark.parametrize(
    "source",
    [
        "@dataclass\nclass Model:\n    at: datetime\n",
        "class Model(pydantic.BaseModel):\n    at: datetime\n",
        "class Model(msgspec.Struct):\n    at: datetime\n",
    ],
    ids=["dataclass", "pydantic", "msgspec"],
)
def test_datetimes_without_an_offset_are_naive(source, model, tmp_path):
    """The class and what is rewritten beside it carry them as text where a codec's own datetimes have an offset."""
    path = tmp_path / "data.json"
    path.write_text('[{"at": "2024-01-01T10:00:00"}, {"at": "2024-01-01T11:00:00"}]', encoding="utf-8")
    cells = serbench.verify(
        model=model(source), payload=path, libraries=("yours", "msgspec"), formats=("cbor2", "orjson")
    )

    assert {("ok", None)} == {(cell.status, cell.reason) for cell in cells}
    assert {"yours", "msgspec"} == {cell.library.partition(" ")[0] for cell in cells}


def test_data_that_is_not_the_class_s(model, tmp_path):
    """A payload that the class does not describe is refused with the field."""
    path = tmp_path / "data.json"
    path.write_text('[{"x": "y", "name": "b"}]', encoding="utf-8")
    with pytest.raises(serbench.WorkloadError, match=r"Model\.x: the schema requires int, but the document has str"):
        serbench.verify(model=model(NAMED), payload=path)


@pytest.mark.full
@pytest.mark.parametrize("named", [["--present", "yours/json/json"], []])
def test_the_price_of_one_s_own_class(model, capsys, named):
    """The class of one's own is what the advice compares with, whether it is named as what is used today or not."""
    text = model(NAMED)
    choice = ("-l", "msgspec", "-f", "msgspec/json,json/json", "-e", "quick", "-n", "20")
    with pytest.raises(SystemExit):
        main(["recommend", "--model", text, *named, *choice, "--json"])
    (advice,) = json.loads(capsys.readouterr().out)["advice"]

    assert "yours (namedtuple)" == advice["against"][0]["present"]["library"]
    assert "msgspec" == advice["against"][0]["other"]["library"]


def own_classes(text: str, formats: object = ("json/json", "pickle"), **options: object) -> dict[str, str | None]:
    """Codec → the work class of the user's class in decoding."""
    cells = serbench.verify(model=text, libraries="msgspec", formats=formats, operations="decode", **options)
    return {cell.codec: cell.work_class for cell in cells if cell.library.startswith("yours")}


@pytest.mark.slow
def test_the_work_class_of_arrays_and_of_nothing(model, tmp_path):
    """Records that are arrays of their fields are made wrong by place; data without a record is builtins."""
    path = tmp_path / "data.json"
    path.write_text("[]", encoding="utf-8")
    arrays = model("class Model(msgspec.Struct, array_like=True):\n    x: int\n")
    plain = model(NAMED)

    assert {"msgspec": "objects, strict"} == own_classes(arrays, "msgspec/json")
    assert {"json": "builtins"} == own_classes(plain, "json/json", payload=path)


FIELD = "from rest_framework import serializers\nclass Row(serializers.Serializer):\n    x = serializers.{}\n"
needs_django = pytest.mark.usefixtures("rest_framework")


@pytest.fixture
def rest_framework():
    """Django REST framework, or the reason why a test cannot be."""
    return pytest.importorskip("rest_framework", reason="djangorestframework is not installed (the extra libraries)")


@needs_django
def test_a_serializer_and_a_payload(model):
    """A serializer is measured with a payload, and one that refuses a null says so."""
    field = 'CharField(required=False, source="text")\n    y = serializers.IntegerField()'
    text = model(FIELD.format(field), "Row")
    found = {}
    for name, document in (("there", [{"x": "a", "y": 1}]), ("absent", {"y": 1})):
        cells = serbench.verify(model=text, payload=document, libraries="msgspec", formats="orjson")
        found[name] = {cell.library: (cell.status, cell.reason) for cell in cells}

    assert {"msgspec": ("ok", None), "yours (djangorestframework)": ("ok", None)} == found["there"]
    status, reason = found["absent"]["yours (djangorestframework)"]
    assert "failed" == status
    assert "This field may not be null." in reason
    assert ("ok", None) == found["absent"]["msgspec"]


def test_constants_are_drawn(model):
    """Drawn values of a field with constants are of these, and the others' models have a text there."""
    source = """
        @dataclass
        class Model:
            mode: Literal["fast", "slow"]
        """
    (data,) = datasets(make_plan(model=model(source), records=20))

    assert {"fast", "slow"} == {record["mode"] for record in data.value}
    assert not any(isinstance(type_, Enum) for type_ in data.schema.types())


@pytest.fixture
def unconfigured_django():
    """Django as a new process has it; afterwards it is as it was, for the tests that come later."""
    from django.conf import empty, settings
    from django.utils import timezone

    before = settings._wrapped
    settings._wrapped = empty
    timezone.get_default_timezone.cache_clear()
    yield
    settings._wrapped = before
    timezone.get_default_timezone.cache_clear()


@pytest.mark.slow
@needs_django
@pytest.mark.usefixtures("unconfigured_django")
def test_a_project_in_another_time_zone(model):
    """A serializer whose project has a time zone of its own gives datetimes in UTC, as all others do."""
    source = """
        from django.conf import settings
        if not settings.configured:
            settings.configure(TIME_ZONE="Asia/Tokyo")
        from rest_framework import serializers
        class Model(serializers.Serializer):
            at = serializers.DateTimeField()
        """
    cells = serbench.verify(model=model(source), records=3, libraries="msgspec", formats="json/json")

    assert {("msgspec", "ok"), ("yours (djangorestframework)", "ok")} == {(c.library, c.status) for c in cells}
