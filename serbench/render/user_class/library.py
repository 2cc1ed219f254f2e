"""The user's class as one more library: as it is, around a codec, or in another library (`yours via cattrs`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from serbench.errors import PlanError, check
from serbench.model.classes.documents import form_of
from serbench.model.classes.fields import has_forward_references
from serbench.model.classes.read import is_name
from serbench.model.data.dataset import Dataset
from serbench.model.records import Enum, Field, List, Map, Ref, Schema, Union
from serbench.model.scalars import TEXT_KINDS, USER_KINDS
from serbench.render.codec import ANY_MODEL, Codec
from serbench.render.left_out import with_absent_of
from serbench.render.library import Library, Rendered, libraries, use_codec
from serbench.render.rendering import combinations
from serbench.render.source.marshmallow import calls
from serbench.render.source.module import Module, Unsupported, call, decided_by_class, root_name
from serbench.render.user_class.conversion import Conversion, as_overridden
from serbench.render.user_class.find import ClassImports, UserModel, class_of, load_model
from serbench.results import VIA, YOURS


def rest_framework(model: UserModel, schema: Schema, codec: Codec) -> Rendered:
    """The user's serializer around the codec, with dicts for objects as it takes and gives them.

    Its dicts are made by it as well, since their keys are each field's `source`.
    """
    if codec.format == "pickle":
        raise Unsupported("pickle encodes the dicts directly; the serializer is not involved")
    module, name = Module(future=True), root_name(schema)
    _import_named(module, model)
    module.plain |= {"django", "os"}
    for source, used in (("django.conf", "settings"), ("django.utils", "timezone"), ("datetime", "UTC")):
        module.use(source, used)
    module.add(_SETTINGS)
    use_codec(module, codec)
    many = ("many=True",) if isinstance(schema.root, List) else ()
    made = f"serializer = {call(model.name, 'data=data', *many)}"
    checked = "serializer.is_valid(raise_exception=True)"
    module.define("def validated(data: Any) -> Any:", [made, checked, "return serializer.validated_data"])
    add_build(module, name, f"validated({name})")
    return Rendered(module, f"{call(model.name, '{}', *many)}.data", "validated({})")


_SETTINGS = """\
if not settings.configured and "DJANGO_SETTINGS_MODULE" not in os.environ:
    settings.configure(TIME_ZONE="UTC")
django.setup()
timezone.activate(UTC)"""  # whatever zone the project has: all data here is in UTC


def marshmallow(model: UserModel, schema: Schema, codec: Codec) -> Rendered:
    """The user's Schema around the codec; if it has no `post_load`, it takes and gives dicts."""
    if codec.name == "pickle":
        raise Unsupported("pickle encodes the objects directly; marshmallow is not involved")
    module, name = Module(), root_name(schema)
    many = "many=True" if isinstance(schema.root, List) else ""
    _import_named(module, model)
    use_codec(module, codec)
    module.add(f"schema = {model.name}({many})")
    add_build(module, name, f"schema.load({name})")
    module.use("typing", "Any")
    module.blocks += [f"{record.name} = Any" for record in schema.records]
    return Rendered(module, *calls(schema, codec.name), untyped=True)


def converted(model: UserModel, conversion: Conversion, schema: Schema, codec: Codec) -> Rendered:
    """The conversion of the class's package around the codec."""
    module, name, imports = Module(), root_name(schema), ClassImports(model, {})
    item, prepared = imports.as_named(), conversion.prepared(imports.imported)
    module.blocks[:0] = [*imports.lines(module), *filter(None, [prepared])]
    use_codec(module, codec)
    if (record := item_of(schema)) != item:
        module.add(f"{record} = {item}")
    many = isinstance(schema.root, List)
    dump, load = conversion.writes[many].format(item, "{}"), conversion.reads[many].format(item, "{}")
    add_build(module, name, load.replace("{}", name))
    dump, load = ("", "") if codec.format == "pickle" else (dump, load)  # which encodes the objects themselves
    return Rendered(module, dump, load, untyped=True, user_facts={"ready": True})


def _import_named(module: Module, model: UserModel) -> None:
    """Put an import of the user's class alone at the top."""
    imports = ClassImports(model, {})
    imports.as_named()
    module.blocks[:0] = imports.lines(module)


def add_build(module: Module, name: str, made: str) -> None:
    """Add `build`, for objects that are not made by calling a class with its fields."""
    module.use("typing", "Any")
    module.add(f"def build({name}: Any) -> Any:\n    return {made}")


def item_of(schema: Schema) -> str:
    """The name of the root's record."""
    item = schema.root.item if isinstance(schema.root, List) else schema.root
    assert isinstance(item, Ref)
    return item.record


BASES = {
    "dataclass": "dataclasses",
    "attrs": "cattrs",
    "pydantic": "pydantic",
    "pydantic1": "pydantic1",
    "msgspec": "msgspec",
    "namedtuple": "namedtuple",
    "typeddict": "typeddict",
    "marshmallow": "marshmallow",
    "djangorestframework": "djangorestframework",
}
"""The library that a class is written with → the one that serves such classes here."""


_PRECONF = "https://catt.rs/en/stable/preconf.html"
_STRICT = "https://docs.pydantic.dev/latest/concepts/conversion_table/"

READY = ("marshmallow",)
"""Kinds whose classes are given values as JSON has them."""


def directed(library: Library, dataset: Dataset) -> Library:
    """The library; if it is a class that reads another document than it writes, only what it does with this one."""
    if not library.user_class or not dataset.direction:
        return library
    cannot, other = {"reads": ("encode", "writes"), "writes": ("decode", "reads")}[dataset.direction]
    render: Any = library.render
    said = {cannot: f"it reads another document than it writes; see what it {other}"}
    return replace(library, cannot=said, render=partial(render, dataset=dataset))


def with_root(user_schema: Schema, schema: Schema) -> Schema:
    """The schema of the user's class, a list of it or one alone as another schema is."""
    root = user_schema.root
    assert isinstance(root, List)
    return user_schema if isinstance(schema.root, List) else Schema(root.item, user_schema.records)


def user_library(model: UserModel) -> Library:
    """The class as a library of its own, named `yours (…)`."""
    base = libraries()[BASES[model.kind]]

    def rendered(described: Schema, codec: Codec, schema: Schema, *, writing: bool) -> Rendered:
        if model.kind == "marshmallow":
            return marshmallow(model, described, codec)
        if model.kind == "djangorestframework":
            return rest_framework(model, described, codec)
        if model.conversion:
            return converted(model, model.conversion, described, codec)
        with decided_by_class() if model.kind == "pydantic" else nullcontext():
            as_plain = replace(base.render(schema, codec, "default"), schema=schema)
        import_instead(as_plain.module, model, schema, (model.written if writing else model.parsed).classes)
        if model.kind == "pydantic1":
            return _pydantic1(model, as_plain, schema, codec)
        if model.kind == "pydantic":
            return _pydantic(model, as_plain, schema, codec, as_json=model.infers(described), writing=writing)
        if model.kind == "msgspec" and "key" in schema.features:
            dump, load = (text and f"{text[:-1]}, str_keys=True)" for text in (as_plain.dump, as_plain.load))
            return replace(as_plain, dump=dump, load=load)
        return as_plain

    def render(described: Schema, codec: Codec, _variant: str, dataset: Dataset | None = None) -> Rendered:
        if dataset is not None and codec.format == "pickle":
            raise Unsupported("pickle encodes the objects themselves, which correspond to neither document")
        _refuse(model, codec)
        writing = dataset is not None and dataset.direction == "writes"
        user_schema = (model.written if writing else model.parsed).user_schema
        made = rendered(described, codec, with_root(user_schema, described), writing=writing)
        ready = model.kind in READY or model.infers(described) or bool((made.user_facts or {}).get("ready"))
        return replace(made, user_facts=facts_of(model, described, user_schema, ready=ready, writes=writing))

    return replace(
        base,
        name=f"{YOURS} ({model.kind})",
        summary=model.summary,
        render=render,
        variants={},
        omits={},
        lacks={},
        user_class=model.located,
    )


def facts_of(model: UserModel, described: Schema, user_schema: Schema, **facts: bool) -> dict[str, Any]:
    """What a worker is told of the class: these facts, its schema, and that which tells which keys may be absent.

    The documents may be those of another class of the run, whose records have other names.
    """
    lacking = model.lacking(described)
    is_beside = {record.name for record in described.records} != {record.name for record in user_schema.records}
    absent = with_root(lacking, described) if is_beside else with_absent_of(described, lacking)
    return {"spec": with_root(lacking, described).as_data(), "lacking": absent, **facts}


def _refuse(model: UserModel, codec: Codec) -> None:
    """Check that a codec knows what the class has, if it takes or makes such objects itself.

    Raises:
        Unsupported: the class has such a field.
    """
    if model.conversion:
        return
    user_schema, base = model.parsed.user_schema, libraries()[BASES[model.kind]]
    if model.kind == "attrs" and (name := _unknown_subclass(user_schema, codec.name)):
        raise Unsupported(f"{codec.name} does not encode {name}, which cattrs leaves as it is ({codec.docs})")
    if model.kind == "attrs" and codec.name == "msgspec" and (name := _passed_on(user_schema)):
        raise Unsupported(
            f"in cattrs 26.2.1, its msgspec converter passes the recursive {name} on with types that msgspec lacks ({_PRECONF})"
        )
    keys = {type(type_.key) for type_ in user_schema.types() if isinstance(type_, Map)} - {type(None)}
    foreign = "key" in user_schema.features and codec.name != "json"
    if model.kind in ("marshmallow", "pydantic1") and foreign and codec.format == "json":
        raise Unsupported(
            f"the class writes keys that are not strings, which {codec.name} does not support ({codec.docs})"
        )
    if model.kind == "attrs" and codec.name == "orjson" and Enum in keys:
        raise Unsupported(
            f"cattrs's orjson converter writes an enum key as its name, which it cannot read back ({_PRECONF})"
        )
    class_ = class_of(model)
    if (
        model.kind == "attrs"
        and codec.name == "msgspec"
        and not all(one.init for one in getattr(class_, "__attrs_attrs__", ()))
    ):
        raise Unsupported(
            f"msgspec writes fields that cattrs leaves out because they are not arguments (init=False; {_PRECONF})"
        )
    if (
        base.model in codec.objects.makes
        and codec.objects.makes != ANY_MODEL
        and model.kind in ("dataclass", "namedtuple", "typeddict")
    ):
        mixed = [enum.name for enum in user_schema.enums if len({type(value) for _, value in enum.members}) > 1]
        if mixed:
            raise Unsupported(
                f"{codec.name} does not support enums with values of different types, such as {mixed[0]} ({codec.docs})"
            )
        if user_schema != model.written.user_schema:
            raise Unsupported(
                f"{codec.name} passes all fields to the class, even those that are not arguments ({codec.docs})"
            )


def _passed_on(user_schema: Schema) -> str | None:
    """A recursive class that has, or whose classes have, what only the user's classes have."""
    foreign = user_schema.features & {*USER_KINDS, "key"}
    return next(
        (record.name for record in user_schema.records if foreign and record.name in user_schema.reachable(record)),
        None,
    )


def _unknown_subclass(user_schema: Schema, codec: str) -> str | None:
    """The first class that derives from what the codec encodes only itself."""
    kinds = {"msgspec": ("str", "int", "float"), "orjson": ("float",)}.get(codec, ())
    inside = {record.name: record.fields[0].type for record in user_schema.records if record.root == "one"}
    return next((name for name, type_ in inside.items() if getattr(type_, "kind", "") in kinds), None)


def import_instead(module: Module, model: UserModel, schema: Schema, classes: Mapping[str, Any]) -> None:
    """Put imports of the user's classes where the rendered ones are: those that the module names, or makes objects of."""
    names = [record.name for record in schema.records if record.name in classes]
    names += [enum.name for enum in schema.enums]
    definition = re.compile(rf"(?:@.*\n)*(?:class )?(?:{'|'.join(map(re.escape, names))})(?:\(|:| = )")
    module.blocks = [block for block in module.blocks if not definition.match(block)]
    if model.kind in ("pydantic", "pydantic1"):
        text = "\n".join([*module.blocks, item_of(schema)])
        names = [name for name in names if re.search(rf"\b{name}\b", text)]
    imports = ClassImports(model, {name: classes[name] for name in names})
    aliases = [f"{name} = {text}" for name in names if (text := imports.spelled(classes[name])) != name]
    resolved = [f"attrs.resolve_types({name})" for name in names if has_forward_references(classes[name])]
    if resolved:
        module.use("attrs")
    module.blocks[:0] = [*imports.lines(module), *aliases, *resolved]


def _pydantic(
    model: UserModel, rendered: Rendered, schema: Schema, codec: Codec, *, as_json: bool, writing: bool
) -> Rendered:
    """With the aliases that the class has, whatever its configuration writes by default."""
    mixed = (
        writing and not codec.typed and _reads_texts_otherwise(model.written.user_schema)
    )  # of which a document has the text
    if as_json or mixed or (codec.name == "pydantic" and _reads_texts_otherwise(schema)):
        rendered = _made_of_json(rendered, schema)
    elif schema.record(item_of(schema)).root == "alias" or not hasattr(class_of(model), "model_validate"):
        _add_adapted(rendered.module, schema)
    else:
        _add_validated(rendered.module, schema, "model_validate")
    if codec.format == "pickle":
        return rendered
    strict = any(getattr(one, "model_config", {}).get("strict") for one in model.parsed.classes.values())
    inexact = schema.features & (TEXT_KINDS | {"enum", "set", "tuple"}) - codec.kinds.decodes
    if strict and rendered.load and not rendered.decode and inexact:
        raise Unsupported(
            f"a strict model accepts {min(inexact)} only as that type, which {codec.name} does not return ({_STRICT})"
        )
    if rendered.dump == "adapter.dump_python({})" and (mixed or _stays_an_object(schema)) and not codec.typed:
        rendered = replace(rendered, dump='adapter.dump_python({}, mode="json")')
    rendered = as_overridden(class_of(model), rendered, schema, codec)
    if "alias" not in schema.features and not _renames_tags(model, schema):
        return rendered

    def by_alias(expression: str) -> str:
        return f"{expression[:-1]}, by_alias=True)" if expression.startswith("adapter.") else expression

    return replace(rendered, encode=by_alias(rendered.encode), dump=by_alias(rendered.dump))


def _reads_texts_otherwise(schema: Schema) -> bool:
    """Return True if a text is one of several members of a union: pydantic then chooses another for JSON than for Python."""
    unions = [type_ for type_ in schema.types() if isinstance(type_, Union) and type_.tag is None]
    return any([form_of(member) for member in union.members].count("text") > 1 for union in unions)


def _made_of_json(rendered: Rendered, schema: Schema) -> Rendered:
    """Objects made of JSON, as its own codec makes them."""
    rendered.module.use("json")
    name = root_name(schema)
    add_build(rendered.module, name, f"adapter.validate_json(json.dumps({name}))")
    return replace(rendered, user_facts={"ready": True})


def _stays_an_object(schema: Schema) -> bool:
    """Return True if `dump_python` leaves keys, named tuples or deques, which few codecs know."""
    deques = any(isinstance(type_, List) and type_.held == "deque" for type_ in schema.types())
    return deques or "key" in schema.features or any(record.root == "items" for record in schema.records)


def _renames_tags(model: UserModel, schema: Schema) -> bool:
    """Return True if a tag's field has an alias."""
    classes = model.parsed.classes | model.written.classes
    return any(tag not in getattr(classes[name], "model_fields", (tag,)) for name, tag in schema.tags.items())


def _pydantic1(model: UserModel, rendered: Rendered, schema: Schema, codec: Codec) -> Rendered:
    """With the generation's own package, which is a part of pydantic 2, and the encoders of the class."""
    module, class_ = rendered.module, class_of(model)
    package = next(c.__module__ for c in class_.__mro__ if c.__name__ == "BaseModel").removesuffix(".main")
    _import_as(module, package)
    done = [f"{record.name}.update_forward_refs()" for record in schema.records]
    module.blocks = [block for block in module.blocks if block not in done]
    _add_validated(module, schema, "parse_obj")
    encoders = class_.__config__.json_encoders
    lacks = bool(rendered.dump) and schema.features & (TEXT_KINDS | {"enum", "set"}) - codec.kinds.encodes
    if encoders and lacks and codec.asks_about(lacks):
        module.blocks = [block for block in module.blocks if not block.startswith("def to_builtin(")]
        rendered = replace(rendered, options=(f"{codec.kinds.default}={item_of(schema)}.__json_encoder__",))
        if codec.name == "json" and isinstance(schema.root, Ref):
            aliased = ("by_alias=True",) if "alias" in schema.features else ()
            text = call(f"{root_name(schema)}.json", *aliased)
            rendered = replace(rendered, encode=f"{text}.encode()")
    elif lacks and "bytes" in lacks:
        raise Unsupported(
            "pydantic 1 writes bytes as UTF-8 text and does not read base64; give the class json_encoders"
        )
    return rendered


def _import_as(module: Module, package: str) -> None:
    for name in [name for name in module.names if name in ("pydantic", "pydantic.json")]:
        module.use(package + name.removeprefix("pydantic"), *module.names.pop(name))


def _add_validated(module: Module, schema: Schema, method: str) -> None:
    """Objects made by the class's own method for dicts, which respects its aliases."""
    name, made = root_name(schema), f"{item_of(schema)}.{method}"
    add_build(
        module, name, f"[{made}(value) for value in {name}]" if isinstance(schema.root, List) else f"{made}({name})"
    )


def _add_adapted(module: Module, schema: Schema) -> None:
    """Objects made by pydantic's adapter of an alias."""
    module.use("pydantic", "TypeAdapter")
    many = isinstance(schema.root, List)
    type_ = f"list[{item_of(schema)}]" if many else item_of(schema)
    add_build(module, root_name(schema), f"TypeAdapter({type_}).validate_python({root_name(schema)})")


def base_of(located: str) -> str:
    """The library that serves classes such as this one."""
    return BASES[load_model(located).kind]


def library_name(located: str) -> str:
    """The name of the class among the libraries."""
    return f"{YOURS} ({load_model(located).kind})"


def user_cases(located: str, served: Iterable[Codec], name: str = "") -> list[tuple[Library, str, Codec]]:
    """The class with each of these codecs that serves its library; `name` tells it from other classes of the run."""
    model = load_model(located)
    base = libraries()[BASES[model.kind]]
    library, by = user_library(model), (model.conversion and model.conversion.name) or "default"
    if name:
        library = replace(library, name=f"{YOURS} ({model.kind}, {name})")
    served_codecs = (codec for _, codec in combinations([base], served))
    return [(library, "default" if codec.format == "pickle" else by, codec) for codec in served_codecs]


KINDS = {"dataclass": "dataclasses", "attrs": "attrs classes", "typeddict": "TypedDicts", "namedtuple": "NamedTuples"}
"""Kinds of classes that are no library's own → their name in sentences."""
TAKING = {
    "adaptix": (*KINDS,),
    "apischema": ("dataclass", "typeddict", "namedtuple"),
    "cattrs": (*KINDS,),
    "chili": ("dataclass", "attrs"),
    "dacite": ("dataclass",),
    "databind": ("dataclass",),
    "dataclass-wizard": ("dataclass",),
    "jsons": ("dataclass", "attrs", "namedtuple"),
    "mashumaro": ("dataclass", "typeddict", "namedtuple"),
    "msgspec": (*KINDS,),
    "pydantic": ("dataclass", "typeddict", "namedtuple"),
    "serpyco-rs": ("dataclass", "attrs", "typeddict"),
    "typedload": (*KINDS,),
}
"""Libraries that convert classes which know nothing of them → the kinds that they take; verification shows if they do."""
ARRAYS = ("cattrs", "mashumaro", "msgspec", "pydantic")
"""Libraries that write a NamedTuple as an array."""
NEEDING = {
    "dataclasses-json": "its decorator or mixin",
    "marshmallow-dataclass": "its decorator or a schema that it makes",
    "pyserde": "its decorator",
}
"""Libraries of classes of this kind that do not take one as it is → what they need."""


def via_cases(
    classes: Mapping[str, str], name: str, served: Sequence[Codec]
) -> list[tuple[Library, Library, str, Codec]]:
    """Classes through a library, or through all of them if `name` is "*", with each of these codecs; first the library.

    `classes` has what tells each from the others, empty for the first. A line says which of them are a library's own.

    Raises:
        PlanError: no such library, or every class is a library's own.
    """
    known = [*TAKING, *NEEDING]
    if name != "*":
        check(f"library of {VIA.strip()}", name, known)
    cases: list[tuple[Library, Library, str, Codec]] = []
    reasons: list[str] = []
    for located, called in classes.items():
        model = load_model(located)
        base = BASES[model.kind]
        if model.kind not in KINDS:
            reason = f"{model.name} is a class of {base}, which other libraries do not take; {VIA}… is for dataclasses, attrs classes, TypedDicts and NamedTuples"
            reasons.append(reason)
            model.differences.extend({reason} - {*model.differences})
            continue
        chosen = [libraries()[one] for one in (known if name == "*" else [name]) if one != base or name != "*"]
        cases += [
            (one, via_library(model, one, called), "default", codec) for one, codec in combinations(chosen, served)
        ]
    if reasons and not cases:
        raise PlanError(reasons[0])
    return cases


def via_library(model: UserModel, base: Library, called: str = "") -> Library:
    """A library that is given the user's class where its own file renders one; `called` tells it from other classes."""

    def render(described: Schema, codec: Codec, _variant: str, dataset: Dataset | None = None) -> Rendered:
        if base.name in NEEDING:
            raise Unsupported(f"it needs {NEEDING[base.name]}, so it does not take the class unchanged ({base.docs})")
        if model.kind not in TAKING[base.name]:
            taking = ", ".join(KINDS[kind] for kind in TAKING[base.name])
            raise Unsupported(f"it takes {taking}, and no {KINDS[model.kind]} ({base.docs})")
        if model.kind == "namedtuple" and base.name in ARRAYS:
            raise Unsupported(f"it writes a NamedTuple as an array, which is another document ({base.docs})")
        if codec.format == "pickle":
            raise Unsupported("pickle encodes the objects themselves; the library is not involved")
        writing = dataset is not None and dataset.direction == "writes"
        side = model.written if writing else model.parsed
        schema = with_root(side.user_schema, described)
        named = _without_aliases(schema) if model.kind == "typeddict" else schema
        rendered = replace(base.render(named, codec, "default"), schema=schema)
        import_instead(rendered.module, model, schema, side.classes)
        facts = facts_of(model, described, side.user_schema, ready=False, writes=writing)
        return replace(rendered, user_facts=facts)

    return replace(
        base,
        name=f"{VIA}{base.name}" + (f" ({called})" if called else ""),
        summary=f"{model.summary}, unchanged, by {base.name}",
        render=render,
        variants={},
        omits={},
        user_class=model.located,
    )


def _without_aliases(schema: Schema) -> Schema:
    """The schema as a library sees TypedDicts: their keys are those of the document, so nothing is renamed."""

    def plain(field: Field) -> Field:
        return replace(field, name=field.wire if is_name(field.wire) else field.name, alias=None)

    records = tuple(replace(record, fields=tuple(map(plain, record.fields))) for record in schema.records)
    return replace(schema, records=records)
