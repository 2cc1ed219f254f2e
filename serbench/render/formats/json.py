"""JSON: text that every language reads.

- Dates, times, UUIDs and decimals are strings, bytes are base64; a model library may write them
  otherwise (cattrs: base85), and verification accepts each documented form.
- Floats are read back to the last bit, but for yapic's, and integers of 64 bits exactly, but for yapic's of more than 63.
  Larger ones are read exactly by json, msgspec, ujson, rapidjson, simplejson and jiter; orjson 3.13.0, ssrjson 0.0.24,
  yyjson 4.0.6 and yapic 1.9.5 make floats of them, and pysimdjson 7.0.2 refuses them (https://www.rfc-editor.org/rfc/rfc8259#section-6).
- 1e400 is infinite to json, ujson, simplejson, ssrjson, yapic and jiter; the others refuse it.
- A float has one value and several texts: 1e16 is `1e+16` to most, `1e16` to msgspec, `10000000000000000.0` to yyjson and
  an integer to yapic. Sizes differ by that, and texts of the same data cannot be compared.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from serbench.model.records import Enum, List, Optional, Ref, Schema, kind_of
from serbench.model.scalars import ANY, DATES, Scalar
from serbench.render.codec import (
    BUILTIN,
    CPYTHON,
    DECODING,
    ENCODING,
    UNTYPED,
    Calls,
    Codec,
    Described,
    Format,
    Kinds,
    Limits,
    Objects,
    imported,
)
from serbench.render.source.module import Unsupported


def _spelled(value: Any) -> str:
    """JSON with all digits of floats, and each character as an escape."""
    match value:
        case float():
            return f"{Decimal(value):f}" if value % 1 else f"{value:.17e}"
        case str():
            units = value.encode("utf-16-be", "surrogatepass")
            return (
                '"'
                + "".join(f"\\u{high:02X}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True))
                + '"'
            )
        case list():
            return f"[ {' , '.join(map(_spelled, value))} ]"
        case dict():
            return f"{{ {' , '.join(f'{_spelled(key)} : {_spelled(item)}' for key, item in value.items())} }}"
    return str(imported("json:dumps")(value))


def _lazily(schema: Schema) -> Described:
    """Refuse what a conversion by hand leaves as it is: a view into the parser, which ends with the next document."""
    for type_ in schema.types():
        match type_:
            case List(Ref()) | Ref() | Optional() | Enum():
                continue
            case Scalar() if type_ != ANY:
                continue
        what = "any JSON" if type_ == ANY else f"a {kind_of(type_)}"
        raise Unsupported(f"{what} would stay a view into simdjson's parser ({_SIMDJSON_DOCS}performance.html)")
    return Described()


_CLASSES = frozenset({"struct", "dataclass", "attrs", "typeddict"})
_DOCS = "https://docs.python.org/3/library/json.html"
_JSON = Codec(
    "json",
    _DOCS,
    core=True,
    calls=Calls("json.dumps({}).encode()", "json.loads({})", imports=("json",), stream="lines"),
    kinds=Kinds(default="default"),
)
_ORJSON_DOCS = "https://github.com/ijl/orjson"
_ORJSON = Codec(
    "orjson",
    f"{_ORJSON_DOCS}#usage",
    distribution="orjson",
    marker=CPYTHON,
    core=True,
    calls=Calls("orjson.dumps({})", "orjson.loads({})", ("orjson",), stream="lines"),
    kinds=Kinds(
        # not time: orjson 3.13.0 writes its 32 ms as ".32000" (https://github.com/ijl/orjson#datetime)
        encodes=(DATES | {"uuid", "enum"}) - {"time"},
        default="default",
        unasked=frozenset({"time"}),
    ),
    objects=Objects(
        takes=frozenset({"dataclass"}), refuses=frozenset({"bytes", "timedelta", "decimal", "set", "time", "private"})
    ),
    limits=Limits(lacks={"bigint": f"orjson cannot write integers beyond 64 bits ({_ORJSON_DOCS}#int)"}),
)
_MSGSPEC = Codec(
    "msgspec",
    "https://jcristharif.com/msgspec/usage.html",
    distribution="msgspec",
    marker=CPYTHON,
    core=True,
    calls=Calls(
        "encoder.encode({})",
        "decoder.decode({})",
        ("msgspec",),
        encoder="encoder = msgspec.json.Encoder()",
        decoder="decoder = msgspec.json.Decoder({})",
        stream="lines",
    ),
    kinds=Kinds(
        # not timedelta: msgspec writes ISO 8601 durations, which the standard library does not read back
        encodes=DATES | {"decimal", "uuid", "bytes", "enum", "set"}
    ),
    objects=Objects(takes=_CLASSES, makes=_CLASSES),
)
# ujson, rapidjson and simplejson have no hook: simplejson and ujson write a Decimal as a number, rapidjson and
# simplejson take bytes for text, and none asks its hook about either
_UJSON_DOCS = "https://github.com/ultrajson/ultrajson"
_UJSON = Codec(
    "ujson",
    f"{_UJSON_DOCS}#usage",
    distribution="ujson",
    calls=Calls("ujson.dumps({}).encode()", "ujson.loads({})", ("ujson",), stream="lines"),
)
_RAPIDJSON_DOCS = "https://python-rapidjson.readthedocs.io/en/latest/dumps.html"
_RAPIDJSON = Codec(
    "rapidjson",
    _RAPIDJSON_DOCS,
    distribution="python-rapidjson",
    marker=CPYTHON,
    calls=Calls("rapidjson.dumps({}).encode()", "rapidjson.loads({})", ("rapidjson",), stream="lines"),
)
_NUMBER_MODE = f"{_RAPIDJSON_DOCS}#dumps-number-mode"
_SIMPLEJSON_DOCS = "https://simplejson.readthedocs.io/en/latest/"
_SIMPLEJSON = Codec(
    "simplejson",
    f"{_SIMPLEJSON_DOCS}#basic-usage",
    distribution="simplejson",
    calls=Calls("simplejson.dumps({}).encode()", "simplejson.loads({})", ("simplejson",), stream="lines"),
    limits=Limits(unchecked=UNTYPED),
)
_SSRJSON_DOCS = "https://github.com/Antares0982/ssrJSON"
_YYJSON_DOCS = "https://tktech.github.io/py_yyjson/"
_MOJIBAKE = f'yyjson 4.0.6 decodes text beyond ASCII wrongly on CPython, "é" as "Ã©" ({_YYJSON_DOCS})'
_YAPIC_DOCS = "https://github.com/zozzz/yapic.json"
_YAPIC_FLOATS = f"yapic.json 1.9.5 writes a whole float as an integer ({_YAPIC_DOCS})"
_YAPIC_INTEGERS = f"yapic.json 1.9.5 cannot write integers beyond 63 bits ({_YAPIC_DOCS})"
_YAPIC_DATES = f"yapic.json 1.9.5 converts text that looks like a date or datetime into one ({_YAPIC_DOCS})"
_YAPIC = Codec(
    "yapic",
    _YAPIC_DOCS,
    distribution="yapic.json",
    marker=CPYTHON,
    calls=Calls("yapic_json.dumpb({})", "yapic_json.loads({})", ("yapic.json as yapic_json",)),
    objects=Objects(exact=BUILTIN),
    limits=Limits(
        cannot=dict.fromkeys(DECODING, _YAPIC_DATES),
        lacks={"float": _YAPIC_FLOATS, "uint64": _YAPIC_INTEGERS, "bigint": _YAPIC_INTEGERS, "any": _YAPIC_FLOATS},
        unchecked=UNTYPED,
    ),
)
_SIMDJSON_DOCS = "https://pysimdjson.tkte.ch/"
_SIMDJSON = Codec(
    "pysimdjson",
    f"{_SIMDJSON_DOCS}performance.html",
    distribution="pysimdjson",
    marker=CPYTHON,
    calls=Calls(
        loads="parser.parse({}, True)",
        imports=("simdjson",),
        decoder="parser = simdjson.Parser()",
        vague=True,
        stream="lines",
    ),
    limits=Limits(
        cannot=dict.fromkeys(ENCODING, f"pysimdjson only reads ({_SIMDJSON_DOCS})"),
        lacks={"bigint": f"simdjson cannot read integers beyond 64 bits ({_SIMDJSON_DOCS})"},
    ),
)
_IJSON_DOCS = "https://github.com/ICRAR/ijson"
_JITER_DOCS = "https://github.com/pydantic/jiter"
_JITER = Codec(
    "jiter",
    f"{_JITER_DOCS}/tree/main/crates/jiter-python#readme",
    distribution="jiter",
    marker=CPYTHON,
    built_on="pydantic",
    calls=Calls(loads="jiter.from_json({})", imports=("jiter",), stream="lines"),
    limits=Limits(cannot=dict.fromkeys(ENCODING, f"jiter only reads ({_JITER_DOCS})")),
)

FORMAT = Format(
    name="json",
    summary="text that every language reads (RFC 8259)",
    text=True,
    codecs=(
        _JSON,
        _JSON.tuned("separators", f"{_DOCS}#json.dump", writing='separators=(",", ":")'),
        _JSON.tuned("ensure_ascii=False", f"{_DOCS}#json.dump", writing="ensure_ascii=False"),
        _JSON.tuned("check_circular=False", f"{_DOCS}#json.dump", writing="check_circular=False"),
        _ORJSON,
        _ORJSON.tuned("OPT_SORT_KEYS", f"{_ORJSON_DOCS}#opt_sort_keys", writing="option=orjson.OPT_SORT_KEYS"),
        _ORJSON.tuned("OPT_INDENT_2", f"{_ORJSON_DOCS}#opt_indent_2", writing="option=orjson.OPT_INDENT_2", stream=""),
        _MSGSPEC,
        _MSGSPEC.tuned(
            "strict=False",
            "https://jcristharif.com/msgspec/usage.html#strict-vs-lax-mode",
            decoder="decoder = msgspec.json.Decoder({}, strict=False)",
        ),
        _UJSON,
        _UJSON.tuned(
            "escape_forward_slashes=False",
            f"{_UJSON_DOCS}#escape_forward_slashes",
            writing="escape_forward_slashes=False",
        ),
        _UJSON.tuned("ensure_ascii=False", f"{_UJSON_DOCS}#ensure_ascii", writing="ensure_ascii=False"),
        _RAPIDJSON,
        _RAPIDJSON.tuned(
            "NM_NATIVE",
            _NUMBER_MODE,
            writing="number_mode=rapidjson.NM_NATIVE",
            reading="number_mode=rapidjson.NM_NATIVE",
            lacks={
                "float": f"with native numbers, rapidjson 1.25 may read the last digit of a float wrongly ({_NUMBER_MODE})",
                "bigint": f"native numbers have 64 bits ({_NUMBER_MODE})",
            },
        ),
        _RAPIDJSON.tuned(
            "DM_ISO8601",
            f"{_RAPIDJSON_DOCS}#dumps-datetime-mode",
            writing="datetime_mode=rapidjson.DM_ISO8601",
            encodes=DATES,
        ),
        _SIMPLEJSON,
        _SIMPLEJSON.tuned("separators", f"{_SIMPLEJSON_DOCS}#simplejson.dumps", writing='separators=(",", ":")'),
        Codec(
            "ssrjson",
            f"{_SSRJSON_DOCS}#usage",
            distribution="ssrjson",
            marker=CPYTHON,
            calls=Calls("ssrjson.dumps_to_bytes({})", "ssrjson.loads({})", ("ssrjson",), stream="lines"),
            limits=Limits(lacks={"bigint": f"ssrjson cannot write integers beyond 64 bits ({_SSRJSON_DOCS})"}),
        ),
        Codec(
            "yyjson",
            _YYJSON_DOCS,
            distribution="yyjson",
            calls=Calls("yyjson.Document({}).dumps().encode()", "yyjson.Document({}).as_obj", ("yyjson",)),
            objects=Objects(exact=BUILTIN),
            limits=Limits(
                cannot=dict.fromkeys(DECODING, _MOJIBAKE),
                lacks={"tuple": f"yyjson cannot encode tuples ({_YYJSON_DOCS})"},
                unchecked=UNTYPED,
            ),
        ),
        _YAPIC,
        _YAPIC.tuned("parse_date=False", _YAPIC_DOCS, reading="parse_date=False", cannot={}, stream="lines"),
        _SIMDJSON,
        _SIMDJSON.tuned(
            "lazy",
            f"{_SIMDJSON_DOCS}performance.html#don-t-unbox-if-you-don-t-need-to",
            loads="parser.parse({})",
            describe=_lazily,
            only=frozenset({"attrs", "class", "dataclasses", "namedtuple"}),  # which convert by hand
        ),
        Codec(
            "ijson",
            f"{_IJSON_DOCS}#usage",
            distribution="ijson",
            calls=Calls(
                loads='next(ijson.items({}, "", use_float=True))',
                imports=("ijson",),
                stream='ijson.items({}, "", multiple_values=True, use_float=True)',
            ),
            limits=Limits(
                cannot=dict.fromkeys(ENCODING, f"ijson only reads ({_IJSON_DOCS})"),
                lacks=dict.fromkeys(
                    ("uint64", "bigint"),
                    f"with use_float, ijson reads no integers of more than 63 bits ({_IJSON_DOCS}#options)",
                ),
                unchecked=UNTYPED,
            ),
        ),
        _JITER,
        _JITER.tuned(
            "cache_mode=none",
            f"{_JITER_DOCS}/tree/main/crates/jiter-python#api-reference",
            reading='cache_mode="none"',
        ),
        Codec(
            "pydantic",
            "https://docs.pydantic.dev/latest/concepts/json/",
            distribution="pydantic",
            core=True,
            only=frozenset({"pydantic"}),
            calls=Calls(stream="lines"),
        ),
        Codec(
            "serpyco-rs",
            "https://github.com/ermakov-oleg/serpyco-rs",
            distribution="serpyco-rs",
            core=True,
            only=frozenset({"serpyco-rs"}),
            calls=Calls(stream="lines"),
        ),
    ),
    readers={
        "json": imported("json:loads"),
        "pydantic": imported("pydantic_core:from_json"),
        "msgspec": imported("msgspec.json:decode"),
    },
    write=lambda value: imported("json:dumps")(value).encode(),
    spell_out=lambda value: _spelled(value).encode(),
)
