"""Cases: library × variant × codec, rendered for one schema, or the reason why not."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from serbench.formats import ANY_MODEL, Codec, codecs
from serbench.libraries import Library, Rendered, Unsupported, libraries
from serbench.schema import Schema
from serbench.source.layout import Bracketed, Expression, flat, function, lay_out, returned
from serbench.source.models import annotation, refuse_lookalikes, root_name


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
        """A flat module name, one for each case; pickle refuses a dotted one."""
        parts = [self.library.name, self.variant, self.codec.name, self.codec.format, "models"]
        if self.variant == "default":
            parts.remove("default")
        if self.codec.name == self.codec.format:
            parts.remove(self.codec.name)
        return "".join(c if c.isalnum() else "_" for c in "_".join(parts))

    @property
    def source_sha256(self) -> str:
        """The hash of the text that is measured."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The source: plain for logs, lit for notebooks."""
        return {"text/plain": self.source, "text/markdown": f"```python\n{self.source}```"}


def render(library: Library, variant: str, codec: Codec, schema: Schema) -> Case:
    """Render one case; a library that cannot do it gives a case with a reason."""
    missing = [reason for feature, reason in library.lacks.items() if feature in schema.features]
    if missing:
        return Case(library, variant, codec, "", reason=missing[0])
    try:
        if codec.makes != ANY_MODEL:
            refuse_lookalikes(schema, codec.decodes, codec.format)
        rendered = library.render(schema, codec, variant)
        _check_names(rendered, schema)
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


def _check_names(rendered: Rendered, schema: Schema) -> None:
    """Check that no class of the schema hides what its module imports."""
    module = rendered.module
    imported = module.plain.union(*module.names.values())
    for name in [record.name for record in schema.records] + [enum.name for enum in schema.enums]:
        if name in imported:
            raise Unsupported(f"the module of its models imports another {name}; give the class {name} another name")


def _write_functions(rendered: Rendered, codec: Codec, schema: Schema) -> tuple[str, ...]:
    """Add `encode` and `decode`, and the steps behind them where there are any; return their names."""
    module, name = rendered.module, root_name(schema)
    type_ = annotation(schema.root, module)
    dump, load = rendered.dump, rendered.load
    encode = rendered.encode or _applied(codec.dumps, dump(name) if dump else name, *rendered.options)
    module.add(function("encode", [f"{name}: {type_}"], "bytes", returned(encode)))
    module.add(function("decode", ["blob: bytes"], type_, *_decode_body(rendered, codec, type_, name)))
    written = ["encode", "decode"]
    steps: list[tuple[str, str, str, list[str]]] = []
    if dump:
        steps += [
            ("dump", f"{name}: {type_}", "Any", [returned(dump(name))]),
            ("dumps", "data: Any", "bytes", [returned(_applied(codec.dumps, "data", *rendered.options))]),
        ]
    if load:
        steps += [
            ("loads", "blob: bytes", "Any", [returned(_applied(codec.loads, "blob"))]),
            ("load", "data: Any", type_, _typed(rendered, load("data"), type_, name)),
        ]
    for step, parameter, returns, body in steps:
        module.use("typing", "Any")
        module.add(function(step, [parameter], returns, *body))
        written.append(step)
    return tuple(written)


def _decode_body(rendered: Rendered, codec: Codec, type_: str, name: str) -> list[str]:
    if rendered.decode is not None:
        return _typed(rendered, rendered.decode, type_, name)
    loads = _applied(codec.loads, "blob")
    load = rendered.load
    if load is None:
        return _typed(rendered, loads, type_, name)
    if len(re.findall(r"\bdata\b", flat(load("data")))) == 1:
        return _typed(rendered, load(flat(loads)), type_, name)
    return [lay_out(loads, 4, "data = "), *_typed(rendered, load("data"), type_, name)]


def _typed(rendered: Rendered, value: Expression, type_: str, name: str) -> list[str]:
    """Return the value; by way of a variable with its type where a type checker cannot know that."""
    if rendered.untyped:
        return [lay_out(value, 4, f"{name}: {type_} = "), f"    return {name}"]
    return [returned(value)]


def _applied(template: str, *arguments: Expression) -> Expression:
    opening, _, closing = template.partition("{}")
    return Bracketed(opening, arguments, closing)
