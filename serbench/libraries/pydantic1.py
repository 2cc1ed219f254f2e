"""pydantic1: pydantic's first generation, models in Python (or compiled with Cython) that validate and coerce.

- `dict` makes builtins of a model, and `pydantic_encoder` is the codec's hook for what is left: dates and
  times in ISO 8601, UUIDs as text, a timedelta as its seconds, an enum as its value, a set as a list.
- It would write a decimal as a float and bytes as UTF-8 text: where the codec has neither, a hook written
  by hand makes text of a decimal and base64 of bytes, which a custom data type takes back.
- With a codec that has no hook and lacks a kind, builtins are made by hand.
- `smart_union` keeps the types apart in an untagged union; a tag is a Literal field, the discriminator.
- A field that may be None may be absent, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Step, Unsupported, use_codec
from serbench.schema import Field, List, Map, Optional, Record, Ref, Schema, Type, Union
from serbench.schema.types import walk
from serbench.source.by_hand import TEXT_KINDS, ByHand, add_default_hook
from serbench.source.expressions import Bracketed, Comprehension, Conditional, Expression, Keyword, call
from serbench.source.layout import Module, class_block, field_line, parsed
from serbench.source.models import add_enums, annotation, assignment, literal, ordered_records, root_name, tag_field

_DOCS = "https://docs.pydantic.dev/1.10/usage"
_HOOK = "default=pydantic_encoder"
_BASE64 = """\
if TYPE_CHECKING:
    Base64Bytes = bytes
else:

    class Base64Bytes(bytes):
        @classmethod
        def __get_validators__(cls):
            yield cls.validate

        @classmethod
        def validate(cls, value):
            if isinstance(value, bytes):
                return value
            if isinstance(value, str):
                return base64.b64decode(value)
            raise TypeError("neither bytes nor base64")"""
# what a model has of its own, so that a field cannot be called so
_OWN = {
    *("Config", "construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw", "schema"),
    *("schema_json", "update_forward_refs", "validate"),
}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Models, with `dict` and `parse_obj_as` around the codec."""
    if any(isinstance(t, Union) and t.tag is None for t in walk(schema.root)):
        raise Unsupported(f"outside of a model there is no smart_union ({_DOCS}/model_config/)")
    module = Module(future="recursion" in schema.features)
    models = _Models(module, schema, base64="bytes" in schema.features - codec.decodes and codec.format != "pickle")
    models.add()
    use_codec(module, codec)
    if codec.format == "pickle":
        return Rendered(module, untyped=True)
    dump, options = _dump(module, schema, codec)
    encode = decode = None
    if codec.name == "json":
        decode = models.parsed("raw", "blob")
        if isinstance(schema.root, Ref) and options in ((), (_HOOK,)):
            text = call(f"{root_name(schema)}.json", *_by_alias(schema))
            encode = Bracketed(text.opening, text.items, ").encode()")
    return Rendered(module, dump, lambda value: models.parsed("obj", value), encode, decode, options=options)


@dataclass(frozen=True)
class _Models:
    """Renders the models of a schema; with `base64`, bytes are a data type that takes base64."""

    module: Module
    schema: Schema
    base64: bool

    def add(self) -> None:
        """Add enums, models and the data type."""
        add_enums(self.schema, self.module)
        if self.base64:
            self.module.use("base64")
            self.module.use("typing", "TYPE_CHECKING")
            self.module.state(_BASE64)
        defined: set[str] = set()
        late = []
        for record in ordered_records(self.schema):
            self._add(record)
            defined.add(record.name)
            if any(isinstance(t, Ref) and t.record not in defined for f in record.fields for t in walk(f.type)):
                late.append(record.name)
        for name in late:
            self.module.state(f"{name}.update_forward_refs()")

    def parsed(self, what: str, value: str) -> Expression:
        """The document out of builtins ("obj") or bytes ("raw")."""
        if isinstance(self.schema.root, Ref):
            return call(f"{self.schema.root.record}.parse_{what}", value)
        self.module.use("pydantic", f"parse_{what}_as")
        return call(f"parse_{what}_as", parsed(self._annotation(self.schema.root)), value)

    def _add(self, record: Record) -> None:
        fields = list(record.fields)
        if record.name in self.schema.tags:
            fields.append(tag_field(self.schema, record))
        for f in fields:
            if f.name.startswith("_") or f.name in _OWN:
                raise Unsupported(f"a model has no field called {f.name} ({_DOCS}/models/#model-properties)")
        lines = [field_line(f.name, self._annotation(f.type), self._assigned(f)) for f in record.fields]
        if len(fields) > len(record.fields):
            self.module.use("typing", "Literal")
            type_ = f"Literal[{literal(record.tag_value)}]"
            lines.append(field_line(fields[-1].name, type_, self._assigned(fields[-1])))
        config = []
        if any(f.alias is not None for f in fields):
            config.append("    allow_population_by_field_name = True")
        if any(isinstance(t, Union) and t.tag is None for f in fields for t in walk(f.type)):
            config.append("    smart_union = True")
        self.module.use("pydantic", "BaseModel")
        self.module.add(
            class_block(
                [f"class {record.name}(BaseModel):"], [*lines, *(["", "class Config:", *config] if config else [])]
            )
        )

    def _assigned(self, f: Field) -> Expression | None:
        alias = () if f.alias is None else (f"alias={literal(f.alias)}",)
        needed = ("...",) if f.required and alias else ()
        return assignment(self.module, f, "pydantic:Field", "default_factory", *needed, *alias)

    def _annotation(self, type_: Type) -> str:
        text = annotation(type_, self.module, self._tagged)
        return re.sub(r"\bbytes\b", "Base64Bytes", text) if self.base64 else text

    def _tagged(self, union: Union, members: str) -> str:
        self.module.use("pydantic", "Field")
        self.module.use("typing" if self.module.python >= (3, 9) else "typing_extensions", "Annotated")
        names = {tag_field(self.schema, self.schema.record(m.record)).name for m in union.members if isinstance(m, Ref)}
        return f"Annotated[{members}, Field(discriminator={literal(min(names))})]"


def _dump(module: Module, schema: Schema, codec: Codec) -> tuple[Step | None, tuple[str, ...]]:
    """The way to what the codec takes, and the options with which it takes it."""
    unknown = schema.features & (TEXT_KINDS | {"enum", "set"}) - codec.encodes
    options: tuple[str, ...] = ()
    if unknown and not codec.default:
        hand = ByHand(module, schema, "dump", codec.encodes)
        hand.add_functions()
        return hand.document, ()
    if unknown & {"bytes", "decimal"}:
        options = (f"{codec.default}={add_default_hook(module, unknown)}",)
    elif unknown:
        module.use("pydantic.json", "pydantic_encoder")
        options = (_HOOK,)
    if not any(isinstance(t, Ref) for t in walk(schema.root)):
        return None, options
    return lambda value: _builtins(schema, schema.root, value), options


def _builtins(schema: Schema, type_: Type, value: str) -> Expression:
    """A value that holds models, with dicts in their place."""
    match type_:
        case Ref() | Union():
            return call(f"{value}.dict", *_by_alias(schema))
        case List(item):
            each = next(name for name in ("item", "entry", "element", "part") if name != value)
            return Comprehension("[", _builtins(schema, item, each), f"for {each} in {value}", "]")
        case Map(item):
            each = next(name for name in ("item", "entry", "element", "part") if name != value)
            made = Keyword("key: ", _builtins(schema, item, each))
            return Comprehension("{", made, f"for key, {each} in {value}.items()", "}")
        case Optional(item):
            return Conditional("None", f"{value} is None", _builtins(schema, item, value))
        case _:
            raise Unsupported(f"a document that is a tuple of models has no dict() ({_DOCS}/exporting_models/)")


def _by_alias(schema: Schema) -> tuple[str, ...]:
    tags = (tag_field(schema, schema.record(name)) for name in schema.tags)
    return ("by_alias=True",) if "alias" in schema.features or any(f.alias is not None for f in tags) else ()


LIBRARY = Library(
    name="pydantic1",
    summary="pydantic's first generation: models that validate and coerce",
    docs=f"{_DOCS}/models/",
    model="pydantic1",
    render=render,
    distributions=("pydantic",),
    versions="<2",
    pins=("pydantic==1.10.27", "typing-extensions==4.16.0"),
)
