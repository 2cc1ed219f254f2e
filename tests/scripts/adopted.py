"""Adopted modules of every library, in its own environment: they run there alone and pass mypy --strict and ruff.

The tests try the libraries of this installation; this tries all, with each core codec and their own:

    python3 tests/scripts/adopted.py [LIBRARY …]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import serbench
from serbench.render.case import Case
from serbench.render.library import libraries

ORDERS = [
    {
        "id": 1,
        "class": "x",
        "customer": {"name": "A", "mail": None},
        "lines": [{"sku": "a", "price": 1.5}],
        "tags": ["a"],
    },
    {"id": 2, "class": "y", "customer": {"name": "B", "mail": "b@c.d"}, "lines": [], "tags": []},
]
RUNS = (
    "import {name} as models; from pathlib import Path; decode = models.decode; "
    "encode = getattr(models, 'encode', None); found = decode(Path({blob!r}).read_bytes()); "
    "assert encode is None or encode(decode(encode(found))) == encode(found)"
)


def complaints(case: Case, path: Path) -> list[str]:
    """What mypy, ruff and, where the module reads JSON, the library's own interpreter say of an adopted module."""
    python = case.environment.python or sys.executable
    told = [
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file",
            os.devnull,
            "--python-executable",
            python,
            path.name,
        ],
        [sys.executable, "-m", "ruff", "check", "--isolated", path.name],
    ]
    if case.codec.format == "json" and "decode" in case.operations:
        told.append([python, "-B", "-c", RUNS.format(name=path.stem, blob="orders.json")])
    found = [subprocess.run(each, cwd=path.parent, capture_output=True, text=True, check=False) for each in told]
    return [f"{each.stdout}{each.stderr}" for each in found if each.returncode]


def main() -> int:
    """1 where an adopted module is not clean; a refusal is one line."""
    failed = False
    with TemporaryDirectory() as folder:
        (Path(folder) / "orders.json").write_text(json.dumps(ORDERS), encoding="utf-8")
        for library in sys.argv[1:] or libraries():
            for codec in ("json/json", "orjson/json", "msgpack/msgpack", "pickle/pickle"):
                name = f"{library}_{codec}".replace("-", "_").replace("/", "_") + "_models"
                path = Path(folder) / f"{name}.py"
                try:
                    serbench.adopt(library, codec, payload=ORDERS, to=path)
                except serbench.PlanError as error:
                    print(f"{library} {codec}: refused: {error}")  # a command
                    continue
                found = complaints(serbench.show(library, codec, payload=ORDERS), path)
                failed |= bool(found)
                print(f"{library} {codec}: {'failed' if found else 'ok'}", *found, sep="\n", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
