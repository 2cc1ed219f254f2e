"""YAML: text for people, indented instead of bracketed.

- Bytes, dates, datetimes and sets have forms of their own and travel as themselves; times, UUIDs and decimals
  are text.
- PyYAML follows YAML 1.1, the others 1.2: a text like `1e5` is written as it is by the former, and is a number to
  a reader of the latter (https://github.com/yaml/pyyaml/issues/393).
- yaml-rs 0.1.6 writes some texts that look like numbers or dates without quotes, and reads them as numbers: `1_000`,
  `0o14`, `0b11`. A document that has one is not carried (https://github.com/lava-sh/yaml-rs).
- PyYAML runs on libyaml, which is many times faster than PyYAML's own parser; msgspec's YAML is PyYAML behind
  a conversion.
"""

from __future__ import annotations

from typing import Any

from serbench.model.scalars import MOMENTS
from serbench.render.codec import (
    BUILTIN,
    CPYTHON,
    DECODING,
    UNTYPED,
    Calls,
    Codec,
    Format,
    Kinds,
    Limits,
    Objects,
    imported,
)


def _read_with_pyyaml(blob: bytes) -> Any:
    """As YAML 1.2, which ruamel writes: there `on` and `1:30` are text."""
    import re

    import yaml

    kept = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] in ("null", "timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    Loader: Any = type("Loader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": kept})  # noqa: N806  # a class
    for kind, pattern in (
        ("bool", "true|True|TRUE|false|False|FALSE"),
        ("int", "[-+]?[0-9]+"),
        ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(f"^(?:{pattern})$"), None)
    return yaml.load(blob, Loader=Loader)  # noqa: S506  # a SafeLoader


def _read_with_ruamel(blob: bytes) -> Any:
    """With the numbers of YAML 1.1, which PyYAML writes: there `1e5` and `0o17` are text."""
    import re

    from ruamel.yaml import YAML
    from ruamel.yaml.resolver import VersionedResolver

    numbers = {
        "tag:yaml.org,2002:int": "[-+]?(0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)",
        "tag:yaml.org,2002:float": (
            r"([-+]?[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)([eE][-+][0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
        ),
    }

    class Resolver(VersionedResolver):
        def add_version_implicit_resolver(self, version: Any, tag: Any, regexp: Any, first: Any) -> None:
            pattern = re.compile(f"^(?:{numbers[tag]})$") if tag in numbers else regexp
            super().add_version_implicit_resolver(version, tag, pattern, first)

    reader = YAML(typ="safe", pure=True)
    reader.Resolver = Resolver
    return reader.load(blob)


_KINDS = MOMENTS | {"bytes", "date", "set"}
_DOCS = "https://pyyaml.org/wiki/PyYAMLDocumentation"
_RUAMEL_DOCS = "https://yaml.dev/doc/ruamel.yaml/basicuse/"
# Made for each call: one that has refused an object or a document keeps state.
_RUAMEL = 'YAML(typ="safe", pure=True)'
_FOLDED = (
    "ruamel.yaml 0.19.1 may break a long text after an escaped character, and reads the break as a space"
    f" ({_RUAMEL_DOCS}; we found no report of it to its authors)"
)
_PYYAML = Codec(
    name="pyyaml",
    docs=_DOCS,
    distribution="PyYAML",
    calls=Calls(
        dumps="yaml.dump({}, Dumper=yaml.CSafeDumper, sort_keys=False).encode()",
        loads="yaml.load({}, Loader=yaml.CSafeLoader)",
        imports=("yaml",),
    ),
    kinds=Kinds(encodes=_KINDS, decodes=_KINDS),
    objects=Objects(exact=BUILTIN),
    limits=Limits(unchecked=UNTYPED),
)

_YAML_RS_DOCS = "https://github.com/lava-sh/yaml-rs"
_DATES_MADE = f"yaml-rs 0.1.6 converts quoted text that looks like a datetime into one ({_YAML_RS_DOCS})"
_UNQUOTED = (
    "yaml-rs 0.1.6 writes texts such as 1_000, 0o14 and 0b11 without quotes, and reads them as numbers"
    f" ({_YAML_RS_DOCS}; we found no report of it to its authors)"
)
_A_DATE = f"yaml-rs 0.1.6 writes a text like 2024-06-15 without quotes, which others read as a date ({_YAML_RS_DOCS})"
_YAML_RS = Codec(
    name="yaml-rs",
    docs=_YAML_RS_DOCS,
    distribution="yaml-rs",
    marker=CPYTHON,
    calls=Calls(
        dumps="yaml_rs.dumps({}).encode()", loads="yaml_rs.loads({}.decode())", imports=("yaml_rs",), vague=True
    ),
    limits=Limits(
        cannot=dict.fromkeys(DECODING, _DATES_MADE),
        spoils={
            r"^[-+]?([0-9.]*_[0-9_.]*([eE][-+]?[0-9_]+)?|[0-9.]+[eE][-+]?[0-9]*_[0-9_]*|0[oObB][0-7_]+|0[xX][0-9A-Fa-f_]+)$"
            r"|^\+\.(inf|Inf|INF)$": _UNQUOTED,
            r"^\d{4}-\d\d?-\d\d?$": _A_DATE,
        },
    ),
)

FORMAT = Format(
    name="yaml",
    summary="text for people, indented instead of bracketed",
    codecs=(
        _PYYAML,
        _PYYAML.tuned(
            "SafeLoader",
            f"{_DOCS}#installation",
            dumps="yaml.safe_dump({}, sort_keys=False).encode()",
            loads="yaml.safe_load({})",
        ),
        _PYYAML.tuned(
            "default_flow_style=True",
            _DOCS,
            dumps="yaml.dump({}, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=True).encode()",
        ),
        _YAML_RS,
        _YAML_RS.tuned(
            "parse_datetime=False",
            _YAML_RS_DOCS,
            loads="yaml_rs.loads({}.decode(), parse_datetime=False)",
            cannot={},
        ),
        Codec(
            name="ruamel",
            docs=_RUAMEL_DOCS,
            distribution="ruamel.yaml",
            calls=Calls(
                dumps="to_yaml({})",
                loads=f"{_RUAMEL}.load({{}})",
                imports=("io:BytesIO", "ruamel.yaml:YAML", "typing:Any"),
                functions=(
                    f"""def to_yaml(data: Any) -> bytes:
    stream = BytesIO()
    {_RUAMEL}.dump(data, stream)
    return stream.getvalue()""",
                ),
            ),
            kinds=Kinds(encodes=_KINDS, decodes=_KINDS),
            objects=Objects(exact=BUILTIN),
            limits=Limits(spoils={"[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff]": _FOLDED}),
        ),
        Codec(
            name="msgspec",
            docs="https://jcristharif.com/msgspec/api.html#yaml",
            distribution="PyYAML",
            marker=CPYTHON,
            built_on="pyyaml",
            calls=Calls(dumps="msgspec.yaml.encode({})", loads="msgspec.yaml.decode({})", imports=("msgspec",)),
            kinds=Kinds(encodes=_KINDS | {"time", "decimal", "uuid", "enum"}, decodes=_KINDS - {"bytes", "set"}),
            objects=Objects(
                takes=frozenset({"struct", "dataclass", "attrs", "typeddict"}), refuses=frozenset({"timedelta"})
            ),
        ),
    ),
    readers={"pyyaml": _read_with_pyyaml, "ruamel": _read_with_ruamel},
    write=imported("yaml:safe_dump", encoding="utf-8", sort_keys=False, allow_unicode=True),
)
