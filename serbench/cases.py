"""Cases: library × variant × codec, rendered for one schema, or the reason why not."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from serbench.formats import Codec, codecs
from serbench.libraries import Library, Rendered, Unsupported, libraries
from serbench.schema import Schema
from serbench.source.layout import Bracketed, Expression, flat, function, lay_out, returned
from serbench.source.models import annotation, root_name


@dataclass(frozen=True)
class Case:
    """One rendered case.

    `source` is the module's text and `operations` the functions it has; or `reason` says why the
    library cannot do it, and `source` is empty.
    """

    library: Library
    variant: str
    codec: Codec
    source: str
    operations: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def module_name(self) -> str:
        """A flat module name; pickle refuses a dotted one."""
        parts = (self.library.name, self.variant, self.codec.name, self.codec.format)
        words = [p for i, p in enumerate(parts) if p not in parts[:i] and p != "default"]
        return "".join(c if c.isalnum() else "_" for c in "_".join([*words, "models"]))

    @property
    def source_sha256(self) -> str:
        """The hash of the text that is measured."""
        return hashlib.sha256(self.source.encode()).hexdigest()


def render(library: Library, variant: str, codec: Codec, schema: Schema) -> Case:
    """Render one case; a library that cannot do it gives a case with a reason."""
    missing = [reason for feature, reason in library.lacks.items() if feature in schema.features]
    if missing:
        return Case(library, variant, codec, "", reason=missing[0])
    try:
        rendered = library.render(schema, codec, variant)
    except Unsupported as error:
        return Case(library, variant, codec, "", reason=str(error))
    operations = _write_functions(rendered, codec, schema)
    return Case(library, variant, codec, rendered.module.text(), operations)


def combinations(
    chosen_libraries: Iterable[Library] | None = None, chosen_codecs: Iterable[Codec] | None = None
) -> Iterator[tuple[Library, Codec]]:
    """Every library with every codec that serves it."""
    served = tuple(codecs() if chosen_codecs is None else chosen_codecs)
    for library in libraries().values() if chosen_libraries is None else chosen_libraries:
        for codec in served:
            if not codec.only or library.name in codec.only:
                yield library, codec


def _write_functions(rendered: Rendered, codec: Codec, schema: Schema) -> tuple[str, ...]:
    """Add `encode` and `decode`, and the steps behind them where there are any; return their names."""
    module, name = rendered.module, root_name(schema)
    type_ = annotation(schema.root, module)
    dump, load = rendered.dump, rendered.load
    loads = _applied(codec.loads, "blob")
    encode = rendered.encode or _applied(codec.dumps, dump(name) if dump else name)
    module.add(function("encode", [f"{name}: {type_}"], "bytes", returned(encode)))
    module.add(function("decode", ["blob: bytes"], type_, *_decode_body(rendered, loads, type_, name)))
    written = ["encode", "decode"]
    steps = []
    if dump:
        steps += [
            ("dump", f"{name}: {type_}", "Any", dump(name)),
            ("dumps", "data: Any", "bytes", _applied(codec.dumps, "data")),
        ]
    if load:
        steps += [("loads", "blob: bytes", "Any", loads), ("load", "data: Any", type_, load("data"))]
    for step, parameter, returns, expression in steps:
        module.use("typing", "Any")
        module.add(function(step, [parameter], returns, returned(expression)))
        written.append(step)
    return tuple(written)


def _decode_body(rendered: Rendered, loads: Expression, type_: str, name: str) -> list[str]:
    load = rendered.load
    if rendered.decode is None and load is not None:
        if len(re.findall(r"\bdata\b", flat(load("data")))) == 1:
            return [returned(load(flat(loads)))]
        return [lay_out(loads, 4, "data = "), returned(load("data"))]
    decode = rendered.decode or loads
    if rendered.untyped:
        return [lay_out(decode, 4, f"{name}: {type_} = "), f"    return {name}"]
    return [returned(decode)]


def _applied(template: str, argument: Expression) -> Expression:
    opening, _, closing = template.partition("{}")
    return Bracketed(opening, (argument,), closing)
