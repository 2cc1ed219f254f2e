"""Every library with every codec, on every feature of a schema: a verified round trip, or a reason."""

from __future__ import annotations

import pickle
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from feature_schemas import EXAMPLES, KITCHEN_SINK, Example, without
from round_trip import AT_HAND, cases, difference, failure, imported, objects, skip_if_rendered_otherwise

from serbench.model.data.dataset import generate, get, workload_names
from serbench.model.fidelity.proof import put
from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import DATETIME, INT, STR
from serbench.render.case import Case, render
from serbench.render.codec import Codec, codecs
from serbench.render.library import libraries

CONTAINERS = ("optional", "list of", "map of", "tuple with", "set of")
SCALARS = [name for name in EXAMPLES if all(f"{container} {name}" in EXAMPLES for container in CONTAINERS)]
IN_CONTAINERS = {f"{container} {scalar}" for container in CONTAINERS for scalar in SCALARS}
ALWAYS_ALONE = ("alias", "one name with two aliases", "recursion", "recursion through a tagged union", "root record")
ALWAYS_ALONE += (
    "unions within one another",
    "mutual recursion",
    "root list of float",
    "root map of records",
    "root union",
    "union tagged type",
)
"""What is not a field of a row, so that it cannot stand beside others."""
EVERY_TYPE = [
    *SCALARS,
    *(f"{container} {kind}" for container in CONTAINERS for kind in ("datetime", "timedelta", "bytes")),
]
EVERY_TYPE += [
    "set of date",
    "any JSON",
    "enum",
    "int enum",
    "set of enum",
    "tuple of enums",
    "record",
    "list of records",
]
EVERY_TYPE += ["map of records", "union tagged type", "union within a union", "int or str", "str or date", "default"]
"""A field of every type, and containers of what is not JSON's."""


def groups() -> dict[str, list[str]]:
    """The features that are fields of rows and can stand in one record, by what they have in common."""
    found = {f"{container} scalars": [f"{container} {scalar}" for scalar in SCALARS] for container in CONTAINERS}
    found |= {"scalars": SCALARS, "others without records": [], "others with one record": []}
    for name, (schema, _) in EXAMPLES.items():
        plain = [field.alias is None for record in schema.records if record.name == "Row" for field in record.fields]
        if plain == [True] and len(schema.records) <= 2 and name not in IN_CONTAINERS and name not in SCALARS:
            found["others without records" if len(schema.records) == 1 else "others with one record"].append(name)
    return found


GROUPS = groups()
BESIDE = {name for names in GROUPS.values() for name in names}
LIBRARIES = [pytest.param(name, False, id=name) for name in AT_HAND]
LIBRARIES += [pytest.param(name, True, id=f"{name} tuned") for name in AT_HAND if libraries()[name].variants]
"""Each library as it is, and each that has variants with all of them."""


def each(names: Iterable[str]) -> list[Any]:
    """These features or workloads with each library."""
    return [pytest.param(*library.values, name, id=f"{name}-{library.id}") for name in names for library in LIBRARIES]


some = pytest.mark.drawn(part=40)


def of(library: str, schema: Schema, *, tuned: bool, codec: Codec | None = None) -> Iterator[Case]:
    """The library's cases for the schema: those of its variants if `tuned`, else the others."""
    return (case for case in cases(library, schema, codec=codec) if tuned == (case.variant != "default"))


def said(case: Case) -> str | None:
    """What is wrong with a case that has no source: it names neither documentation nor what the schema lacks."""
    from serbench.selfcheck.conformance import is_documented  # reads all claims

    assert bool(case.reason) != bool(case.source)
    why = case.reason or ""
    return None if case.source or is_documented(why) else f"the reason is {why!r}"


def wrong(case: Case, schema: Schema, value: Any, folder: Path) -> str | None:
    """What is wrong with the round trip of the value, an exception included, if the codec does not say that it spoils it."""
    try:
        found = failure(case, schema, value, folder)
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return None if case.codec.spoiled(value) else found


@cache
def together(names: frozenset[str]) -> Example:
    """One list of rows with a field for each of these examples, each of which has rows with one field `x`.

    The names are as short as that one: ruamel.yaml breaks a line in the middle of a long set, and cannot read it.
    """
    records, fields, columns = {}, [], {}
    for wire, name in zip(string.ascii_letters, sorted(names), strict=False):
        schema, rows = EXAMPLES[name]
        records |= {record.name: record for record in schema.records}
        fields.append(replace(schema.record("Row").fields[0], name=wire))
        columns[wire] = [row["x"] for row in rows]
    records["Row"] = Record("Row", tuple(sorted(fields, key=lambda field: not field.required)))
    count = max(map(len, columns.values()))
    # Each is an object of its own: YAML's writers make a key that none can read of one that is in a set and elsewhere.
    values = [
        {wire: pickle.loads(pickle.dumps(column[i % len(column)])) for wire, column in columns.items()}
        for i in range(count)
    ]
    return Example(Schema(List(Ref("Row")), tuple(records.values())), values)


def beside(
    library: str,
    names: Iterable[str],
    folder: Path,
    *,
    tuned: bool,
    codec: Codec | None = None,
) -> dict[str, str]:
    """What is wrong with the library's cases for one list of rows with all of these features that a case carries."""
    carried, outcomes = defaultdict(set), {}
    for feature in names:
        for case in of(library, EXAMPLES[feature].schema, tuned=tuned, codec=codec):
            outcomes[f"{case.module_name}: {feature}"] = said(case)
            if case.source:
                carried[case.variant, case.codec].add(feature)
    assert outcomes
    for (variant, served), those in carried.items():
        whole = render(libraries()[library], variant, served, together(frozenset(those)).schema)
        found = wrong(whole, *together(frozenset(those)), folder) if whole.source else "not carried beside each other"
        alone = {}
        if found:  # it is not, or one of them is to blame
            for name in those:
                case = render(libraries()[library], variant, served, EXAMPLES[name].schema)
                alone[f"{case.module_name}: {name}"] = wrong(case, *EXAMPLES[name], folder)
        if whole.source and not any(alone.values()):
            outcomes[f"{whole.module_name}: {', '.join(sorted(those))}"] = found
        outcomes |= alone
    return {name: why for name, why in outcomes.items() if why}


@some
@pytest.mark.parametrize(("library", "tuned"), LIBRARIES)
@pytest.mark.parametrize("group", GROUPS)
def test_features_beside_each_other(library, tuned, group, tmp_path):
    """A case brings a field of each feature back exactly and writes its meaning, or says why it does not carry it."""
    assert {} == beside(library, GROUPS[group], tmp_path, tuned=tuned)


@some
@pytest.mark.parametrize("codec", [c for c in codecs() if not c.only], ids=lambda c: f"{c.format}/{c.name}")
def test_every_type_with_this_codec(codec, tmp_path):
    """So do dataclasses with this codec, which says of each type whether it writes it itself."""
    if codec.name == "py-ubjson[container_count]" and not pytest.importorskip("ubjson").EXTENSION_ENABLED:
        pytest.skip(
            "py-ubjson is installed without a compiler, and its decoder in Python refuses an empty list with a count"
        )
    assert {} == beside("dataclasses", EVERY_TYPE, tmp_path, tuned=False, codec=codec)


def alone(library: str, schema: Schema, value: Any, folder: Path, *, tuned: bool) -> dict[str, str]:
    """What is wrong with the library's cases for this schema and value."""
    outcomes = {
        case.module_name: said(case) or (wrong(case, schema, value, folder) if case.source else None)
        for case in of(library, schema, tuned=tuned)
    }
    assert outcomes
    return {name: why for name, why in outcomes.items() if why}


@some
@pytest.mark.parametrize(("library", "tuned"), LIBRARIES)
def test_round_trip_or_reason(library, tuned, tmp_path):
    """So it does with each schema that has one feature alone."""
    found = {name: alone(library, *EXAMPLES[name], tmp_path, tuned=tuned) for name in EXAMPLES if name not in BESIDE}
    assert {} == {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.full
@some
@pytest.mark.parametrize(("library", "tuned", "workload"), each(workload_names()))
def test_workloads_round_trip(library, tuned, workload, tmp_path):
    """Every workload comes back exactly, or the case says why it does not exist."""
    data = generate(workload, records=3, seed=1)
    assert {} == alone(library, data.schema, data.value, tmp_path, tuned=tuned)


@pytest.mark.full
@some
@pytest.mark.parametrize("library", AT_HAND)
@pytest.mark.parametrize("workload", ["events", "tree", "wide"])
def test_deeper_workloads_round_trip(library, workload, tmp_path):
    """So it does where records hold records of their own kind, such as a tagged union in a member of that union."""
    data = generate(workload, records=6, depth=get(workload).shallowest + 3, seed=1)
    assert {} == alone(library, data.schema, data.value, tmp_path, tuned=False)


ORDER = Record(
    "Order", (Field("note", STR), Field("at", DATETIME), Field("inner", Ref("Inner")), Field("sizes", List(INT)))
)
ORDERS = Schema(List(Ref("Order")), (Record("Inner", (Field("name", STR),)), ORDER))
AN_ORDER = {"note": "a", "at": datetime(2024, 3, 1, 12, tzinfo=UTC), "inner": {"name": "b"}, "sizes": [1]}
TWO = [AN_ORDER, {**AN_ORDER, "note": "c"}]
POISONS = (object(), 2**2000, "\ud800", b"\xff", {1: object()}, [[object()]])
"""What some field of the second record holds, so that an encoder has begun to write when it refuses."""


def after_refusals(case: Case, folder: Path) -> str | None:
    """What is other than before once a case has refused objects and documents."""
    module = imported(case, folder)
    encoding = imported(case.writer, folder) if case.writer else module
    make = getattr(encoding, "build", None) or (lambda value: objects(encoding, ORDERS, value))
    blob = encoding.encode(make(TWO))
    for field, poison in product(("note", "inner", "sizes"), POISONS):
        with suppress(Exception):
            encoding.encode(put(make(TWO), [[1, 1], [field, field]], poison))
        if (after := encoding.encode(make(TWO))) != blob:
            return f"once it was given {poison!r} for {field}, it writes {after[:80]!r} in place of {blob[:80]!r}"
    for broken in (b"", blob[:-1], blob[: len(blob) // 2], blob[len(blob) // 2 :], blob + blob[:9], b"\xff" * 9):
        with suppress(Exception):
            module.decode(broken)
        if "decode" in case.operations and (found := difference_of(module, module.decode(blob))):
            return f"once it has read {broken[:80]!r}, it reads{found}"
    return None


def difference_of(module: ModuleType, decoded: Any) -> str | None:
    """How what is decoded differs from the orders."""
    data = ORDERS.as_data()
    return difference(data, module, decoded, TWO, TWO)


@some
@pytest.mark.parametrize(("library", "tuned"), LIBRARIES)
def test_a_refusal_leaves_no_trace(library, tuned, tmp_path):
    """A module writes and reads as before once it has refused an object and a document: no state outlives an error."""
    found = {
        case.module_name: after_refusals(case, tmp_path) for case in of(library, ORDERS, tuned=tuned) if case.source
    }
    assert dict.fromkeys(found) == found


@pytest.mark.parametrize("library", [name for name in AT_HAND if libraries()[name].core])
def test_the_article_s_model_has_no_gap(library):
    """Only pickle, where a library's classes are plain dataclasses, is left out of the article's comparison."""
    missing = {
        (case.codec.name, case.variant): case.reason
        for case in cases(library, generate("client", records=2).schema)
        if case.reason and case.codec.core and case.codec.format != "pickle"
    }
    tuned_already = {("orjson", "no_copy_collections"), ("msgpack", "no_copy_collections")}
    assert missing.keys() == (tuned_already if library == "mashumaro" else set())


@pytest.mark.parametrize("library", [name for name in AT_HAND if not libraries()[name].generated])
def test_the_kitchen_sink_is_rendered(library):
    """A library renders a schema with everything that it does not lack, whatever the combination."""
    skip_if_rendered_otherwise(library)
    schema = without(KITCHEN_SINK, *libraries()[library].lacks, *(["default"] if library == "namedtuple" else []))
    assert any(case.source for case in cases(library, schema))


@pytest.mark.slow
@pytest.mark.parametrize(
    "outer", ["DumpUser", "LoadUser", "ReadUser", "BuildUser", "ToUser", "FromUser", "PackUser", "PlainUser"]
)
def test_no_parameter_hides_a_function(outer, tmp_path):
    """A record that is called like the function of another one comes back with that other one in it."""
    inner = Record("User", (Field("name", STR),))
    record = Record(outer, (Field("user", Ref("User")), Field("users", List(Ref("User")))))
    schema = Schema(Ref(outer), (inner, record))
    value = {"user": {"name": "a"}, "users": [{"name": "b"}]}
    found = {
        case.module_name: wrong(case, schema, value, tmp_path) for case in cases("dataclasses", schema) if case.source
    }
    assert dict.fromkeys(found) == found
