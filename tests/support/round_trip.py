"""Checks a rendered case in this process, by importing it as the engine's worker does."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from installation import is_expected

from serbench.model import fidelity
from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import STR
from serbench.render.case import Case, combinations, render
from serbench.render.codec import Codec, codec_named, codecs
from serbench.render.left_out import LeftOut
from serbench.render.library import Library, libraries
from serbench.render.selection import is_installed

_numbers = itertools.count()


AT_HAND = [name for name, library in libraries().items() if is_installed(library)]
"""Those of this installation; `serbench verify --library all` is for the others."""


_LIST = Schema(List(Ref("Row")), (Record("Row", (Field("x", STR),)),))
WRITING = [
    name
    for name in AT_HAND
    if "encode" in render(libraries()[name], "default", codec_named("json/json"), _LIST).operations
]
"""Those that write JSON."""


USUAL = {"orjson", "msgpack"}
"""The codecs with which libraries beyond the core are shown; a codec beyond the core is shown with dataclasses."""


def shown() -> Iterator[tuple[Library, Codec]]:
    """The libraries and codecs whose sources are looked at: enough that each is there with what it has of its own."""
    for library, codec in combinations():
        if "[" in codec.name:
            continue  # an option changes a call
        is_native = library.name in ("dataclasses", "generated") or library.name in codec.only
        if is_native or (codec.core and (library.core or codec.name in USUAL)):
            yield library, codec


def cases(library: str, schema: Schema, *, codec: Codec | None = None) -> Iterator[Case]:
    """The library's cases for the schema, with every variant and core codec; dataclasses and generated with every codec.

    Codecs that this Python's installation leaves out are none. With `codec`, it is that one alone.
    """
    known = [codec for codec in codecs() if is_expected(codec.distribution)]
    served = [codec for codec in known if codec.core or library in ("dataclasses", "generated")]
    for lib, one in combinations([libraries()[library]], [codec] if codec else served):
        for variant in ("default", *(lib.variants if one.core else ())):
            yield render(lib, variant, one, schema)


def skip_if_rendered_otherwise(library: str) -> None:
    """Skip a test of what was reviewed for Python 3.13 and older, if the library has other source or gaps from 3.14 on."""
    if sys.version_info >= (3, 14) and library in ("apischema", "dataclass-factory"):
        pytest.skip(f"{library} is rendered otherwise for Python 3.14")


def imported(case: Case, folder: Path) -> ModuleType:
    """The case's module, imported from a real file under a flat name."""
    name = f"rendered_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(case.source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def objects(module: ModuleType, schema: Schema, value: Any) -> Any:
    """The neutral value as objects of the module's classes."""
    data = schema.as_data()
    build = fidelity.builder(data, data["root"], module)
    return value if build is None else build(value)


def failure(case: Case, schema: Schema, value: Any, folder: Path) -> str | None:
    """What is wrong with the round trip of the value, step by step and end to end."""
    data = schema.as_data()
    module = imported(case, folder)
    encoding = imported(case.writer, folder) if case.writer else module
    made = encoding.build(value) if hasattr(encoding, "plain") else objects(encoding, schema, value)
    blob = encoding.encode(made)
    if type(blob) is not bytes:
        return f"encode gives {type(blob).__name__}"
    kept = value
    if case.codec.limits.loses:
        losses = {kind: loss.becomes for kind, loss in case.codec.limits.loses.items()}
        kept = fidelity.apply_losses(data, data["root"], value, losses, {})
    found = None
    if "decode" in case.operations:
        found = difference(data, module, module.decode(blob), value, kept)
    for name, read in case.readers(data).items():
        parsed = LeftOut().fill(schema, value, read(blob)) if case.may_leave_out else read(blob)
        if found is None and (wire := fidelity.wire_difference(data, data["root"], value, parsed)):
            wire = fidelity.wire_difference(data, data["root"], kept, parsed)
            found = wire and f"as {name} reads it{wire}"
    if found is None and "dump" in case.operations and (other := module.dumps(module.dump(made))) != blob:
        found = "dump and dumps give other bytes than encode"
        if case.codec.format == "marshal":  # its bytes tell what is shared
            (read,) = case.readers(data).values()
            found = fidelity.wire_difference(data, data["root"], value, read(other))
    if found is None and "load" in case.operations:
        found = difference(data, module, module.load(module.loads(blob)), value, kept)
    return found


def difference(data: Any, module: ModuleType, objects: Any, value: Any, kept: Any) -> str | None:
    """What differs, and not by what the codec says that it loses."""
    compare = fidelity.difference
    if hasattr(module, "plain"):
        compare, objects = fidelity.wire_difference, module.plain(objects)
    found = compare(data, data["root"], value, objects)
    return found and compare(data, data["root"], kept, objects)
