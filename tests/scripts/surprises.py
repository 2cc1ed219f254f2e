"""Shows that the probes find, unprompted, what is known to surprise people: `python tests/scripts/surprises.py`.

It looks each surprise up in the matrices of the whole libraries and codecs concerned, and ends with exit code 1
where one is not there. marshmallow2 needs its environment: `serbench env build marshmallow2`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import serbench
from serbench.ask.matrices import Matrices

MOMENT = "str that looks like 2024-06-15T09:41:23Z"
MICROSECONDS = "datetime UTC with microseconds"
# what is surprising: library, variant, codec/format, probe, outcome, and what its detail or its bytes hold
SURPRISES = [
    ("yyjson decodes é as Ã©", "dataclasses", "default", "yyjson/json", "str non-ASCII", "changed", ""),
    ("yaml-rs makes datetimes of text", "dataclasses", "default", "yaml-rs/yaml", MOMENT, "changed", "datetime"),
    ("yapic.json makes datetimes of text", "dataclasses", "default", "yapic/json", MOMENT, "changed", "datetime"),
    ("yapic.json turns -0.0 into 0", "dataclasses", "default", "yapic/json", "float -0.0", "changed", "got 0"),
    ("BSON cuts datetimes to ms", "dataclasses", "default", "pymongo/bson", MICROSECONDS, "changed", "123000"),
    ("rtoml writes None as text", "dataclasses", "default", "rtoml/toml", "None in place of text", "changed", "null"),
    ("tomli_w refuses None", "dataclasses", "default", "tomllib/toml", "None in place of text", "refused", "None"),
    ("XML plist refuses None", "dataclasses", "default", "plistlib[FMT_XML]/plist", "None in place of text", "refused", ""),
    ("orjson writes nan as null", "dataclasses", "default", "orjson/json", "float nan", "changed", "null"),
    ("orjson writes inf as null", "dataclasses", "default", "orjson/json", "float inf", "changed", "null"),
    ("msgspec writes nan as null", "msgspec", "default", "msgspec/json", "float nan", "changed", "null"),
    ("msgspec writes inf as null", "msgspec", "default", "msgspec/json", "float inf", "changed", "null"),
    ("apischema's Decimal is a float", "apischema", "its own Decimal", "json/json", "Decimal 1.10", "changed", "1.1000"),
    ("marshmallow 2 drops the offset without python-dateutil", "marshmallow2", "without python-dateutil", "json/json",
     "datetime +05:45", "changed", ""),
    ("pyfory makes naive datetimes aware", "pyfory", "default", "fory/fory", "naive datetime", "changed", "tzinfo"),
    ("cbor2 dies of lists 10,000 deep", "dataclasses", "default", "cbor2/cbor", "lists 10,000 deep", "crashed", "SIGSEGV"),
]  # fmt: skip
LIBRARIES = ("dataclasses", "msgspec", "apischema", "marshmallow2", "pyfory")
CODECS = ("json/json", "orjson", "msgspec/json", "yyjson", "yapic", "yaml-rs", "pymongo", "rtoml", "tomllib",
          "plistlib[FMT_XML]", "cbor2", "fory")  # fmt: skip
DEEP = [
    ("dataclasses", "orjson", "ormsgpack", "json/json", "msgspec/json", "pickle"),
    ("pydantic", "pydantic/json"),
    ("cattrs", "orjson"),
]


def look_up(matrices: Matrices) -> list[tuple[bool, str]]:
    """Whether each surprise is in the matrix, and what stands there."""
    cases = {(one.library, one.variant, f"{one.codec}/{one.format}"): one for one in matrices}
    found = []
    for what, library, variant, codec, probe, outcome, held in SURPRISES:
        case = cases.get((library, variant, codec))
        finding = case.fidelity.get(probe) if case else None
        told = "" if finding is None else f"{finding.detail} {finding.written}"
        same = finding is not None and finding.outcome == outcome and held in told
        why = f"{finding.outcome}: {finding.detail}" if finding else (case.reason if case else "no such case")
        found.append((same, f"{what}: {probe} with {library} + {codec}: {why}"))
    written = {
        library: cases[library, "default", codec].fidelity["datetime UTC"].written or ""
        for library, codec in (("dataclasses", "json/json"), ("msgspec", "msgspec/json"))
    }
    same = "+00:00" in written["dataclasses"] and 'Z"' in written["msgspec"]
    return [*found, (same, f"datetime text differs: {written}")]


def depths(store: Path) -> tuple[bool, str]:
    """Whether codecs differ at least threefold in how deep their records may be, and how deep that is."""
    limits = {}
    for library, *codecs in DEEP:
        for one in serbench.probe(library, codecs, matrices=("limits",), time_limit=60, store=store):
            limits[f"{one.library} + {one.codec}/{one.format}"] = one.limits["records in one another"].most or 0
    told = ", ".join(f"{name} {depth:,}" for name, depth in sorted(limits.items(), key=lambda item: item[1]))
    return max(limits.values()) > 3 * min(limits.values()), f"depth limits differ: {told}"


def main() -> int:
    """Print what was found."""
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "store.sqlite"
        matrices = serbench.probe(LIBRARIES, CODECS, time_limit=30, store=store, matrices=("fidelity",))
        found = [*look_up(matrices), depths(store)]
    for is_there, text in found:
        print("found   " if is_there else "MISSING ", text)
    return 0 if all(is_there for is_there, _ in found) else 1


if __name__ == "__main__":
    sys.exit(main())
