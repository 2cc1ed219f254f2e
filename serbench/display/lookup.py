"""The lookup of values and of wrong input: a line for each outcome of each probe, with its codecs and libraries.

What is changed in silence has a script that shows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from textwrap import dedent
from typing import NamedTuple

from serbench.display.matrices import OUTCOMES, most_frequent, probed_on, with_recommended_codec
from serbench.display.table import Column, Table, code, escaped
from serbench.judge.outcomes import Behaviour, Finding, by_type, probe_names, probe_type
from serbench.measure.probes.values import GROUPS, Probe
from serbench.render.codec import Codec, codecs
from serbench.render.library import hands_over, libraries
from serbench.results import grouped


class Way(NamedTuple):
    """How a codec or library of the tables writes a value and reads it again.

    `back` is an expression of `value`; if it is empty, `setup` is the whole script. `only` has the beginnings of the probes
    for which this is the way; all if there are none.
    """

    who: str
    setup: str
    back: str = ""
    only: tuple[str, ...] = ()


def _whole(who: str, code: str, *only: str) -> Way:
    return Way(who, dedent(code).strip("\n"), "", only)


def _with(who: str, code: str, back: str, *only: str) -> Way:
    return Way(who, dedent(code).strip("\n"), back, only)


_ANY = ("tuple where", "set where", "frozenset where", "datetimes with", "a NamedTuple")
WAYS = (
    _with("json/json", "import json", "json.loads(json.dumps(value))"),
    _with("simplejson/json", "import simplejson", "simplejson.loads(simplejson.dumps(value))"),
    _with("ujson/json", "import ujson", "ujson.loads(ujson.dumps(value))"),
    _with("orjson/json", "import orjson", "orjson.loads(orjson.dumps(value))", "float", *_ANY),
    _with("msgspec/json", "import msgspec", "msgspec.json.decode(msgspec.json.encode(value))", *_ANY),
    _with("msgspec/msgpack", "import msgspec", "msgspec.msgpack.decode(msgspec.msgpack.encode(value))", *_ANY),
    _with(
        "msgspec/msgpack",
        "from msgspec import msgpack",
        "msgpack.decode(msgpack.encode(value), type=type(value))",
        "datetime",
    ),
    _with(
        "msgspec/json",
        "from msgspec import json",
        "json.decode(json.encode(value), type=type(value))",
        "datetime",
    ),
    _whole(
        "msgspec/json",
        """
        import msgspec

        class Inner(msgspec.Struct):
            name: str

        class Outer(Inner):
            pass

        print(Outer("a"), "→", msgspec.json.decode(msgspec.json.encode(Outer("a")), type=Inner))
        """,
        "an object of a subclass",
    ),
    _with("pydantic/json", "import pydantic", "pydantic.TypeAdapter(float).dump_json(value)", "float"),
    _with(
        "pydantic/json",
        """
        import pydantic

        def back(value):
            adapter = pydantic.TypeAdapter(type(value))
            return adapter.validate_json(adapter.dump_json(value))
        """,
        "back(value)",
        "dict",
        "datetime with",
    ),
    _with(
        "serpyco-rs/json",
        """
        from typing import Any
        import serpyco_rs

        json = serpyco_rs.Serializer(Any, codec=serpyco_rs.JSON)
        """,
        "json.load(json.dump(value))",
        "dict",
    ),
    _with(
        "serpyco-rs/json",
        "# the JSON of a library without durations has their seconds",
        "datetime.timedelta(seconds=value.total_seconds())",
        "timedelta",
    ),
    _with("py-ubjson/ubjson", "import ubjson", "ubjson.loadb(ubjson.dumpb(value))"),
    _with("plistlib/plist", "import plistlib", "plistlib.loads(plistlib.dumps(value, fmt=plistlib.FMT_BINARY))"),
    _with("rtoml/toml", "import rtoml", 'rtoml.loads(rtoml.dumps({"key": value}))["key"]'),
    _whole(
        "csv/csv",
        """
        import csv, io

        file = io.StringIO()
        csv.writer(file).writerow(["", None])
        print(["", None], "→", next(csv.reader([file.getvalue()])))
        """,
    ),
    _with("cbor2/cbor", "import cbor2", "cbor2.loads(cbor2.dumps(value))"),
    _whole(
        "ruamel/yaml",
        """
        import io
        import ruamel.yaml

        yaml, file = ruamel.yaml.YAML(typ="safe"), io.BytesIO()
        yaml.dump({"b": 1, "c": 2, "a": 3}, file)
        print(["b", "c", "a"], "→", list(yaml.load(file.getvalue())))
        """,
        "dict keeps",
    ),
    _whole(
        "protobuf/protobuf",
        """
        from google.protobuf.struct_pb2 import Struct

        keys, struct = list("serialization"), Struct()
        struct.update(dict.fromkeys(keys))
        print(list(dict.fromkeys(keys)), "→", list(Struct.FromString(struct.SerializeToString()).fields))
        """,
        "dict keeps",
    ),
    _whole(
        "elementtree/xml",
        r"""
        from xml.etree import ElementTree

        element = ElementTree.Element("text")
        element.text = "a\nb\rc\r\nd"
        print(repr(element.text), "→", repr(ElementTree.fromstring(ElementTree.tostring(element)).text))
        """,
        "str newlines",
    ),
    _with(
        "pymongo/bson",
        """
        import bson

        aware = bson.CodecOptions(tz_aware=True)
        """,
        'bson.decode(bson.encode({"key": value}), aware)["key"]',
    ),
    _with(
        "fastavro/avro",
        """
        import io
        import fastavro

        schema = {"type": "long", "logicalType": "timestamp-micros"}

        def back(value):
            file = io.BytesIO()
            fastavro.schemaless_writer(file, schema, value)
            return fastavro.schemaless_reader(io.BytesIO(file.getvalue()), schema)
        """,
        "back(value)",
    ),
    _with(
        "avro/avro",
        """
        import io
        import avro.io, avro.schema

        schema = avro.schema.parse('{"type": "long", "logicalType": "timestamp-micros"}')

        def back(value):
            file = io.BytesIO()
            avro.io.DatumWriter(schema).write(value, avro.io.BinaryEncoder(file))
            return avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(io.BytesIO(file.getvalue())))
        """,
        "back(value)",
    ),
    _with("pyarrow/arrow", "import pyarrow", 'pyarrow.array([value], pyarrow.timestamp("us", "UTC"))[0].as_py()'),
    _with(
        "fory/fory",
        """
        import pyfory

        fory = pyfory.Fory(xlang=False, strict=False)
        """,
        "fory.deserialize(fory.serialize(value))",
    ),
    _with("amazon.ion/ion", "from amazon.ion import simpleion", "simpleion.loads(simpleion.dumps(value))"),
    _with(
        "apischema[its own Decimal]",
        "from apischema import deserialize, serialize",
        "deserialize(decimal.Decimal, serialize(decimal.Decimal, value))",
        "Decimal",
    ),
    _with(
        "marshmallow",
        """
        from marshmallow import Schema, fields

        schema = Schema.from_dict({"key": fields.Decimal(as_string=True)})()
        """,
        'schema.load(schema.dump({"key": value}))["key"]',
        "Decimal",
    ),
    _with("apischema", "import apischema", "apischema.serialize(typing.Any, value)", "a NamedTuple"),
    _with("chili", "import chili", "chili.encode(value)", "timedelta"),
    _with(
        "schematics",
        "from schematics.types import DateTimeType",
        "DateTimeType().to_primitive(value)",
        "datetime of",
        "naive datetime",
    ),
    _with("jsons", "import jsons", "jsons.dump(value)", "date of", "datetime of"),
    _with("jsons", "import jsons", "jsons.load(jsons.dump(value), datetime.datetime)", "datetime with"),
    _whole(
        "jsons",
        """
        from dataclasses import dataclass
        import jsons

        @dataclass
        class Row:
            zulu: int
            alpha: int

        print(Row(1, 2), "→", jsons.dumps(Row(1, 2)))
        """,
        "fields stay",
    ),
    _whole(
        "jsons",
        """
        from dataclasses import dataclass
        import jsons

        @dataclass
        class Row:
            subject: int

        print(["subject"], "→", list(vars(jsons.loads('{"subject": 2, "surplus": 1}', Row))))
        """,
        "an unknown key",
    ),
    _whole(
        "typeddict",
        """
        import json
        from typing import TypedDict

        class Row(TypedDict):
            subject: int
            maybe: int | None

        row: Row = json.loads('{"subject": 2, "surplus": 1}')
        print(list(Row.__annotations__), "→", list(row))
        """,
        "absent",
        "an absent",
        "an unknown key",
    ),
    _whole(
        "typeddict",
        """
        import json

        class Table(dict):
            pass

        print(Table, "→", type(json.loads(json.dumps(Table(name="a")))))
        """,
        "an object of a subclass",
    ),
)
"""In the order in which they are preferred."""
_LITERALS = {
    "a NamedTuple where anything may stand": 'collections.namedtuple("Pair", "first second")(1, "a")',
    "float of 1,000 random bit patterns": "2e-310",
}
_MODULES = ("collections", "datetime", "decimal", "typing")


def way_of(probe: str, names: Iterable[str]) -> Way | None:
    """The way that shows what one of these codecs and libraries makes of a probe; None if there is none."""
    known = {*names}
    able = (way for way in WAYS if way.who in known and (not way.only or probe.startswith(way.only)))
    return next(able, None)


def script(way: Way, probes: Sequence[str]) -> str:
    """The script that shows these probes in this way: it prints each value, an arrow and what comes back."""
    if not way.back:
        return f"{way.setup}\n"
    values = "".join(f"    {text},\n" for text in dict.fromkeys(map(_literal, probes)))
    imports = "".join(f"import {name}\n" for name in _MODULES if f"{name}." in values + way.back)
    return f'{imports}{way.setup}\n\nfor value in [\n{values}]:\n    print(repr(value), "→", repr({way.back}))\n'


def title(way: Way, probe: str) -> str:
    """The heading of the script that shows a probe in this way, and others of its type if it is not a whole script."""
    return f"{probe_type(probe) if way.back else probe} with {way.who}"


def _literal(probe: str) -> str:
    if probe in _LITERALS:
        return _LITERALS[probe]
    value = next(one.value["subject"] for group in GROUPS for one in group.probes if one.name == probe)
    text = re.sub(r"\b(nan|inf)\b", r'float("\1")', repr(value))
    return re.sub(r"\bDecimal\(", "decimal.Decimal(", text)


SHOWN = 96
ALSO = {
    "datetime +05:45": "datetime with offset",
    "datetime -03:30": "datetime with offset",
    "None in place of text": "None in TOML, null",
    "str that looks like 1_000": "1_000 in YAML",
    "None in place of int": "None, null",
    "list with None in it": "None, null",
    "dict with None as a key": "None, null",
}
"""Other words for a probe, for who searches the page."""
KEPT, SILENT, DECLARED = "kept", "changed in silence", "changed, a fault is declared"
_MERGED = tuple(one for one in reversed(OUTCOMES["fidelity"]) if one not in ("changed", "unsupported", "exact"))
"""What has one line for all errors and messages, but for depths."""
_DEPTH = "up to "
"""How the detail of a refusal begins that has the greatest depth."""
HARM = (SILENT, DECLARED, *_MERGED, KEPT)
"""What may happen to a value, the worst first."""
_UNTRIED = ("unsupported", "unprobed")
REFUSED, UNNAMED = "rejected", "rejected, its field is not named"
WRONG_HARM = (*reversed(OUTCOMES["strictness"]), UNNAMED)
"""What may happen to wrong input, the worst first."""
MOST_NAMED = 12


class Line(NamedTuple):
    """What codecs and libraries make of a probe alike: what happens, to whom, and what comes back."""

    probe: str
    what: str
    codecs: Sequence[str]
    libraries: Sequence[str]
    back: str

    @property
    def way(self) -> Way | None:
        """The way that shows what is changed in silence."""
        names = [*self.codecs, *(name.partition(" (")[0] for name in self.libraries)]
        return way_of(self.probe, names) if self.what == SILENT else None


def matrices_markdown(behaviours: Sequence[Behaviour], command: str) -> str:
    """Markdown: what happens to each value and to each wrong input."""
    head = ["# What happens to each value", f"Made with {code(command)}."]
    parts = ["## Every value", values_markdown(behaviours), "## Every wrong input", wrong_markdown(behaviours)]
    return "\n\n".join([*head, *parts]) + "\n"


def values_markdown(behaviours: Sequence[Behaviour], scripts: str = "") -> str:
    """Markdown: for each type a table of its probes, each with what its codecs and libraries do, the worst first.

    What is changed in silence links to its script on the page `scripts`, if there is one.
    """
    known = lines(behaviours)
    headings = {(way, probe): heading for heading, (way, probes) in _scripts(known).items() for probe in probes}

    def happens(line: Line) -> str:
        heading = headings.get((line.way, line.probe)) if line.way and scripts else None
        return line.what if heading is None else f"[{line.what}]({scripts}#{anchor(heading)})"

    return "\n\n".join([*_origin(behaviours), *_tables(known, "value", happens, ("codecs", "libraries"))])


def wrong_markdown(behaviours: Sequence[Behaviour]) -> str:
    """Markdown: for each type a table of its wrong inputs, each with what libraries do, the worst first."""
    chosen = {
        f"{name} ({case.codec})": case.strictness for name, case in sorted(with_recommended_codec(behaviours).items())
    }
    names = probe_names(behaviours, "strictness")
    known = [line for name in names for line in _lines(name, {}, chosen, _told_wrong, WRONG_HARM)]
    return "\n\n".join(_tables(known, "wrong input", lambda line: line.what, ("libraries",)))


def _tables(known: Iterable[Line], first: str, happens: Callable[[Line], str], whose: Sequence[str]) -> Iterator[str]:
    """For each type a heading and a table of its lines; the column `first` has what was tried."""
    for type_, rows in grouped(known, lambda line: probe_type(line.probe)).items():
        firsts = {one.probe: number for number, one in reversed([*enumerate(rows)])}
        columns = [
            Column(
                first,
                [_titled(one.probe, is_first=firsts[one.probe] == number) for number, one in enumerate(rows)],
                "left",
                markup=True,
            ),
            Column("what happens", [*map(happens, rows)], "left", markup=True),
            Column("what comes back, or is said", [one.back or "–" for one in rows], "left"),
            *(Column(name, [_named(getattr(one, name), one.what) for one in rows], "left") for name in whose),
        ]
        yield f"### {type_}\n\n{Table('', columns).to_markdown()}"


def _origin(behaviours: Sequence[Behaviour]) -> list[str]:
    versions = {f"{name} {version}" for behaviour in behaviours for name, version in behaviour.versions.items()}
    about = [f"{probed_on(behaviours)}.", *([", ".join(sorted(versions)) + "."] if versions else [])]
    return ["\n".join(map(escaped, about))]


def scripts_markdown(behaviours: Sequence[Behaviour]) -> str:
    """Markdown: a script for each way and type of values that are changed in silence."""
    parts = [f"### {name}\n\n```python\n{script(*shown)}```" for name, shown in _scripts(lines(behaviours)).items()]
    return "\n\n".join(parts)


def lines(behaviours: Sequence[Behaviour]) -> list[Line]:
    """What happens to each probe: a line for each thing that comes back, and one for those that keep the value."""
    of_codecs = {name: _of_most(cases) for name, cases in by_codec(behaviours).items()}
    chosen = {
        f"{name} ({case.codec})": case.fidelity for name, case in sorted(with_recommended_codec(behaviours).items())
    }
    by_probe = by_type(probe_names(behaviours, "fidelity"))
    return [
        line for names in by_probe.values() for name in names for line in _lines(name, of_codecs, chosen, _told, HARM)
    ]


def _lines(
    name: str,
    of_codecs: Mapping[str, Mapping[str, Finding]],
    of_libraries: Mapping[str, Mapping[str, Finding]],
    told_of: Callable[[Finding], tuple[str, str]],
    harm: Sequence[str],
) -> Iterator[Line]:
    """A line for each thing that happens to a probe, in the order of `harm`."""
    met = [("codec", who, known[name]) for who, known in of_codecs.items() if name in known]
    met += [("library", who, known[name]) for who, known in of_libraries.items() if name in known]
    told = [(kind, who, *told_of(finding)) for kind, who, finding in met if finding.outcome not in _UNTRIED]
    alike = grouped(told, lambda one: (one[2], one[3] if one[2] not in _MERGED or one[3].startswith(_DEPTH) else ""))
    for (what, _), members in sorted(alike.items(), key=lambda item: (harm.index(item[0][0]), item[0][1])):
        by_kind = {kind: [who for one, who, *_ in members if one == kind] for kind in ("codec", "library")}
        backs = ", ".join(dict.fromkeys(back for *_, back in members if back))
        yield Line(name, what, by_kind["codec"], by_kind["library"], backs)


def by_codec(behaviours: Sequence[Behaviour]) -> dict[str, list[Behaviour]]:
    """Codec → its cases, each with the findings that are the codec's own."""
    known = {f"{codec.name}/{codec.format}": codec for codec in codecs()}
    probed = (behaviour for behaviour in behaviours if behaviour.fidelity)
    cases = sorted(grouped(probed, lambda behaviour: f"{behaviour.codec}/{behaviour.format}").items())
    return {name: [_of_codec(case, known[name]) for case in members] for name, members in cases if name in known}


def _of_codec(behaviour: Behaviour, codec: Codec) -> Behaviour:
    """The case with the findings that are its codec's own: of values that the module hands over as they are."""
    library, features = libraries().get(behaviour.library), _features()
    if library is None or behaviour.variant != "default":
        return replace(behaviour, fidelity={})

    def handed(name: str) -> bool:
        probe, features_of_group = features.get(name, (None, frozenset()))
        if probe is None or probe.without or probe.beside:  # such a document the library reads as it likes
            return False
        objects = not probe.subclass or codec.encodes_directly(library.model, features_of_group)
        return objects and hands_over(library, codec, features_of_group)

    return replace(behaviour, fidelity={name: f for name, f in behaviour.fidelity.items() if handed(name)})


@cache
def _features() -> dict[str, tuple[Probe, frozenset[str]]]:
    """The name of each probe → the probe, and the features of its schema."""
    return {probe.name: (probe, group.features) for group in GROUPS for probe in group.probes}


def _of_most(cases: Sequence[Behaviour]) -> dict[str, Finding]:
    """Probe → the first finding of its most frequent outcome, of a codec's own."""
    found: dict[str, Finding] = {}
    for probe in probe_names(cases, "fidelity"):
        tried = [case.fidelity[probe] for case in cases if probe in case.fidelity]
        outcome = most_frequent([finding for finding in tried if finding.outcome != "unsupported"])
        if outcome is not None:
            found[probe] = next(finding for finding in tried if finding.outcome == outcome)
    return found


def _scripts(known: Iterable[Line]) -> dict[str, tuple[Way, list[str]]]:
    """Heading → the way of a script, and the probes that it shows."""
    shown = [(line.way, line.probe) for line in known if line.way]
    by_way = grouped(shown, lambda one: (one[0], probe_type(one[1])))
    scripts: dict[str, tuple[Way, list[str]]] = {}
    for (way, _), pairs in by_way.items():
        heading = title(way, pairs[0][1])
        heading = f"{pairs[0][1]} with {way.who}" if heading in scripts else heading
        scripts[heading] = (way, [probe for _, probe in pairs])
    return scripts


def anchor(heading: str) -> str:
    """What a link names a heading or a value by."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _titled(probe: str, *, is_first: bool) -> str:
    """A value with other words for it; its first line can be linked."""
    mark = f'<a id="{anchor(probe)}"></a>' if is_first else ""
    return mark + escaped(f"{probe} ({ALSO[probe]})" if probe in ALSO else probe)


def _named(names: Sequence[str], what: str) -> str:
    """The names, or of many that keep a value or refuse wrong input their number."""
    return f"{len(names)}" if what in (KEPT, REFUSED) and len(names) > MOST_NAMED else ", ".join(names) or "–"


def _told(finding: Finding) -> tuple[str, str]:
    """What happens, and what comes back; of texts that writers of JSON spell in their own way also the text."""
    detail = _plain(finding)
    if finding.outcome == "exact":
        number = re.search(r'"subject": ?(-?[\d.]+[\d.eE+-]*)}', finding.written or "")
        return KEPT, f"written {number[1]}" if number and re.search("[.eE]", number[1]) else ""
    if finding.outcome == "changed":
        written = detail.partition("; decode: ")[0]  # what is written for it is refused
        got = written.rpartition(", got ")[2] if ", got " in written else written.removeprefix("got ")
        got = re.sub(r"\bdatetime\.(?=date|time)", "", got)
        return DECLARED if finding.declared else SILENT, got[:SHOWN]
    depths = [part for part in detail.split("; ") if part.startswith((_DEPTH, "it reads "))]
    text = "; ".join(depths) or re.sub(r"^(?:encode|decode|build): ", "", detail).partition(":")[0]
    return finding.outcome, text[:SHOWN]


def _plain(finding: Finding) -> str:
    return re.sub(r" object at 0x\w+", "", " ".join((finding.detail or "").split()))


def _told_wrong(finding: Finding) -> tuple[str, str]:
    """What happens to wrong input, and what it becomes."""
    if finding.outcome == "rejected":
        return UNNAMED if finding.names is False else REFUSED, ""
    return finding.outcome, _plain(finding).removeprefix("becomes ")[:SHOWN]
