"""Verifies a case before it is timed, but for declared losses, and tries values and foreign bytes with it."""

import datetime as dt
import importlib
import json
import re
import sys
from collections import namedtuple
from functools import partial
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterable, List, Optional, Set, Tuple

from .building import builder, holders, member_of, without_further
from .comparison import difference, same, wire_difference, wire_same
from .kinds import CLASSES
from .parts import Spec, Type, has_any_sequence, holder_of, scalar_difference, short, user_difference

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
    text, decoded = read_back(prepared, value, operations, reader)
    if text is not None:
        return {"difference": text, "blob": prepared.blob if type(prepared.blob) is bytes else b""}
    return compared(prepared, spec, value, decoded, losses)


Decoded = List[Tuple[str, Any]]
"""What is decoded of one document, in each way that the case has, with the name of that way."""


def read_back(prepared: Any, value: Any, operations: List[str], reader: Optional[str]) -> Tuple[Optional[str], Decoded]:
    """Return what is decoded of the bytes of a prepared case; or why they are wrong before anything is compared."""
    module, blob = prepared.module, prepared.blob
    if type(blob) is not bytes:
        return "encode gave {}, not bytes".format(type(blob).__name__), []
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
            return "the data frame has other rows or columns", []
    if reader and decoded:
        name, _, function = reader.partition(":")
        decoded.append((reader, getattr(importlib.import_module(name), function)(blob)))
    if "dumps" in operations:
        stepwise = module.dumps(module.dump(prepared.objects))
        if stepwise != blob and not decoded:
            return "dumps(dump(x)) is not encode(x)", []
        if stepwise != blob:  # as with marshal, whose bytes depend on shared references
            decoded.append(("decode(dumps(dump(x)))", module.decode(stepwise)))
    return None, decoded


def surely_same(prepared: Any, spec: Spec, documents: List[Tuple[Any, Decoded]]) -> bool:
    """Return whether all that is decoded of documents is surely the same as their values: many at once take less time."""
    if prepared.user is not None or "written" in spec:
        return False
    columns: Dict[str, Tuple[List[Any], List[Any]]] = {}
    for value, decoded in documents:
        for what, objects in decoded:
            values, others = columns.setdefault(what, ([], []))
            values.append(value)
            others.append(objects)
    plain = getattr(prepared.module, "plain", None)
    seen: Set[str] = set()
    with deep_recursion():
        if plain:
            return all(wire_same(spec, spec["root"], v, list(map(plain, o)), seen) for v, o in columns.values())
        return all(same(spec, spec["root"], *column, seen) for column in columns.values())


def compared(prepared: Any, spec: Spec, value: Any, decoded: Decoded, losses: Dict[str, str]) -> Dict[str, Any]:
    """Return the first difference of what was decoded from the neutral value, as `verified` does."""
    module, blob = prepared.module, prepared.blob
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


def _user_verified(prepared: Any, spec: Spec, value: Any, decoded: Decoded, losses: Dict[str, str]) -> Dict[str, Any]:
    """The same for a user's class: what is decoded is compared with what the class makes of the document."""
    lost: Dict[str, str] = {}
    any_sequence = any(has_any_sequence(getattr(prepared.module, name, None)) for name in spec["records"])
    compare = partial(user_difference, any_sequence=any_sequence)

    def compared(objects: Any) -> Optional[str]:
        texts = ((what, compare(objects, objects_of_call)) for what, objects_of_call in decoded)
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


class deep_recursion:  # noqa: N801 (a context manager, without the time that a generator takes)
    """Raise the recursion limit while serbench's own code traverses deep data."""

    def __enter__(self) -> None:
        self.limit = sys.getrecursionlimit()
        sys.setrecursionlimit(DEEP)

    def __exit__(self, *_: object) -> None:
        sys.setrecursionlimit(self.limit)


Answer = Dict[str, Any]
SENT_BYTES = 4096  # of the encoded bytes


def carried(module: Any, encoding: Any, spec: Spec, document: Any, probe: Dict[str, Any]) -> Answer:
    """Encode and decode a document; return the outcome "exact", "changed" or "refused", with the encoded bytes.

    `encoding` is the module that encodes. `probe` says how the value is created and compared: `make`, `subclass`,
    `ordered`, as far as it has them; if it has a `blob` (hex), that is decoded, and nothing is encoded.
    """
    made = probe.get("make")
    if made:
        document = _made(made[0], made[1])
    if "blob" in probe:
        return _decoded(module, spec, document, bytes.fromhex(probe["blob"]), probe)
    view = _with_subclass(encoding, probe["subclass"]) if probe.get("subclass") else encoding
    try:
        module_build = getattr(encoding, "build", None)
        build = module_build or builder(spec, spec["root"], view)
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
    decodes = hasattr(module, "decode")
    written = {"blob": blob.hex() if len(blob) <= SENT_BYTES or not decodes else blob[:64].hex(), "size": len(blob)}
    if not decodes:
        return {"outcome": "written", **written}
    return {**_decoded(module, spec, document, blob, probe), **written}


def _decoded(module: Any, spec: Spec, document: Any, blob: bytes, probe: Dict[str, Any]) -> Answer:
    try:
        text = _changed(module, spec, document, module.decode(blob), probe)
    except Exception as error:
        return _refused("decode", error)
    return {"outcome": "changed" if text else "exact", "detail": text}


def answer_to(module: Any, spec: Spec, document: Any, wrong: Dict[str, Any], build: Any) -> Answer:
    """Decode one wrong input; return the outcome "rejected", or the name of the type found in its place.

    The input is a `blob` (hex). If there is none, `value` is set at `path` in a fresh object, which is then encoded and
    decoded. The path is a list of [name, wire] pairs; an int as wire is an index in a list. With `compare`, the answer
    describes the difference between the document and the decoded value; without a path, `value` is what a blob holds,
    and `right` in the answer whether it was found. The answer also lists the `names` that the error mentions.
    """
    objects = None
    if wrong.get("written"):
        return _written(module, build(document), wrong)
    if wrong.get("blob") is None:
        objects = put(build(document), wrong["path"], wrong["value"])
    try:
        blob = module.encode(objects) if wrong.get("blob") is None else bytes.fromhex(wrong["blob"])
        back = held = module.decode(blob)
        for name, wire in wrong.get("path", ()):
            held = part(held, name, wire)
        answer: Answer = {"outcome": type(held).__name__, "value": short(held)}
        if "value" in wrong and "path" not in wrong:
            answer["right"] = bool(back == wrong["value"])
        if wrong.get("compare"):
            answer["difference"] = _changed(module, spec, document, back, {})
    except MemoryError:
        raise
    except Exception as error:  # libraries may raise any exception
        lines = said(error)
        return {"outcome": "rejected", "message": cut(lines[0]), "names": _named(lines, wrong.get("names", ()))}
    return answer


def _written(module: Any, objects: Any, wrong: Dict[str, Any]) -> Answer:
    """Encode an object with a wrong value: "rejected", "let through" if its JSON has the value, or else "coerced".

    The answer also says what is encoded, the `holder`. With `in_lines`, each line has the JSON of a record;
    `inside` are the keys below which it has the document, or its text.
    """
    if type(objects) is bytes:  # there is nothing in it that could be wrong
        return {"outcome": "let through", "holder": "bytes"}
    answer = {"holder": "dicts" if type(objects[0] if type(objects) is list else objects) is dict else "objects"}
    try:
        text = module.encode(put(objects, wrong["path"], wrong["value"])).decode()
        held = json.loads("[{}]".format(",".join(text.strip().split("\n"))) if wrong["in_lines"] else text)
        for key in wrong["inside"]:
            held = held[key]
        held = json.loads(held) if type(held) is str and wrong["inside"] else held
        for _, wire in wrong["path"]:
            held = held[wire]
    except MemoryError:
        raise
    except Exception as error:  # frameworks may raise any exception
        return {"outcome": "rejected", "message": cut(said(error)[0]), **answer}
    same = type(held) is type(wrong["value"]) and held == wrong["value"]
    return {"outcome": "let through" if same else "coerced", **answer}


def told(error: BaseException) -> str:
    """Return an exception in one line: its message, or of a group the innermost one with its path; and that of its cause."""
    path, inner = innermost(error)
    lines = [said(inner)[0], *said(inner.__cause__)[-1:]]
    return path + ": ".join(dict.fromkeys(cut(" ".join(line.split())) for line in lines))


def innermost(error: BaseException) -> Tuple[str, BaseException]:
    """Return the first of the innermost exceptions of a group, behind the path at which cattrs or adaptix caught it.

    The path ends with a colon and a space; it is empty if there is none.
    """
    steps: List[Any] = []
    while True:
        inner = getattr(error, "exceptions", None)
        if not isinstance(inner, (list, tuple)) or not inner or not isinstance(inner[0], BaseException):
            break
        error = inner[0]
        steps += getattr(error, "_adaptix_struct_trail", ())
        for note in getattr(error, "__notes__", ()):  # of cattrs, which are texts with an attribute
            steps += [
                one
                for one in (getattr(note, "name", None), getattr(note, "index", None))
                if isinstance(one, (str, int))
            ]
    path = ""
    for step in steps:
        name = getattr(step, "name", getattr(step, "key", step))  # of adaptix for an attribute or a key
        path += "[{}]".format(name) if isinstance(name, int) else ".{}".format(name)
    return path and path + ": ", error


def said(error: Optional[BaseException]) -> List[str]:
    """Return all lines of an exception's message, including nested exceptions and notes."""
    if error is None:
        return []
    lines = ["{}: {}".format(type(error).__name__, " ".join(str(error).split()))]
    lines += getattr(error, "__notes__", [])
    for inner in getattr(error, "exceptions", ()):
        lines += said(inner) if isinstance(inner, BaseException) else []
    return lines + said(error.__cause__)


def cut(text: str) -> str:
    """Shorten a message to a readable length."""
    return text if len(text) <= 300 else text[:300] + "…"


def part(objects: Any, name: str, wire: Any) -> Any:
    """Return a field of a record or an item of a list; None if absent."""
    if type(objects) is dict:
        return objects.get(wire, objects.get(name))
    return objects[wire] if type(wire) is int else getattr(objects, name, None)


def put(objects: Any, path: List[List[Any]], value: Any) -> Any:
    """Return the object with a value replaced, bypassing restrictions of its class."""
    (name, wire), rest = path[0], path[1:]
    if rest:
        value = put(part(objects, name, wire), rest, value)
    if type(wire) is int:
        return [value if index == wire else item for index, item in enumerate(objects)]
    if type(objects) is dict:
        return {**objects, wire: value}
    if hasattr(objects, "_replace"):  # a named tuple
        return objects._replace(**{name: value})
    try:
        object.__setattr__(objects, name, value)
    except TypeError:  # a class with C slots
        setattr(objects, name, value)
    return objects


def nested(depth: int) -> Any:
    """Return `depth` nested lists; the innermost is empty, as not every format has None."""
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


def _made(how: str, size: int) -> Any:
    """Return the document with a value of that size; for a chain, only its size."""
    return size if how == "chain" else [{"subject": MAKERS[how](size)}]


def _chained(module: Any, size: int) -> Any:
    """Return `size` nested records, built from the innermost outwards to avoid recursion."""
    cls = module.LinkProbe
    if hasattr(cls, "import_data"):
        raise ValueError("its objects cannot be put into one another one by one")
    link = None
    for _ in range(size):
        link = {"next": link} if hasattr(cls, "__total__") else cls(next=link)
    return link


_Pair = namedtuple("_Pair", "first second")  # noqa: PYI024  # one that says its types is another kind of record


def _of_subclass(value: Any) -> Any:
    return type("Special", (type(value),), {})(value)


MAKERS: Dict[str, Callable[[int], Any]] = {
    "repeat": lambda size: "x" * size,
    "nest": nested,
    "alike": lambda size: ["x" * size] * 2 + ["".join(["x"] * size)],
    "named tuple": lambda size: _Pair(size, "a"),
    "Text": lambda size: _of_subclass("x" * size),
    "Number": _of_subclass,
    "Ratio": lambda size: _of_subclass(size + 0.5),
    "Items": lambda size: _of_subclass([0] * size),
    "Table": lambda size: _of_subclass({str(number): number for number in range(size)}),
}
"""Name → function that creates a value that is too large to send, or whose class is."""


def _refused(step: str, error: BaseException) -> Answer:
    if isinstance(error, MemoryError):  # the worker reports it, because its process may be damaged
        raise error
    return {"outcome": "refused", "detail": "{}: {}".format(step, cut(said(error)[0]))}


def _named(lines: List[str], names: Iterable[str]) -> List[str]:
    """Return the names that occur as words in the lines."""
    return [name for name in names if any(re.search(r"\b{}\b".format(re.escape(name)), line) for line in lines)]


def _with_subclass(module: Any, record: str) -> Any:
    """Return the module with a record's class replaced by a subclass, which pickle finds in the module."""
    cls = getattr(module, record)
    name = "Special{}".format(record)
    special = type(name, (cls,), {"__module__": module.__name__})
    setattr(module, name, special)
    return SimpleNamespace(**{**vars(module), record: special})


def _changed(module: Any, spec: Spec, document: Any, back: Any, probe: Dict[str, Any]) -> Optional[str]:
    """Describe the difference between the document and the decoded value, or return None."""
    if type(document) is int:
        return _chain_difference(document, back)
    if probe.get("make"):
        return _made_difference(document, back)
    if probe.get("subclass"):
        actual = type(part(part(back, "", 0), "subject", "subject")).__name__
        special = "Special{}".format(probe["subclass"])
        return None if actual == special else "expected a {}, got a {}".format(special, actual)
    text = decoded_difference(module, spec, document, back)
    if text is None and probe.get("ordered"):
        before, after = document[0].get("subject"), part(part(back, "", 0), "subject", "subject")
        if type(before) is dict and list(before) != list(after):
            return "expected the keys {}, got {}".format(short(list(before)), short(list(after)))
    return None if text is None else text.lstrip(": ")


def decoded_difference(module: Any, spec: Spec, document: Any, back: Any) -> Optional[str]:
    """Describe the difference between a document and what a module has decoded; format-native objects by their meaning."""
    if hasattr(module, "plain"):
        return wire_difference(spec, spec["root"], document, module.plain(back))
    return difference(spec, spec["root"], document, back, set())


def _chain_difference(size: int, back: Any) -> Optional[str]:
    """Describe the difference of a chain of records; iterative, because chains may be very deep."""
    depth, link = 0, part(back, "", 0)
    while link is not None and depth <= size:
        depth, link = depth + 1, part(link, "next", "next")
    return None if depth == size else "{} records came back of {}".format(depth, size)


def _made_difference(document: Any, back: Any) -> Optional[str]:
    """Describe the difference of a created value; iterative, because lists may be very deep."""
    expected, actual = document[0]["subject"], part(part(back, "", 0), "subject", "subject")
    depth = 0
    while type(expected) is list and type(actual) is list and len(expected) == len(actual) == 1:
        expected, actual, depth = expected[0], actual[0], depth + 1
    if type(actual) in type(expected).__mro__[:2] and expected == actual:  # a subclass of which is no loss
        return None
    return "at depth {}: got {}".format(depth, short(actual)) if depth else "got {}".format(short(actual))
