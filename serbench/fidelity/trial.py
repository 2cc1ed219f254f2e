"""What a module makes of a value, and of bytes that are not its own: an answer for each, whatever it raises."""

import re
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterable, List, Optional

from .building import builder
from .objects import difference
from .parts import Spec, short
from .wire import wire_difference

Answer = Dict[str, Any]
SENT_BYTES = 4096  # of what was written


def carried(module: Any, encoding: Any, spec: Spec, document: Any, probe: Dict[str, Any]) -> Answer:
    """What becomes of a document: "exact", "changed" or "refused", with what was written.

    `encoding` is the module that writes, `probe` how the value is made and compared: `make`, `subclass`, `ordered`.
    """
    made = probe["make"]
    if made:
        document = _made(spec, made[0], made[1])
    view = _with_subclass(encoding, probe["subclass"]) if probe["subclass"] else encoding
    try:
        own = getattr(encoding, "build", None)
        build = own or builder(spec, spec["root"], view)
        if made and made[0] == "chain":
            objects = [_chained(encoding, made[1])]
        else:
            objects = build(document) if build else document
    except Exception as error:
        return _refused("build", error)
    try:
        blob = encoding.encode(objects)
    except Exception as error:
        return _refused("encode", error)
    if type(blob) is not bytes:
        return {"outcome": "changed", "detail": "encode gave {}, not bytes".format(type(blob).__name__)}
    decode = getattr(module, "decode", None)
    written = {"blob": blob.hex() if len(blob) <= SENT_BYTES or decode is None else blob[:64].hex(), "size": len(blob)}
    if decode is None:
        return {"outcome": "written", **written}
    try:
        back = decode(blob)
        text = _changed(module, spec, document, back, probe)
    except Exception as error:
        return {**_refused("decode", error), **written}
    return {"outcome": "changed" if text else "exact", "detail": text, **written}


def taken(module: Any, spec: Spec, document: Any, given: Dict[str, Any], build: Any) -> Answer:
    """What becomes of one input: "rejected", or the name of the type that is found where it stood.

    The input is a `blob` (hex); without one, the `value` is set at its `path` in a fresh object, which is then
    encoded and decoded. The path is a list of [name, wire] pairs; an int for the wire is a place in a list. With
    `compare`, the answer has what differs between the document and what came back; of `names` it has those that an
    error says.
    """
    objects = None
    if given["blob"] is None:
        objects = put(build(document), given["path"], given["value"])
    try:
        blob = module.encode(objects) if given["blob"] is None else bytes.fromhex(given["blob"])
        back = found = module.decode(blob)
        for name, wire in given["path"]:
            found = part(found, name, wire)
        answer: Answer = {"outcome": type(found).__name__, "value": short(found)}
        if given.get("compare"):
            answer["difference"] = _changed(
                module, spec, document, back, {"make": None, "subclass": "", "ordered": False}
            )
    except MemoryError:
        raise
    except Exception as error:  # any refusal counts, whatever a library raises
        lines = said(error)
        return {"outcome": "rejected", "message": cut(lines[0]), "names": _named(lines, given.get("names", ()))}
    return answer


def said(error: Optional[BaseException]) -> List[str]:
    """Everything that an exception tells its reader, the exceptions inside it and their notes included."""
    if error is None:
        return []
    lines = ["{}: {}".format(type(error).__name__, " ".join(str(error).split()))]
    lines += getattr(error, "__notes__", [])
    for inner in getattr(error, "exceptions", ()):
        lines += said(inner) if isinstance(inner, BaseException) else []
    return lines + said(error.__cause__)


def cut(text: str) -> str:
    """A message of a length that can be read."""
    return text if len(text) <= 300 else text[:300] + "…"


def part(objects: Any, name: str, wire: Any) -> Any:
    """A field of a record, or an item of a list; None where it is absent."""
    if type(objects) is dict:
        return objects.get(wire, objects.get(name))
    return objects[wire] if type(wire) is int else getattr(objects, name, None)


def put(objects: Any, path: List[List[Any]], value: Any) -> Any:
    """The object with a value replaced, past whatever its class forbids."""
    (name, wire), rest = path[0], path[1:]
    if rest:
        value = put(part(objects, name, wire), rest, value)
    if type(wire) is int:
        return [value if place == wire else item for place, item in enumerate(objects)]
    if type(objects) is dict:
        return {**objects, wire: value}
    if hasattr(objects, "_replace"):  # a named tuple
        return objects._replace(**{name: value})
    try:
        object.__setattr__(objects, name, value)
    except TypeError:  # a class of C slots has its own way
        setattr(objects, name, value)
    return objects


def nested(depth: int) -> Any:
    """None in so many lists in one another."""
    value: Any = None
    for _ in range(depth):
        value = [value]
    return value


def _made(spec: Spec, how: str, size: int) -> Any:
    """The document with a value of that size; of a chain, which the walk back counts, its size alone."""
    if how == "chain":
        return size
    if how == "fields":
        (record,) = spec["records"].values()
        return [{f[1]: 0 for f in record["fields"]}]
    return [{"subject": MAKERS[how](size)}]


def _chained(module: Any, size: int) -> Any:
    """So many records in one another, made from the innermost: no function of ours goes that deep."""
    cls = module.Link
    if hasattr(cls, "import_data"):
        raise ValueError("its objects cannot be put into one another one by one")
    link = None
    for _ in range(size):
        link = {"next": link} if hasattr(cls, "__total__") else cls(next=link)
    return link


MAKERS: Dict[str, Callable[[int], Any]] = {
    "repeat": lambda size: "x" * size,
    "nest": nested,
    "bits": lambda size: (1 << size) - 1,
    "widen": lambda size: [0] * size,
}
"""What makes a value that is too large to be sent."""


def _refused(step: str, error: BaseException) -> Answer:
    if isinstance(error, MemoryError):  # the worker's to tell, which is not what it was any more
        raise error
    return {"outcome": "refused", "detail": "{}: {}".format(step, cut(said(error)[0]))}


def _named(lines: List[str], names: Iterable[str]) -> List[str]:
    """The names that occur as words in what was said."""
    return [name for name in names if any(re.search(r"\b{}\b".format(re.escape(name)), line) for line in lines)]


def _with_subclass(module: Any, record: str) -> Any:
    """The module as if a record's class were a subclass of it, which pickle finds in the module."""
    cls = getattr(module, record)
    name = "Special{}".format(record)
    special = type(name, (cls,), {"__module__": module.__name__})
    setattr(module, name, special)
    return SimpleNamespace(**{**vars(module), record: special})


def _changed(module: Any, spec: Spec, document: Any, back: Any, probe: Dict[str, Any]) -> Optional[str]:
    """What differs between the document and what came back; nothing where it is the same."""
    if type(document) is int:
        return _chain_difference(document, back)
    if probe["make"] and probe["make"][0] != "fields":
        return _made_difference(document, back)
    if probe["subclass"]:
        found = type(part(part(back, "", 0), "subject", "subject")).__name__
        special = "Special{}".format(probe["subclass"])
        return None if found == special else "expected a {}, got a {}".format(special, found)
    if hasattr(module, "plain"):
        text = wire_difference(spec, spec["root"], document, module.plain(back))
    else:
        text = difference(spec, spec["root"], document, back, set())
    if text is None and probe["ordered"]:
        before, after = document[0].get("subject"), part(part(back, "", 0), "subject", "subject")
        if type(before) is dict and list(before) != list(after):
            return "expected the keys {}, got {}".format(short(list(before)), short(list(after)))
    return None if text is None else text.lstrip(": ") if text.startswith(":") else text


def _chain_difference(size: int, back: Any) -> Optional[str]:
    """What differs of a chain of records; without recursion."""
    depth, link = 0, part(back, "", 0)
    while link is not None and depth <= size:
        depth, link = depth + 1, part(link, "next", "next")
    return None if depth == size else "{} records came back of {}".format(depth, size)


def _made_difference(document: Any, back: Any) -> Optional[str]:
    """What differs of a value that was made here; without recursion, because lists may be very deep."""
    expected, found = document[0]["subject"], part(part(back, "", 0), "subject", "subject")
    depth = 0
    while type(expected) is list and type(found) is list and len(expected) == len(found) == 1:
        expected, found, depth = expected[0], found[0], depth + 1
    if type(expected) is type(found) and expected == found:
        return None
    return "at depth {}: got {}".format(depth, short(found)) if depth else "got {}".format(short(found))
