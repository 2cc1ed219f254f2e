"""Verifies a case before it is timed: compares all that its module decodes with the neutral value, but for declared losses."""

import datetime as dt
import importlib
import sys
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from .building import holders, member_of, without_further
from .comparison import difference, wire_difference
from .kinds import CLASSES
from .parts import Spec, Type, holder_of, scalar_difference, user_difference

LOSSES: Dict[str, Callable[[Any], Any]] = {
    "utc": lambda value: value.astimezone(dt.timezone.utc),
    "utc milliseconds": lambda value: LOSSES["milliseconds"](value.astimezone(dt.timezone.utc)),
    "milliseconds": lambda value: value.replace(microsecond=value.microsecond // 1000 * 1000),
    "newlines": lambda value: value.replace("\r\n", "\n").replace("\r", "\n"),
    "null text": lambda _: "null",
    "none for empty": lambda value: value or None,
}
"""Name of a loss → function from a value to the value that a format with this loss returns."""


def apply_losses(
    spec: Spec, type_: Type, value: Any, losses: Dict[str, str], lost: Dict[str, str], field: str = ""
) -> Any:
    """Return the neutral value as a format with these losses (kind → name in `LOSSES`) returns it.

    Changed fields and their kinds are added to `lost`. "null" is the kind of None, and "empty" that of optional text,
    bytes or members of an enum.
    """
    kind = type_[0]
    if kind == "optional" and value is None:
        return _lost("null", value, losses, lost, field)
    if kind == "optional" and value in ("", b"") and type_[1][0] in ("str", "bytes", "enum"):
        return _lost("empty", value, losses, lost, field)
    if kind in CLASSES:
        return _lost(kind, value, losses, lost, field)
    if kind == "optional":
        return apply_losses(spec, type_[1], value, losses, lost, field)
    if kind in ("list", "set"):
        items = [apply_losses(spec, type_[1], item, losses, lost, field) for item in value]
        return set(items) if kind == "set" else items
    if kind == "tuple":
        return tuple(apply_losses(spec, item, part, losses, lost, field) for item, part in zip(type_[1], value))
    if kind == "map":
        return {key: apply_losses(spec, type_[1], item, losses, lost, field) for key, item in value.items()}
    if kind == "union":
        member = member_of(spec, type_, value)
        return value if member is None else apply_losses(spec, member, value, losses, lost, field)
    if kind == "ref":
        fields = spec["records"][type_[1]]["fields"]
        changed = {wire: apply_losses(spec, inner, value[wire], losses, lost, wire) for _, wire, inner in fields}
        return {**value, **changed}
    return value


def _lost(kind: str, value: Any, losses: Dict[str, str], lost: Dict[str, str], field: str) -> Any:
    if kind not in losses:
        return value
    left = LOSSES[losses[kind]](value)
    if scalar_difference(kind, value, left) if kind in CLASSES else left != value:
        lost[field or "the document"] = kind
    return left


DEEP = 100_000  # recursion limit while building and comparing; never active in the library's code


def verified(
    prepared: Any, spec: Spec, value: Any, operations: List[str], reader: Optional[str], losses: Dict[str, str]
) -> Dict[str, Any]:
    """Return the encoded bytes of a prepared case, and the first difference of the decoded values from the neutral value.

    With `losses` (kind → name of the loss), values changed in exactly this way are accepted, and `lost` in the answer
    has their fields. `reader` names a second implementation ("module:function"), if the bytes can be read only in this
    environment. If `spec` has "written", the documents have more fields than are read; `everything` in the answer says
    that what is decoded has them all.
    """
    module, blob = prepared.module, prepared.blob
    if type(blob) is not bytes:
        return {"difference": "encode gave {}, not bytes".format(type(blob).__name__), "blob": b""}
    decoded = [("decode", module.decode(blob))] if hasattr(module, "decode") else []
    if "load" in operations:
        decoded.append(("load", module.load(module.loads(blob))))
    if "build" in operations:
        decoded.append(("build", module.build(value)))
    if "read" in operations:
        module.read(decoded[0][1])
    if "frame" in operations:
        frame = module.frame(blob)
        names = {str(name) for name in frame.columns}
        wanted = {name for row in value[:1] for name in row}
        # pandas gives a column without a name one of its own
        if len(frame) != len(value) or len(names) != len(wanted) or not wanted - {""} <= names:
            return {"difference": "the data frame has other rows or columns", "blob": blob}
    if reader and decoded:
        name, _, function = reader.partition(":")
        decoded.append((reader, getattr(importlib.import_module(name), function)(blob)))
    if "dumps" in operations:
        stepwise = module.dumps(module.dump(prepared.objects))
        if stepwise != blob and not decoded:
            return {"difference": "dumps(dump(x)) is not encode(x)", "blob": blob}
        if stepwise != blob:  # as with marshal, whose bytes depend on shared references
            decoded.append(("decode(dumps(dump(x)))", module.decode(stepwise)))
    seen: Set[str] = set()
    lost: Dict[str, str] = {}
    if prepared.user is not None:
        return _user_verified(prepared, spec, value, decoded, losses)
    everything = False
    with deep_recursion():
        compare = _by_meaning(module) if hasattr(module, "plain") else difference
        if "written" in spec:
            everything = _first_difference(compare, spec["written"], value, decoded, set()) is None
            value = value if everything else without_further(spec, value)
        text = _first_difference(compare, spec["written"] if everything else spec, value, decoded, seen)
        if text is not None and losses:
            left = apply_losses(spec, spec["root"], value, losses, lost)
            text = _first_difference(compare, spec, left, decoded, seen) if lost else text
    if text is not None:
        return {"difference": text, "blob": blob}
    if not decoded:
        seen.update(holders(spec, module))
    holder = next(iter(seen), "builtins")
    return {"difference": None, "holder": holder, "lost": lost, "blob": blob, "everything": everything}


def _user_verified(
    prepared: Any, spec: Spec, value: Any, decoded: List[Tuple[str, Any]], losses: Dict[str, str]
) -> Dict[str, Any]:
    """The same for a user's class: what is decoded is compared with what the class makes of the document."""
    lost: Dict[str, str] = {}

    def compared(objects: Any) -> Optional[str]:
        texts = ((what, user_difference(objects, objects_of_call)) for what, objects_of_call in decoded)
        return next(("{}: value{}".format(what, text) for what, text in texts if text is not None), None)

    with deep_recursion():
        text = compared(prepared.user_objects)
        everything = text is not None and "written" in spec and compared(value) is None
        text = None if everything else text
        if text is not None and losses:
            left = apply_losses(spec, spec["root"], value, losses, lost)
            text = compared(prepared.user.make(left)) if lost else text
    if text is not None:
        return {"difference": text, "blob": prepared.blob}
    holder = holder_of(prepared.user_objects)
    return {"difference": None, "holder": holder, "lost": lost, "blob": prepared.blob, "everything": everything}


def _by_meaning(module: Any) -> Callable[..., Optional[str]]:
    """Return a comparison for format-native objects, which converts them to plain values."""

    def compare(spec: Spec, type_: Any, value: Any, objects: Any, seen: Set[str]) -> Optional[str]:
        seen.add("generated objects")
        return wire_difference(spec, type_, value, module.plain(objects))

    return compare


def _first_difference(
    compare: Callable[..., Optional[str]], spec: Spec, value: Any, decoded: List[Tuple[str, Any]], seen: Set[str]
) -> Optional[str]:
    for what, objects in decoded:
        text = compare(spec, spec["root"], value, objects, seen)
        if text is not None:
            return "{}: value{}".format(what, text)
    return None


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit while serbench's own code traverses deep data."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEP)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
