"""Builds objects of a module's classes from neutral values."""

from typing import Any, Callable, Dict, List, Optional, Set

from .parts import CLASSES, Spec, Type


def builder(spec: Spec, type_: Type, module: Any) -> Optional[Callable[[Any], Any]]:
    """Return a function that builds objects of `module`'s classes from neutral values of `type_`.

    Return None if neutral values need no conversion. Records are built by calling their class with keyword arguments
    or with one mapping; a TypedDict is its neutral value with converted items.
    """
    known: Dict[str, Callable[[Any], Any]] = {}
    return _builder(spec, type_, module, known)


def _builder(
    spec: Spec, type_: Type, module: Any, known: Dict[str, Callable[[Any], Any]]
) -> Optional[Callable[[Any], Any]]:
    kind = type_[0]
    if kind == "enum":
        return getattr(module, type_[1])  # type: ignore[no-any-return]  # a class of a module that mypy cannot see
    if kind == "ref":
        return _record_builder(spec, type_[1], module, known)
    if kind == "union" and type_[2] is not None:
        tag = type_[2]
        makers = {spec["records"][m[1]]["tag"][1]: _record_builder(spec, m[1], module, known) for m in type_[1]}
        return lambda value: makers[value[tag]](value)
    if kind == "union":
        return _member_builder(spec, type_[1], module, known)
    if kind == "tuple":
        parts = [_builder(spec, item, module, known) for item in type_[1]]
        if not any(parts):
            return None
        return lambda value: tuple(make(v) if make else v for make, v in zip(parts, value))
    if kind not in ("optional", "list", "set", "map"):
        return None
    make = _builder(spec, type_[1], module, known)
    if make is None:
        return None
    inner: Callable[[Any], Any] = make
    if kind == "optional":
        return lambda value: None if value is None else inner(value)
    if kind == "map":
        return lambda value: {key: inner(item) for key, item in value.items()}
    if kind == "set":
        return lambda value: {inner(item) for item in value}
    return lambda value: [inner(item) for item in value]


def _member_builder(
    spec: Spec, members: List[Type], module: Any, known: Dict[str, Callable[[Any], Any]]
) -> Optional[Callable[[Any], Any]]:
    """Return a builder for an untagged union, in which the class of the neutral value determines the member."""
    made = {_neutral_class(member): _builder(spec, member, module, known) for member in members}
    makers = {cls: make for cls, make in made.items() if make}
    names = [member[1] for member in members if member[0] == "ref"]
    records = {
        frozenset(f[1] for f in spec["records"][n]["fields"]): _builder(spec, ["ref", n], module, known) for n in names
    }
    if not makers:
        return None

    def build(value: Any) -> Any:
        make = records.get(frozenset(value)) if type(value) is dict and len(records) > 1 else makers.get(type(value))
        return make(value) if make else value

    return build


def _neutral_class(type_: Type) -> Any:
    kind = type_[0]
    if kind == "enum":
        return str
    return CLASSES.get(kind) or {"list": list, "tuple": tuple, "set": set}.get(kind, dict)


def _record_builder(spec: Spec, name: str, module: Any, known: Dict[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    if name in known:
        return lambda value: known[name](value)  # noqa: PLW0108  # recursive: looked up when it is called
    known[name] = dict  # placeholder for recursive records
    cls = getattr(module, name)
    record = spec["records"][name]
    fields = [(f[0], f[1], _builder(spec, f[2], module, known)) for f in record["fields"]]
    if hasattr(cls, "__total__"):  # a TypedDict
        made = [(wire, make) for _, wire, make in fields if make]
        known[name] = lambda value: {**value, **{wire: make(value[wire]) for wire, make in made}}
    elif hasattr(cls, "import_data"):  # a Model of schematics, which takes one mapping
        known[name] = lambda value: cls({n: make(value[w]) if make else value[w] for n, w, make in fields})
    else:
        known[name] = lambda value: cls(**{n: make(value[w]) if make else value[w] for n, w, make in fields})
    return known[name]


def holders(spec: Spec, module: Any) -> Set[str]:
    """Return the kinds of a module's records: "objects" or "dicts"; empty if the schema has no records."""
    classes = [getattr(module, name, None) for name in spec["records"]]
    return {"dicts" if hasattr(cls, "__total__") else "objects" for cls in classes}
