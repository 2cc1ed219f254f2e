"""Verifies a case before it is timed: compares everything that its module decodes with the neutral value."""

import importlib
import sys
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from .building import holders, without_further
from .losses import apply_losses
from .objects import difference
from .parts import Spec
from .user_objects import holder_of, user_difference
from .wire import wire_difference

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
