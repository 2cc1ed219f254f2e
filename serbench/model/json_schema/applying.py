"""Applies the keywords of subschemas: which values of each JSON type they allow together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from serbench.errors import SchemaError
from serbench.model.json_schema.allowed import NONE, Allowed, Array, Object, Plain, distinct, merged
from serbench.model.json_schema.metaschema import TYPES, short
from serbench.model.json_schema.references import ANYTHING, NOTHING, AllOf, AnyOf, Notes, References, Subschema, key_of
from serbench.model.json_schema.write import X_KINDS
from serbench.model.scalars import BYTES, FLOAT, INT, INTEGERS, STR, UINT64, Scalar

_FORMATS = {
    **{name: Scalar(kind) for name, kind in (("date-time", "datetime"), ("date", "date"), ("time", "time"))},
    "uuid": Scalar("uuid"),
    "byte": BYTES,
}
_OBJECT = ("properties", "required", "patternProperties", "additionalProperties", "unevaluatedProperties")
_ARRAY = ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "unevaluatedItems")
_UNCHECKED = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"),
    *("minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"),
    *("minProperties", "maxProperties", "propertyNames", "dependentRequired", "dependencies", "not"),
    *("contentEncoding", "contentMediaType", "contentSchema"),
)
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_ANNOTATIONS = frozenset(
    [
        "$schema",
        "$id",
        "id",
        "$anchor",
        "$dynamicAnchor",
        "$recursiveAnchor",
        "$comment",
        "$vocabulary",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
        "examples",
        "example",
        "deprecated",
        "readOnly",
        "writeOnly",
        "nullable",
        "externalDocs",
        "xml",
        "x-name",
    ]
)


@dataclass
class _Conjunction:
    """Subschemas that apply to the same value, the alternatives of which some apply too, and the name of the whole."""

    parts: list[Subschema] = field(default_factory=list)
    choices: list[list[AllOf]] = field(default_factory=list)
    name: str | None = None
    seen: set[Hashable] = field(default_factory=set)


@dataclass
class Applying:
    """Finds what subschemas allow; `references` resolves their references and `notes` hears of what is not as written."""

    references: References
    notes: Notes
    _inside: set[Hashable] = field(default_factory=set)
    _made: dict[Any, dict[str, Any]] = field(default_factory=dict)
    _known: dict[Any, Allowed] = field(default_factory=dict)

    def allowed(self, node: AnyOf) -> Allowed:
        """Return what the alternatives allow."""
        key = (key_of(node), self.notes.is_quiet)
        allowed = None if self._inside else self._known.get(key)
        if allowed is None:
            allowed = self._either([self._all_of(parts, Allowed()) for parts in node])
        if not self._inside:
            self._known[key] = allowed
        return allowed

    def annotation(self, node: AnyOf, keyword: str) -> Any:
        """Return what the subschemas say by a keyword, the outermost first; None if they say nothing or are alternatives."""
        subschemas = self._flat(node[0]).parts if len(node) == 1 else []
        return next((subschema.part[keyword] for subschema in subschemas if keyword in subschema.part), None)

    def tag(self, objects: tuple[Object, ...]) -> tuple[str, dict[str, list[Object]]] | None:
        """Return the key that has one constant text in each of the objects, and the objects of each text; or None."""
        common = [key for key in objects[0].properties if all(key in one.properties for one in objects)]
        for key in common:
            groups: dict[str, list[Object]] = {}
            for one in objects:
                value = self._constant(one.properties[key])
                if value is None:
                    break
                groups.setdefault(value, []).append(one)
            else:
                if len(groups) > 1:
                    return key, groups
        return None

    def _constant(self, node: AnyOf) -> str | None:
        """Return the only text that a property may have, or None."""
        with self.notes.quiet():
            allowed = self.allowed(node)
        values = allowed.text.values if allowed.text and replace(allowed, text=None).is_nothing else None
        return values[0] if values and len(values) == 1 else None

    def _either(self, options: list[Allowed]) -> Allowed:
        some = [option.settled() for option in options if not option.is_nothing]
        if any(option.untyped and option.hints for option in options):
            self.notes.narrowly("objects or arrays alone, where their keywords stand without a type")
        if not some:
            return NONE
        arrays = {key_of(one.array.any_item) for one in some if one.array}
        if len(arrays) > 1 and not any(one.is_anything for one in some):
            self.notes.widely("different arrays, as one list of any of their items")
        allowed = reduce(Allowed.either, some)
        return replace(allowed, objects=distinct(allowed.objects))

    def _all_of(self, parts: AllOf, base: Allowed) -> Allowed:
        inside = {part.key for part in parts if part.part}
        if inside & self._inside:
            self.notes.widely("what contains itself, as any JSON")
            return base
        self._inside |= inside
        allowed = self._applied(self._flat(parts), base)
        self._inside -= inside
        return replace(allowed, null=True) if any(part.part.get("nullable") is True for part in parts) else allowed

    def _applied(self, flat: _Conjunction, base: Allowed) -> Allowed:
        allowed = reduce(Allowed.both, map(self._of_keywords, flat.parts), base)
        if flat.name:
            allowed = replace(allowed, objects=tuple(replace(one, name=flat.name) for one in allowed.objects))
        for options in flat.choices:
            allowed = self._chosen(options, allowed)
        return allowed

    def _chosen(self, options: list[AllOf], base: Allowed) -> Allowed:
        """Return what one of the options allows beside the base."""
        if len(base.objects) > 1 and self.tag(base.objects) is None:
            base = replace(base, objects=(self.one_object(base.objects),))
        if len(base.objects) <= 1:
            return self._either([self._all_of(option, base) for option in options])
        beside = self._either([self._all_of(option, Allowed()) for option in options])
        return base.both(replace(beside, objects=(self.one_object(beside.objects),) if beside.objects else ()))

    def one_object(self, objects: tuple[Object, ...]) -> Object:
        """Return one object for several that no constant tells apart, and note what that widens."""
        widest = merged(objects)
        if len(objects) > 1 and any(one.is_any for one in objects):
            self.notes.widely("objects of which one alternative says nothing, as a map of any JSON")
            return Object(source=widest.source)
        shapes = {tuple((key, key_of(node)) for key, node in one.properties.items()) for one in objects}
        if len(shapes) > 1:
            self.notes.widely("objects that no constant tells apart, as one record with the fields of all")
        elif any(one.required != widest.required for one in objects):
            self.notes.widely("keys that only some alternatives require, as optional")
        return widest

    def _flat(self, parts: AllOf) -> _Conjunction:
        """Follow references and `allOf`."""
        flat = _Conjunction()
        for part in parts:
            self._add(part, flat, ())
        return flat

    def _add(self, subschema: Subschema, flat: _Conjunction, outer: tuple[Hashable, ...]) -> None:
        if subschema.key in outer and flat.name is None:
            raise SchemaError("the JSON Schema has a reference that resolves to itself; replace it by a type")
        if subschema.key in flat.seen and subschema.part:
            return
        outer = (*outer, subschema.key)
        flat.seen.add(subschema.key)
        references = [(word, str(subschema.part[word])) for word in _REFERENCES if word in subschema.part]
        if references and subschema.older:
            subschema = self._alone(subschema)
        inner = subschema.those("allOf")
        says = subschema.part.keys() - _ANNOTATIONS - {*_REFERENCES, "allOf"}
        if flat.name is None and (says or len(inner) + len(references) > 1):
            flat.name = str(subschema.part.get("title") or subschema.name)
        flat.parts.append(subschema)
        for target in filter(None, (self._target(subschema, *reference) for reference in references)):
            self._add(target, flat, outer)
        for each in inner:
            self._add(replace(each, name=subschema.name), flat, outer)
        flat.choices += self._choices(subschema)

    def _alone(self, subschema: Subschema) -> Subschema:
        """Return a reference of an older draft, which ignores all keywords beside it but annotations."""
        if subschema.part.keys() - _ANNOTATIONS - {"$ref"}:
            self.notes.ignored("what stands beside $ref, as its draft says")
        kept = {key: value for key, value in subschema.part.items() if key in _ANNOTATIONS}
        return replace(subschema, part=self._made.setdefault(("alone", id(subschema.part)), kept))

    def _target(self, subschema: Subschema, word: str, reference: str) -> Subschema | None:
        target = self.references.target(subschema, reference, word)
        if target is None and not self.notes.where:
            raise SchemaError(
                f"the JSON Schema refers to {short(reference)}, which is not in its folder; copy it there"
            )
        if target is None:
            self.notes.widely(f"{short(reference)}, which is not in the folder, as any JSON")
        return target

    def _choices(self, subschema: Subschema) -> Iterator[list[AllOf]]:
        for word in ("oneOf", "anyOf"):
            if word in subschema.part:
                yield [self._option(subschema, option) for option in subschema.those(word)]
        if "if" in subschema.part and ("then" in subschema.part or "else" in subschema.part):
            self.notes.widely("if, then and else, as alternatives")
            yield [(subschema.one("if"), subschema.one("then")), (subschema.one("else"), self._otherwise(subschema))]
        for dependent in (*subschema.named("dependentSchemas").values(), *subschema.named("dependencies").values()):
            self.notes.widely("the schemas of dependent keys, as alternatives")
            yield [(), (dependent,)]

    def _otherwise(self, subschema: Subschema) -> Subschema:
        """Return a subschema for what `else` is about: what `if` says of some properties is not so there."""
        made = {"properties": dict.fromkeys(subschema.one("if").named("properties"), ANYTHING)}
        return replace(
            subschema,
            part=self._made.setdefault(("else", id(subschema.part)), made if made["properties"] else ANYTHING),
        )

    def _option(self, subschema: Subschema, inner: Subschema) -> AllOf:
        """Return an option, and the value that the discriminator beside it says of it."""
        named = subschema.part.get("discriminator")
        key = named.get("propertyName") if isinstance(named, dict) else None
        if not isinstance(named, dict) or not isinstance(key, str) or "$ref" not in inner.part:
            return (inner,)
        with self.notes.quiet():
            objects = self._all_of((inner,), Allowed()).objects
        if all(key in each.properties and self._constant(each.properties[key]) for each in objects):
            return (inner,)
        reference, mapping = inner.part["$ref"], named.get("mapping")
        last = reference.rpartition("/")[2]
        known = [k for k, to in mapping.items() if to in (reference, last)] if isinstance(mapping, dict) else []
        made = {"type": "object", "properties": {key: {"enum": known or [last]}}, "required": [key]}
        return (inner, replace(inner, part=self._made.setdefault(("tag", id(inner.part)), made), name=""))

    def _of_keywords(self, subschema: Subschema) -> Allowed:
        """Return what a subschema allows, but for its references and alternatives."""
        part = subschema.part
        if part.get("not") in (ANYTHING, True) and "not" in part:
            return NONE
        for word in _UNCHECKED:
            if _is_lost(word, part):
                self.notes.unchecked(word, part)
        if "x-kind" in part and not _x_kind(part):
            self.notes.ignored("an x-kind that serbench does not write")
        allowed = self._of_type(part).both(self._of_values(part))
        if allowed.text and part.get("format") not in (None, *_FORMATS):
            self.notes.unchecked(f"format {short(part['format'])[1:-1]}", part)
        if any(word in part for word in _OBJECT):
            allowed = allowed.both(Allowed(objects=(_object(subschema),), hints=frozenset({"object"})))
        if any(word in part for word in _ARRAY):
            allowed = allowed.both(Allowed(array=_array(subschema), hints=frozenset({"array"})))
        return allowed

    def _of_type(self, part: dict[str, Any]) -> Allowed:
        kinds = _json_types(part)
        for kind in kinds:
            if kind not in TYPES:  # below a keyword that is newer than the schema's draft
                raise SchemaError(f"the JSON Schema has an unknown type {short(kind)}; use {', '.join(TYPES)}")
        known, coded = _scalar(part), Allowed()
        if known is not None:
            number = known in INTEGERS
            coded = Allowed(number=Plain(FLOAT, (known,))) if number else Allowed(text=Plain(STR, (known,)))
        if not kinds:
            return coded
        numbers = [FLOAT] * ("number" in kinds) + [INT] * ("integer" in kinds)
        typed = Allowed(
            null="null" in kinds or part.get("nullable") is True,
            boolean="boolean" in kinds,
            number=Plain(FLOAT, tuple(numbers)) if numbers else None,
            text=Plain(STR, (STR,)) if "string" in kinds else None,
            array=Array() if "array" in kinds else None,
            objects=(Object(),) if "object" in kinds else (),
            untyped=False,
        )
        return typed.both(coded)

    def _of_values(self, part: dict[str, Any]) -> Allowed:
        """Return what `enum` and `const` allow."""
        if "enum" not in part and "const" not in part:
            return Allowed()
        values = part["enum"] if "enum" in part else [part["const"]]
        by_type: dict[type, list[Any]] = {}
        for value in values:
            if value not in by_type.setdefault(type(value), []):
                by_type[type(value)].append(value)
        names, title = part.get("x-names"), str(part.get("title", ""))
        kinds = by_type.keys() - {type(None)}
        listed = next((tuple(by_type[kind]) for kind in (str, int) if kinds == {kind}), None)
        if kinds and listed is None and not (kinds == {bool} and len(by_type[bool]) > 1):
            self.notes.widely("values that are not all texts or all ints, as any of their types")
        named = tuple(map(str, names)) if isinstance(names, list) else ()
        text = Plain(STR, (STR,), listed, named, title) if str in kinds else None
        number = Plain(FLOAT, (FLOAT,) if float in kinds else (INT,), listed, named, title)
        return Allowed(
            null=type(None) in by_type or part.get("nullable") is True,
            boolean=bool in kinds,
            number=number if kinds & {int, float} else None,
            text=text,
            array=Array() if list in kinds else None,
            objects=(Object(),) if dict in kinds else (),
            untyped=False,
        )


def _is_lost(word: str, part: dict[str, Any]) -> bool:
    """Return True if a keyword says something that no type can hold."""
    if word not in part or part[word] in (False, 0):
        return False
    if word == "contentEncoding":
        return bool(part[word] != "base64")
    if word == "dependencies":
        return any(isinstance(needed, list) for needed in part[word].values())
    if word in ("minItems", "maxItems"):
        return "prefixItems" not in part and not isinstance(part.get("items"), list)
    return not (word == "uniqueItems" and part.get("x-kind") == "set")


def _json_types(part: dict[str, Any]) -> list[Any]:
    named = part.get("type")
    return named if isinstance(named, list) else [] if named is None else [named]


def _x_kind(part: dict[str, Any]) -> str:
    """Return the x-kind of a subschema if serbench writes it beside such a type, or else ""."""
    kind = part.get("x-kind")
    return kind if isinstance(kind, str) and X_KINDS.get(kind) in _json_types(part) else ""


def _scalar(part: dict[str, Any]) -> Scalar | None:
    """Return the kind of text or number that a subschema names beside its type."""
    kind = _x_kind(part)
    if kind and kind != "set":
        return Scalar(kind)
    if part.get("format") == "uint64" and part.get("type") == "integer":
        return UINT64
    if part.get("contentEncoding") == "base64":
        return BYTES
    return _FORMATS.get(str(part.get("format")))


def _object(subschema: Subschema) -> Object:
    word = "additionalProperties" if "additionalProperties" in subschema.part else "unevaluatedProperties"
    further = subschema.one(word)
    some = [*subschema.named("patternProperties").values(), *([] if further.part is NOTHING else [further])]
    more = [inner for inner in some if inner.part.keys() - _ANNOTATIONS]
    return Object(
        {key: ((inner,),) for key, inner in subschema.named("properties").items()},
        frozenset(map(str, subschema.part.get("required", ()))),
        tuple(((inner,),) for inner in more),
        len(more) < len(some),
        (subschema.key,),
    )


def _array(subschema: Subschema) -> Array:
    older = isinstance(subschema.part.get("items"), list)  # the name of prefixItems before draft 2020-12
    first = subschema.those("items" if older else "prefixItems")
    word = "additionalItems" if older else "items" if "items" in subschema.part else "unevaluatedItems"
    rest = subschema.one("items" if word == "unevaluatedItems" and "contains" in subschema.part else word)
    most = subschema.part.get("maxItems")
    if rest.part is NOTHING:
        most = len(first) if most is None else min(most, len(first))
    return Array(
        tuple(((inner,),) for inner in first),
        None if rest.part in (ANYTHING, NOTHING) else ((rest,),),
        int(subschema.part.get("minItems", 0)),
        None if most is None else int(most),
        subschema.part.get("x-kind") == "set",
    )
