"""TOML: configuration files; tables of keys, without null.

- A document is a table: a list stands in one under the key "items".
- Dates, times and datetimes are TOML's own; bytes, UUIDs and decimals are text.
- None cannot be written: tomli-w and msgspec refuse it, rtoml writes the text "null", which comes back as
  text, or with `none_value` as None; then a text "null" becomes None.
"""

from __future__ import annotations

from typing import Any

from serbench.model.records import Optional, Schema, walk
from serbench.model.scalars import DATES, STR
from serbench.render.codec import (
    BUILTIN,
    CPYTHON,
    Calls,
    Codec,
    Described,
    Format,
    Kinds,
    Limits,
    Loss,
    Objects,
    imported,
)
from serbench.render.source.module import Unsupported


def _read_with_tomllib(blob: bytes) -> Any:
    import tomllib

    return tomllib.loads(blob.decode())


def _read_with_rtoml(blob: bytes) -> Any:
    import rtoml

    return rtoml.loads(blob.decode())


_SPEC = "https://toml.io/en/v1.0.0"
_NO_NULL = dict.fromkeys(("optional", "any"), f"TOML has no null ({_SPEC})")
_NONE_DOCS = "https://github.com/samuelcolvin/rtoml#none-value"


def _check_optional(schema: Schema) -> Described:
    """Add nothing; check that each None may become text.

    Raises:
        Unsupported: a field may be None or something other than text.
    """
    for record in schema.records:
        for f in record.fields:
            if any(isinstance(t, Optional) and t.item != STR for t in walk(f.type)):
                raise Unsupported(
                    f"rtoml writes None as the text 'null', which is not a valid value of {f.name} ({_NONE_DOCS})"
                )
    return Described()


_RTOML = Codec(
    name="rtoml",
    docs="https://github.com/samuelcolvin/rtoml#usage",
    distribution="rtoml",
    marker=CPYTHON,
    calls=Calls(
        dumps="rtoml.dumps({}).encode()", loads="rtoml.loads({}.decode())", imports=("rtoml",), describe=_check_optional
    ),
    kinds=Kinds(encodes=DATES, decodes=DATES),
    objects=Objects(exact=BUILTIN),
    limits=Limits(
        lacks={"any": f"rtoml writes None as the text 'null' ({_NONE_DOCS})"},
        loses={"null": Loss("null text", "None, as the text 'null'", _NONE_DOCS)},
        root="items",
    ),
)

FORMAT = Format(
    name="toml",
    summary="configuration files: tables of keys, without null",
    codecs=(
        Codec(
            name="tomllib",
            docs="https://docs.python.org/3/library/tomllib.html",
            distribution="tomli-w",
            marker='python_version >= "3.11"',
            calls=Calls(
                dumps="tomli_w.dumps({}).encode()", loads="tomllib.loads({}.decode())", imports=("tomli_w", "tomllib")
            ),
            kinds=Kinds(encodes=DATES, decodes=DATES),
            limits=Limits(lacks=_NO_NULL, root="items"),
        ),
        _RTOML,
        _RTOML.tuned(
            "none_value",
            _NONE_DOCS,
            dumps='rtoml.dumps({}, none_value="null").encode()',
            loads='rtoml.loads({}.decode(), none_value="null")',
            describe=None,
            lacks={},
            loses={},
            spoils={r"\Anull\Z": f"rtoml reads the text 'null' as None, which it stands for ({_NONE_DOCS})"},
            null="null",
        ),
        Codec(
            name="msgspec",
            docs="https://jcristharif.com/msgspec/api.html#toml",
            distribution="tomli-w",
            marker='implementation_name == "cpython" and python_version >= "3.11"',
            built_on="tomllib",
            calls=Calls(dumps="msgspec.toml.encode({})", loads="msgspec.toml.decode({})", imports=("msgspec",)),
            kinds=Kinds(encodes=DATES | {"bytes", "decimal", "uuid", "enum", "set"}, decodes=DATES),
            limits=Limits(lacks=_NO_NULL, root="items"),
        ),
    ),
    readers={"tomllib": _read_with_tomllib, "rtoml": _read_with_rtoml},
    write=lambda value: imported("rtoml:dumps", none_value="null")(value).encode(),
)
