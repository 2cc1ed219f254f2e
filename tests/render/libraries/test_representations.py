"""What each plug-in's docstring says of the bytes is what the bytes hold."""

from __future__ import annotations

import base64
import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import msgpack
import pytest
from round_trip import AT_HAND, WRITING, imported, objects

from serbench.model.records import Enum, Field, List, Optional, Record, Ref, Schema, Set, Type, Union
from serbench.model.scalars import (
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    NAIVE_DATETIME,
    STR,
    TIME,
    TIMEDELTA,
)
from serbench.model.scalars import UUID as UUID_
from serbench.render.case import Case, render
from serbench.render.codec import codec_named, codecs
from serbench.render.library import libraries

_LEVEL = Enum("Level", (("LOW", 1), ("HIGH", 2)))


def case(library: str, codec: str, schema: Schema, variant: str = "default") -> Case:
    """One case; the codec is "format/name"."""
    format_, _, name = codec.partition("/")
    return render(libraries()[library], variant, codec_named(f"{name or format_}/{format_}"), schema)


def written(library: str, codec: str, type_: Type, value: object, tmp_path) -> object:
    """What stands in the bytes for a value of the type, as JSON or MessagePack show it."""
    schema = Schema(Ref("Row"), (Record("Row", (Field("x", type_),)),))
    rendered = case(library, codec, schema)
    assert rendered.reason is None
    module = imported(rendered, tmp_path)
    blob = module.encode(objects(module, schema, {"x": value}))
    return (json.loads(blob) if codec.startswith("json") else msgpack.unpackb(blob, timestamp=3))["x"]


_AT = datetime(2024, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
_TEXT = {
    DATETIME: (_AT, {f"2024-03-01T12:30:15.123456{end}" for end in ("+00:00", "+0000", "Z")}),
    NAIVE_DATETIME: (_AT.replace(tzinfo=None), {"2024-03-01T12:30:15.123456"}),
    DATE: (date(2024, 2, 29), {"2024-02-29"}),
    TIME: (time(1, 2, 3, 456), {"01:02:03.000456"}),
    DECIMAL: (Decimal("1.10"), {"1.10"}),
    UUID_: (UUID(int=5), {str(UUID(int=5)), UUID(int=5).hex}),
    _LEVEL: (2, {2}),
}


@pytest.mark.drawn(part=4)
@pytest.mark.parametrize(
    ("library", "codec"),
    [
        pytest.param(library, codec.name, id=f"{library}-{codec.name}")
        for codec in codecs()
        for library in WRITING
        if codec.format == "json" and codec.core and not libraries()[library].generated
        if not codec.only or library in codec.only
    ],
)
def test_json_text(library, codec, tmp_path):
    """In JSON, dates and times are ISO 8601, decimals and UUIDs text, an enum its value, in every library."""
    kinds = {getattr(type_, "kind", "enum"): type_ for type_ in _TEXT}
    found = {
        kind: written(library, f"json/{codec}", type_, _TEXT[type_][0], tmp_path)
        for kind, type_ in kinds.items()
        if kind not in libraries()[library].lacks
    }
    assert found
    assert {} == {kind: text for kind, text in found.items() if text not in _TEXT[kinds[kind]][1]}


@pytest.mark.parametrize(
    ("library", "codec", "form"),
    [
        ("class", "json", -1.5),
        ("namedtuple", "json", -1.5),
        ("typeddict", "json/orjson", -1.5),
        ("dataclasses", "json", -1.5),
        ("dacite", "json", -1.5),
        ("cattrs", "json", -1.5),
        ("mashumaro", "json", -1.5),
        ("marshmallow", "json", -1_500_000.0),
        ("msgspec", "json/msgspec", "-PT1.5S"),
        ("pydantic", "json/pydantic", "-PT1.5S"),
        *((name, "json", -1.5) for name in ("adaptix", "apischema", "databind", "typedload") if name in AT_HAND),
    ],
)
def test_timedelta(library, codec, form, tmp_path):
    """A timedelta is its seconds, marshmallow's its microseconds, msgspec's and pydantic's ISO 8601."""
    assert written(library, codec, TIMEDELTA, timedelta(seconds=-1.5), tmp_path) == form


@pytest.mark.parametrize(
    ("library", "codec", "decode"),
    [
        ("class", "json", base64.b64decode),
        ("namedtuple", "json", base64.b64decode),
        ("typeddict", "json", base64.b64decode),
        ("dataclasses", "json", base64.b64decode),
        ("dacite", "json", base64.b64decode),
        ("mashumaro", "json", base64.b64decode),
        ("msgspec", "json/msgspec", base64.b64decode),
        ("pydantic", "json/pydantic", base64.urlsafe_b64decode),
        ("cattrs", "json", base64.b85decode),
        ("cattrs", "json/orjson", base64.b85decode),
        ("cattrs", "json/msgspec", base64.b64decode),
        *(
            (name, "json", base64.b64decode)
            for name in ("adaptix", "apischema", "databind", "typedload")
            if name in AT_HAND
        ),
    ],
)
def test_bytes_in_json(library, codec, decode, tmp_path):
    """Bytes are base64 in JSON, pydantic's URL-safe; cattrs's are base85, but not with msgspec."""
    value = bytes(range(248, 256)) * 3
    assert decode(written(library, codec, BYTES, value, tmp_path)) == value


@pytest.mark.parametrize(
    "library", [n for n in WRITING if "bytes" not in libraries()[n].lacks and not libraries()[n].generated]
)
def test_bytes_in_msgpack(library, tmp_path):
    """Bytes are themselves in MessagePack; two libraries make base64 of them for every codec."""
    expected = "AP8=" if library in ("dataclass-wizard", "jsons") else b"\x00\xff"
    assert expected == written(library, "msgpack", BYTES, b"\x00\xff", tmp_path)


def test_cattrs_msgpack_timestamps(tmp_path):
    """The msgpack converter of cattrs writes timestamps, and text once there are naive datetimes."""
    midnight = datetime(2024, 2, 29, tzinfo=UTC).timestamp()
    assert written("cattrs", "msgpack", DATETIME, _AT, tmp_path) == _AT.timestamp()
    assert written("cattrs", "msgpack", DATE, date(2024, 2, 29), tmp_path) == midnight
    assert (
        written("cattrs", "msgpack", NAIVE_DATETIME, _AT.replace(tzinfo=None), tmp_path) == "2024-03-01T12:30:15.123456"
    )


@pytest.mark.parametrize("library", ["dataclasses", "msgspec"])
def test_msgspec_msgpack_timestamps(library, tmp_path):
    """The msgspec codec writes datetimes with MessagePack's timestamp extension, where it takes the objects."""
    assert written(library, "msgpack/msgspec", DATETIME, _AT, tmp_path) == _AT


def test_slots_are_slots(tmp_path):
    """Slotted variants have no `__dict__`, and default ones have."""
    schema = Schema(Ref("Row"), (Record("Row", (Field("x", INT),)),))
    for library in ("class", "dataclasses"):
        for variant, has in (("slots", False), ("default", True)):
            module = imported(case(library, "json", schema, variant), tmp_path)
            assert hasattr(module.Row(x=1), "__dict__") is has


def test_default_containers_are_not_shared(tmp_path):
    """Two objects made with a default list have a list each."""
    schema = Schema(Ref("Row"), (Record("Row", (Field("x", List(INT), default=[]),)),))
    for library in ("class", "dataclasses", "cattrs", "pydantic", "msgspec"):
        module = imported(case(library, "pickle", schema), tmp_path)
        assert module.Row().x is not module.Row().x


def test_typeddict_passes_json_through(tmp_path):
    """A schema of JSON's own types needs no conversion at all."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", INT, alias="class"),)),))
    rendered = case("typeddict", "json", schema)
    assert rendered.operations == ("encode", "decode")
    assert 'TypedDict("Row", {"class": int})' in rendered.source


def test_dacite_without_a_hook_converts_by_hand(tmp_path):
    """A codec that has no hook for unknown types gets builtins made by hand."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", DATE),)),))
    rendered = render(libraries()["dacite"], "default", codec_named("json/json").changed(default=""), schema)
    assert "def dump_row" in rendered.source
    module = imported(rendered, tmp_path)
    assert module.decode(module.encode([module.Row(x=date(2020, 1, 1))])) == [module.Row(x=date(2020, 1, 1))]


def test_dacite_chooses_by_tag(tmp_path):
    """The type check tells two records with the same fields apart by their tags."""
    union = Union((Ref("A"), Ref("B")), "kind")
    fields = (Field("x", INT),)
    records = (Record("A", fields, "a"), Record("B", fields, "b"), Record("Row", (Field("u", union),)))
    module = imported(case("dacite", "json", Schema(List(Ref("Row")), records)), tmp_path)
    assert type(module.decode(b'[{"u": {"x": 1, "kind": "b"}}]')[0].u).__name__ == "B"


def test_pydantic_keeps_what_the_codec_encodes():
    """`dump_python` makes JSON's forms only where the codec lacks a type."""
    row = Schema(List(Ref("Row")), (Record("Row", (Field("x", DATE),)),))
    assert "mode=" not in case("pydantic", "json/orjson", row).source
    assert 'mode="json"' in case("pydantic", "json", row).source
    plain = Schema(List(Ref("Row")), (Record("Row", (Field("x", FLOAT),)),))
    assert "mode=" not in case("pydantic", "json", plain).source


@pytest.mark.parametrize(("type_", "codec"), [(BYTES, "json"), (BYTES, "json/orjson"), (Set(BYTES), "msgpack")])
def test_pydantic_bytes_have_limits(type_, codec):
    """Bytes that would have to come back from text by `validate_python` are refused, with the reason."""
    rendered = case("pydantic", codec, Schema(List(Ref("Row")), (Record("Row", (Field("x", type_),)),)))
    assert "val_json_bytes" in (rendered.reason or "")


def test_strict_pydantic_takes_own_json_only():
    """A strict model takes dates from its own JSON, but from no other codec's text."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", DATE),)),))
    assert case("pydantic", "json/pydantic", schema, "strict").reason is None
    assert "only as that type" in (case("pydantic", "json", schema, "strict").reason or "")


def test_strict_pydantic_refuses_text_for_a_number(tmp_path):
    """The strict variant is strict, the default one is not."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", INT),)),))
    strict = imported(case("pydantic", "json/pydantic", schema, "strict"), tmp_path)
    lax = imported(case("pydantic", "json/pydantic", schema), tmp_path)
    assert lax.decode(b'[{"x": "1"}]') == [lax.Row(x=1)]
    with pytest.raises(ValueError, match="valid integer"):
        strict.decode(b'[{"x": "1"}]')


def test_mashumaro_is_given_no_text_for_code():
    """A wire name that would end a string in mashumaro's generated code is refused."""
    for alias in ("it's", 'a"b', "a\\b", "a\nb", "a\u2028b"):
        schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", INT, alias=alias),)),))
        assert "would end a string" in (case("mashumaro", "json", schema).reason or "")


def test_marshmallow_sets_inside_containers_are_refused():
    """A set is made in `post_load`, so it can only be a field of its own."""
    for type_, has in ((Set(STR), True), (Optional(Set(STR)), True), (List(Set(STR)), False)):
        schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", type_),)),))
        assert (case("marshmallow", "json", schema).reason is None) is has


@pytest.mark.skipif("apischema" not in AT_HAND, reason="apischema is not installed")
def test_apischema_passes_through(tmp_path):
    """With `pass_through`, apischema leaves to the codec what that encodes, and whole dataclasses where it can."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", DATE),)),))
    module = imported(case("apischema", "json/orjson", schema, "pass_through"), tmp_path)
    rows = [module.Row(x=date(2024, 2, 29))]
    assert module.dump(rows) is rows
    assert "could be passed through" in (case("apischema", "json", schema, "pass_through").reason or "")


@pytest.mark.skipif("apischema" not in AT_HAND, reason="apischema is not installed")
def test_apischema_puts_its_setting_back(tmp_path):
    """The module that overrides constructors leaves the process's setting as it was for the modules after it."""
    import apischema

    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", INT),)),))
    module = imported(case("apischema", "json", schema, "override_dataclass_constructors"), tmp_path)
    assert module.decode(b'[{"x": 1}]') == [module.Row(x=1)]
    assert apischema.settings.deserialization.override_dataclass_constructors is False


@pytest.mark.skipif("adaptix" not in AT_HAND, reason="adaptix is not installed")
def test_adaptix_is_told_of_underscores(tmp_path):
    """A field keeps its underscores on the wire, at either end, though adaptix trims or hides such names."""
    row = Record("Row", (Field("_id", INT), Field("class_", INT)))
    module = imported(case("adaptix", "json", Schema(Ref("Row"), (row,))), tmp_path)
    made = module.Row(_id=1, class_=2)
    assert json.loads(module.encode(made)) == {"_id": 1, "class_": 2}
    assert module.decode(module.encode(made)) == made


def test_typedload_keeps_the_types_that_it_remembers():
    """It remembers unions by the id of their type, so a union outside of all classes is kept for as long as the loader."""
    source = case("typedload", "json", Schema(List(List(Optional(INT))), ())).source
    assert ("ROOT_TYPE = list[list[int | None]]" in source, "loader.load(json.loads(blob), ROOT_TYPE)" in source) == (
        True,
        True,
    )
