"""The proof of one case before it is timed: what its module decodes in any way, held against the neutral value."""

import importlib
import sys
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from .building import holders
from .losses import reduced
from .objects import difference
from .parts import Spec
from .wire import wire_difference

DEEP = 100_000  # recursion limit for building and comparing, which the library never sees


def verified(
    prepared: Any, spec: Spec, value: Any, operations: List[str], reader: Optional[str], losses: Dict[str, str]
) -> Dict[str, Any]:
    """The bytes of a case that the worker has prepared, and what differs from the neutral value of what they decode to.

    With `losses` (kind → name of what becomes of its values) a value that has become just that is right
    too, and the answer's `lost` has its fields. `reader` names a second implementation ("module:function")
    where the bytes' meaning can only be read here.
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
        if len(frame) != len(value) or names != {name for row in value[:1] for name in row}:
            return {"difference": "the data frame has other rows or columns", "blob": blob}
    if reader and decoded:
        name, _, function = reader.partition(":")
        decoded.append((reader, getattr(importlib.import_module(name), function)(blob)))
    if "dumps" in operations:
        stepwise = module.dumps(module.dump(prepared.objects))
        if stepwise != blob and not decoded:
            return {"difference": "dumps(dump(x)) is not encode(x)", "blob": blob}
        if stepwise != blob:  # as marshal's, which tell what is shared
            decoded.append(("decode(dumps(dump(x)))", module.decode(stepwise)))
    seen: Set[str] = set()
    lost: Dict[str, str] = {}
    with deep_recursion():
        compare = _by_meaning(module) if hasattr(module, "plain") else difference
        text = _first_difference(compare, spec, value, decoded, seen)
        if text is not None and losses:
            left = reduced(spec, spec["root"], value, losses, lost)
            text = _first_difference(compare, spec, left, decoded, seen) if lost else text
    if text is not None:
        return {"difference": text, "blob": blob}
    if not decoded:
        seen.update(holders(spec, module))
    return {"difference": None, "holder": next(iter(seen), "builtins"), "lost": lost, "blob": blob}


def _by_meaning(module: Any) -> Callable[..., Optional[str]]:
    """A comparison for objects of the format's own: by what they are as plain values."""

    def compare(spec: Spec, type_: Any, value: Any, objects: Any, seen: Set[str]) -> Optional[str]:
        seen.add("generated objects")
        return wire_difference(spec, type_, value, module.plain(objects))

    return compare


def _first_difference(
    compare: Callable[..., Optional[str]], spec: Spec, value: Any, decoded: List[Tuple[str, Any]], seen: Set[str]
) -> Optional[str]:
    """What differs first between the neutral value and what came back in any way."""
    for what, objects in decoded:
        text = compare(spec, spec["root"], value, objects, seen)
        if text is not None:
            return "{}: value{}".format(what, text)
    return None


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Lifts the recursion limit while serbench's own code walks deep data."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEP)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
