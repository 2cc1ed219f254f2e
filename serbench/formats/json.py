"""JSON: text that every language reads.

- Dates, times, UUIDs and decimals are strings, bytes are base64; a model library may write them
  otherwise (cattrs: base85), and verification accepts each documented form.
- Numbers are read back exactly: integers of any size, floats to the last bit.
"""

from __future__ import annotations

from typing import Any

from serbench.formats import DEEP, Codec, Format


def _read_with_pydantic(blob: bytes) -> Any:
    from pydantic_core import from_json

    return from_json(blob)


def _read_with_json(blob: bytes) -> Any:
    import json

    return json.loads(blob)


def _read_with_msgspec(blob: bytes) -> Any:
    import msgspec

    return msgspec.json.decode(blob)


def _write(value: Any) -> bytes:
    import json

    return json.dumps(value).encode()


# not timedelta: msgspec writes ISO 8601 durations, which the standard library does not read back
_MSGSPEC = frozenset({"datetime", "naive_datetime", "date", "time", "decimal", "uuid"})
_CPYTHON = 'implementation_name == "cpython"'

_LINK = "https://docs.python.org/3/library/json.html"
_JSON = Codec(
    name="json",
    stream="lines",
    core=True,
    docs=_LINK,
    dumps="json.dumps({}).encode()",
    loads="json.loads({})",
    imports=("json",),
    default="default",
)
_ORJSON = Codec(
    name="orjson",
    stream="lines",
    core=True,
    docs="https://github.com/ijl/orjson#usage",
    distribution="orjson",
    marker=_CPYTHON,
    dumps="orjson.dumps({})",
    loads="orjson.loads({})",
    imports=("orjson",),
    encodes=frozenset({"datetime", "naive_datetime", "date", "time", "uuid", "enum"}),
    default="default",
    takes=frozenset({"dataclass"}),
    refuses=frozenset({"bytes", "timedelta", "decimal", "set"}),
    lacks={"bigint": "orjson writes no integer beyond 64 bits (https://github.com/ijl/orjson#int)"},
)
_MSGSPEC_CODEC = Codec(
    name="msgspec",
    stream="lines",
    core=True,
    docs="https://jcristharif.com/msgspec/usage.html",
    distribution="msgspec",
    marker=_CPYTHON,
    dumps="encoder.encode({})",
    loads="decoder.decode({})",
    imports=("msgspec",),
    encoder="encoder = msgspec.json.Encoder()",
    decoder="decoder = msgspec.json.Decoder({})",
    encodes=_MSGSPEC | {"bytes", "enum", "set"},
    takes=frozenset({"struct", "dataclass", "attrs", "typeddict"}),
    makes=frozenset({"struct", "dataclass", "attrs", "typeddict"}),
)
# no hooks for these three: simplejson and ujson write a Decimal as a number, rapidjson and simplejson
# take bytes for text, and none asks its hook about either
_UJSON = Codec(
    name="ujson",
    stream="lines",
    docs="https://github.com/ultrajson/ultrajson#usage",
    distribution="ujson",
    dumps="ujson.dumps({}).encode()",
    loads="ujson.loads({})",
    imports=("ujson",),
)
_RAPIDJSON = Codec(
    name="rapidjson",
    stream="lines",
    docs="https://python-rapidjson.readthedocs.io/en/latest/dumps.html",
    distribution="python-rapidjson",
    marker=_CPYTHON,
    dumps="rapidjson.dumps({}).encode()",
    loads="rapidjson.loads({})",
    imports=("rapidjson",),
)
_NUMBER_MODE = "https://python-rapidjson.readthedocs.io/en/latest/dumps.html#dumps-number-mode"
_IMPRECISE = f"with native numbers rapidjson 1.25 may read another last digit of a float ({_NUMBER_MODE})"
_SIMPLEJSON = Codec(
    name="simplejson",
    unchecked=("import-untyped", "no-any-return"),
    stream="lines",
    docs="https://simplejson.readthedocs.io/en/latest/#basic-usage",
    distribution="simplejson",
    dumps="simplejson.dumps({}).encode()",
    loads="simplejson.loads({})",
    imports=("simplejson",),
)
_SSRJSON = Codec(
    name="ssrjson",
    stream="lines",
    docs="https://github.com/Antares0982/ssrJSON#usage",
    distribution="ssrjson",
    marker=_CPYTHON,
    lacks={"bigint": "ssrjson writes no integer beyond 64 bits (https://github.com/Antares0982/ssrJSON)"},
    dumps="ssrjson.dumps_to_bytes({})",
    loads="ssrjson.loads({})",
    imports=("ssrjson",),
)
_YYJSON_DOCS = "https://tktech.github.io/py_yyjson/"
_MOJIBAKE = f'yyjson 4.0.6 decodes text beyond ASCII wrongly on CPython, "é" as "Ã©" ({_YYJSON_DOCS})'
_NO_TUPLE = f"yyjson encodes no tuple ({_YYJSON_DOCS})"
_YAPIC_DOCS = "https://github.com/zozzz/yapic.json"
_DATES_MADE = f"yapic.json 1.9.5 makes dates and datetimes of text that looks like them ({_YAPIC_DOCS})"
_YAPIC = Codec(
    name="yapic",
    docs=_YAPIC_DOCS,
    distribution="yapic.json",
    marker=_CPYTHON,
    dumps="yapic_json.dumpb({})",
    exact=frozenset({"dict", "list"}),
    loads="yapic_json.loads({})",
    imports=("yapic.json as yapic_json",),
    unchecked=("import-untyped", "no-any-return"),
    lacks={
        "float": f"yapic.json 1.9.5 writes a whole float as an integer ({_YAPIC_DOCS})",
        **dict.fromkeys(("uint64", "bigint"), f"yapic.json writes no integer beyond 63 bits ({_YAPIC_DOCS})"),
        "any": f"yapic.json 1.9.5 writes a whole float as an integer ({_YAPIC_DOCS})",
    },
    cannot={"decode": _DATES_MADE, "loads": _DATES_MADE, "load": _DATES_MADE},
)
_SIMDJSON_READS = "pysimdjson only reads (https://pysimdjson.tkte.ch/)"
_SIMDJSON = Codec(
    name="pysimdjson",
    vague=True,
    docs="https://pysimdjson.tkte.ch/performance.html",
    distribution="pysimdjson",
    marker=_CPYTHON,
    dumps="",
    lacks={"bigint": "simdjson reads no integer beyond 64 bits (https://pysimdjson.tkte.ch/)"},
    loads="parser.parse({}, True)",
    imports=("simdjson",),
    decoder="parser = simdjson.Parser()",
    cannot={"encode": _SIMDJSON_READS, "dumps": _SIMDJSON_READS},
)
_JITER_READS = "jiter only reads (https://github.com/pydantic/jiter)"
_JITER = Codec(
    name="jiter",
    docs="https://github.com/pydantic/jiter/tree/main/crates/jiter-python#readme",
    distribution="jiter",
    marker=_CPYTHON,
    loads="jiter.from_json({})",
    imports=("jiter",),
    built_on="pydantic",
    cannot={"encode": _JITER_READS, "dumps": _JITER_READS},
)

FORMAT = Format(
    name="json",
    summary="text that every language reads (RFC 8259)",
    text=True,
    codecs=(
        _JSON,
        _JSON.tuned("separators", f"{_LINK}#json.dump", dumps='json.dumps({}, separators=(",", ":")).encode()'),
        _JSON.tuned("ensure_ascii=False", f"{_LINK}#json.dump", dumps="json.dumps({}, ensure_ascii=False).encode()"),
        _JSON.tuned(
            "check_circular=False", f"{_LINK}#json.dump", dumps="json.dumps({}, check_circular=False).encode()"
        ),
        _ORJSON,
        _ORJSON.tuned(
            "OPT_SORT_KEYS",
            "https://github.com/ijl/orjson#opt_sort_keys",
            dumps="orjson.dumps({}, option=orjson.OPT_SORT_KEYS)",
        ),
        _ORJSON.tuned(
            "OPT_INDENT_2",
            "https://github.com/ijl/orjson#opt_indent_2",
            dumps="orjson.dumps({}, option=orjson.OPT_INDENT_2)",
            stream="",
        ),
        _MSGSPEC_CODEC,
        _MSGSPEC_CODEC.tuned(
            "strict=False",
            "https://jcristharif.com/msgspec/usage.html#strict-vs-lax-mode",
            decoder="decoder = msgspec.json.Decoder({}, strict=False)",
        ),
        _UJSON,
        _UJSON.tuned(
            "escape_forward_slashes=False",
            "https://github.com/ultrajson/ultrajson#escape_forward_slashes",
            dumps="ujson.dumps({}, escape_forward_slashes=False).encode()",
        ),
        _UJSON.tuned(
            "ensure_ascii=False",
            "https://github.com/ultrajson/ultrajson#ensure_ascii",
            dumps="ujson.dumps({}, ensure_ascii=False).encode()",
        ),
        _RAPIDJSON,
        _RAPIDJSON.tuned(
            "NM_NATIVE",
            _NUMBER_MODE,
            dumps="rapidjson.dumps({}, number_mode=rapidjson.NM_NATIVE).encode()",
            loads="rapidjson.loads({}, number_mode=rapidjson.NM_NATIVE)",
            lacks={"float": _IMPRECISE, "bigint": f"native numbers have 64 bits ({_NUMBER_MODE})"},
        ),
        _RAPIDJSON.tuned(
            "DM_ISO8601",
            "https://python-rapidjson.readthedocs.io/en/latest/dumps.html#dumps-datetime-mode",
            dumps="rapidjson.dumps({}, datetime_mode=rapidjson.DM_ISO8601).encode()",
            encodes=frozenset({"datetime", "naive_datetime", "date", "time"}),
        ),
        _SIMPLEJSON,
        _SIMPLEJSON.tuned(
            "separators",
            "https://simplejson.readthedocs.io/en/latest/#simplejson.dumps",
            dumps='simplejson.dumps({}, separators=(",", ":")).encode()',
        ),
        _SSRJSON,
        Codec(
            name="yyjson",
            unchecked=("import-untyped", "no-any-return"),
            docs=_YYJSON_DOCS,
            distribution="yyjson",
            dumps="yyjson.Document({}).dumps().encode()",
            loads="yyjson.Document({}).as_obj",
            imports=("yyjson",),
            exact=frozenset({"dict", "list"}),
            lacks={"tuple": _NO_TUPLE},
            cannot={"decode": _MOJIBAKE, "loads": _MOJIBAKE, "load": _MOJIBAKE},
        ),
        _YAPIC,
        _YAPIC.tuned(
            "parse_date=False", _YAPIC_DOCS, loads="yapic_json.loads({}, parse_date=False)", cannot={}, stream="lines"
        ),
        _SIMDJSON,
        _JITER,
        _JITER.tuned(
            "cache_mode=none",
            "https://github.com/pydantic/jiter/tree/main/crates/jiter-python#api-reference",
            loads='jiter.from_json({}, cache_mode="none")',
        ),
        Codec(
            name="pydantic",
            stream="lines",
            core=True,
            docs="https://docs.pydantic.dev/latest/concepts/json/",
            distribution="pydantic",
            only=frozenset({"pydantic"}),
        ),
        Codec(
            name="serpyco-rs",
            core=True,
            docs="https://github.com/ermakov-oleg/serpyco-rs",
            distribution="serpyco-rs",
            only=frozenset({"serpyco-rs"}),
        ),
    ),
    readers={"json": _read_with_json, "pydantic": _read_with_pydantic, "msgspec": _read_with_msgspec},
    write=_write,
    hostile={
        "deep": lambda: b"[" * DEEP + b"]" * DEEP,
        "huge number": lambda: b"1" * 1_000_000,
        "no UTF-8": lambda: b'"\xff\xfe"',
    },
)
