"""Draws class definitions as people write them, and compares what serbench makes of each with a plain script."""

from __future__ import annotations

import base64
import importlib
import json
import re
import sys
import typing
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from drawn_relations import HEAD as MORE
from drawn_relations import relations
from hypothesis import strategies as st

from serbench.ask.calling import make_plan
from serbench.errors import PlanError, WorkloadError
from serbench.measure.plan import datasets
from serbench.model import fidelity
from serbench.render.case import Case
from serbench.render.left_out import LeftOut, without_absent
from serbench.render.rendering import render
from serbench.render.selection import chosen_codecs
from serbench.render.user_class.find import load_model, locate
from serbench.render.user_class.library import directed, user_cases

KINDS = ("pydantic", "dataclass", "attrs", "msgspec", "typeddict")
CODECS = ("json/json", "orjson/json", "msgspec/json", "pydantic/json")
HEAD = (
    """\
from __future__ import annotations
import enum
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID
import attrs, msgspec, pydantic
"""
    + MORE
    + """\
class Level(enum.Enum):
    LOW = "low"
    HIGH = "high"

class Size(enum.IntEnum):
    S = 1
    L = 2

"""
)
_NAMES = ("id", "name", "x", "items", "from_", "kind_", "a_long_name_of_a_field", "json_text", "self_", "n2")
_SCALARS = ("str", "int", "float", "bool", "date", "datetime", "time", "Decimal", "UUID", "bytes", "Level", "Size")
_HEADS = {
    "pydantic": "class {}(pydantic.BaseModel):",
    "dataclass": "@dataclass{}\nclass {}:",
    "attrs": "@attrs.{}\nclass {}:",
    "msgspec": "class {}(msgspec.Struct{}):",
    "typeddict": "class {}(typing.TypedDict{}):",
}


@st.composite
def sources(draw: st.DrawFn, kind: str) -> str:
    """The source of a module whose class or alias `Model` is of that kind, with further classes that it refers to."""
    names = ["Part", "Other", "Model"][draw(st.integers(0, 2)) :]
    others = draw(relations(kind))
    drawn = [_class(draw, kind, name, [*names[:number], *others.types]) for number, name in enumerate(names)]
    root = [f"Model = {others.root}"] if others.root else []
    return HEAD + "\n\n".join([*others.above, *drawn, *others.below, *root]) + "\n"


def _class(draw: st.DrawFn, kind: str, name: str, known: list[str]) -> str:
    fields = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=5, unique=True))
    lines, optional = [], []
    for one in fields:
        type_ = draw(_types(known, 2))
        line, has_default = _field(draw, kind, one, type_)
        (optional if has_default else lines).append(f"    {line}")
    options = _options(draw, kind)
    body = [*lines, *optional, *_methods(draw, kind, fields)]
    if kind == "pydantic":
        return "\n".join([_HEADS[kind].format(name), *options, *body])
    if kind in ("msgspec", "typeddict"):
        return "\n".join([_HEADS[kind].format(name, "".join(f", {one}" for one in options)), *body])
    if kind == "attrs":
        return "\n".join([_HEADS[kind].format(options[0], name), *body])
    return "\n".join([_HEADS[kind].format(f"({', '.join(options)})" if options else "", name), *body])


def _types(known: list[str], deep: int) -> st.SearchStrategy[str]:
    plain = st.sampled_from([*_SCALARS, *known, *known, 'Literal["a", "b"]'])
    if not deep:
        return plain
    inner = _types(known, deep - 1)
    return st.one_of(
        plain,
        inner.map(lambda text: f"list[{text}]"),
        inner.map(lambda text: text if text.endswith("| None") else f"{text} | None"),
        inner.map(lambda text: f"dict[str, {text}]"),
        inner.map(lambda text: f"tuple[{text}, ...]"),
        st.tuples(inner, inner).map(lambda two: f"tuple[{two[0]}, {two[1]}]"),
        st.sampled_from(
            ("set[str]", "set[int]", "frozenset[str]", "int | str", "dict[int, str]", "Any", "list", "dict")
        ),
    )


def _field(draw: st.DrawFn, kind: str, name: str, type_: str) -> tuple[str, bool]:
    """The line of a field, and whether it has a default."""
    if kind == "typeddict":
        key = draw(st.sampled_from(("{}", "{}", "typing.NotRequired[{}]", "typing.Required[{}]")))
        return f"{name}: {key.format(type_)}", False
    makers = {"pydantic": "pydantic.Field", "dataclass": "field", "attrs": "attrs.field", "msgspec": "msgspec.field"}
    known = [one for one in _defaults(type_) if kind != "dataclass" or one not in ("[]", "{}")]
    default = draw(st.sampled_from(("", "", "", *known)))
    factory = "factory" if kind == "attrs" else "default_factory"
    arguments = [f"{factory}={default[1:]}"] if default.startswith("*") else [f"default={default}"] if default else []
    if type_ in ("str", "int") and kind in ("pydantic", "msgspec") and draw(st.booleans()):
        limit = {"str": "max_length=20", "int": "ge=0"}[type_]
        note = f"pydantic.Field({limit})" if kind == "pydantic" else f"msgspec.Meta({limit})"
        type_ = f"Annotated[{type_}, {note}]"
    if kind in ("pydantic", "msgspec") and draw(st.integers(0, 5)) == 0:
        arguments.append(f'{"alias" if kind == "pydantic" else "name"}="{name.title()}-"')
    return f"{name}: {type_}" + (f" = {makers[kind]}({', '.join(arguments)})" if arguments else ""), bool(default)


def _defaults(type_: str) -> tuple[str, ...]:
    found = {"str": ('"word"', '""'), "int": ("0", "7"), "float": ("0.5",), "bool": ("True",), "Level": ("Level.LOW",)}
    if type_.endswith("| None"):
        return ("None", "None")
    if (type_.startswith(("list[", "dict[", "set[")) and "|" not in type_) or type_ in ("list", "dict"):
        name = type_.partition("[")[0]
        return (f"*{name}", *({"list": ("[]",), "dict": ("{}",)}.get(name, ())))
    return found.get(type_, ())


def _options(draw: st.DrawFn, kind: str) -> list[str]:
    if kind == "pydantic":
        known = (
            "frozen=True",
            'extra="forbid"',
            "use_enum_values=True",
            "str_strip_whitespace=True",
            "populate_by_name=True",
            "alias_generator=to_camel, populate_by_name=True",
        )
        some = draw(st.lists(st.sampled_from(known), max_size=2, unique=True))
        return [f"    model_config = pydantic.ConfigDict({', '.join(some)})"] if some else []
    if kind == "attrs":
        return [draw(st.sampled_from(("define", "frozen", "define(slots=False)", "define(kw_only=True)")))]
    if kind == "typeddict":
        return draw(st.sampled_from(([], ["total=False"])))
    known = ("frozen=True", "kw_only=True") + (
        ("omit_defaults=True", "forbid_unknown_fields=True", 'rename="camel"', "array_like=True", "gc=False")
        if kind == "msgspec"
        else ("slots=True", "order=True")
    )
    return draw(st.lists(st.sampled_from(known), max_size=2, unique=True))


def _methods(draw: st.DrawFn, kind: str, fields: list[str]) -> list[str]:
    if kind != "pydantic" or draw(st.integers(0, 3)):
        return []
    first = fields[0]
    return draw(
        st.sampled_from(
            (
                ["    @pydantic.computed_field", "    def twice(self) -> int:", "        return 2"],
                [
                    f'    @pydantic.field_validator("{first}")',
                    "    @classmethod",
                    "    def same(cls, value): return value",
                ],
                ['    @pydantic.model_validator(mode="after")', "    def same(self): return self"],
                [
                    f'    @pydantic.field_serializer("{first}", mode="wrap")',
                    "    def plain(self, value, dump): return dump(value)",
                ],
            )
        )
    )


def faults(model: str) -> Iterator[str]:
    """What is wrong with the rows of a class: it cannot be told in a line, fails, or differs from a plain script."""
    plan = make_plan(model=model, records=3, formats=CODECS)
    try:
        found = list(datasets(plan))
    except (PlanError, WorkloadError) as error:
        if "traceback" in str(error).lower() or "\n" in str(error):
            yield f"not one line: {error}"
        yield f"refused: {error}"
        return
    for dataset in found:
        for library, variant, codec in user_cases(str(plan.model), chosen_codecs(plan.formats)):
            case = render(directed(library, dataset), variant, codec, dataset.schema)
            if not case.source:
                continue
            text = _fault(case, dataset, model)
            if text is not None:
                yield f"{dataset.name}, {codec.name}: {text}"


def _fault(case: Case, dataset: Any, model: str) -> str | None:
    """How a row's bytes differ from the document, from what it decodes, or from what a plain script writes."""
    assert case.user_facts is not None
    document = dataset.reads(0)[0] if case.user_facts["writes"] else dataset.value
    module: dict[str, Any] = {"__name__": "drawn"}
    exec(compile(case.source, "drawn", "exec"), module)  # as the worker does, and no class of it is pickled
    view = type(
        "Module",
        (),
        {
            name: staticmethod(one) if callable(one) and not isinstance(one, type) else one
            for name, one in module.items()
        },
    )
    make = fidelity.user_maker(view, case.user_facts["spec"], ready=case.user_facts["ready"])
    objects = make(document)
    spec = dataset.schema.as_data()
    if "encode" not in case.operations:
        return None
    blob = module["encode"](objects)
    parsed = json.loads(blob)
    whole = LeftOut().fill(dataset.schema, dataset.value, parsed) if case.may_leave_out else parsed
    if text := fidelity.wire_difference(spec, spec["root"], dataset.value, whole):
        return f"the bytes: value{text}"
    if "decode" in case.operations and (text := fidelity.user_difference(make(document), module["decode"](blob))):
        return f"decode: value{text}"
    written = plainly(model, case.codec.name, without_absent(load_model(locate(model)).parsed.user_schema, document))
    return None if written is None or alike(blob, written) else f"the row writes {blob!r}, a plain script {written!r}"


def plainly(model: str, codec: str, document: list[Any]) -> bytes | None:
    """What a few lines with the class's own library write of the document; None if they would not take this codec."""
    import cattrs.preconf.json
    import cattrs.preconf.msgspec
    import cattrs.preconf.orjson
    import msgspec
    import orjson
    import pydantic

    name, _, class_name = model.partition(":")
    class_ = getattr(importlib.import_module(name), class_name)
    class_ = typing.get_args(class_)[0] if typing.get_origin(class_) is list else class_
    if "typing.TypedDict" in text_of(name):
        return None  # a library of no one writes it: its rows are compared with the document
    text = json.dumps(document, default=_as_json)
    if hasattr(class_, "model_fields") or ("pydantic.BaseModel" in text_of(name) and not isinstance(class_, type)):
        adapter = pydantic.TypeAdapter(list[class_])
        return adapter.dump_json(adapter.validate_json(text), by_alias=True)
    if not isinstance(class_, type) and "msgspec.Struct" not in text_of(name):
        return None
    if hasattr(class_, "__struct_fields__") or not isinstance(class_, type):
        there = (
            msgspec.convert(json.loads(text), list[class_], strict=False, str_keys=True) if not _array(name) else None
        )
        return None if there is None else msgspec.json.encode(there)
    if hasattr(class_, "__attrs_attrs__"):
        makers = {"json": cattrs.preconf.json, "orjson": cattrs.preconf.orjson, "msgspec": cattrs.preconf.msgspec}
        if codec not in makers or any(
            one in text_of(name) for one in ("bytes", "time", "Decimal", "UUID", "set[", "Any")
        ):
            return None  # cattrs needs hooks of one's own, or writes them otherwise with each codec
        converter = makers[codec].make_converter()
        objects = converter.structure(json.loads(text), list[class_])
        found = converter.dumps(objects, list[class_])
        return found if isinstance(found, bytes) else found.encode()
    if any(one in text_of(name) for one in ("Callable", "Snow", "Handle", "class Circle")):
        return None  # msgspec takes no such type for a dataclass, nor unions of dataclasses
    objects = msgspec.convert(json.loads(text), list[class_], strict=False, str_keys=True)
    if codec == "orjson" and "time" in re.sub("datetime", "", text_of(name)):
        return None  # orjson 3.13.0 drops leading zeros from the fraction of a time, so serbench writes it itself
    if codec == "orjson" and not any(one in text_of(name) for one in ("bytes", "Decimal", "set[")):
        return orjson.dumps(objects, option=orjson.OPT_NON_STR_KEYS)
    return msgspec.json.encode(objects)


def text_of(module: str) -> str:
    """The source of a module, without its head."""
    path = sys.modules[module].__file__
    assert path is not None
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        return file.read().removeprefix(HEAD)


def alike(one: bytes, other: bytes) -> bool:
    """Return True for equal JSON, whatever the order in a set and the two forms of UTC and of a fraction of a second."""
    return _told(json.loads(one)) == _told(json.loads(other))


def _told(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _told(item) for key, item in value.items()}
    if isinstance(value, list):
        found = [_told(item) for item in value]
        scalars = all(isinstance(item, str | int | float) for item in found)
        return sorted(found, key=lambda item: (str(type(item)), item)) if scalars else found
    if isinstance(value, str) and re.search(r"\d\d:\d\d:\d\d", value):
        return re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", value.replace("Z", "+00:00")).replace(".+", "+").rstrip(".")
    return value


def _array(module: str) -> bool:
    import msgspec

    return any(
        getattr(getattr(one, "__struct_config__", None), "array_like", False)
        for one in vars(sys.modules[module]).values()
        if isinstance(one, type) and issubclass(one, msgspec.Struct)
    )


def _as_json(value: Any) -> Any:
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    assert isinstance(value, Decimal | UUID)
    return str(value)
