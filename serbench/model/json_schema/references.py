"""The subschemas of a JSON Schema: their metaschemas, what they refer to, and notes on what our types cannot say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, TypeAlias, TypeVar
from urllib.parse import unquote, urljoin, urlsplit

from referencing import Registry, Resource, Specification
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DRAFT4, DRAFT6, DRAFT7, DRAFT202012, UnknownDialect, specification_with

from serbench.errors import SchemaError, and_more

DRAFTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
)
"""The drafts, newest first; a schema that names none of them, or another than it follows, may follow any."""
TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
_LONGEST = 120  # of a value or place in a message

Retrieve: TypeAlias = Callable[[str], object]
"""Returns the document of a URI, or None if only a network has it; raises SchemaError if it cannot be read."""

_OLDER = (DRAFT4, DRAFT6, DRAFT7)
_DRAFTS = ("draft-04", "draft-06", "draft-07", "draft2019-09")
_BEFORE = {
    **dict.fromkeys(("if", "then", "else"), _DRAFTS[:2]),
    **dict.fromkeys(("dependentSchemas", "unevaluatedProperties"), _DRAFTS[:3]),
    "prefixItems": _DRAFTS,
}
"""Keyword → the drafts that do not have it."""
_NO_SCHEMA = (LookupError, ValueError, TypeError, AttributeError)  # what `referencing` raises
_T = TypeVar("_T")
ANYTHING: dict[str, Any] = {}
NOTHING: dict[str, Any] = {"not": ANYTHING}


def check_json_schema(part: object, pointer: str = "#") -> str:
    """Return the draft that a JSON Schema follows, or the part of one that stands at a place such as "#/$defs/order".

    It is the one that it names, or else the newest.

    Raises:
        SchemaError: it follows no draft; the message says where it departs from the one that it names, or the newest.
    """
    if isinstance(part, bool):
        return DRAFTS[0]
    if not isinstance(part, dict):
        raise SchemaError(
            f"the JSON Schema has {short(part)} where a subschema belongs at {_shortened(pointer)}; make it an object"
        )
    import jsonschema_rs

    named = [draft for draft in DRAFTS if str(part.get("$schema")).rstrip("#") == draft.rstrip("#")]
    reasons = []
    for draft in dict.fromkeys((*named, *DRAFTS)):
        try:
            jsonschema_rs.meta.validate({**part, "$schema": draft})
        except jsonschema_rs.ValidationError as error:
            where = _shortened("/".join([pointer, *map(str, error.instance_path)]))
            if error.instance_path[-1:] == ["type"] and isinstance(error.kind, jsonschema_rs.ValidationErrorKind.AnyOf):
                reasons.append(f"has an unknown type {short(error.instance)} at {where}; use {', '.join(TYPES)}")
            else:
                reasons.append(f"is wrong at {where}: {_shortened(error.message)}; correct it there")
        except ValueError as error:
            reasons.append(f"is not JSON: {error}; give its keys as texts")
        else:
            return draft
    raise SchemaError(f"the JSON Schema {reasons[0]}")


def short(value: object) -> str:
    """Return a value as a message shows it."""
    return _shortened(repr(value))


def printable(text: str) -> str:
    """Return a text as one line that changes nothing of a terminal."""
    return text if text.isprintable() else ascii(text)


def _shortened(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


@dataclass(frozen=True, eq=False)
class Subschema:
    """A subschema as an object, the base and the draft of its references, and the name by which one led here, or ""."""

    part: dict[str, Any]
    resolver: Any
    specification: Specification[Any]
    name: str = ""

    @property
    def key(self) -> int:
        """What is equal for the same subschema."""
        return id(self.part)

    @property
    def older(self) -> bool:
        """True if its draft ignores what stands beside a reference."""
        return self.specification in _OLDER

    def inner(self, part: object, name: str = "") -> Subschema:
        """Return a subschema inside this one."""
        if isinstance(part, bool):
            part = ANYTHING if part else NOTHING
        if not isinstance(part, dict):
            raise SchemaError(f"the JSON Schema has {short(part)} where a subschema belongs; make it an object")
        subschema = replace(self, part=part, name=name)
        if not isinstance(part.get("$id", part.get("id")), str):
            return subschema
        return replace(subschema, resolver=self.resolver.in_subresource(_resource(part, self.specification)))

    def those(self, keyword: str) -> list[Subschema]:
        """Return the subschemas in the list that a keyword holds."""
        return [self._checked(keyword, one) for one in self._of(keyword, list)]

    def named(self, keyword: str) -> dict[str, Subschema]:
        """Return the subschemas in the object that a keyword holds; keys that need other keys are no subschemas."""
        held = self._of(keyword, dict)
        return {key: self._checked(keyword, one) for key, one in held.items() if not isinstance(one, list)}

    def one(self, keyword: str) -> Subschema:
        """Return the subschema that a keyword holds, or one that allows anything."""
        return self._checked(keyword, self.part.get(keyword, True))

    def _of(self, keyword: str, kind: type[_T]) -> _T:
        held = self.part.get(keyword, kind())
        if not isinstance(held, kind):
            raise SchemaError(f"the JSON Schema's {keyword} must be {'an object' if kind is dict else 'a list'}")
        return held

    def _checked(self, keyword: str, part: object) -> Subschema:
        """Check what the metaschema of the draft does not, since it does not know the keyword."""
        if self.specification.name in _BEFORE.get(keyword, ()):
            check_json_schema(part, keyword)
        return self.inner(part)


@dataclass
class References:
    """Resolves the references of a document that is a JSON Schema or has some, such as an OpenAPI description.

    `base` is its URI, or ""; `retrieve` reads another document.
    """

    document: object
    base: str = ""
    retrieve: Retrieve = lambda _: None
    _targets: dict[tuple[int, str], Subschema] = field(default_factory=dict)

    def root(self, fragment: str = "") -> Subschema:
        """Return the subschema at a JSON Pointer or an anchor of the document.

        Raises:
            SchemaError: there is none, and the message names others; or it is no JSON Schema.
        """
        draft = DRAFT202012 if fragment else specification_with(check_json_schema(self.document))
        specification = _specification(self.document, draft)
        resource = _resource(self.document, specification)
        uris = dict.fromkeys((self.base, urljoin(self.base, resource.id() or "")))
        registry: Any = Registry(retrieve=self._retrieved)  # type: ignore[call-arg]
        registry = registry.with_resources((uri, resource) for uri in uris)
        top = Subschema(ANYTHING, registry.resolver(self.base), specification)
        if fragment:
            try:
                top.resolver.lookup(f"#{fragment}")
            except (Unresolvable, *_NO_SCHEMA):
                raise SchemaError(f"the file has no such part; {_instead(self.document, fragment)}") from None
            return self._resolved(top, f"#{fragment}") or top
        return top.inner(self.document)

    def target(self, part: Subschema, reference: str) -> Subschema | None:
        """Return what a reference refers to, or None if only a network has it.

        Raises:
            SchemaError: it does not exist, or is no JSON Schema: it may stand where the metaschema expects none.
        """
        known = part.key, reference
        if known not in self._targets:
            target = self._resolved(part, reference)
            if target is None:
                return None
            self._targets[known] = target
        return self._targets[known]

    def _resolved(self, part: Subschema, reference: str) -> Subschema | None:
        file, _, fragment = reference.partition("#")
        try:
            resolved = part.resolver.lookup(reference)
            document = part.resolver.lookup(file).contents if file else None
        except (Unresolvable, *_NO_SCHEMA) as error:
            reason = error.__cause__ and error.__cause__.__cause__
            if isinstance(reason, SchemaError):
                raise reason from None
            if type(error) is Unresolvable:
                return None
            raise SchemaError(
                f"the JSON Schema refers to {short(reference)}, which does not exist; correct it"
            ) from None
        contents = resolved.contents
        if fragment and isinstance(contents, dict) and contents.get("$dynamicAnchor") == fragment:
            contents = {"$dynamicRef": reference}  # `referencing` takes it for one
        check_json_schema(contents, reference)
        specification = _specification(document, part.specification)
        there = replace(part, resolver=resolved.resolver, specification=specification)
        return there.inner(contents, _name(reference))

    def _retrieved(self, uri: str) -> Resource[Any]:
        if "//json-schema.org/" in uri:
            from jsonschema_specifications import REGISTRY  # reads its files

            known: Mapping[str, Resource[Any]] = REGISTRY
            if uri in known:
                return known[uri]
        document = self.retrieve(uri)
        if document is None:
            raise NoSuchResource(uri)
        return _resource(document, _specification(document, DRAFT202012))


def _resource(document: object, specification: Specification[Any]) -> Resource[Any]:
    """Return a document or an inner schema under its `$id`. A document that is not an object has no `$id`.

    Raises:
        SchemaError: its `$id` is no URI.
    """
    if not isinstance(document, dict):
        return Specification.OPAQUE.create_resource(document)
    resource = specification.create_resource(document)
    try:
        urlsplit(resource.id() or "")
    except _NO_SCHEMA:
        named = short(document.get("$id", document.get("id")))
        raise SchemaError(f"the JSON Schema has the $id {named}, which is no URI; correct or omit it") from None
    return resource


def _instead(document: object, fragment: str) -> str:
    """Return what to name in place of a part that a document does not have: the nearest in its place, or the first ones."""
    place, names = "#", dict[str, object]()
    for step in unquote(fragment).removeprefix("/").split("/"):
        parts = dict(enumerate(document)) if isinstance(document, list) else document
        items = parts.items() if isinstance(parts, dict) else ()
        names = {str(key).replace("~", "~0").replace("/", "~1"): part for key, part in items}
        if step not in names:
            break
        document, place = names[step], f"{place}/{step}"
    if near := get_close_matches(step, names, 1):
        return f"did you mean {_shortened(f'{place}/{near[0]}')}?"
    where = "it" if place == "#" else _shortened(place)
    return f"{where} has {and_more([*map(_shortened, names)], _MOST_PLACES) or 'none'}"


def _name(reference: str) -> str:
    """Return the last part of a reference that is a name."""
    file, _, fragment = reference.partition("#")
    last = fragment.rpartition("/")[2] or file.rpartition("/")[2].partition(".")[0]
    return unquote(last).replace("~1", "/").replace("~0", "~")


def _specification(document: object, default: Specification[Any]) -> Specification[Any]:
    """Return the draft that a document names; older descriptions in OpenAPI resolve references as draft 6 does."""
    if not isinstance(document, dict):
        return default
    if "swagger" in document or str(document.get("openapi", "")).startswith("3.0"):
        return DRAFT6
    named = document.get("$schema", document.get("jsonSchemaDialect"))
    try:
        return specification_with(named) if isinstance(named, str) else default
    except UnknownDialect:
        return default


_MOST_PLACES = 3


@dataclass
class Notes:
    """Collects what is read more widely or more narrowly than it is written, and where; and keywords that nothing checks.

    `where` is where the reader is, such as "Order.lines"; "" is the root.
    """

    where: str = ""
    _places: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _unchecked: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _quiet: int = 0

    def widely(self, why: str, where: str | None = None) -> None:
        """Note that the types here allow more than the JSON Schema."""
        self._note(f"read more widely: {why}", where)

    def narrowly(self, why: str, where: str | None = None) -> None:
        """Note that the types here allow less than the JSON Schema."""
        self._note(f"read more narrowly: {why}", where)

    def ignored(self, why: str, where: str | None = None) -> None:
        """Note that the JSON Schema itself says not to read something."""
        self._note(f"not read: {why}", where)

    def unchecked(self, keyword: str, part: dict[str, object]) -> None:
        """Note that the types do not check a keyword of a subschema."""
        self._unchecked[keyword].add(id(part))

    @property
    def is_quiet(self) -> bool:
        """True if nothing is noted."""
        return self._quiet > 0

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Note nothing, while it is only tried what a subschema allows."""
        self._quiet += 1
        yield
        self._quiet -= 1

    def lines(self) -> tuple[str, ...]:
        """Return a line for each reason, with the first places."""
        lines = [f"{why}: {and_more(places, _MOST_PLACES)}" for why, places in self._places.items()]
        if self._unchecked:
            each = [f"{name} ({len(parts)})" for name, parts in sorted(self._unchecked.items())]
            lines.append(f"read more widely: no model checks {', '.join(each)}")
        return tuple(map(printable, lines))

    def _note(self, why: str, where: str | None) -> None:
        where = (self.where if where is None else where) or "the document"
        if not self.is_quiet and where not in self._places[why]:
            self._places[why].append(where)
