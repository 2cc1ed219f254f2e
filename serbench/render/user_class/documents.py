"""A class of the user's as a plain script uses it, and a document as the class takes it, with what it makes of it."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

from serbench.errors import SchemaError
from serbench.model import fidelity
from serbench.model.classes.fields import is_array, is_known
from serbench.model.data.dataset import Dataset
from serbench.model.fidelity import json_ready, user_difference, with_each, without_further
from serbench.model.inference.infer import infer
from serbench.model.normalise import apply_schema, normalise, with_ignored
from serbench.model.records import List, Schema
from serbench.render.codec import Codec
from serbench.render.left_out import with_absent, without_absent, without_computed
from serbench.render.source.module import Module, literal
from serbench.render.user_class.conversion import overrides, said, takes, user_code
from serbench.render.user_class.find import UserModel, class_of, listed, named_class

NATIVE = (datetime, date, time, timedelta, Decimal, UUID, bytes)
_OF_NO_LIBRARY = ("dataclass", "namedtuple", "typeddict")
_PLAIN = (*_OF_NO_LIBRARY, "attrs")  # made by calling the class, and written by any library


@user_code("making its objects")
def make_objects(model: UserModel, values: list[Any], inferred: Schema | None = None) -> Any:
    """The class's objects of neutral values; raises what the class raises if it refuses them.

    `inferred` is the schema of the values, if it is not the class's own; see `Dataset`.
    """
    class_ = class_of(model)
    calls = model.kind in _PLAIN or is_array(class_)
    if calls and not model.conversion:
        return model.parsed.make(values)
    return read_records(model, without_absent(inferred or model.parsed.user_schema, values))


def read_records(model: UserModel, records: list[Any]) -> Any:
    """The class's objects of records as documents have them; raises what the class raises if it refuses them."""
    if model.kind == "msgspec" and not model.has_raw:
        return _converted(class_of(model), records, strict=True)
    if model.kind in _OF_NO_LIBRARY and not model.conversion:
        return _read_by_any(class_of(model), records)
    document = json_ready(records)
    try:
        return _functions(model)[0](json.dumps(document))
    except Exception as refused:  # whatever the class raises
        if model.kind != "pydantic":
            raise
        return _read_as_parsed(model, document, refused)


def _read_as_parsed(model: UserModel, document: Any, refused: Exception) -> Any:
    """The objects of what a codec has parsed, if a model of pydantic takes only that, and a line says so."""
    try:
        objects = _adapter(class_of(model)).validate_python(document)
    except Exception:  # whatever the class raises
        raise refused from None
    line = f"pydantic reads such documents only as parsed, not as JSON: {refusal(model, refused)}"
    if line not in model.differences:
        model.differences.append(line)
    return objects


def _read_by_any(class_: Any, records: list[Any]) -> Any:
    """The objects of a class that is written with no library, as one that takes such a class makes them.

    Raises:
        TypeError: none takes it, whatever the records are.
    """
    try:
        return _converted(class_, records, strict=False)
    except TypeError:
        with suppress(import_module("pydantic").PydanticUserError):
            return _adapter(class_).validate_python(records)
        raise


def _converted(class_: Any, records: list[Any], *, strict: bool) -> Any:
    convert, list_ = import_module("msgspec").convert, types.GenericAlias(list, (class_,))
    return convert(records, list_, builtin_types=NATIVE, str_keys=True, strict=strict)


@lru_cache(16)
def _adapter(class_: Any) -> Any:
    return import_module("pydantic").TypeAdapter(types.GenericAlias(list, (class_,)))


@user_code("reading what it has written")
def read_document(model: UserModel, written: list[Any]) -> Any:
    """The class's objects of a document that the class has written; raises what the class raises if it refuses it."""
    if model.kind == "msgspec":
        return _functions(model)[0](json.dumps(written))
    if writes_itself(model):
        return read_records(model, written)
    return make_objects(model, apply_schema(written, listed(model.parsed.schema))[1])


@user_code("writing a document")
def write_document(model: UserModel, objects: Any) -> list[Any]:
    """The document that the class writes; raises what the class raises."""
    if writes_itself(model):
        return list(json.loads(_functions(model)[1](objects)))
    return list(json_ready(_held(model, objects)))


def _held(model: UserModel, objects: Any) -> Any:
    """What the objects of a class that any library writes hold, as dicts and lists."""
    objects = _with_dicts(objects) if model.kind == "namedtuple" else objects
    return import_module("msgspec").to_builtins(objects, builtin_types=NATIVE, enc_hook=_as_json, str_keys=True)


def own_doing(model: UserModel, records: list[Any], said: str) -> str:
    """What a class that any library writes does itself, so that records fail as is said; empty if nothing shows that."""
    if model.kind not in _PLAIN or model.conversion:
        return ""
    schema, given = listed(model.parsed.schema), json_ready(records)
    spec = schema.as_data()
    with suppress(Exception):  # whatever the class raises, or a record that is not of it
        apply_schema(given, schema)
        held = without_further(spec, _completed(_held(model, make_objects(model, records)), given))
        try:
            apply_schema(held, schema)
        except SchemaError as error:
            field = str(error).rpartition(": the schema requires ")[0]
            return f"whose objects hold what the annotation of {field} does not say" if field else ""
        place = (fidelity.wire_difference(spec, spec["root"], records, json_ready(held)) or "").partition(":")[0]
        if place and f"value{place}:" in said:
            return f"which makes something else of value{place}"
    return ""


def _as_json(value: Any) -> Any:
    """What msgspec does not write: a model of pydantic as that writes it, anything else as a text."""
    dump = getattr(value, "model_dump", None)
    return str(value) if dump is None else dump(mode="json", by_alias=True)


def _with_dicts(value: Any) -> Any:
    """A value with dicts for NamedTuples."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: _with_dicts(item) for name, item in zip(value._fields, value, strict=True)}
    if isinstance(value, dict):
        return {key: _with_dicts(item) for key, item in value.items()}
    return [_with_dicts(item) for item in value] if isinstance(value, list | tuple) else value


_FUNCTIONS = {
    "pydantic": """\
from pydantic import TypeAdapter
adapter = TypeAdapter(list[{0}])
read, write = adapter.validate_json, lambda objects: adapter.dump_json(objects, by_alias=True).decode()""",
    "pydantic, overridden": """\
from pydantic import TypeAdapter
read = TypeAdapter(list[{0}]).validate_json
write = lambda objects: "[" + ",".join(one.model_dump_json() for one in objects) + "]\"""",
    "pydantic1": """\
read = lambda text: [{0}.parse_obj(one) for one in json.loads(text)]
write = lambda objects: "[" + ",".join(one.json(by_alias=True) for one in objects) + "]\"""",
    "pydantic1, narrower": """\
read = lambda text: [{0}.parse_obj(one) for one in json.loads(text)]
write = lambda objects: "[" + ",".join(one.json() for one in objects) + "]\"""",
    "msgspec": """\
import msgspec
read, write = msgspec.json.Decoder(list[{0}]).decode, lambda objects: msgspec.json.encode(objects).decode()""",
    "cattrs": """\
from cattrs.preconf.json import make_converter
converter = make_converter()
read, write = lambda text: converter.loads(text, list[{0}]), lambda objects: converter.dumps(objects, list[{0}])""",
    "marshmallow": """\
schema = {0}(many=True)
read, write = schema.loads, lambda objects: json.dumps(schema.dump(objects), default=str)""",
    "djangorestframework": """\
from rest_framework.renderers import JSONRenderer
def read(text):
    serializer = {0}(data=json.loads(text), many=True)
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data
write = lambda objects: JSONRenderer().render({0}(objects, many=True).data).decode()""",
    "adaptix": """\
from adaptix import Retort
load, dump = Retort().get_loader(list[{0}]), Retort().get_dumper(list[{0}])
read, write = lambda text: load(json.loads(text)), lambda objects: json.dumps(dump(objects))""",
    "apischema": """\
from apischema import deserialize, serialize
read = lambda text: deserialize(list[{0}], json.loads(text))
write = lambda objects: json.dumps(serialize(list[{0}], objects))""",
    "chili": """\
import chili
read = lambda text: chili.decode(json.loads(text), list[{0}], force=True)
write = lambda objects: json.dumps(chili.encode(objects, list[{0}], force=True))""",
    "dacite": """\
import dacite, dataclasses, enum
config = dacite.Config(cast=[enum.Enum])
read = lambda text: [dacite.from_dict({0}, one, config) for one in json.loads(text)]
write = lambda objects: json.dumps([dataclasses.asdict(one) for one in objects], default=lambda one: getattr(one, "value", str(one)))""",
    "databind": """\
import databind.json
read = lambda text: databind.json.loads(text, list[{0}])
write = lambda objects: databind.json.dumps(objects, list[{0}])""",
    "dataclass-wizard": """\
import dataclass_wizard
read = lambda text: dataclass_wizard.fromlist({0}, json.loads(text))
write = lambda objects: json.dumps([dataclass_wizard.asdict(one) for one in objects], default=str)""",
    "jsons": """\
import jsons
read = lambda text: jsons.loads(text, list[{0}], use_enum_name=False)
write = lambda objects: jsons.dumps(objects, use_enum_name=False)""",
    "mashumaro": """\
from mashumaro.codecs.json import JSONDecoder, JSONEncoder
read, write = JSONDecoder(list[{0}]).decode, JSONEncoder(list[{0}]).encode""",
    "serpyco-rs": """\
import serpyco_rs
serializer = serpyco_rs.Serializer(list[{0}])
read, write = lambda text: serializer.load(json.loads(text)), lambda objects: json.dumps(serializer.dump(objects))""",
    "typedload": """\
import typedload
read, write = lambda text: typedload.load(json.loads(text), list[{0}]), lambda objects: json.dumps(typedload.dump(objects))""",
}
"""Library → the definitions of `read` and `write` by which it reads and writes a list of records as JSON; {0} is the class."""
_HOOKS = {
    "time": ("datetime.time", "{0}.fromisoformat", "str"),
    "timedelta": ("datetime.timedelta", "lambda it: {0}(seconds=it)", "{0}.total_seconds"),
    "decimal": ("decimal.Decimal", "{0}", "str"),
    "uuid": ("uuid.UUID", "{0}", "str"),
}
"""Kind that cattrs's converter for JSON lacks → its class, and the functions that read and write it."""
_OWN = {"attrs": "cattrs"}
"""Kind of class → the library that reads and writes it, if that has another name."""
_SETTINGS = """\
import django, os; from django.conf import settings
if not settings.configured and "DJANGO_SETTINGS_MODULE" not in os.environ: settings.configure(TIME_ZONE="UTC")
django.setup()"""


_AROUND = """\
{ahead}from pydantic import TypeAdapter
adapter = TypeAdapter(list[{{0}}])
read, write = lambda text: adapter.validate_python({loads}), lambda objects: {dumps}.decode()"""


def around(model: UserModel, codec: Codec) -> str | None:
    """The text like those of `_FUNCTIONS` for a class of pydantic around a codec of JSON; None for others."""
    calls = codec.calls
    plain = codec.format == "json" and calls.dumps and not calls.functions and ":" not in "".join(calls.imports)
    if model.kind != "pydantic" or codec.name == "pydantic" or not plain:
        return None
    ahead = [f"import {name}" for name in calls.imports if name != "json"]
    ahead += filter(None, (calls.encoder, calls.decoder.replace("{}", "")))
    dumps = calls.dumps.replace("{}", 'adapter.dump_python(objects, mode="json", by_alias=True)')
    loads = calls.loads.replace("{}", "text.encode()")
    return _AROUND.format(ahead="".join(f"{one}; " for one in ahead), loads=loads, dumps=dumps)


def _text(model: UserModel, library: str = "") -> str | None:
    """The text of `_FUNCTIONS` for a class: by a library that takes it, or by its own; None if it is written with none."""
    if library:
        by_record = library in ("dacite", "dataclass-wizard") and not is_known(class_of(model))
        return None if by_record else _FUNCTIONS.get(library)  # a union is no record
    if model.conversion:
        return model.conversion.functions
    class_, key = class_of(model), _OWN.get(model.kind, model.kind)
    if key == "pydantic" and overrides(class_, "model_dump_json"):
        key = "pydantic, overridden"
    elif key == "pydantic1" and overrides(class_, "json") and not takes(class_.json, "by_alias"):
        key = "pydantic1, narrower"
    if key == "cattrs":
        return _with_hooks(_FUNCTIONS[key], model.parsed.user_schema.features)
    return _FUNCTIONS.get(key)


def _with_hooks(text: str, features: frozenset[str]) -> str:
    """The text for cattrs with hooks for the kinds that a class has and cattrs lacks, as its users write them."""
    lines = []
    for class_, *ways in (_HOOKS[kind] for kind in _HOOKS if kind in features):
        read, write = (way.format(class_) for way in ways)
        hooks = f"converter.register_structure_hook({class_}, lambda value, _: ({read})(value))"
        hooks += f"; converter.register_unstructure_hook({class_}, {write})"
        lines.append(f"import {class_.partition('.')[0]}; {hooks}")
    return "\n".join([text, *lines])


def _functions(model: UserModel) -> tuple[Callable[[Any], Any], Callable[[Any], str]]:
    """What `_text` defines, in this process."""
    text, converter = _text(model), model.conversion and model.conversion.converter
    assert text is not None
    return _defined(text, class_of(model), converter)


@lru_cache(16)
def _defined(text: str, class_: Any, converter: Any) -> tuple[Callable[[Any], Any], Callable[[Any], str]]:
    known = {"json": json, "Class": class_, "converter": converter}
    exec(text.format("Class"), known)  # noqa: S102 (of the table above)
    return known["read"], known["write"]


def plain_script(
    model: UserModel,
    document: str,
    library: str = "",
    *,
    codec: Codec | None = None,
    returns: bool = True,
    folders: Sequence[str] = (),
) -> str | None:
    """Return a program that reads records from a file with a library, or the class's own, and prints these and what it writes.

    It ends with an error if the library raises, or reads as something else what it has read or, with `returns`, written.
    With a codec, the class's library goes around it. `folders` have packages beside those of its interpreter. None for a class that is written with no library.
    """
    text = _text(model, library) if codec is None else around(model, codec)
    if text is None:
        return None
    name, head = named_class(Module(), model)
    head = [line.removesuffix("  # noqa: E402") for line in head]
    if any("get_args" in line for line in [name, *head]):
        head.insert(0, "from typing import get_args")
    if model.kind == "djangorestframework":
        head.append(_SETTINGS)
    differs = "differs(read(text), read(text))" + " or differs(read(text), read(written))" * returns
    return "\n".join(
        [
            f"import json, sys; sys.path += {[str(Path(fidelity.__file__).parents[1]), *folders]!r}",
            "from fidelity import user_difference as differs",
            *head,
            text.format(name),
            f"text = open({literal(document)}).read()",
            'print(text, written := write(read(text)), sep="\\n")',
            f'assert not (where := {differs}), f"it reads this as something else: value{{where}}"\n',
        ]
    )


def writes_itself(model: UserModel) -> bool:
    """Return True if the class's own library decides what is written."""
    return model.kind not in _PLAIN or model.conversion is not None


def refusal(model: UserModel, error: BaseException) -> str:
    """The reason why a class refused a value as one line, with the field if the class names it."""
    name = model.name.partition("[")[0]
    if model.conversion and model.conversion.name:
        return f"{name}, by {model.conversion.name}: {said(error)}"
    errors = getattr(error, "errors", None)
    if callable(errors):  # pydantic
        first = errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
        return f"{name}.{where}: {first['msg']}".replace(f"{name}.:", f"{name}:")
    return f"{name}: {said(error)}"


class Reading:
    """Has a class read the documents of a data set; `inferred` has what `Dataset` tells of those that were inferred."""

    def __init__(self, model: UserModel) -> None:
        self.model = model
        self._inferred: list[tuple[Schema, Schema]] = []

    def __call__(self, document: Any) -> tuple[Schema, Any]:
        """As `described`."""
        schema, value, inferred = described(self.model, document)
        if inferred is not None:
            self._inferred.append((schema, inferred))
        return schema, value

    def of(self, dataset: Dataset) -> Dataset:
        """The data set of the documents that were read."""
        fitting = (inferred for schema, inferred in self._inferred if schema.records == dataset.schema.records)
        return replace(dataset, inferred=next(fitting, None))


def described(model: UserModel, document: Any) -> tuple[Schema, Any, Schema | None]:
    """Return the schema of a document and its neutral value, as the class takes it; and what was inferred, or None.

    If the fields of the class do not describe the document, the class reads it: the value is what it makes of that, and
    the model notes where the two differ first. If the fields do not describe that either, the types are inferred.

    Raises:
        SchemaError: the class refuses the document, or writes one that its own fields do not describe.
    """
    schema, alone = model.parsed.schema, not isinstance(document, list)
    if alone and isinstance(schema.root, List):
        schema = Schema(schema.root.item, schema.records)
    try:
        return *apply_schema(document, schema), None
    except SchemaError as error:
        unlike = error
    if model.kind == "namedtuple":  # whose documents are objects only here: no library reads them so
        raise unlike
    records = [document] if alone else document
    try:
        with user_code("reading the document"):
            objects = read_records(model, records)
    except Exception as error:  # whatever the class raises
        if isinstance(error, TypeError) and not writes_itself(model):  # no library reads it, and its fields say all
            raise unlike from None
        raise SchemaError(
            f"the class refuses it: {refusal(model, error)}{of_json(model, with_each(document, _dated))}"
        ) from None
    if (of_a_part := _of_a_part(model, schema, document, objects)) is not None:
        return *of_a_part, None
    with suppress(Exception):  # it may not be able to write
        written = without_computed(listed(model.written.schema), write_document(model, objects))
        whole = listed(schema).as_data()
        for made in (without_further(whole, one) for one in (_completed(records, written), written)):
            with suppress(SchemaError):
                applied = apply_schema(made[0] if alone else made, schema)
                read_records(model, made)
                model.differences.append(
                    f"the class makes something else of the document: {_difference(records, made)}"
                )
                return *applied, None
    as_it_is = _as_it_is(model, document, objects)
    if as_it_is is None:
        raise unlike
    model.differences.append(
        f"the types of the document are inferred, since the class's fields do not say all: {unlike}"
    )
    return as_it_is


def of_json(model: UserModel, values: Any) -> str:
    """What a refusal owes to JSON, behind a semicolon: the class takes the values, such as a datetime, and not JSON's text of one.

    Empty if the class refuses the values themselves, too, or its library reads nothing but JSON.
    """
    records = values if isinstance(values, list) else [values]
    place, text, value = _first_difference(json_ready(values), values)
    if not place or value is None or isinstance(value, str | int | float | dict | list):
        return ""
    try:
        with user_code("reading the document"):
            if model.conversion:
                reads = model.conversion.reads[True].format("{0}", "parsed")
                converter = model.conversion.converter
                _defined(f"read, write = lambda parsed: {reads}, None", class_of(model), converter)[0](records)
            elif model.kind == "pydantic":
                _adapter(class_of(model)).validate_python(records)
            else:
                return ""
    except Exception:  # whatever the class raises
        return ""
    where = place.removeprefix("[0]").lstrip(".")
    told = f"JSON has {_short(text)} for {where}, a {type(value).__name__}, which the class takes only as such"
    return f"; {told}; compare functions that call it, with `serbench compare`"


def _dated(value: Any) -> Any:
    """The date or time that a text is; anything else as it is."""
    for class_ in (date, time, datetime) if isinstance(value, str) and _DATED.match(value) else ():
        with suppress(ValueError):
            return class_.fromisoformat(value)
    return value


_DATED = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d")


def _of_a_part(model: UserModel, schema: Schema, document: Any, objects: Any) -> tuple[Schema, Any] | None:
    """The schema and the value of a document that has more fields than the class reads; None if these matter to it."""
    with suppress(Exception):  # whatever the class raises of what is left
        opened = replace(schema, records=tuple(replace(record, is_open=True) for record in schema.records))
        whole, value = apply_schema(document, with_ignored(document, opened))
        part = without_further(schema.as_data(), value)
        made = make_objects(model, part if isinstance(part, list) else [part])
        further = {record.name: {f.wire for f in record.fields if f.ignored} for record in whole.records}
        if user_difference(objects, made) is None and any(
            further[record.name] - set(record.computed) for record in schema.records
        ):
            read = ((record.name, len(record.fields), len(further[record.name])) for record in schema.records)
            some = ", ".join(f"{count} of {count + more} fields of {name}" for name, count, more in read if more)
            model.differences.append(f"{model.name} reads {some}; the rest of the document is ignored")
            return whole, value
    return None


def check_exchanged(model: UserModel, document: list[Any], neutral: Any) -> None:
    """Check that the class reads a document as another does, whose neutral value it is if that is known, and writes it again.

    Raises:
        SchemaError: its fields do not describe the document, or it reads or writes another.
        Exception: whatever the class raises if it refuses it.
    """
    _, value = apply_schema(document, listed(model.parsed.schema))
    if neutral is not None and _without_nulls(value) != _without_nulls(neutral):
        raise SchemaError(f"it reads another document: {_difference(neutral, value)}")
    objects = make_objects(model, value)
    try:
        written = without_computed(listed(model.written.schema), write_document(model, objects))
    except Exception:  # it may not be able to write, which its row says
        return
    if _without_nulls(written) != _without_nulls(document):
        raise SchemaError(f"it writes another document: {_difference(document, written)}")


def unlike(model: UserModel, objects: Any, written: list[Any]) -> str | None:
    """The first difference between what the class wrote and what it reads of that, as a sentence, or None."""
    try:
        text = user_difference(objects, read_document(model, written))
    except Exception as error:  # it refuses it
        return f"{model.name} refuses what it writes: {refusal(model, error)}"
    if text is None:
        return None
    return f"{model.name} reads what it writes as something else: value{text}"


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _as_it_is(model: UserModel, document: Any, objects: Any) -> tuple[Schema, Any, Schema] | None:
    """What is inferred of a document that the class takes, as `described`; None if the class takes this as another."""
    if not writes_itself(model) or model.kind == "msgspec":
        return None
    with suppress(Exception):  # whatever the class raises, of nulls for what is absent
        schema = infer(document, model.name.partition("[")[0])
        value, inferred = normalise(document, schema), listed(with_absent(schema, document))
        made = make_objects(model, value if isinstance(value, list) else [value], inferred)
        if user_difference(objects, made) is None:
            return schema, value, inferred
    return None


def _completed(document: Any, written: Any) -> Any:
    """The document with the keys that only the written one has."""
    if isinstance(document, dict) and isinstance(written, dict):
        completed = {key: _completed(item, written[key]) if key in written else item for key, item in document.items()}
        return completed | {key: item for key, item in written.items() if key not in document}
    if isinstance(document, list | tuple):
        others = written if isinstance(written, list) and len(document) == len(written) else document
        return [_completed(one, other) for one, other in zip(document, others, strict=True)]
    return document


def _difference(document: Any, made: Any) -> str:
    """The first place at which two documents differ, as "[0].at is '5', and becomes 5.0"."""
    path, one, other = _first_difference(document, made)
    if other is _ABSENT:
        return f"{path} is left out"
    return (
        f"{path} is added, as {_short(other)}"
        if one is _ABSENT
        else f"{path or 'it'} is {_short(one)}, and becomes {_short(other)}"
    )


_ABSENT = object()


def _first_difference(document: Any, made: Any, path: str = "") -> tuple[str, Any, Any]:
    """The first place at which two documents differ, with what each has there: `_ABSENT` if nothing."""
    if isinstance(document, dict) and isinstance(made, dict):
        for key in [*document, *made]:
            one, other = document.get(key, _ABSENT), made.get(key, _ABSENT)
            if one is _ABSENT or other is _ABSENT:
                return f"{path}.{key}", one, other
            if one != other:
                return _first_difference(one, other, f"{path}.{key}")
    if isinstance(document, list) and isinstance(made, list) and len(document) == len(made):
        for index, (one, other) in enumerate(zip(document, made, strict=True)):
            if one != other:
                return _first_difference(one, other, f"{path}[{index}]")
    return path, document, made


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:60]}…"
