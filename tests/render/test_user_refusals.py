"""Values that a class accepts are found by what its refusals say."""

from __future__ import annotations

import json
import typing

import attrs
import marshmallow
import msgspec
import pydantic
import pytest

import serbench
from serbench.ask.calling import make_plan
from serbench.errors import PlanError
from serbench.measure.plan import datasets
from serbench.render.user_class import values as user_values
from serbench.render.user_class.find import load_model, locate
from serbench.render.user_class.refusals import Complaint, asked, complaints

CONSTRAINED = {
    "a form of a text": """
        class Model(pydantic.BaseModel):
            day: str
            @pydantic.field_validator("day")
            @classmethod
            def is_day(cls, day):
                date.fromisoformat(day)
                return day
        """,
    "an order": """
        class Span(pydantic.BaseModel):
            low: int
            high: int
            @pydantic.model_validator(mode="after")
            def in_order(self):
                assert self.low <= self.high, "low must be at most high"
                return self
        class Model(pydantic.BaseModel):
            name: str
            spans: list[Span] = pydantic.Field(min_length=6)
        """,
    "exactly one": """
        class Model(pydantic.BaseModel):
            name: str
            number: int | None = None
            text: str | None = None
            share: float | None = None
            @pydantic.model_validator(mode="after")
            def one(self):
                assert 1 == [self.number, self.text, self.share].count(None) - 1, "give exactly one"
                return self
        """,
    "moments": """
        class Model(pydantic.BaseModel):
            due: pydantic.FutureDatetime
            born: pydantic.PastDate
            paid: pydantic.FutureDate | None
        """,
    "what a message offers": """
        class Model(pydantic.BaseModel):
            unit: str
            size: int
            length: float
            @pydantic.field_validator("unit")
            @classmethod
            def known(cls, unit):
                assert unit in ("stone", "fathom"), "unit is one of stone, fathom"
                return unit
            @pydantic.field_validator("size", "length")
            @classmethod
            def small(cls, size):
                assert 4000 <= size <= 4010, "must be at least 4000" if size < 4000 else "must be no more than 4010"
                return size
        """,
    "a text for a number": """
        class Model(pydantic.BaseModel):
            name: str
            count: Annotated[int, pydantic.BeforeValidator(lambda given: counted(given))]
        def counted(given):
            if not isinstance(given, str):
                raise ValueError("expected a number as string")
            return int(given)
        """,
    "a member in a list": """
        class Role(enum.Enum):
            COOK = "crew:cook"
            MATE = "crew:mate"
            PILOT = "crew:pilot"
        class Sailor(pydantic.BaseModel):
            name: str
            roles: list[Role] | None = None
        class Model(pydantic.BaseModel):
            crew: list[Sailor]
            @pydantic.field_validator("crew")
            @classmethod
            def piloted(cls, crew):
                assert any(Role.PILOT in (one.roles or ()) for one in crew), "at least one sailor must be PILOT"
                return crew
        """,
    "one of several fields": """
        class Paid(pydantic.BaseModel):
            card_number: str | None = pydantic.Field(None, alias="cardNumber")
            cash: int | None = None
            cheque: str | None = None
            @pydantic.model_validator(mode="after")
            def one(self):
                given = [self.card_number, self.cash, self.cheque]
                assert given.count(None) == 2, "Exactly one of cardNumber, cash, or cheque must be set"
                return self
        class Model(pydantic.BaseModel):
            paid: Paid
            number: int
        """,
    "keys of what only the class knows": """
        class Part:
            @classmethod
            def __get_pydantic_core_schema__(cls, source, handler):
                return handler(Inner)
            @classmethod
            def __get_pydantic_json_schema__(cls, schema, handler):
                return {}
        class Inner(pydantic.BaseModel, extra="forbid"):
            name: str
            size: int
            tags: list[str]
        class Model(pydantic.BaseModel):
            part: Part
        """,
    "keys that it writes": """
        @attrs.define
        class Model:
            crate_id: str
            label: str
            def to_dict(self):
                return {"crateID": self.crate_id, "label": self.label}
            @classmethod
            def from_dict(cls, given):
                return cls(crate_id=given["crateID"], label=given["label"])
        """,
}


@pytest.mark.parametrize("name", CONSTRAINED)
def test_values_that_a_class_accepts(name, model, monkeypatch):
    """A class that accepts few values is asked field by field until it accepts a record; each of the records is accepted."""
    monkeypatch.setattr(user_values, "_made", lambda *_: None)  # what polyfactory makes comes first
    (found, *_) = datasets(make_plan(model=model(CONSTRAINED[name]), records=20))

    assert 20 == len(found.value)
    assert 1 < len({json.dumps(one, default=str, sort_keys=True) for one in found.value})


LEFT_OUT = {
    "refused": """
            @pydantic.field_validator("seal")
            @classmethod
            def never(cls, seal):
                assert seal is None, "only the harbour master has it"
                return seal
        """,
    "not written": """
            @pydantic.field_serializer("seal")
            def broken(self, seal):
                assert seal is None
                return seal
        """,
}


@pytest.mark.slow
@pytest.mark.parametrize("why", LEFT_OUT)
def test_a_field_that_the_class_never_takes(why, model, monkeypatch):
    """An optional field is left out of all records if the class refuses, or cannot write, what is drawn for it; a line names it."""
    source = f"""
        class Part(pydantic.BaseModel):
            seal: str | None = None
            note: str | None = None
{LEFT_OUT[why]}
        class Model(pydantic.BaseModel):
            parts: list[Part] = pydantic.Field(min_length=12)
        """
    monkeypatch.setattr(user_values, "_made", lambda *_: None)
    name = model(source)
    (found,) = datasets(make_plan(model=name, records=20))
    parts = [part for one in found.value for part in one["parts"]]

    assert ({None}, True) == ({part["seal"] for part in parts}, any(part["note"] for part in parts))
    assert ["not in the drawn values, as the class refuses what is drawn for it: Part.seal"] == load_model(
        locate(name)
    ).differences


def test_an_optional_text_of_a_form(model, monkeypatch):
    """An optional text is tried in all forms before it is absent."""
    source = """
        class Model(pydantic.BaseModel):
            name: str
            day: str | None = None
            @pydantic.field_validator("day")
            @classmethod
            def readable(cls, day):
                assert day is None or date.fromisoformat(day[:10]), "unreadable"
                return day
        """
    monkeypatch.setattr(user_values, "_made", lambda *_: None)
    (found,) = datasets(make_plan(model=model(source), records=20))

    assert any(one["day"] for one in found.value)


@pytest.mark.slow
def test_a_mark_for_what_is_not_given(model):
    """Beside a mark that only the class knows, the other types of a field are drawn, in further documents too."""
    source = """
        class Mark:
            pass
        @attrs.define
        class Model:
            crate_id: str
            label: Mark | str = Mark()
            size: Mark | int | None = None
            @classmethod
            def from_dict(cls, given):
                return cls(crate_id=given["crateID"], label=given["label"], size=given["size"])
            def to_dict(self):
                return {"crateID": self.crate_id, "label": self.label, "size": self.size}
        """
    (found,) = datasets(make_plan(model=model(source), records=2))
    drawn = [one for number in range(1, 50) for one in found.draw(number)]

    assert ({str}, {int, type(None)}) == ({type(one["label"]) for one in drawn}, {type(one["size"]) for one in drawn})
    assert {"crateID", "label", "size"} == set(found.value[0])


@pytest.mark.slow
def test_a_class_that_cannot_write(model):
    """A class that writes no value is measured as it reads, and a line says why it does not write."""
    source = """
        class Model(pydantic.BaseModel):
            name: str
            @pydantic.field_serializer("name")
            def broken(self, name):
                raise RuntimeError("out of ink")
        """
    name = model(source)
    cells = serbench.verify(model=name, records=3, libraries="msgspec", formats="pydantic,orjson/json")

    assert {("decode", "ok")} == {(one.operation, one.status) for one in cells}
    (said,) = load_model(locate(name)).differences
    assert said.startswith("what Model writes is not measured: writing a document raised ")
    assert "out of ink" in said


def test_no_value_is_accepted(model, monkeypatch):
    """If a class accepts nothing, the line names the field, its refusal, and the command that writes a document to fill in."""
    source = """
        class Model(pydantic.BaseModel):
            name: str
            seal: str
            @pydantic.field_validator("seal")
            @classmethod
            def never(cls, seal):
                raise ValueError("only the harbour master has it")
        """
    monkeypatch.setattr(user_values, "_made", lambda *_: None)
    name = model(source)
    line = (
        rf"Model.seal: Value error, only the harbour master has it; give a payload: `serbench show {name} --as example`"
    )

    with pytest.raises(PlanError, match=line):
        next(datasets(make_plan(model=name)))


def test_an_example_to_fill_in(model, cli):
    """An example has all fields of a class, those of records in it too, and the class accepts it if it accepts any such."""
    source = """
        class Line(pydantic.BaseModel):
            sku: str
            note: str | None = None
        class Model(pydantic.BaseModel):
            at: pydantic.FutureDatetime
            lines: list[Line]
            total: Decimal | None = None
        """
    (record,) = json.loads(cli("show", model(source), "--as", "example")[1])

    assert [{"at", "lines", "total"}, {"sku", "note"}] == [set(record), set(record["lines"][0])]
    assert None not in (record["total"], record["lines"][0]["note"])
    assert record["at"].startswith("2095-")


def test_an_example_of_a_file(tmp_path, cli):
    """A payload has an example too, of its inferred types."""
    path = tmp_path / "orders.json"
    path.write_text('[{"id": 1, "tags": ["a"]}]', encoding="utf-8")
    (record,) = json.loads(cli("show", path, "--as", "example")[1])

    assert [int, list] == [type(record["id"]), type(record["tags"])]


class Line(pydantic.BaseModel):
    """A record in a list."""

    sku: str = pydantic.Field(pattern="^[A-Z]+$", max_length=3)


class Order(pydantic.BaseModel):
    """A record with a list."""

    lines: list[Line]
    size: int = pydantic.Field(le=9)


class Row(msgspec.Struct):
    """A struct with a limit."""

    sizes: list[typing.Annotated[int, msgspec.Meta(le=9)]]


@attrs.define
class Named:
    """A class that checks a name."""

    name: str = attrs.field(validator=attrs.validators.in_(["west"]))


class Rows(marshmallow.Schema):
    """A schema with a limit."""

    rows = marshmallow.fields.List(marshmallow.fields.Integer(validate=marshmallow.validate.Range(max=9)))


REFUSED = {
    "pydantic": (
        lambda record: pydantic.TypeAdapter(list[Order]).validate_python([record]),
        {"lines": [{"sku": "A"}, {"sku": "no"}], "size": 12},
        [(("lines", 1, "sku"), {"pattern": "^[A-Z]+$"}), (("size",), {"high": 9})],
    ),
    "msgspec": (lambda record: msgspec.convert([record], list[Row]), {"sizes": [1, 12]}, [(("sizes", 1), {})]),
    "marshmallow": (lambda record: Rows(many=True).load([record]), {"rows": [1, 12]}, [(("rows", 1), {})]),
    "a validator": (lambda record: Named(**record), {"name": "east"}, [(("name",), {"said": ("west",)})]),
    "no place": (lambda record: Named(*record), {"name": "east", "rank": 1}, [((), {})]),
}


@pytest.mark.parametrize("library", REFUSED)
def test_what_a_refusal_names(library):
    """A refusal names the places of the record that it is about, and the limits that it tells."""
    read, record, expected = REFUSED[library]

    with pytest.raises(Exception) as raised:
        read(record)
    assert expected == [(one.path, one.limits) for one in complaints(raised.value, record)]


def test_what_a_message_mentions():
    """A refusal without a place mentions values by their keys or by themselves."""
    error = ValueError("low must not be above 'thirty'")
    (found,) = complaints(error, {"low": 3, "high": "thirty", "rest": [1]})

    assert Complaint((), {}, (("low",), ("high",))) == found


ASKED = [
    ("size must be at most 12", {"high": 12.0, "most": 12}),
    ("give at least 2.5 of it", {"low": 2.5}),
    ("less than 7 are here", {"below": 7.0}),
    ("it is greater than 0", {"above": 0.0}),
    ("expected 'west' or \"east\", got 'north'", {"said": ("west", "east")}),
    ("one of west, east or north", {"said": ("west", "east", "north")}),
    ("must be a string", {"as_text": True}),
    ("the key begins with 'bb-'", {"hint": "bb-{}"}),
    ("badly formed hexadecimal UUID string", {"hint": "0b5a4c1e-0000-4000-8000-0000000000[]"}),
    ("no ship has this name", {}),
]


@pytest.mark.parametrize(("message", "expected"), ASKED)
def test_what_a_message_asks_for(message, expected):
    """The words of a refusal tell limits, choices, the form of a text, and that a text is wanted."""
    assert expected == asked(message)
