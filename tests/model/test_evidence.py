"""Which evidence decides if objects are maps, records or unions, and what is said of decisions on little evidence."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from random import Random

import pytest

from serbench.errors import SchemaError
from serbench.model.inference.decided import MOST_SHOWN, Doubt, Overrides, Wanted, doubts_text, option, path_text
from serbench.model.inference.evidence import MAP, TAG, Keys, Tag, unseen, weigh
from serbench.model.inference.infer import infer, inferred
from serbench.model.normalise import apply_schema
from serbench.model.records import List, Map, Optional, Ref, Schema, Union
from serbench.model.scalars import STR, Scalar
from tests.support import documents

SAID = {  # document → the paths of its doubts
    "manifest": {"scripts", "dependencies", "devDependencies", "engines"},
    "manifests": {"dependencies"},
    "lock_file": set(),
    "resources": {"items.metadata.labels"},
    "rates": set(),
    "translations": {"messages"},
    "wide_table": set(),
    "wide_row": set(),
    "sparse_rows": set(),
    "features": set(),
    "archive": {"log.entries.startedDateTime"},
    "log_lines": {"ts"},
    "list_envelopes": {"note.lines.data.amount"},
    "packages": {"packages"},
    "events": set(),
    "syntax_tree": set(),
    "categories": set(),
    "routes": set(),
    "sizes": set(),
    "scores": set(),
}


def said(document: object, **asked: list[str]) -> list[Doubt]:
    """Return what `show` says to be worth checking."""
    return [doubt for doubt in inferred(document, overrides=Overrides(**asked)).doubts if doubt.only != "adopt"]


def at(schema: Schema, path: str) -> str:
    """Return what the objects at a path are: "map", "record", "union" or "any"."""
    type_ = schema.root
    for step in [] if path == "$" else path.split("."):
        type_ = bare(type_)
        if isinstance(type_, Map):
            assert step == "*"
            type_ = type_.value
        else:
            names = [one.record for one in (type_.members if isinstance(type_, Union) else [type_])]
            fields = [f for name in names for f in schema.record(name).fields if f.wire == step]
            type_ = fields[0].type
    return {Map: "map", Ref: "record", Union: "union", Scalar: "any"}[type(bare(type_))]


def bare(type_: object) -> object:
    """Return the type inside lists and optional types."""
    while isinstance(type_, List | Optional):
        type_ = type_.item
    return type_


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("make", "known"), documents.KNOWN, ids=lambda one: getattr(one, "__name__", ""))
def test_documents_are_read_as_who_knows_them_would(make, known, seed):
    """Manifests, lock files, labels, rates, translations, tables, logs, envelopes and trees have the right shapes."""
    schema = infer(make(Random(seed)))
    assert known == {path: at(schema, path) for path in known}


@pytest.mark.parametrize("make", [make for make, _ in documents.KNOWN], ids=lambda make: make.__name__)
def test_the_next_file_fits(make):
    """The schema of one file describes others of its kind, with keys and tags that the first did not have."""
    schema = infer(make(Random(0)))
    for seed in range(1, 6):
        document = make(Random(seed))
        assert documents.without_nones(document, moment) == documents.without_nones(
            apply_schema(document, schema)[1], moment
        )


def moment(value: object) -> object:
    """Return a moment, or the text of one, as a text to the second, and any other value as it is."""
    if isinstance(value, datetime):
        return value.isoformat()[:19]
    return value[:19] if isinstance(value, str) and value[10:11] == "T" else value


@pytest.mark.parametrize(("make", "known"), documents.KNOWN, ids=lambda one: getattr(one, "__name__", ""))
def test_little_evidence_is_said(make, known):
    """A map of few keys, and a key that may be a tag but has few objects, are doubted; what is plain is not."""
    doubts = said(make(Random(0)))
    assert SAID[make.__name__] == {path_text(doubt.path) for doubt in doubts}


def rules(name, *objects):
    """Return the rules that decide on objects under a name, with their weights."""
    return dict(weigh(Keys(name, Counter(key for one in objects for key in one), objects), MAP).rules)


USUAL = {"objects usually are records": -3}


@pytest.mark.parametrize(
    ("name", "objects", "expected"),
    [
        (
            "dependencies",
            [{"basin": "18", "cable": "4"}, {"delta": "3", "ember": "1"}],
            {"the name is one of maps": 4, "most keys were seen once": 3, "4 keys or more": 1},
        ),
        ("author", [{"name": "a", "email": "b"}], {"half of the keys are those of records": -2}),
        ("day", [{"2024-01-01": 3}], {"keys look like data and not like names": 7}),
        ("text", [{"de": "a", "en": "b", "fr": "c"}], {"keys are languages or currencies": 7}),
        ("it", [{"id": 1, "no": 2, "it": 3}], {}),
        (None, [{"a": 1}, {"a": 2}], {"both objects have a key in common": -2}),
        (None, [{"a": 1}] * 3, {"all objects have a key in common": -3}),
        ("users_by_id", [{"ann": 1}], {"the name is one of maps": 4}),
        ("counts", [{"amber": True}], {"the name is in the plural": 1, "values are booleans": -2}),
        ("metadata", [{"amber": "x"}], {"the name may be one of maps": 2}),
        ("item", [{"amber": "x", "basin": 1}], {"values have several kinds": -6}),
        ("item", [{"amber": None}], {"nothing is known of the values": -4}),
        ("item", [{"amber": {"a": 1, "b": 1}}], {"values are similar objects": 2}),
        (
            "dependencies",
            [{"amber": "1", "basin": {"version": "1"}}],
            {
                "the name is one of maps": 4,
                "values are texts, or objects or lists in their place, under a name of maps": 0,
            },
        ),
        (
            "item",
            [{"amber": "1", "basin": ["1"]}],
            {"values are texts, or objects or lists in their place": -1},
        ),
        (
            "states",
            [{"amber": {"Type": "Task"}, "basin": {"Type": "Pass", "End": True}}],
            {"the name is one of maps": 4, "values are objects with a key that tells kinds apart": 2},
        ),
        ("item", [{"Q42": {"id": "Q42", "a": 1}}], {"values are objects that repeat their keys": 4}),
        ("volumes", [{"amber": None}], {"the name is one of maps": 4}),
        (
            "row",
            [{"q100": 1, "q101": 1, "q102": 1, "q103": 1, "word": "x"}],
            {"keys look like data": 4, "values have several kinds, other ones for other keys": -9, "4 keys or more": 1},
        ),
        (
            "item",
            [{f"k{chr(97 + n % 7)}": 1} for n in range(28)],
            {"hardly a key was seen once": -2, "4 keys or more": 1},
        ),
    ],
)
def test_the_evidence_for_a_map(name, objects, expected):
    """Each rule has its weight, and holds where it says so; the sum decides."""
    assert USUAL | expected == rules(name, *objects)


def test_a_name_that_is_a_map_elsewhere_speaks_for_a_map():
    """Objects that are few, and would be records by themselves, are maps if others of their name are."""
    few = {"ash": {"form": "a", "size": 1}, "oak": {"form": "b", "size": 2}}
    assert "record" == at(infer({"inner": {"fitting": few}}), "inner.fitting")
    many = {f"name {number}": {"form": "a", "size": 1} for number in range(100, 110)}
    assert "map" == at(infer({"outer": {"fitting": many}, "inner": {"fitting": few}}), "inner.fitting")


def tag_rules(key, *objects):
    """Return the rules that decide if a key is a tag, with their weights."""
    groups = {}
    for one in objects:
        groups.setdefault(one[key], []).append(one)
    return dict(weigh(Tag(key, groups), TAG).rules)


A, B, B2 = {"type": "a", "x": 1}, {"type": "b", "y": 2}, {"type": "b", "x": 2}


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([A, B], {"most values were seen once": -6, "each value has fields of its own": 2}),
        ([A, B, B], {"many values were seen once": -4, "each value has fields of its own": 2}),
        (
            [A, B] * 2,
            {
                "hardly a value was seen once": 1,
                "2 objects or more for a value": 1,
                "each value has fields of its own": 2,
            },
        ),
        (
            [A, B] * 3,
            {
                "hardly a value was seen once": 1,
                "3 objects or more for a value": 2,
                "each value has fields of its own": 2,
            },
        ),
        (
            [A, B] * 8,
            {
                "hardly a value was seen once": 1,
                "8 objects or more for a value": 3,
                "each value has fields of its own": 2,
            },
        ),
        (
            [A, B2] * 2,
            {
                "hardly a value was seen once": 1,
                "2 objects or more for a value": 1,
                "most values have the same fields": -6,
            },
        ),
    ],
)
def test_the_evidence_for_a_tag(objects, expected):
    """A tag needs values that were seen again, and fields that differ with them."""
    usual = {"most keys of records are not tags": -3, "the name is one of tags": 3}
    assert usual | expected | {"the fields of a value are known": 2} == tag_rules("type", *objects)


def test_names_of_tags_weigh_less_if_only_their_end_is_usual():
    """`eventType` may be a tag, as `type` is; any other key needs eight objects for a value."""
    objects = [{"eventType": "a", "x": 1}, {"eventType": "b"}] * 2
    assert tag_rules("eventType", *objects)["the name ends as those of tags do"] == 2
    named = [{"name": "a", "x": 1}, {"name": "b", "y": 1}]
    assert isinstance(infer(named * 8).root.item, Union)
    assert isinstance(infer(named * 7).root.item, Ref)


def test_what_was_seen_once_estimates_what_is_new():
    """The share of things that were seen once is the chance of a new one."""
    assert 0.5 == unseen([1, 1, 2])
    assert 0 == unseen([2, 2])


def test_strangers_are_not_merged_by_their_names():
    """An empty list under another key gets no stranger's items, and neither do nulls; equal values are merged."""
    schema = infer(documents.list_envelopes(Random(0)))
    assert {"Cards", "Lines", "Data"} < {record.name for record in schema.records}
    assert "any" in schema.features
    empty, full = dict.fromkeys("abcd"), dict.fromkeys("abcd", 1)
    assert 3 == len(infer({"one": empty, "two": full}).records)
    assert 2 == len(infer({"one": full, "two": full}).records)
    assert 2 == len(infer({"one": {**full, "e": None}, "two": {**full, "e": 1}}).records)


def test_items_of_other_lists_under_a_key_that_says_nothing_are_others():
    """Half of the names are not enough under `data`, as they are under a key that says what it holds."""
    card, line = {"id": 1, "object": "card", "brand": "x"}, {"id": 1, "object": "line", "amount": 5}
    for key, records in (("data", 5), ("parts", 4)):
        document = {"cards": {key: [card], "n": 1}, "lines": {key: [line], "more": 1}}
        assert records == len(infer(document).records)


def test_tags_inside_a_union_are_its_own_values():
    """A key of the same name inside a member is a tag only if its values recur."""
    funding = [{"type": "forge", "url": "u"}, {"type": "custom", "url": "v"}]
    found = [{"type": "library", "funding": funding}, {"type": "plugin", "extra": 1}] * 2
    schema = infer(found)
    assert "union" == at(schema, "$")
    assert "record" == at(schema, "funding")


DOCUMENT = {"packages": [{"type": "a", "x": "1"}, {"type": "b", "y": "2"}], "at": "2024-01-01", "box": {"k": {"v": 1}}}


@pytest.mark.parametrize(
    ("asked", "path", "expected"),
    [
        ({"maps": ["packages"]}, "packages", "map"),
        ({"maps": ["$.packages[]"]}, "packages", "map"),
        ({"maps": ["$[].packages[*]"]}, "packages", "map"),
        ({"maps": [".packages"]}, "packages", "map"),
        ({"unions": ["packages.type"]}, "packages", "union"),
        ({"unions": ["packages[].type"]}, "packages", "union"),
        ({"maps": ["box", "box.*"]}, "box.*", "map"),
        ({"maps": ["box"], "records": ["box.*"]}, "box.*", "record"),
        ({"maps": ["$"]}, "$", "map"),
        ({"anys": ["box"]}, "box", "any"),
        ({"anys": ["$.box.k"]}, "box.k", "any"),
        ({"anys": ["packages.x"]}, "packages", "record"),
    ],
)
def test_the_user_decides_by_path(asked, path, expected):
    """A path makes what it names a map, a record, a union or any JSON, wherever a place ends with it."""
    assert expected == at(inferred(DOCUMENT, overrides=Overrides(**asked)).schema, path)


def test_records_and_texts_by_path():
    """`--record` undoes a map and a union, `--text` a date; what is decided is not doubted."""
    assert "record" == at(
        inferred({"rates": {"EUR": 1, "USD": 2, "GBP": 3}}, overrides=Overrides(records=["rates"])).schema, "rates"
    )
    events = documents.events(Random(0))
    assert "record" == at(inferred(events, overrides=Overrides(records=["$"])).schema, "$")
    plain = inferred(DOCUMENT, overrides=Overrides(texts=["at"])).schema
    assert STR == next(f.type for f in plain.record("Record").fields if f.name == "at")
    assert [] == said(documents.manifests(Random(0)), maps=["dependencies"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"maps": ["nowhere"]}, "--map nowhere: no objects are there"),
        ({"records": ["at"]}, "--record at: no objects are there"),
        ({"texts": ["packages"]}, "--text packages: no texts are there"),
        ({"anys": ["nowhere"]}, "--any nowhere: nothing is there"),
        ({"unions": ["packages.x"]}, "--union packages.x: no objects are there that all have it as a text"),
        ({"unions": ["box.k"]}, "--union box.k: no objects"),
        ({"maps": ["box"], "records": ["box"]}, "box: --map and --record both name it"),
        ({"maps": ["a..b"]}, "'a..b' is not a path"),
        ({"maps": ["a."]}, "'a.' is not a path"),
        ({"maps": ['a"b"']}, "is not a path"),
        ({"maps": ["a[0]"]}, "is not a path"),
        ({"maps": [""]}, "'' is not a path"),
        ({"maps": ['"a']}, "is not a path"),
        ({"maps": [r'"\x"']}, "written as in JSON"),
        ({"unions": ["$"]}, "names no key"),
    ],
)
def test_a_path_that_names_nothing_is_refused(asked, message):
    """A misspelt path is told in one line, not passed over."""
    with pytest.raises(SchemaError) as error:
        inferred(DOCUMENT, overrides=Overrides(**asked))
    assert message in str(error.value)


@pytest.mark.parametrize(
    "path", [("a", "b"), ("a b", "*", "c.d"), ('q"', "é", "\n"), ("$",), ("",), ("a[]", "[*]"), ()]
)
def test_paths_are_read_as_they_are_printed(path):
    """Any key comes back, in ASCII without control characters."""
    text = path_text(path)
    assert text.isascii()
    assert text.isprintable()
    assert Wanted.parse(text).steps == path
    assert Wanted.parse(text).means(("more", *path)) == (path != ())


def test_an_option_is_safe_to_paste():
    """Signs of the shell in a key are quoted, and a key with a comma, which separates paths, is any."""
    assert "--map 'a.*'" == option("map", ("a", "b,c"))
    assert "--map '\"$(rm x)\"'" == option("map", ("$(rm x)",))


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (
            {"env": {"PORT": 80, "HOST": "x"}},
            "`env`: record, 2 keys in 1 object, numbers or text; --map env makes it a map",
        ),
        ({"options": {"a": 1, "b": 2}}, "`options`: record, 2 keys in 1 object, all of one kind; --map options"),
        (
            [{"headers": {"User-Agent": ["a"], "Accept": ["b"]}}] * 8,
            "`headers`: record, 2 keys in 8 objects, all of one kind; --map headers",
        ),
        ({"style": {"opacity": 1}}, "`style.opacity`: int, but its name or its neighbours are those of fractions"),
        ([{"min": 1, "max": 2.5}], "`min`: int, but"),
        ({"a": {"load": 1}, "b": {"load": 0.5, "x": 1}}, "`a.load`: int, but"),
        ([{"x": [0, 1], "y": [0.5, 1]}], "`x`: int, but"),
        ([{"at": "2024-01-01T00:00:00.123456"}], "`at`: datetime with microseconds"),
    ],
)
def test_what_the_next_document_may_not_fit_is_said(document, expected):
    """A record whose name speaks for a map, an int that may be a fraction, and all digits of a second are doubted."""
    (doubt,) = said(document)
    assert str(doubt).startswith(expected)


@pytest.mark.parametrize(
    "document",
    [
        [{"env": {"PORT": 80, "HOST": "x"}}] * 3,
        [{"id": 1, "price": 2.5}],
        [{"at": "2024-01-01T00:00:00"}],
        {"name": {"first": "a", "last": "b"}},
        [{"issuer": {"a": 1, "b": 2}}, *[{"issuer": {}}] * 9],
    ],
)
def test_what_is_plain_is_not_doubted(document):
    """Neither are records that recur, identifiers beside fractions, whole seconds, and empty objects."""
    assert [] == said(document)


@pytest.mark.parametrize("name", ["accessKeyId", "account"])
def test_a_tag_is_the_key_with_the_most_evidence(name):
    """An identifier that goes with the kind of an object is no tag, though it comes first."""
    users = [{name: "AKIA80VX8NP4VC", "type": "User", "name": f"u{number}"} for number in range(20)]
    roles = [{name: "ASIA5CT9NN8EYV", "type": "Role", "session": number} for number in range(20)]
    assert Union((Ref("User"), Ref("Role")), "type") == infer(users + roles).root.item
    for one in users + roles:
        one[name] = "main" if one["type"] == "User" else "other"
    assert "type" == infer(users + roles).root.item.tag


def test_keys_that_are_expressions_are_data():
    """Conditions, as Cargo has for targets, are no names of fields; a name with a unit behind it may be one."""
    target = {"cfg(unix)": {"libc": "0.2"}, 'cfg(target_env = "musl")': {"jemalloc": "0.6"}}
    assert isinstance(infer({"target": target}).record("Record").fields[0].type, Map)
    assert isinstance(infer({"cells": {"Price (EUR)": 2.5, "Weight (kg)": 1.5}}).record("Record").fields[0].type, Ref)


def test_records_of_few_objects_are_told_once():
    """They are told with the first places, each record once however often it is nested or used."""
    (doubt,) = (
        doubt for doubt in inferred([{"a": {"b": {"c": 1}}, "d": {"e": 1}}] * 4).doubts if doubt.only == "adopt"
    )
    assert str(doubt).startswith("`$`, `a`, `d` and 1 more: record of few objects")
    assert () == inferred([{"a": number} for number in range(5)]).doubts


@pytest.mark.parametrize(
    "document",
    [
        [{"n": number, "owner": {"id": 1, "login": "a"}} for number in range(9)],
        [{"n": number, "one": {"id": 1, "login": "a"}, "other": {"id": 1, "login": "a"}} for number in range(9)],
        [{"id": 1 + number % 5, "owner": {"id": 1, **({"key": 1} if number == 4 else {})}} for number in range(40)],
    ],
)
def test_an_object_that_occurs_again_says_nothing_new(document):
    """Of a record or a key, only different objects are counted, in one place or several."""
    (doubt,) = inferred(document).doubts
    assert ("record of few objects" in doubt.says, "adopt") == (True, doubt.only)


def test_doubts_are_lines():
    """Each has its path, what was decided and what to type instead; the rest is counted."""
    doubts = inferred(documents.manifests(Random(0))).doubts
    line = "- `dependencies`: map of text, 4 keys in 2 objects; --record dependencies makes it a record\n"
    assert doubts_text(doubts) == f"worth checking:\n{line}"
    assert "" == doubts_text(())
    many = doubts_text(doubts * (MOST_SHOWN + 2))
    assert many.endswith("- and 2 more\n")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ([{"k": "MDEwOlJlcG9zaXRvcnkxNzI3MzA1MQ=="}], "`k`: text that looks like base64; a JSON Schema (--schema)"),
        ([{"k": "2024-01-01T00:00:00Z"}, {"k": "2024-01-02T00:00:00Z"}], "`k`: datetime, which some libraries write"),
        ([{"a": "2024-01-01 00:00:00", "b": "2024-01-01T00:00:00.125"}], "`a`, `b`: datetime, which"),
    ],
)
def test_texts_that_may_come_back_otherwise_are_said(document, expected):
    """Base64 stays text; a datetime that libraries respell says so, once for all."""
    (doubt,) = said(document)
    assert expected in str(doubt)


@pytest.mark.parametrize("text", ["2024-01-01", "2024-01-01T00:00:00", "123e4567-e89b-12d3-a456-426614174000"])
def test_texts_that_come_back_as_they_are_are_not_doubted(text):
    """Dates, UUIDs and naive datetimes are written by every library as they were read."""
    assert [] == said([{"k": text}])
    assert STR != infer([text]).root.item


@pytest.mark.parametrize("name", ["tags", "labels", "messages"])
def test_the_name_of_a_file_is_no_evidence(name):
    """What is called so within a document may be a map; the document itself is what its keys say."""
    assert isinstance(infer({"packages": [{"id": 1}, {"id": 2}]}, name).root, Ref)
    assert isinstance(infer({name: {"app": "x", "tier": "y"}, "id": 1}).records[0].fields[0].type, Map)
