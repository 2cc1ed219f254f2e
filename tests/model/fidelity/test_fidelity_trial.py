"""A trial tells what becomes of one value, whatever the library raises."""

from __future__ import annotations

import json
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TypedDict

import msgspec
import pytest

from serbench.model.fidelity import answer_to, carried, innermost, nested, told
from serbench.model.fidelity.proof import MAKERS, SENT_BYTES, cut, part, put, said
from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import ANY, INT

SCHEMA = Schema(List(Ref("Row")), (Record("Row", (Field("subject", INT),)),))
ROWS = SCHEMA.as_data()
DOCUMENT = [{"subject": 1}]


@dataclass
class Row:
    """A record as an object."""

    subject: object


class Typed(TypedDict):
    """A record as a dict."""

    subject: object


def failing(error):
    """A function that raises."""

    def fail(*_):
        raise error

    return fail


def written(rows):
    """The bytes of objects or dicts."""
    return json.dumps([row if isinstance(row, dict) else vars(row) for row in rows]).encode()


def module(**parts):
    """A module of dicts that writes JSON."""
    usual = {"encode": written, "decode": json.loads, "Row": Typed, "__name__": "made"}
    return SimpleNamespace(**{**usual, **parts})


def tried(made=None, document=DOCUMENT, spec=ROWS, encoding=None, **probe):
    """What becomes of the document."""
    made = made or module()
    return carried(made, encoding or made, spec, document, probe)


def test_what_comes_back_is_exact_or_changed():
    """The answer has the outcome, the difference, and the bytes with their size."""
    blob = b'[{"subject": 1}]'
    known = {"blob": blob.hex(), "size": len(blob)}
    assert {"outcome": "exact", "detail": None, **known} == tried()
    wrong = module(decode=lambda _: [{"subject": 2}])
    assert {"outcome": "changed", "detail": "[0].subject: expected 1, got 2", **known} == tried(wrong)
    none = module(decode=lambda _: [])
    assert {"outcome": "changed", "detail": "expected 1 items, got 0", **known} == tried(none)


@pytest.mark.parametrize("step", ["build", "encode", "decode"])
def test_what_raises_is_refused_by_its_step(step):
    """The step and the error are told; what was written before is told too."""
    made = module()
    setattr(made, step, failing(ValueError("no")))
    found = tried(made)
    assert ("refused", f"{step}: ValueError: no") == (found["outcome"], found["detail"])
    assert (step == "decode") == ("blob" in found)
    setattr(made, step, failing(MemoryError()))
    with pytest.raises(MemoryError):
        tried(made)


def test_objects_are_built_by_the_module_that_encodes():
    """Its `build` comes first, then its classes."""
    seen = []
    encoding = module(Row=Row, encode=lambda rows: (seen.extend(rows), written(rows))[1])
    assert tried(encoding=encoding)["outcome"] == "exact"
    assert [Row(1)] == seen
    encoding.build = lambda rows: [Row(row["subject"] + 1) for row in rows]
    assert tried(encoding=encoding)["outcome"] == "changed"


def test_what_is_no_bytes_is_changed():
    """Encode gives bytes and nothing else."""
    found = tried(module(encode=lambda _: "text"))
    assert {"outcome": "changed", "detail": "encode gave str, not bytes"} == found


@pytest.mark.parametrize("decodes", [True, False])
@pytest.mark.parametrize("size", [SENT_BYTES - 1, SENT_BYTES, SENT_BYTES + 1])
def test_long_bytes_are_cut(size, decodes):
    """Bytes of up to 4096 are sent whole, longer ones by the first 64, unless nothing here decodes them."""
    blob = bytes(range(256)) * 16 + b"x"
    made = module(encode=lambda _: blob[:size], decode=lambda _: DOCUMENT)
    if not decodes:
        del made.decode
    found = tried(made)
    whole = size <= 4096 or not decodes
    assert ((blob[:size] if whole else blob[:64]).hex(), size) == (found["blob"], found["size"])
    assert ("exact" if decodes else "written") == found["outcome"]


def test_foreign_bytes_are_decoded_alone():
    """With a blob, nothing is encoded."""
    made = module(encode=failing(AssertionError()))
    assert {"outcome": "exact", "detail": None} == tried(made, blob=b'[{"subject": 1}]'.hex())
    assert tried(made, blob=b'[{"subject": 2}]'.hex())["outcome"] == "changed"
    assert tried(made, blob=b"[".hex())["outcome"] == "refused"


ANYTHING = Schema(List(Ref("Row")), (Record("Row", (Field("subject", ANY),)),)).as_data()


@pytest.mark.parametrize(
    ("how", "size", "value"),
    [("repeat", 3, "xxx"), ("nest", 3, [[[]]])],
)
def test_large_values_are_made_in_the_worker(how, size, value):
    """A text and nested lists are made of their size, and compared without recursion."""
    assert value == MAKERS[how](size)
    assert tried(spec=ANYTHING, make=[how, size])["outcome"] == "exact"
    for wrong in (None, "xx", [[0]], [[]], [[[None]]], 3):
        found = tried(module(decode=lambda _, wrong=wrong: [{"subject": wrong}]), spec=ANYTHING, make=[how, size])
        assert found["outcome"] == "changed"


@pytest.mark.parametrize(
    ("how", "plain"),
    [
        ("Text", "xx"),
        ("Number", 2),
        ("Ratio", 2.5),
        ("Items", [0, 0]),
        ("Table", {"0": 0, "1": 1}),
        ("named tuple", (2, "a")),
    ],
)
def test_what_a_subclass_holds_is_what_counts(how, plain):
    """A value of a subclass is as it was if its plain value comes back, and changed if that is of another class."""
    assert type(MAKERS[how](2)).__mro__[1] is type(plain)
    for back, outcome in ((plain, "exact"), (str(plain) + "x", "changed"), (list(map(str, [plain])), "changed")):
        found = tried(module(decode=lambda _, back=back: [{"subject": back}]), spec=ANYTHING, make=[how, 2])
        assert outcome == found["outcome"], back


def test_the_depth_of_a_difference_is_told():
    """What differs inside of nested lists is shown with its depth."""
    found = [
        tried(module(decode=lambda _, d=d: [{"subject": d}]), spec=ANYTHING, make=["nest", 3])["detail"]
        for d in ([[1]], 1)
    ]
    assert ["at depth 2: got 1", "got 1"] == found


def test_deep_lists_are_compared_without_recursion():
    """Lists deeper than the stack are exact."""
    made = module(encode=lambda rows: b"", decode=lambda _: [{"subject": nested(50_000)}])
    assert tried(made, spec=ANYTHING, make=["nest", 50_000])["outcome"] == "exact"


@dataclass
class Link:
    """A link of a chain."""

    next: object


class Chained(TypedDict):
    """A link as a dict."""

    next: object


@pytest.mark.parametrize("link", [Link, Chained])
@pytest.mark.parametrize("depth", [0, 2, 3, 4, 9])
def test_a_chain_is_as_long_as_it_was(link, depth):
    """A chain that comes back longer or shorter is changed."""
    made, sent = module(LinkProbe=link), []

    def chain(size):
        last = None
        for _ in range(size):
            last = link(next=last)
        return last

    made.encode, made.decode = lambda rows: (sent.extend(rows), b"")[1], lambda _: [chain(depth)]
    found = tried(made, make=["chain", 3])
    assert [chain(3)] == sent
    text = None if depth == 3 else f"{min(depth, 4)} records came back of 3"
    assert ("exact" if depth == 3 else "changed", text) == (found["outcome"], found["detail"])


def test_a_chain_of_a_model_that_copies_is_refused():
    """What takes its values in one mapping cannot be put together one by one."""

    class Model:
        def import_data(self):
            raise NotImplementedError

    found = tried(module(LinkProbe=Model), make=["chain", 3])
    assert ("refused", "build: ValueError: its objects cannot be put into one another one by one") == (
        found["outcome"],
        found["detail"],
    )


def test_a_subclass_is_of_its_class_afterwards():
    """A record of a subclass is exact if it comes back as one, and pickle finds the class in the module."""
    holder = Schema(
        List(Ref("Holder")),
        (Record("Row", (Field("subject", INT),)), Record("Holder", (Field("subject", Ref("Row")),))),
    ).as_data()
    cls = type("Holder", (Row,), {})
    made = module(Row=Row, Holder=cls)
    sent = []
    made.encode, made.decode = lambda rows: (sent.extend(rows), b"")[1], lambda _: sent
    document = [{"subject": {"subject": 1}}]
    assert {"outcome": "exact", "detail": None, "blob": "", "size": 0} == tried(made, document, holder, subclass="Row")
    assert type(sent[0].subject) is made.SpecialRow
    assert ("made", Row) == (made.SpecialRow.__module__, made.SpecialRow.__base__)
    made.decode = lambda _: [cls(Row(1))]
    assert "expected a SpecialRow, got a Row" == tried(made, document, holder, subclass="Row")["detail"]


@pytest.mark.parametrize("ordered", [True, False])
def test_the_order_of_keys_counts_if_it_is_asked_for(ordered):
    """A map that comes back in another order is changed only then."""
    made = module(decode=lambda _: [{"subject": {"b": 1, "a": 2}}])
    found = tried(made, [{"subject": {"a": 2, "b": 1}}], ANYTHING, ordered=ordered)
    text = "expected the keys ['a', 'b'], got ['b', 'a']" if ordered else None
    assert ("changed" if ordered else "exact", text) == (found["outcome"], found["detail"])
    assert tried(document=[{"subject": {"a": 2, "b": 1}}], spec=ANYTHING, ordered=ordered)["outcome"] == "exact"
    assert tried(ordered=ordered)["outcome"] == "exact"


def test_objects_of_the_format_are_compared_by_meaning():
    """Native objects are compared as plain values."""
    native = module(decode=lambda _: 7, plain=lambda value: [{"subject": value}])
    assert tried(native)["detail"] == "[0].subject: expected 1, got 7"


def took(made=None, build=lambda document: document, **spec):
    """What becomes of a wrong input."""
    return answer_to(made or module(), ROWS, DOCUMENT, spec, build)


PATH = [["", 0], ["subject", "subject"]]


def test_a_wrong_value_is_put_at_its_place():
    """The answer tells what is in its place afterwards."""
    assert {"outcome": "str", "value": "'x'"} == took(path=PATH, value="x")
    objects = module(decode=lambda blob: [Row(one["subject"]) for one in json.loads(blob)])
    assert {"outcome": "str", "value": "'x'"} == took(
        objects, lambda rows: [Row(**one) for one in rows], path=PATH, value="x"
    )
    assert {"outcome": "NoneType", "value": "None"} == took(path=PATH, blob=b"[{}]".hex())


def test_a_blob_has_its_value_or_not():
    """Without a path, a blob is right if it holds the value."""
    assert {"outcome": "int", "value": "5", "right": True} == took(blob=b"5".hex(), value=5)
    assert {"outcome": "int", "value": "6", "right": False} == took(blob=b"6".hex(), value=5)
    assert {"outcome": "int", "value": "6"} == took(blob=b"6".hex())


def test_the_whole_is_compared_if_it_is_asked_for():
    """The answer then has the difference between the document and what came back."""
    assert took(blob=b'[{"subject": 1}]'.hex(), compare=True)["difference"] is None
    assert took(blob=b'[{"subject": 2}]'.hex(), compare=True)["difference"] == "[0].subject: expected 1, got 2"
    assert "difference" not in took(blob=b'[{"subject": 2}]'.hex())


def test_a_refusal_is_told_with_the_names_in_it():
    """Names count as words, in all lines of the error; the first line is the message."""
    error = ValueError("no subject\nin subjects of row")
    error.__cause__ = TypeError("more about x.y")
    found = took(module(decode=failing(error)), path=PATH, value="x", names=["subject", "subj", "x", "row", "z"])
    assert {
        "outcome": "rejected",
        "message": "ValueError: no subject in subjects of row",
        "names": ["subject", "x", "row"],
    } == found
    assert [] == took(module(encode=failing(error)), path=PATH, value="x")["names"]
    with pytest.raises(MemoryError):
        took(module(decode=failing(MemoryError())), path=PATH, value="x")


def test_the_innermost_error_of_a_group_is_told_with_its_path():
    """Cattrs notes the attribute or index of each error, adaptix the steps to it; the message is that of the innermost."""

    class Note(str):
        __slots__ = ("index", "name")

    first, second = Note("@ attribute lines"), Note("@ index 1")
    first.name, second.index = "lines", 1
    inner = ValueError("no\nnumber")
    middle = ExceptionGroup("in", [inner])
    inner.__notes__, middle.__notes__ = [second], [first]
    outer = ExceptionGroup("out", [middle, KeyError("x")])
    trail = ExceptionGroup("out", [KeyError("y")])
    trail.exceptions[0]._adaptix_struct_trail = ["lines", 0, SimpleNamespace(name="price")]

    assert (".lines[1]: ", inner) == innermost(outer)
    assert ".lines[1]: ValueError: no number" == told(outer)
    assert ".lines[0].price: KeyError: 'y'" == told(trail)
    assert ("", inner) == innermost(inner)


def test_nested_errors_are_told():
    """Notes, the errors of a group and causes follow, in this order."""
    inner = ExceptionGroup("several", [ValueError("a\n b"), TypeError("c")])
    inner.__notes__ = ["a note"]
    inner.__cause__ = KeyError("d")
    assert [
        "ExceptionGroup: several (2 sub-exceptions)",
        "a note",
        "ValueError: a b",
        "TypeError: c",
        "KeyError: 'd'",
    ] == said(inner)
    odd = ValueError("x")
    odd.exceptions = ["text", KeyError(1)]
    assert ["ValueError: x", "KeyError: 1"] == said(odd)
    assert [] == said(None)


def test_long_messages_are_cut():
    """A message of up to 300 characters stays."""
    assert "x" * 300 == cut("x" * 300)
    assert "x" * 300 + "…" == cut("x" * 301)


Pair = namedtuple("Pair", "subject other")  # noqa: PYI024  # as the rendered code has it


class Frozen:
    """A class that refuses changes."""

    def __init__(self, subject):
        object.__setattr__(self, "subject", subject)

    def __setattr__(self, name, value):
        raise AttributeError


@pytest.mark.parametrize(
    ("objects", "path", "expected"),
    [
        ([1, 2, 3], [["", 1]], [1, "x", 3]),
        ({"a": 1, "b": 2}, [["a", "a"]], {"a": "x", "b": 2}),
        (Pair(1, 2), [["subject", "s"]], Pair("x", 2)),
        ([{"a": [1, 2]}], [["", 0], ["a", "a"], ["", 1]], [{"a": [1, "x"]}]),
        (Row([1, 2]), [["subject", "s"], ["", 0]], Row(["x", 2])),
    ],
)
def test_a_value_replaces_another(objects, path, expected):
    """It is put into lists, dicts and objects by their index, wire name or name."""
    assert expected == put(objects, path, "x")


def test_a_frozen_object_is_changed_all_the_same():
    """The restrictions of a class are passed by, and so are those of a class with C slots."""
    assert put(Frozen(1), [["subject", "s"]], "x").subject == "x"
    assert put(msgspec.defstruct("Struct", ["subject"])(1), [["subject", "s"]], "x").subject == "x"


@pytest.mark.parametrize(
    ("objects", "name", "wire", "expected"),
    [
        ({"wire": 1, "name": 2}, "name", "wire", 1),
        ({"name": 2}, "name", "wire", 2),
        ({}, "name", "wire", None),
        ([5, 6], "", 1, 6),
        (Row(7), "subject", "s", 7),
        (Row(7), "other", "s", None),
    ],
)
def test_a_part_is_looked_up(objects, name, wire, expected):
    """A dict has it under its wire name or else its name, a list by index, an object by name, and None is what is absent."""
    assert expected == part(objects, name, wire)


def test_nested_lists():
    """So many lists, of which the innermost is empty."""
    assert [[], [[]], [[[]]]] == [nested(depth) for depth in (1, 2, 3)]
