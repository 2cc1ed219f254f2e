"""A case is verified by everything that its module gives back, and by nothing else."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TypedDict

import pytest

from serbench.model.fidelity import deep_recursion, verified
from serbench.model.records import Field, List, Optional, Record, Ref, Schema
from serbench.model.scalars import FLOAT, INT, STR

ROW = Schema(List(Ref("Row")), (Record("Row", (Field("x", INT), Field("text", Optional(STR), default=None))),))
VALUE = [{"x": 1, "text": "a\r"}, {"x": 2, "text": None}]
BLOB = b"the bytes"
STEPS = ("load", "build", "read", "frame", "dumps")


class Row(TypedDict):
    """A record as a dict."""

    x: int
    text: str


@dataclass
class Numbered:
    """A record as an object."""

    x: int


def rows(*values):
    """A function that returns these, whatever it gets."""
    return lambda *_: list(values) if values else VALUE


def module(**parts):
    """A module that gives back what it got."""
    return SimpleNamespace(**{"decode": rows(), "loads": rows(), "load": rows(), "Row": Row, **parts})


def proved(made, operations=(), *, blob=BLOB, reader=None, losses=None, user=None, user_objects=None, value=VALUE):
    """The answer for a module."""
    prepared = SimpleNamespace(module=made, blob=blob, objects=value, user=user, user_objects=user_objects)
    return verified(prepared, ROW.as_data(), value, list(operations), reader, losses or {})


def test_what_comes_back_as_it_was_has_no_difference():
    """The answer has the bytes, what holds the records, and no loss."""
    found = proved(
        module(build=rows(), read=rows(), dump=rows(), dumps=lambda _: BLOB), ("load", "build", "read", "dumps")
    )
    assert {"difference": None, "holder": "dicts", "lost": {}, "blob": BLOB, "everything": False} == found


@pytest.mark.parametrize("blob", [bytearray(b"a"), "a", None])
def test_bytes_are_bytes(blob):
    """Anything else that encode gives is a difference."""
    assert {"difference": f"encode gave {type(blob).__name__}, not bytes", "blob": b""} == proved(module(), blob=blob)


WRONG = {"x": 3, "text": "a\r"}


@pytest.mark.parametrize("step", ["decode", "load", "build"])
def test_every_step_that_makes_objects_is_compared(step):
    """One wrong value out of any of them is told, with the step; steps that are not asked for are not run."""
    made = module(build=rows())
    setattr(made, step, rows(WRONG, VALUE[1]))
    found = proved(made, ["load", "build"])
    assert {"difference": f"{step}: value[0].x: expected 1, got 3", "blob": BLOB} == found
    assert (step == "decode") == (proved(made)["difference"] is not None)


def test_reading_touches_what_was_decoded():
    """`read` gets the decoded objects if it is asked for."""
    got = []
    made = module(read=got.append)
    assert proved(made)["difference"] is None
    assert [] == got
    assert proved(made, ["read"])["difference"] is None
    assert [VALUE] == got


class Frame:
    """A data frame, as far as it is looked at."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns

    def __len__(self):
        return self.rows


@pytest.mark.parametrize(
    ("frame", "right"),
    [
        (Frame(2, ["text", "x"]), True),
        (Frame(1, ["x", "text"]), False),
        (Frame(3, ["x", "text"]), False),
        (Frame(2, ["x"]), False),
        (Frame(2, ["x", "text", "y"]), False),
    ],
)
def test_a_frame_has_the_rows_and_columns(frame, right):
    """Other rows or columns are a difference, if the frame is asked for."""
    made = module(frame=lambda _: frame)
    text = None if right else "the data frame has other rows or columns"
    assert text == proved(made, ["frame"])["difference"]
    assert proved(made)["difference"] is None


def test_a_frame_may_name_a_column_that_has_no_name():
    """As pandas does, and the frame is of the same columns."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("index", INT, alias=""), Field("x", INT))),))
    value = [{"": 1, "x": 2}]
    for columns, right in ((["Unnamed: 0", "x"], True), (["x"], False), (["Unnamed: 0", "y"], False)):
        made = module(decode=rows(*value), frame=lambda _, columns=columns: Frame(1, columns))
        prepared = SimpleNamespace(module=made, blob=BLOB, objects=value, user=None, user_objects=None)
        found = verified(prepared, schema.as_data(), value, ["frame"], None, {})
        assert right == (found["difference"] is None)


def test_an_empty_frame_has_no_columns():
    """Without rows there is nothing that columns could be compared with."""
    made = module(decode=lambda _: [], frame=lambda _: Frame(0, []))
    assert proved(made, ["frame"], value=[])["difference"] is None


def test_a_reader_of_the_environment_reads_the_bytes(monkeypatch):
    """What the second implementation reads is compared too, and told by its name."""
    read = SimpleNamespace(right=rows(), wrong=rows(WRONG, VALUE[1]))
    monkeypatch.setitem(sys.modules, "a_reader", read)
    assert proved(module(), reader="a_reader:right")["difference"] is None
    assert proved(module(), reader="a_reader:wrong")["difference"] == "a_reader:wrong: value[0].x: expected 1, got 3"
    encoder = SimpleNamespace(Row=Row)
    assert proved(encoder, reader="a_reader:wrong")["difference"] is None


def test_steps_write_the_same_bytes_or_what_reads_the_same():
    """dumps(dump(x)) is encode(x), or else decodes to the same; a module that cannot decode must write the same."""

    def decode(blob):
        return VALUE if blob == BLOB else json.loads(blob)

    steps = {"dump": lambda objects: objects, "decode": decode}
    assert proved(module(**steps, dumps=lambda _: BLOB), ["dumps"])["difference"] is None
    assert proved(module(**steps, dumps=json.dumps), ["dumps"])["difference"] is None
    wrong = proved(module(**steps, dumps=lambda _: b"[]"), ["dumps"])["difference"]
    assert wrong == "decode(dumps(dump(x))): value: expected 2 items, got 0"
    writer = SimpleNamespace(dump=steps["dump"], dumps=lambda _: b"[]", Row=Row)
    assert {"difference": "dumps(dump(x)) is not encode(x)", "blob": BLOB} == proved(writer, ["dumps"])
    assert proved(writer)["difference"] is None


def test_a_writer_holds_what_its_classes_are():
    """Without decoding, the classes tell whether records are dicts or objects; without records there are builtins."""
    assert proved(SimpleNamespace(Row=Row))["holder"] == "dicts"
    assert proved(SimpleNamespace(Row=object))["holder"] == "objects"
    assert proved(module(decode=lambda _: []), value=[])["holder"] == "builtins"
    nothing = SimpleNamespace(module=module(decode=lambda _: [1.5]), blob=b"", objects=None, user=None)
    assert verified(nothing, Schema(List(FLOAT)).as_data(), [1.5], [], None, {})["holder"] == "builtins"


def test_exactly_the_declared_loss_is_accepted():
    """The value may come back with that loss, whose fields are told; any other change is a difference."""
    losses = {"str": "newlines"}
    lossy = module(decode=rows({"x": 1, "text": "a\n"}, VALUE[1]))
    found = proved(lossy, losses=losses)
    assert (None, {"text": "str"}) == (found["difference"], found["lost"])
    assert "text" in proved(lossy)["difference"]
    assert "text" in proved(lossy, losses={"null": "null text"})["difference"]
    also = module(decode=rows({"x": 3, "text": "a\n"}, VALUE[1]))
    assert "x: expected 1, got 3" in proved(also, losses=losses)["difference"]
    assert {} == proved(module(), losses=losses)["lost"]


def test_objects_of_the_format_are_compared_by_meaning():
    """Native objects are compared as the plain values that `plain` makes of them."""
    native = module(
        decode=lambda _: "native", plain=lambda objects: [{"x": 1, "text": "a\r"}, ["2", None]][: len(objects)]
    )
    found = proved(native)
    assert "[1].x: expected 2, got '2'" in found["difference"]
    native.plain = lambda objects: VALUE if objects == "native" else None
    assert "generated objects" == proved(native)["holder"]


def test_a_users_objects_are_compared_with_what_the_class_makes():
    """What decodes to something else than the class makes of the document is told; a declared loss is made as well."""
    user = SimpleNamespace(make=lambda value: [Numbered(row["text"]) for row in value])
    right = [Numbered("a\r"), Numbered(None)]
    made = module(decode=lambda _: [Numbered("a\r"), Numbered(None)])
    found = proved(made, user=user, user_objects=right)
    assert {"difference": None, "holder": "objects", "lost": {}, "blob": BLOB, "everything": False} == found
    made = module(decode=lambda _: [Numbered("a\n"), Numbered(None)])
    found = proved(made, user=user, user_objects=right)
    assert {"difference": "decode: value[0].x: expected 'a\\r', got 'a\\n'", "blob": BLOB} == found
    found = proved(made, user=user, user_objects=right, losses={"str": "newlines"})
    assert {
        "difference": None,
        "holder": "objects",
        "lost": {"text": "str"},
        "blob": BLOB,
        "everything": False,
    } == found
    found = proved(made, user=user, user_objects=right, losses={"null": "null text"})
    assert found["difference"] is not None
    found = proved(made, user=user, user_objects=right, losses={"int": "newlines"}, value=[])
    assert found["difference"] is not None


def test_the_recursion_limit_is_raised_for_a_while():
    """Comparing deep data needs it; afterwards it is as before, also after an error."""
    limit = sys.getrecursionlimit()

    def deep():
        with deep_recursion():
            assert sys.getrecursionlimit() >= 100_000
            raise LookupError

    with pytest.raises(LookupError):
        deep()
    assert limit == sys.getrecursionlimit()
