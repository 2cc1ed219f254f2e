"""The user's class as one more library: as it is, around a codec, or in another library (`yours via cattrs`)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from serbench.errors import PlanError, check
from serbench.model.classes.documents import form_of
from serbench.model.classes.fields import has_forward_references
from serbench.model.classes.read import is_name
from serbench.model.data.dataset import Dataset
from serbench.model.records import SETS, Enum, Field, List, Map, Record, Ref, Schema, Type, replace_inner, walk
from serbench.model.scalars import MOMENTS, TEXT_KINDS, Scalar
from serbench.render.case import combinations
from serbench.render.codec import Codec
from serbench.render.left_out import with_absent_of
from serbench.render.library import Library, Rendered, libraries, use_codec
from serbench.render.source.marshmallow import calls
from serbench.render.source.models import external_classes, untagged_unions
from serbench.render.source.module import Module, Unsupported, block, call, decided_by_class, root_name, snake
from serbench.render.user_class.conversion import overrides, takes
from serbench.render.user_class.documents import writes_itself
from serbench.render.user_class.find import ClassImports, UserModel, class_of, load_model, named_class
from serbench.results import VIA, YOURS

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


_RAW = "https://jcristharif.com/msgspec/api.html#msgspec.Raw"
_PRECONF = "https://catt.rs/en/stable/preconf.html"
_DOCS = "https://docs.pydantic.dev/latest/concepts/serialization/"


def directed(library: Library, dataset: Dataset) -> Library:
    """The library; if it is a class of the user's, for this data set, and only what it does with its documents."""
    if not library.user_class:
        return library
    render: Any = library.render
    library = replace(library, render=partial(render, dataset=dataset))
    if not dataset.direction:
        return library
    cannot, other = {"reads": ("encode", "writes"), "writes": ("decode", "reads")}[dataset.direction]
    return replace(library, cannot={cannot: f"it reads a different document than it writes; see what it {other}"})


def with_root(user_schema: Schema, schema: Schema) -> Schema:
    """The schema of the user's class, a list of it or one alone as another schema is."""
    root = user_schema.root
    assert isinstance(root, List)
    return user_schema if isinstance(schema.root, List) else Schema(root.item, user_schema.records)


def _with_moments(user_schema: Schema, described: Schema) -> Schema:
    """The schema of the user's class with the kind of datetimes that the documents have in each field, aware or naive."""
    kinds = {
        (record.name, f.wire): {t for t in walk(f.type) if isinstance(t, Scalar) and t.kind in MOMENTS}
        for record in described.records
        for f in record.fields
    }

    def of(type_: Type, met: set[Scalar]) -> Type:
        if isinstance(type_, Scalar):
            return next(iter(met)) if type_.kind in MOMENTS and len(met) == 1 else type_
        return replace_inner(type_, lambda inner: of(inner, met))

    def fields(record: Record) -> tuple[Field, ...]:
        return tuple(replace(f, type=of(f.type, kinds.get((record.name, f.wire), set()))) for f in record.fields)

    return replace(user_schema, records=tuple(replace(record, fields=fields(record)) for record in user_schema.records))


_KNOWN_TO_IT = {"any", "foreign", "opaque"}  # kinds whose values only a class's own conversion makes of JSON


class ClassRendering:
    """Renders a class for a codec and documents of this schema, those of `dataset` if it is known."""

    def __init__(self, model: UserModel, described: Schema, codec: Codec, dataset: Dataset | None) -> None:
        self.model, self.described, self.codec = model, described, codec
        self.writes = dataset is not None and dataset.direction == "writes"
        # another codec may write its documents, with a schema of their own
        is_known = dataset is not None and dataset.schema.records == described.records and writes_itself(model)
        self.inferred = dataset.inferred if dataset is not None and is_known else None
        self.parsed = model.written if self.writes else model.parsed
        self.schema = _with_moments(with_root(self.parsed.user_schema, described), described)
        self.many = isinstance(self.schema.root, List)
        self.name = root_name(self.schema)

    def own(self) -> Rendered:
        """The class by its own library."""
        kind = self.model.kind
        around = {"marshmallow": self._marshmallow, "djangorestframework": self._rest_framework}.get(kind)
        if around := around or (self._converted if self.model.conversion else None):
            return self._with_facts(around())
        raw = getattr(sys.modules.get("msgspec"), "Raw", None)
        held = any(one is raw for types in self.parsed.limits.values() for one in types)
        takes_raw = self.codec.format == "pickle" or (
            self.codec.name.startswith("msgspec") and self.codec.format == "json"
        )
        if kind == "msgspec" and held and not takes_raw:
            raise Unsupported(
                f"msgspec.Raw is encoded already, here as JSON, which only msgspec's codec takes ({_RAW})"
            )
        of_enums = any(isinstance(type_, Map) and isinstance(type_.key, Enum) for type_ in self.schema.types())
        if kind == "attrs" and self.codec.name == "orjson" and of_enums:
            raise Unsupported(
                f"cattrs's orjson converter writes an enum key as its name, which it cannot read back ({_PRECONF})"
            )
        rendered = self._imported(libraries()[BASES[kind]], self.schema)
        if kind == "pydantic1":
            rendered = self._pydantic1(rendered)
        elif kind == "pydantic":
            rendered = self._pydantic(rendered)
        if self.model.has_raw:
            rendered.module.use("msgspec")
            type_ = f"list[{item_of(self.schema)}]" if self.many else item_of(self.schema)
            made = call("msgspec.json.decode", f"msgspec.json.encode({self.name})", f"type={type_}")
            add_build(rendered.module, self.name, made)
            rendered = replace(rendered, user_facts={"ready": True})
        return self._with_facts(rendered)

    def by(self, base: Library) -> Rendered:
        """The class by a library that takes such classes."""
        schema = _without_aliases(self.schema) if self.model.kind == "typeddict" else self.schema
        conversion = self.model.conversion if schema.features & _KNOWN_TO_IT else None
        rendered = replace(self._imported(base, schema), user_facts={"ready": conversion is not None})
        if conversion is not None:  # the package of the class makes the objects
            class_, head = named_class(rendered.module, self.model)
            rendered.module.blocks[:0] = head
            add_build(rendered.module, self.name, conversion.reads[self.many].format(class_, self.name))
        aliased = base.name == "pydantic" and "alias" in schema.features  # in the metadata of a dataclass
        return self._with_facts(_by_alias(rendered) if aliased else rendered)

    def _imported(self, base: Library, schema: Schema) -> Rendered:
        """What a library renders for models of the schema, with imports of those that it names, or makes objects of."""
        with external_classes(schema), decided_by_class():
            rendered = replace(base.render(schema, self.codec, "default"), schema=self.schema)
        if base.name == "msgspec" and "key" in self.schema.features:
            dump, load = (text and f"{text[:-1]}, str_keys=True)" for text in (rendered.dump, rendered.load))
            rendered = replace(rendered, dump=dump, load=load)
        classes, module = self.parsed.classes, rendered.module
        names = [record.name for record in self.schema.records if record.name in classes]
        names += [enum.name for enum in self.schema.enums]
        if self.model.kind in ("pydantic", "pydantic1"):  # which make the objects themselves
            text = "\n".join([*module.blocks, item_of(self.schema)])
            names = [name for name in names if re.search(rf"\b{name}\b", text)]
        imports = ClassImports(self.model, {name: classes[name] for name in names})
        aliases = [f"{name} = {text}" for name in names if (text := imports.spelled(classes[name])) != name]
        resolved = [f"attrs.resolve_types({name})" for name in names if has_forward_references(classes[name])]
        if resolved:
            module.use("attrs")
        module.blocks[:0] = [*imports.lines(module), *aliases, *resolved]
        return rendered

    def _with_facts(self, rendered: Rendered) -> Rendered:
        """With what a worker is told of the class: how its objects are made, and which keys documents may lack.

        The documents may be those of another class of the run, whose records have other names.
        """
        model, described = self.model, self.described
        facts = dict(rendered.user_facts or {"ready": model.kind == "marshmallow" or self.inferred is not None})
        sparse = self.inferred or model.parsed.user_schema
        is_beside = not {r.name for r in described.records} <= {r.name for r in self.parsed.user_schema.records}
        facts["lacking"] = with_root(sparse, described) if is_beside else with_absent_of(described, sparse)
        facts |= {"spec": with_root(sparse, described).as_data(), "writes": self.writes}
        return replace(rendered, user_facts=facts)

    def _around(self, made: str, *, future: bool = False, ahead: str = "") -> tuple[Module, str]:
        """A module with the class, the codec, and `build`, which is `made`; and the class's name in it.

        {0} is that name, {1} the document.
        """
        module = Module(future=future)
        class_, head = named_class(module, self.model)
        module.blocks += [*head, *filter(None, [ahead])]
        use_codec(module, self.codec)
        name = root_name(self.described)
        add_build(module, name, made.format(class_, name))
        return module, class_

    def _rest_framework(self) -> Rendered:
        """The user's serializer around the codec, with dicts for objects as it takes and gives them.

        The serializer makes these dicts too: their keys are the `source` of its fields, not the names.
        """
        if self.codec.format == "pickle":
            raise Unsupported("pickle encodes the dicts directly; the serializer is not involved")
        module, class_ = self._around("validated({1})", future=True, ahead=_SETTINGS)
        module.plain |= {"django", "os"}
        for source, used in (("django.conf", "settings"), ("django.utils", "timezone"), ("datetime", "UTC")):
            module.use(source, used)
        many = ("many=True",) if self.many else ()
        made = f"serializer = {call(class_, 'data=data', *many)}"
        checked = "serializer.is_valid(raise_exception=True)"
        validated = block("def validated(data: Any) -> Any:", [made, checked, "return serializer.validated_data"])
        module.blocks.insert(-1, validated)
        return Rendered(module, f"{call(class_, '{}', *many)}.data", "validated({})")

    def _marshmallow(self) -> Rendered:
        """The user's Schema around the codec; if it has no `post_load`, it takes and gives dicts."""
        if self.codec.name == "pickle":
            raise Unsupported("pickle encodes the objects directly; marshmallow is not involved")
        module, class_ = self._around("schema.load({1})")
        module.blocks.insert(-1, f"schema = {class_}({'many=True' if self.many else ''})")
        module.blocks += [f"{record.name} = Any" for record in self.described.records]
        return Rendered(module, *calls(self.described, self.codec.name), untyped=True)

    def _converted(self) -> Rendered:
        conversion = self.model.conversion
        assert conversion is not None
        reads, writes = conversion.reads[self.many], conversion.writes[self.many]
        module, class_ = self._around(reads)
        if (record := item_of(self.described)) != class_:
            module.blocks.insert(-1, f"{record} = {class_}")
        dump, load = writes.format(class_, "{}"), reads.format(class_, "{}")
        dump, load = ("", "") if self.codec.format == "pickle" else (dump, load)  # which encodes the objects themselves
        return Rendered(module, dump, load, untyped=True, user_facts={"ready": True})

    def _pydantic(self, rendered: Rendered) -> Rendered:
        """With the aliases that the class has, whatever its configuration writes by default."""
        model, schema, codec, class_ = self.model, self.schema, self.codec, class_of(self.model)
        mixed = (
            self.writes and not codec.typed and _reads_texts_otherwise(model.written.user_schema)
        )  # of which a document has the text
        strict = any(getattr(one, "model_config", {}).get("strict") for one in self.parsed.classes.values())
        by_json = strict or (codec.name == "pydantic" and _reads_texts_otherwise(schema))
        adapter = f"TypeAdapter({f'list[{item_of(schema)}]' if self.many else item_of(schema)})"
        if self.inferred is not None or mixed or by_json:
            rendered.module.use("json")  # objects made of JSON, as its own codec makes them
            made = "adapter"
            if codec.format == "pickle":
                rendered.module.use("pydantic", "TypeAdapter")
                made = adapter
            add_build(rendered.module, self.name, f"{made}.validate_json(json.dumps({self.name}))")
            rendered = replace(rendered, user_facts={"ready": True})
        elif schema.record(item_of(schema)).root == "alias" or not hasattr(class_, "model_validate"):
            rendered.module.use("pydantic", "TypeAdapter")
            add_build(rendered.module, self.name, f"{adapter}.validate_python({self.name})")
        else:
            self._validated(rendered.module, "model_validate")
        if codec.format == "pickle":
            return rendered
        as_json = (
            mixed
            or _stays_an_object(schema)
            or _mixes_models(schema)
            or any(map(_serializes_json_alone, self.parsed.classes.values()))
        )
        if rendered.dump == "adapter.dump_python({})" and as_json and not codec.typed:
            rendered = replace(rendered, dump='adapter.dump_python({}, mode="json")')
        rendered = self._overridden(rendered)
        if "alias" not in schema.features and not _renames_tags(model, schema):
            return rendered
        return _by_alias(rendered)

    def _overridden(
        self, rendered: Rendered, method: str = "model_dump", text: str = "model_dump_json", own: str = "pydantic"
    ) -> Rendered:
        """With the bytes of the methods that a model of pydantic overrides; `own` is the codec that writes by `text`.

        Raises:
            Unsupported: the class overrides only `text`, and the codec is another one.
        """
        class_, name, record = class_of(self.model), self.name, snake(item_of(self.schema))
        aliased = ["by_alias=True"] if "alias" in self.schema.features else []

        def called(target: str, method: str, *wanted: str) -> str:
            arguments = [one for one in wanted if takes(getattr(class_, method), one.partition("=")[0])]
            return call(f"{target}.{method}", *arguments)

        if self.codec.name == own and overrides(class_, text):
            wanted = aliased if method == "dict" else []
            joined = f'("[" + ",".join({called(record, text, *wanted)} for {record} in {name}) + "]")'
            return replace(rendered, encode=f"{joined if self.many else called(name, text, *wanted)}.encode()")
        if not overrides(class_, method):
            if overrides(class_, text):
                raise Unsupported(f"the class overrides {text}, which serves only pydantic's own JSON ({_DOCS})")
            return rendered
        if self.codec.name == own == "pydantic":
            return rendered
        wanted = ['mode="json"'] if "json" in rendered.dump else []
        dump = called(record if self.many else "{}", method, *wanted, *aliased)
        return replace(rendered, dump=f"[{dump} for {record} in {{}}]" if self.many else dump)

    def _pydantic1(self, rendered: Rendered) -> Rendered:
        """With the generation's own package, which is a part of pydantic 2, and the encoders of the class."""
        module, class_, schema, codec = rendered.module, class_of(self.model), self.schema, self.codec
        package = next(c.__module__ for c in reversed(class_.__mro__) if c.__name__ == "BaseModel").removesuffix(
            ".main"
        )
        for name in [name for name in module.names if name in ("pydantic", "pydantic.json")]:
            module.use(package + name.removeprefix("pydantic"), *module.names.pop(name))
        self._validated(module, "parse_obj")
        encoders = class_.__config__.json_encoders
        lacks = bool(rendered.dump) and schema.features & (TEXT_KINDS | {"enum", "set"}) - codec.kinds.encodes
        if encoders and lacks and codec.asks_about(lacks):
            module.blocks = [block for block in module.blocks if not block.startswith("def to_builtin(")]
            rendered = replace(rendered, options=(f"{codec.kinds.default}={item_of(schema)}.__json_encoder__",))
            if codec.name == "json" and isinstance(schema.root, Ref):
                aliased = ("by_alias=True",) if "alias" in schema.features else ()
                rendered = replace(rendered, encode=f"{call(f'{self.name}.json', *aliased)}.encode()")
        return rendered if codec.format == "pickle" else self._overridden(rendered, "dict", "json", "json")

    def _validated(self, module: Module, method: str) -> None:
        """Objects made by the class's own method for dicts, which respects its aliases."""
        name, made = self.name, f"{item_of(self.schema)}.{method}"
        add_build(module, name, f"[{made}(value) for value in {name}]" if self.many else f"{made}({name})")


_SETTINGS = """\
if not settings.configured and "DJANGO_SETTINGS_MODULE" not in os.environ:
    settings.configure(TIME_ZONE="UTC")
django.setup()
timezone.activate(UTC)"""  # whatever zone the project has: all data here is in UTC


def _by_alias(rendered: Rendered) -> Rendered:
    """What pydantic writes under the aliases that it reads."""

    def aliased(expression: str) -> str:
        return f"{expression[:-1]}, by_alias=True)" if expression.startswith("adapter.") else expression

    return replace(rendered, encode=aliased(rendered.encode), dump=aliased(rendered.dump))


def _reads_texts_otherwise(schema: Schema) -> bool:
    """Return True if a text is one of several members of a union: pydantic then chooses another for JSON than for Python."""
    return any([form_of(member) for member in union.members].count("text") > 1 for union in untagged_unions(schema))


def _stays_an_object(schema: Schema) -> bool:
    """Return True if `dump_python` leaves keys, named tuples or deques, which few codecs know, or fails at sets of dicts."""
    held = any(isinstance(type_, List) and type_.held in ("deque", *SETS) for type_ in schema.types())
    return held or "key" in schema.features or any(record.root == "items" for record in schema.records)


def _mixes_models(schema: Schema) -> bool:
    """Return True if a union has several models and no tag: its values are any JSON, with dates as pydantic writes them."""
    return any(sum(isinstance(one, Ref) for one in union.members) > 1 for union in untagged_unions(schema))


def _serializes_json_alone(class_: Any) -> bool:
    """Return True if a model has serializers that `dump_python` does not call."""
    decorators = getattr(class_, "__pydantic_decorators__", None)
    if decorators is None:
        return False
    serializers = (*decorators.model_serializers.values(), *decorators.field_serializers.values())
    return any(one.info.when_used.startswith("json") for one in serializers)


def _renames_tags(model: UserModel, schema: Schema) -> bool:
    classes = model.parsed.classes | model.written.classes
    return any(tag not in getattr(classes[name], "model_fields", (tag,)) for name, tag in schema.tags.items())


def add_build(module: Module, name: str, made: str) -> None:
    """Add `build`, for objects that are not made by calling a class with its fields."""
    module.use("typing", "Any")
    module.add(f"def build({name}: Any) -> Any:\n    return {made}")


def item_of(schema: Schema) -> str:
    """The name of the root's record."""
    item = schema.root.item if isinstance(schema.root, List) else schema.root
    assert isinstance(item, Ref)
    return item.record


def user_library(model: UserModel) -> Library:
    """The class as a library of its own, named `yours (…)`."""

    def render(described: Schema, codec: Codec, _variant: str, dataset: Dataset | None = None) -> Rendered:
        if dataset is not None and dataset.direction and codec.format == "pickle":
            raise Unsupported("pickle encodes the objects themselves, which correspond to neither document")
        return ClassRendering(model, described, codec, dataset).own()

    base, name = libraries()[BASES[model.kind]], f"{YOURS} ({model.kind})"
    return _of_class(model, base, name=name, summary=model.summary, render=render, lacks={})


def _of_class(model: UserModel, base: Library, **changed: Any) -> Library:
    """A library for one class, without what holds for the models that it renders."""
    return replace(base, variants={}, omits={}, user_class=model.located, **changed)


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
        return ClassRendering(model, described, codec, dataset).by(base)

    name = f"{VIA}{base.name}" + (f" ({called})" if called else "")
    return _of_class(model, base, name=name, summary=f"{model.summary}, unchanged, by {base.name}", render=render)


def _without_aliases(schema: Schema) -> Schema:
    """The schema as a library sees TypedDicts: their keys are those of the document, so nothing is renamed."""

    def plain(field: Field) -> Field:
        return replace(field, name=field.wire if is_name(field.wire) else field.name, alias=None)

    records = tuple(replace(record, fields=tuple(map(plain, record.fields))) for record in schema.records)
    return replace(schema, records=records)
