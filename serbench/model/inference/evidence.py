"""Weighs the evidence on which inference decides: keys that are data, fields that tell objects apart, texts that encode values."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import chain
from operator import methodcaller
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from serbench.model.names import singular, word_set
from serbench.model.scalars import scalar_of

Facts = TypeVar("Facts")
Objects = Sequence[dict[str, Any]]

_NONE = type(None)
_NUMBERS = {int, float}
_SHORT_FORMS: tuple[set[type], ...] = ({str, dict}, {str, list})
_SHARE = 0.8  # of keys that must look alike

_DATA_KEY = re.compile(
    r"""
    .{81,} | \s*
    | [-+]?[\d.,]+ (?:[-_:/ ][\d.,]+)*                   # 7, -3.5, 12-15, 10:30
    | v?\d+(?:\.\d+)+\S*                                 # versions
    | \d{4}-\d\d .*                                      # dates and times
    | (?=.*\d) [0-9a-fA-F]{8,} (?:-[0-9a-fA-F]+)*        # hashes, UUIDs
    | .*\d{3,} | [A-Z]{1,3}-?\d{2,}                      # user_1234, Q42
    | [^@]+@.+ | [^/]+/[^/].* | .*[/\\\s].*[/\\.].*      # addresses, media types, paths, sentences
    | /.+ | .*[\\*].* | \w+\(.+\)                         # paths of a server, patterns, expressions
    """,
    re.VERBOSE | re.DOTALL,
)
_LANGUAGE = re.compile(
    r"(?:ar|bg|bn|cs|da|de|el|en|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|lt|lv|ms|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv|sw|ta|"
    r"te|th|tr|uk|ur|vi|zh)(?:[-_](?:[A-Za-z]{2,4}|\d{3})){0,2}"
)
_WORDS_TOO = frozenset(("he", "id", "it", "no"))  # languages that may also be fields
_CURRENCY = re.compile(
    r"AED|ARS|AUD|BDT|BGN|BRL|BTC|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|ETH|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KES|KRW|MAD|MXN|"
    r"MYR|NGN|NOK|NZD|PEN|PHP|PKR|PLN|RON|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
MAP_NAMES = word_set(
    """
    aliases annotations attributes claims conditions cookies definitions dependencies engines env environ
    environment exports extras headers i18n imports jobs l10n labels locales mappings messages networks outputs
    overrides parameters params paths plugins profiles providers query rates require requires resolutions resources
    responses schemas scripts secrets selector services states tags targets translations triggers variables volumes
    """
)
"""Last words of names that hold maps: `devDependencies`, `match_labels`, `dist-tags`, `rates`."""

FIELD_NAMES = word_set(
    """
    code content count created date description email enabled format height href id key kind label max message min
    name path size state status text title total type unit uri url uuid value version width x y
    """
)
"""Keys that records of all sorts have."""


@dataclass(frozen=True)
class Rule(Generic[Facts]):
    """An observation, its weight, and whether it holds."""

    says: str
    weight: int
    holds: Callable[[Facts], bool]


@dataclass(frozen=True)
class Evidence:
    """The rules that hold, each with its weight."""

    rules: tuple[tuple[str, int], ...]

    @property
    def score(self) -> int:
        """The sum of the weights; more than 0 is yes."""
        return sum(weight for _, weight in self.rules)


Rules = Sequence[Sequence[Rule[Facts]]]


def weigh(facts: Facts, groups: Rules[Facts]) -> Evidence:
    """Return the first rule of each group that holds."""
    held = (next((rule for rule in group if rule.holds(facts)), None) for group in groups)
    return Evidence(tuple((rule.says, rule.weight) for rule in held if rule is not None))


def unseen(counts: Iterable[int]) -> float:
    """Return the chance that the next thing seen is new, if things were seen so often (Good 1953)."""
    known = list(counts)
    return known.count(1) / sum(known)


@dataclass(frozen=True)
class Keys:
    """The keys of a column's objects: how many objects have each, and under which name the objects stand.

    `name` is None for the items of a list and the values of a map. `maps` has the names of objects that are maps elsewhere.
    """

    name: str | None
    counts: Mapping[str, int]
    objects: Objects
    maps: Collection[str] = ()

    @cached_property
    def data_like(self) -> list[str]:
        """The keys that look like data."""
        return [key for key in self.counts if _DATA_KEY.fullmatch(key)]

    @cached_property
    def kinds(self) -> set[type]:
        """The types of the values, except None; int and float are one."""
        return _kinds(chain.from_iterable(map(methodcaller("values"), self.objects)))

    @property
    def several(self) -> bool:
        """True if there are several objects, so that their keys can be compared."""
        return len(self.objects) > 1

    @property
    def look_like_data(self) -> bool:
        """True if four fifths of the keys look like data."""
        return len(self.data_like) >= _SHARE * len(self.counts)

    @property
    def new(self) -> float:
        """The chance that a key of the next object is new."""
        return unseen(self.counts.values())

    @property
    def shared(self) -> bool:
        """True if all objects have a key in common."""
        return self.several and max(self.counts.values()) == len(self.objects)

    @property
    def last_word(self) -> str:
        """The last word of the name, in lower case."""
        return last_word(self.name or "")

    @property
    def names_map(self) -> bool:
        """True if the name says that it maps something: `users_by_id`, `priceMap`."""
        return (
            re.search(r"(?:[a-z0-9_](?:_by_|By[A-Z])\w)|(?:_map|Map|_index|Index|_lookup|Lookup)$", self.name or "")
            is not None
        )

    @property
    def is_plural(self) -> bool:
        """True if the name is in the plural."""
        return self.name is not None and singular(self.name) != self.name

    @cached_property
    def similar(self) -> bool:
        """True if the values are objects, and each has about the same two fields or more."""
        inner = [value for value in self.inner if value]
        names = set(chain.from_iterable(inner))
        return len(names) >= 2 and sum(map(len, inner)) >= 0.7 * len(names) * len(inner)

    @cached_property
    def inner(self) -> Objects:
        """The values, if all of them are objects."""
        values = chain.from_iterable(map(methodcaller("values"), self.objects))
        return [value for value in values if value is not None] if self.kinds == {dict} else []

    @cached_property
    def of_kinds(self) -> bool:
        """True if the values are objects that all have a key with the name of tags."""
        common = [key for key in next(iter(self.inner), ()) if USUAL_TAG.fullmatch(key)]
        return any(all(type(value.get(key)) is str for value in self.inner) for key in common)

    @cached_property
    def named_in_values(self) -> bool:
        """True if the values are objects of which each has its own key as a text: `{"Q42": {"id": "Q42"}}`."""
        pairs = chain.from_iterable(map(methodcaller("items"), self.objects)) if self.inner else ()
        return all(value is None or key in value.values() for key, value in pairs) and bool(self.inner)

    @property
    def name_of_map(self) -> bool:
        """True if the name is one of those that hold maps."""
        return self.last_word in MAP_NAMES or self.names_map

    @cached_property
    def splits(self) -> bool:
        """True if the keys that look like data have values of other kinds than the rest: a table with a column each year."""
        looks = set(self.data_like)
        if not looks or len(looks) == len(self.counts):
            return False
        one, other = (
            _kinds(value for each in self.objects for key, value in each.items() if (key in looks) == wanted)
            for wanted in (True, False)
        )
        return not other <= one


def last_word(name: str) -> str:
    """Return the last word of a name, in lower case: of `maxPrice`, `price`."""
    parts = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)
    return parts[-1].lower() if parts else ""


_QUANTITIES = word_set(
    """
    amount average avg balance confidence cost discount distance double duration elapsed fee float lat latitude lng
    lon longitude mean opacity percent percentage price probability rate ratio scale score speed subtotal tax
    temperature threshold volume weight zoom
    """
)
_ALIKE = (
    {"avg", "average", "close", "high", "low", "lower", "max", "mean", "median", "min", "open", "upper"},
    {"depth", "height", "length", "width"},
    {"bottom", "left", "right", "top"},
    {"begin", "end", "start", "stop"},
    set("xyz"),
)


def is_quantity(key: str, floats: Iterable[str]) -> bool:
    """Return whether the numbers of a key may have fractions, by its last word and by keys beside it that have floats."""
    word, others = singular(last_word(key)), set(map(last_word, floats))
    return word in _QUANTITIES or word in others or any(word in alike and alike & others for alike in _ALIKE)


def _kinds(values: Iterable[Any]) -> set[type]:
    kinds = set(map(type, values)) - {_NONE}
    return kinds - {int} if kinds >= _NUMBERS else kinds


def _codes(keys: Keys) -> bool:
    """Return whether the keys are three or more languages or currencies."""
    names = keys.counts
    if len(names) > 500:
        return False
    if all(map(_CURRENCY.fullmatch, names)):
        return len(names) >= 3
    return all(map(_LANGUAGE.fullmatch, names)) and len(names.keys() - _WORDS_TOO) >= 3


ELSEWHERE = "objects of this name are a map elsewhere"
REPEATED = "values are objects that repeat their keys"
OF_KINDS = "values are objects with a key that tells kinds apart"
MAP: Rules[Keys] = (
    (Rule("objects usually are records", -3, lambda _: True),),
    (
        Rule("keys are languages or currencies", 7, _codes),
        Rule(
            "keys look like data and not like names",
            7,
            lambda keys: keys.look_like_data and not any(map(str.isidentifier, keys.counts)),
        ),
        Rule("keys look like data", 4, lambda keys: keys.look_like_data and len(keys.counts) >= 3),
    ),
    (
        Rule("the name is one of maps", 4, lambda keys: keys.name_of_map),
        Rule("the name may be one of maps", 2, lambda keys: keys.last_word in ("metadata", "meta")),
        Rule("the name is in the plural", 1, lambda keys: keys.is_plural),
    ),
    (Rule(ELSEWHERE, 3, lambda keys: keys.name in keys.maps),),
    (
        Rule("most keys were seen once", 3, lambda keys: keys.several and keys.new >= 0.5),
        Rule("many keys were seen once", 2, lambda keys: keys.several and keys.new >= 0.2),
        Rule("some keys were seen once", 1, lambda keys: keys.several and keys.new >= 0.05),
        Rule(
            "hardly a key was seen once",
            -2,
            lambda keys: len(keys.objects) >= 5 and not keys.shared and not keys.look_like_data,
        ),
    ),
    (
        Rule("all objects have a key in common", -3, lambda keys: keys.shared and len(keys.objects) > 2),
        Rule("both objects have a key in common", -2, lambda keys: keys.shared),
    ),
    (
        Rule(
            "half of the keys are those of records",
            -2,
            lambda keys: 2 * len(FIELD_NAMES & keys.counts.keys()) >= len(keys.counts),
        ),
    ),
    (
        Rule("nothing is known of the values", -4, lambda keys: not keys.kinds and not keys.name_of_map),
        Rule(
            "values have several kinds, other ones for other keys", -9, lambda keys: len(keys.kinds) > 1 and keys.splits
        ),
        Rule(
            "values are texts, or objects or lists in their place, under a name of maps",
            0,
            lambda keys: keys.kinds in _SHORT_FORMS and keys.name_of_map,
        ),
        Rule("values are texts, or objects or lists in their place", -1, lambda keys: keys.kinds in _SHORT_FORMS),
        Rule("values have several kinds", -6, lambda keys: len(keys.kinds) > 1),
        Rule("values are booleans", -2, lambda keys: keys.kinds == {bool}),
        Rule(REPEATED, 4, lambda keys: keys.named_in_values),
        Rule(OF_KINDS, 2, lambda keys: keys.of_kinds),
        Rule("values are similar objects", 2, lambda keys: keys.similar),
    ),
    (
        Rule("64 keys or more", 4, lambda keys: len(keys.counts) >= 64),
        Rule("32 keys or more", 3, lambda keys: len(keys.counts) >= 32),
        Rule("8 keys or more", 2, lambda keys: len(keys.counts) >= 8),
        Rule("4 keys or more", 1, lambda keys: len(keys.counts) >= 4),
    ),
)
"""Yes is a map, no a record."""

SPEAK_FOR_A_MAP = frozenset(rule.says for group in (MAP[1], MAP[2]) for rule in group) | {ELSEWHERE, REPEATED, OF_KINDS}
"""What speaks for a map by itself."""
SPEAK_FOR_A_RECORD = frozenset(rule.says for group in (MAP[4], MAP[5]) for rule in group if rule.weight < 0)
"""What the keys of several objects say for a record."""


@dataclass(frozen=True)
class Tag:
    """A key that may tell kinds of objects apart: the objects by its values, and how open a common record is."""

    key: str
    groups: Mapping[str, Objects]

    @cached_property
    def objects(self) -> int:
        """The number of objects."""
        return sum(map(len, self.groups.values()))

    @cached_property
    def shapes(self) -> int:
        """How many values have different keys, or values of other kinds, in their objects."""
        return len({_signature(group) for group in self.groups.values()})

    @property
    def new(self) -> float:
        """The chance that the next value is a new one."""
        return unseen(map(len, self.groups.values()))

    @cached_property
    def left(self) -> float:
        """The share of the ambiguity of a common record that the groups of several objects leave."""
        left = sum(ambiguity(group) for group in self.groups.values() if len(group) > 1)
        return left / (ambiguity([one for group in self.groups.values() for one in group]) or 1)


def _signature(objects: Objects) -> frozenset[tuple[str, str]]:
    kinds = set(chain.from_iterable(zip(each, map(type, each.values()), strict=True) for each in objects))
    return frozenset((key, "number" if kind in _NUMBERS else kind.__name__) for key, kind in kinds if kind is not _NONE)


def ambiguity(objects: Objects) -> int:
    """Return how much a common record of these objects leaves open.

    That is the number of absent keys, plus the number of objects for every key whose values have several kinds.
    """
    present = Counter(chain.from_iterable(objects))
    absent = sum(len(objects) - count for count in present.values())
    kinds = set(chain.from_iterable(zip(each, map(type, each.values()), strict=True) for each in objects))
    several = Counter(key for key, kind in kinds if kind is not _NONE)
    numbers = {key for key in several if {(key, int), (key, float)} <= kinds}
    mixed = sum(1 for key, count in several.items() if count - (key in numbers) > 1)
    return absent + mixed * len(objects)


_USUAL = r"[@$_]*(?i:type|typename|kind|op|event|variant)"
USUAL_TAG = re.compile(rf"{_USUAL}|.*(?:_type|Type|_kind|Kind)")
"""Names that tags usually have."""

TAG: Rules[Tag] = (
    (Rule("most keys of records are not tags", -3, lambda _: True),),
    (
        Rule("the name is one of tags", 3, lambda tag: re.fullmatch(_USUAL, tag.key) is not None),
        Rule("the name ends as those of tags do", 2, lambda tag: USUAL_TAG.fullmatch(tag.key) is not None),
    ),
    (
        Rule("most values were seen once", -6, lambda tag: tag.new >= 0.5),
        Rule("many values were seen once", -4, lambda tag: tag.new >= 0.2),
        Rule("hardly a value was seen once", 1, lambda tag: tag.new < 0.05),
    ),
    (
        Rule("8 objects or more for a value", 3, lambda tag: tag.objects >= 8 * len(tag.groups)),
        Rule("3 objects or more for a value", 2, lambda tag: tag.objects >= 3 * len(tag.groups)),
        Rule("2 objects or more for a value", 1, lambda tag: tag.objects >= 2 * len(tag.groups)),
    ),
    (
        Rule("each value has fields of its own", 2, lambda tag: tag.shapes == len(tag.groups)),
        Rule(
            "the name is not one of tags, and some values have the same fields",
            -6,
            lambda tag: not USUAL_TAG.fullmatch(tag.key),
        ),
        Rule("most values have the same fields", -6, lambda tag: tag.shapes * 2 <= len(tag.groups) or tag.shapes < 2),
    ),
    (
        Rule("the fields of a value are known", 2, lambda tag: tag.left <= 0.2),
        Rule("the fields of a value vary", -6, lambda _: True),
    ),
)
"""Yes is a union of a record for each value, no one record of all."""


_Form: TypeAlias = tuple[str, ...]  # the kind, and details that all texts of a column share

_MOMENT = re.compile(
    r"(?:19|20)\d\d-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d{3}(?:\d{3})?)?(Z|\+00:00)?",
    re.ASCII,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BASE64 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/=])(?:[A-Za-z0-9+/]{4}){3,}[A-Za-z0-9+/]{2,4}={0,2}")
_SHORTEST = 10  # a date
_EXACT: set[tuple[str, ...]] = {(), ("T", "0", ""), ("T", "7", "")}
"""The details that every library writes as it reads them; others come back as the same value in another spelling."""


class Texts(NamedTuple):
    """The kind of a column of texts, what they look like if they stay texts, and whether libraries respell or cut them.

    `microseconds` is True if they have all digits of a second that a datetime can have.
    """

    kind: str = "str"
    like: str = ""
    respelled: bool = False
    microseconds: bool = False


def text_kind(texts: Iterable[str]) -> Texts:
    """Return the common kind of texts: that of datetimes with or without an offset, "date", "uuid" or "str".

    - A datetime is ISO 8601 with seconds, milliseconds or microseconds, from 1900 to 2099, in UTC (`Z` or `+00:00`);
      some codecs lose other offsets, or digits of remote years. If it has no offset it is naive.
    - A date is YYYY-MM-DD; a UUID is lower case with four hyphens.
    - Texts look like base64 if they have at least 14 characters, each with lower case, upper case, and digits or signs,
      and at least one ends in `=`, because plain identifiers may look like unpadded base64.
    """
    remaining = iter(texts)
    first = next(remaining, "")
    form = _form(first)
    if form is None:
        return Texts()
    padded = first.endswith("=")
    for text in remaining:
        if _form(text) != form:
            return Texts()
        padded = padded or text.endswith("=")
    if form == ("base64",):
        return Texts(like="base64" if padded else "")
    return Texts(form[0], respelled=form[1:] not in _EXACT, microseconds="7" in form)


def _form(text: str) -> _Form | None:
    if len(text) < _SHORTEST:
        return None
    try:
        if match := _MOMENT.fullmatch(text):
            separator, fraction, zone = match.groups(default="")
            return (scalar_of(datetime.fromisoformat(text)).kind, separator, str(len(fraction)), zone)
        if _DATE.fullmatch(text):
            date.fromisoformat(text)
            return ("date",)
        if _UUID.fullmatch(text):
            return ("uuid",)
        if _BASE64.fullmatch(text) and base64.b64encode(base64.b64decode(text, validate=True)).decode() == text:
            return ("base64",)
    except ValueError:
        pass  # an impossible date, such as month 13
    return None
