"""The work class follows from what a decoder lets through, coerces and refuses, in whatever form its bytes are."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from types import SimpleNamespace

import bson
import msgpack
import pytest

from serbench.judge.outcomes import Finding
from serbench.measure.probes import strictness
from serbench.measure.probes.strictness import (
    answers_to,
    checked,
    opened,
    read,
    tried,
    work_class,
    written,
    wrong_documents,
)
from serbench.measure.probes.wrong import BASICS, MISSING, StrictnessTest, wrong_at
from serbench.measure.session import Fault
from serbench.model import fidelity
from serbench.model.records import Field, List, Optional, Record, Ref, Schema
from serbench.model.scalars import INT, STR
from serbench.render.case import render
from serbench.render.codec import codec_named
from serbench.render.library import libraries

INNER = Record("Inner", (Field("name", STR),))
ROW = Record("Row", (Field("size", INT), Field("inner", Ref("Inner")), Field("note", Optional(INT), default=None)))
ONE, MANY = Schema(Ref("Row"), (INNER, ROW)), Schema(List(Ref("Row")), (INNER, ROW))
GOOD = {"size": 1, "inner": {"name": "a"}, "note": None}
INPUTS = (
    wrong_at("size", "text for int", "12", "int"),
    wrong_at("inner.name", "number for text", 5, "str"),
    wrong_at("size", "missing", MISSING, "int"),
    wrong_at("more", "surplus", 1),
    wrong_at("size", "two wrong", "x", "int", more={"note": "y"}),
)
TRIAL = StrictnessTest("a trial", ONE, GOOD, INPUTS)


def case(library="typeddict", codec="json", format_="json", schema=ONE):
    """A rendered case."""
    return render(libraries()[library], "default", codec_named(f"{codec}/{format_}"), schema)


def decoder(convert, inner=lambda name: name, least=("size", "inner", "note"), most=None):
    """What decodes a row, with a function for each of two fields and limits of the keys."""

    def decode(blob):
        row = json.loads(blob)
        missing = [key for key in least if key not in row]
        surplus = [key for key in row if most and key not in most]
        if missing or surplus:
            raise ValueError(f"wrong {' '.join(missing + surplus)}")
        return {**row, "size": convert(row.get("size", 0)), "inner": {"name": inner(row["inner"]["name"])}}

    return decode


def exactly(kind):
    """A function that takes values of a class alone."""

    def take(value):
        if type(value) is not kind:
            raise TypeError(f"{value} is no {kind.__name__}: size name note")
        return value

    return take


class Session:
    """A session whose worker is a decoder in this process."""

    def __init__(self, decode, encode=lambda row: json.dumps(row).encode(), difference=None):
        self.module, self.asked = SimpleNamespace(decode=decode, encode=encode), []
        self.difference = difference

    def prepare(self, _case, name, spec, value):
        self.asked.append(("prepare", name))
        self.spec, self.value = spec, value

    def ask(self, do, **values):
        self.asked.append((do, values["case"]))
        if do == "verify":
            blob = self.module.encode(self.value)
            return {"difference": self.difference, "holder": "dicts", "blob": blob}
        if do == "take":
            outcomes = [fidelity.answer_to(self.module, self.spec, self.value, one, dict) for one in values["inputs"]]
            return {"outcomes": outcomes}
        return {}


def outcomes(session, trial=TRIAL, of=None, wanted=None):
    """What became of each input."""
    holder, found = tried(session, of or case(), trial, wanted)
    assert holder == "dicts"
    return {name: finding.outcome for name, finding in found.items()}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], "strict"),
        (["rejected"], "strict"),
        (["rejected", "default", "ignored", "unprobed"], "strict"),
        (["rejected", "coerced"], "coercing"),
        (["coerced", "let through"], "unchecked"),
        (["rejected", "let through"], "unchecked"),
    ],
)
def test_the_class_is_that_of_the_worst_outcome(found, expected):
    """One input let through is unchecked, else one coerced is coercing; what gets a default or is ignored is strict."""
    assert f"objects, {expected}" == checked("objects", {str(n): Finding(what) for n, what in enumerate(found)})


@pytest.mark.parametrize(
    ("operation", "probed", "lost", "left_out", "expected"),
    [
        ("decode", "objects, strict", None, "", "objects, strict"),
        ("load", "objects, strict", {}, "", "objects, strict"),
        ("reject", "dicts, coercing", None, "", "dicts, coercing"),
        ("reject_first", "dicts, coercing", None, "", "dicts, coercing"),
        ("encode", "objects, strict", None, "", "objects"),
        ("dump", "objects, strict", None, "", "objects"),
        ("build", "objects, strict", None, "", "objects"),
        ("read", "objects, strict", None, "", "objects"),
        ("dumps", "objects, strict", None, "", "builtins"),
        ("loads", "objects, strict", None, "", "builtins"),
        ("decode", "builtins", None, "", "builtins"),
        ("decode", "objects, strict", None, "nulls left out", "objects, strict, nulls left out"),
        ("dumps", "objects", {"b": "y", "a": "x"}, "", "builtins, lossy (a: x, b: y)"),
        ("encode", "objects, strict", {"a": "x"}, "nulls left out", "objects, nulls left out, lossy (a: x)"),
    ],
)
def test_a_work_class_says_what_the_operation_does(operation, probed, lost, left_out, expected):
    """Only what decodes is told to check; what is left out and lost follows, the lost by field."""
    assert expected == work_class(operation, probed, lost, left_out)


STRICT = decoder(exactly(int), exactly(str), most={"size", "inner", "note"})


def test_a_strict_decoder_refuses_all():
    """Every input is refused; the first one written is the right record anew, and the case is dropped at the end."""
    session = Session(STRICT)
    assert dict.fromkeys((one.name for one in INPUTS), "rejected") == outcomes(session)
    name = session.asked[0][1]
    assert name == "a_trial_of_typeddict_json_models"
    assert [("prepare", name), ("verify", name), ("take", name), ("take", name), ("drop", name)] == session.asked


def test_a_coercing_decoder_makes_the_right_type():
    """What becomes the right type is coerced, a missing field that gets one has a default, a surplus key is ignored."""
    session = Session(decoder(int, str, least=("inner",)))
    expected = ["coerced", "coerced", "default", "let through", "rejected"]
    assert dict(zip((one.name for one in INPUTS), expected, strict=True)) == outcomes(session)
    holder, found = tried(Session(decoder(int, str, least=("inner",))), case(), TRIAL)
    assert holder == "dicts"
    assert "becomes 12 of type int" == found["text for int"].detail
    assert "becomes 0 of type int" == found["missing"].detail
    assert "becomes 1 of type int" == found["surplus"].detail
    assert found["two wrong"].detail.startswith("ValueError: invalid literal")


def test_a_decoder_that_checks_nothing_lets_through():
    """A wrong type or an absent field in the result is let through; a key that is left out is ignored."""
    whole = Session(json.loads)
    assert dict.fromkeys((one.name for one in INPUTS), "let through") == outcomes(whole)
    session = Session(lambda blob: {key: value for key, value in json.loads(blob).items() if key in GOOD})
    _, found = tried(session, case(), TRIAL)
    assert ("ignored", "it is left out") == (found["surplus"].outcome, found["surplus"].detail)
    assert ("let through", "its place has None of type NoneType") == (found["missing"].outcome, found["missing"].detail)
    _, found = tried(session, case(), replace(TRIAL, of_user=True))
    assert found["surplus"].outcome == "let through"


def test_null_in_place_of_a_field_is_let_through():
    """Only a key that the record does not have may be left out without a word."""
    session = Session(lambda blob: {**json.loads(blob), "size": None})
    assert outcomes(session)["text for int"] == "let through"


def test_a_refusal_names_all_that_is_wrong_or_not():
    """`names` is true if the message has the name of each wrong field."""
    _, found = tried(Session(STRICT), case(), TRIAL)
    assert found["text for int"].names is True
    assert found["two wrong"].names is True

    def silent(blob):
        if json.loads(blob) != GOOD:
            raise ValueError("wrong size")
        return GOOD

    _, found = tried(Session(silent), case(), TRIAL)
    assert [True, False] == [found[name].names for name in ("text for int", "two wrong")]
    assert found["text for int"].detail == "ValueError: wrong size"


def test_only_what_is_wanted_is_tried():
    """Without an input nothing is sent; a few are tried as if they were all."""
    session = Session(STRICT)
    assert {} == outcomes(session, wanted=[])
    assert "take" not in [do for do, _ in session.asked]
    assert {"text for int": "rejected"} == outcomes(session, wanted=iter(INPUTS[:1]))


def test_a_right_record_that_is_refused_is_a_fault():
    """If the record written anew does not decode, a refusal of wrong ones would mean nothing."""

    def refuse(blob):
        raise ValueError("not from me")

    with pytest.raises(Fault, match="a valid record, written again, is rejected: ValueError: not from me") as raised:
        tried(Session(refuse), case(), TRIAL)
    assert ("failed", False) == (raised.value.status, raised.value.fatal)
    assert {} == outcomes(Session(refuse), wanted=[])


def test_an_input_that_bytes_cannot_hold_is_not_probed():
    """What has no place in the bytes, or cannot be written, is unprobed with its reason; the others are tried."""
    inputs = (*INPUTS[:1], wrong_at("inner.name.deep", "too deep", 1), wrong_at("size", "no JSON", {1}))
    _, found = tried(Session(STRICT), case(), replace(TRIAL, wrong=inputs))
    assert ["rejected", "unprobed", "unprobed"] == [finding.outcome for finding in found.values()]
    assert found["too deep"].detail.startswith("its bytes have no such place:")
    assert found["no JSON"].detail.startswith("the wrong input cannot be written:")


def test_a_format_that_is_not_written_is_tried_with_wrong_objects():
    """Objects cannot lack a field or have another, so such inputs are unprobed; the others are put into the object."""
    of = case("typeddict", "pickle", "pickle")
    assert dict(
        zip((one.name for one in INPUTS), ["let through", "let through", *["unprobed"] * 3], strict=True)
    ) == outcomes(Session(pickle.loads, pickle.dumps), of=of)
    _, found = tried(Session(pickle.loads, pickle.dumps), of, TRIAL)
    assert found["missing"].detail == strictness.NO_NAMES
    assert found["text for int"].detail == "becomes '12' of type str"


def test_a_case_must_be_rendered_and_come_back():
    """What cannot be rendered is unsupported, and what does not survive has failed."""
    with pytest.raises(Fault, match="the probe cannot be rendered: why not") as raised:
        opened(Session(STRICT), replace(case(), reason="why not"), "a key", ONE, GOOD)
    assert ("unsupported", False) == (raised.value.status, raised.value.fatal)
    with pytest.raises(Fault, match=r"the probe does not survive a round trip: \.x: differs") as raised:
        opened(Session(STRICT, difference=".x: differs"), case(), "a key", ONE, GOOD)
    assert ("failed", False) == (raised.value.status, raised.value.fatal)
    name, found = opened(Session(STRICT), case(), "a key of it", ONE, GOOD)
    assert ("a_key_of_it_of_typeddict_json_models", GOOD) == (name, json.loads(found["blob"]))
    session = Session(STRICT)
    opened(session, case(), "a key", ONE, GOOD)
    assert (ONE.as_data(), GOOD) == (session.spec, session.value)


def test_nothing_is_asked_without_inputs():
    """No input needs no answer."""
    session = Session(STRICT)
    assert [] == answers_to(session, "name", [])
    assert [] == session.asked


def test_documents_are_written_as_their_format_needs():
    """A format that has only records at its root gets one, arrays are arrays again, and a writer may be given."""
    assert GOOD == json.loads(written(case(), GOOD))
    assert written(case(), GOOD, lambda plain: repr(plain).encode()) == repr(GOOD).encode()
    of = case("typeddict", "pymongo", "bson", MANY)
    assert {"items": [GOOD]} == bson.decode(written(of, [GOOD]))
    with pytest.raises(Fault, match="the wrong input cannot be written") as raised:
        written(case(), {1, 2})
    assert ("failed", False) == (raised.value.status, raised.value.fatal)


@pytest.mark.parametrize("many", [True, False])
def test_records_that_are_arrays_get_their_keys(many):
    """An array of the fields is read by their names at any depth, and is written as an array again."""
    schema, of = (MANY, case(schema=MANY)) if many else (ONE, case())
    row = [1, ["a"], None]
    found = read(of, schema, json.dumps([row, GOOD] if many else row).encode())
    first = found[0] if many else found
    assert GOOD == first
    assert type(first) is not dict
    assert type(first["inner"]) is not dict
    assert ([row, GOOD] if many else row) == json.loads(written(of, found))
    first["inner"]["name"] = "b"
    changed = [1, ["b"], None]
    assert ([changed, GOOD] if many else changed) == json.loads(written(of, found))


def test_the_first_independent_reader_reads():
    """It is made for the schema as the worker has it, and the others are not asked."""
    specs = []
    readers = {"one": lambda blob: [len(blob), ["a"], None], "other": bytes}
    several = SimpleNamespace(readers=lambda spec: (specs.append(spec), readers)[1])
    assert GOOD == read(several, ONE, b"1")
    assert [ONE.as_data()] == specs


def test_what_is_no_record_is_read_as_it_is():
    """An array of another length, a scalar or null in place of a record or a list, and unknown keys stay."""
    for value in ([1, ["a"]], 5, None, "abc", {"other": 1, "inner": [1, 2]}, {"inner": None}):
        assert value == read(case(), ONE, json.dumps(value).encode())
    for value in (5, {"size": 1}, [5, None, [1]]):
        assert value == read(case(schema=MANY), MANY, json.dumps(value).encode())


def test_bytes_that_nothing_else_reads_are_a_fault():
    """Without an independent reader there is no document to make wrong."""
    with pytest.raises(Fault, match="nothing else reads these bytes") as raised:
        read(case("dataclasses", "pickle", "pickle"), ONE, b"")
    assert ("failed", False) == (raised.value.status, raised.value.fatal)


def test_a_good_record_that_cannot_be_read_is_a_fault():
    """Whatever the independent reader raises, the record cannot be made wrong."""
    session = Session(lambda blob: GOOD, lambda row: b"{")
    with pytest.raises(Fault, match="the good record cannot be read") as raised:
        tried(session, case(), TRIAL)
    assert ("failed", False) == (raised.value.status, raised.value.fatal)


def test_the_record_at_each_place_lacks_a_field():
    """The last field without a default is missing there, in arrays too, and nowhere else."""
    of = case("typeddict", "msgpack", "msgpack", MANY)
    rows = [[1, ["a"], None], {**GOOD, "size": 2}, {**GOOD, "size": 3}]
    right, wrong = wrong_documents(of, MANY, msgpack.packb(rows), {"one": 1, "first": 0, "last": -1})
    assert rows == msgpack.unpackb(right)
    short = {"size": 2, "note": None}
    assert {
        "one": [rows[0], short, rows[2]],
        "first": [[1, None], *rows[1:]],
        "last": [*rows[:2], {"size": 3, "note": None}],
    } == {name: msgpack.unpackb(blob) for name, blob in wrong.items()}


def test_the_last_of_several_fields_is_missing():
    """The last one without a default, however many there are."""
    schema = Schema(
        List(Ref("R")), (Record("R", (*(Field(name, INT) for name in "abcd"), Field("e", INT, default=0))),)
    )
    row = dict.fromkeys("abcde", 1)
    _, wrong = wrong_documents(case(schema=schema), schema, json.dumps([row]).encode(), {"only": 0})
    assert [dict.fromkeys("abce", 1)] == json.loads(wrong["only"])


@pytest.mark.parametrize(
    ("of", "schema", "blob", "message"),
    [
        (case("typeddict", "pickle", "pickle", MANY), MANY, b"", "pickle cannot be written wrong"),
        (case(), ONE, b"{}", "the data is not a list of records"),
        (case(schema=Schema(List(INT))), Schema(List(INT)), b"[]", "the data is not a list of records"),
        (case(schema=MANY), MANY, b"[]", "the data has no record that could lack a field"),
        (case(schema=MANY), MANY, b"[", "its bytes cannot be read"),
        (
            case(schema=MANY),
            Schema(List(Ref("R")), (Record("R", (Field("x", INT, default=0),)),)),
            b"[]",
            "no field is required",
        ),
    ],
)
def test_what_cannot_be_wrong_is_unsupported(of, schema, blob, message):
    """Each reason is told in a line."""
    with pytest.raises(Fault, match=message) as raised:
        wrong_documents(of, schema, blob, {"reject": -1})
    assert ("unsupported", False) == (raised.value.status, raised.value.fatal)


def test_the_record_that_decides_classes_is_wrong_in_13_ways():
    """A strict decoder by hand refuses each of them, and is strict."""

    def take(value, kind):
        if type(value) is not kind:
            raise TypeError
        return value

    def decode(blob):
        row = json.loads(blob)
        kinds = {"fullname": str, "quantity": int, "ratio": float, "enabled": bool, "owner": dict, "numbers": list}
        for key, kind in kinds.items():
            take(row[key], kind)
        take(row["owner"]["surname"], str)
        return row

    found = strictness.strictness(Session(decode), case(schema=BASICS.schema))
    assert found == "dicts, strict"
    assert len(BASICS.wrong) == 13
    assert strictness.strictness(Session(json.loads), case(schema=BASICS.schema)) == "dicts, unchecked"
