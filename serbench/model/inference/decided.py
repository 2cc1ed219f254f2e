"""Decisions of inference by path: those that the user asks for, and those that it made on little evidence."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeAlias

from serbench.errors import SchemaError, and_more
from serbench.model.inference.evidence import (
    SPEAK_FOR_A_MAP,
    SPEAK_FOR_A_RECORD,
    Evidence,
    Keys,
    Texts,
    is_quantity,
    unseen,
)
from serbench.model.inference.shapes import Object, Shape

Path: TypeAlias = tuple[str, ...]
"""The keys from the root to a place; lists have no step of their own, and the values of a map have `EACH`."""

EACH = "*"
MOST_SHOWN = 30  # doubts, and places of each, where they are listed
MOST_ADVISED = 3
MOST_NAMED = 3  # places of one doubt in advice
FEW_KEYS = 8  # of a map
FEW_OBJECTS = 5  # of a record
OPEN = 0.2  # the chance of a new key
LEAST_OF_RECORD = -2  # the score of a record that is doubted
NAMED = "the name is one of maps"
LEAST_OF_TAG = 2  # the score of a tag that is doubted
SURE = {"keys are languages or currencies", "keys look like data and not like names", "keys look like data"}
"""The rules by which even a single key is data."""
LIKE_A_TAG = {"the name is one of tags", "each value has fields of its own", "the fields of a value are known"}
"""The rules by which a key may be a tag that has too few objects."""
_LISTS = r"(?:\[\*?\])*"  # of no meaning: lists have no step
_STEP = re.compile(rf'("(?:[^"\\]|\\.)*"|[^."\[\]]+){_LISTS}')
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Wanted:
    """A path as a user writes it, which stands for all places whose paths end so; from `$` on, for one place."""

    text: str
    steps: Path
    rooted: bool

    @classmethod
    def parse(cls, text: str) -> Wanted:
        """Read keys joined by dots, such as `packages.dependencies` or `packages[].dependencies`.

        A key with other signs stands in double quotes; `*` stands for any key.

        Raises:
            SchemaError: the text is no such path.
        """
        rooted, rest = text.startswith("$"), re.sub(rf"\A\$?{_LISTS}\.?", "", text)
        matches = list(_STEP.finditer(rest))
        parts = [match[1] for match in matches]
        if ".".join(match[0] for match in matches) != rest or not (parts or rooted):
            raise SchemaError(f"{text!r} is not a path; join keys by dots, such as packages.labels")
        try:
            steps = [json.loads(part) if part.startswith('"') else part for part in parts]
        except ValueError:
            raise SchemaError(f"{text!r} is not a path; a key in double quotes is written as in JSON") from None
        return cls(text, tuple(steps), rooted)

    def means(self, path: Path) -> bool:
        """Return whether it stands for the place."""
        tail = path[len(path) - len(self.steps) :]
        if len(tail) < len(self.steps) or (self.rooted and len(path) != len(self.steps)):
            return False
        return all(step in (EACH, key) for step, key in zip(self.steps, tail, strict=True))


@dataclass
class Overrides:
    """The user's decisions: paths of maps, records, texts and any JSON, and of keys that are tags of unions.

    `known_maps` are places of which the file says so, unless the user decides otherwise.
    """

    maps: Sequence[str] = ()
    records: Sequence[str] = ()
    unions: Sequence[str] = ()
    texts: Sequence[str] = ()
    anys: Sequence[str] = ()
    known_maps: Collection[Path] = ()
    _used: set[tuple[str, str]] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        asked = {"map": self.maps, "record": self.records, "text": self.texts, "any": self.anys, "union": self.unions}
        self._wanted = {option: list(map(Wanted.parse, texts)) for option, texts in asked.items()}
        for union in self._wanted["union"]:
            if not union.steps:
                raise SchemaError(
                    f"{union.text!r} names no key; write the path of the key that tells the objects apart"
                )

    @property
    def any(self) -> bool:
        """True if anything is asked for."""
        return any(self._wanted.values())

    def asks(self, option: str, path: Path) -> bool:
        """Return whether "map", "record", "text" or "any" is asked for at the place, or "union" for a key there."""
        matching = [wanted for wanted in self._wanted[option] if wanted.means(path)]
        self._used |= {(option, wanted.text) for wanted in matching}
        return bool(matching)

    def asks_map(self, path: Path) -> bool | None:
        """Return True if the objects at the place are to be a map, False if records, None if nothing is asked.

        Raises:
            SchemaError: both are.
        """
        asked = [name for name in ("map", "record") if self.asks(name, path)]
        if len(asked) > 1:
            raise SchemaError(f"{path_text(path)}: --map and --record both name it; omit one")
        if asked or self.tags(path):
            return asked == ["map"]
        return True if path in self.known_maps else None

    def tags(self, path: Path) -> list[str]:
        """Return the keys that are to tell the objects at the place apart."""
        return [union.steps[-1] for union in self._wanted["union"] if union.means((*path, union.steps[-1]))]

    def check_used(self) -> None:
        """Raise SchemaError if a path stands for no place where it could be followed."""
        what = {
            "map": "no objects are there",
            "record": "no objects are there",
            "text": "no texts are there",
            "any": "nothing is there",
            "union": "no objects are there that all have it as a text",
        }
        for option, several in self._wanted.items():
            for wanted in several:
                if (option, wanted.text) not in self._used:
                    raise SchemaError(f"--{option} {wanted.text}: {what[option]}; name another path")


@dataclass(frozen=True)
class Doubt:
    """A decision on little evidence: where, what was decided, and what the user can do instead.

    `choice` is the option that decides otherwise, and its path; nothing if no option does. `also` has further places.
    `only` is the command that says it, "show" or "adopt", if it is of no use in all: a proof with this document shows
    what libraries respell, and not what others have.
    """

    path: Path
    says: str
    instead: str
    evidence: Evidence | None = None
    choice: tuple[str, str] | None = None
    also: tuple[Path, ...] = ()
    only: str = ""

    @classmethod
    def with_choice(
        cls, path: Path, says: str, name: str, instead: str, evidence: Evidence | None = None, to: Path | None = None
    ) -> Doubt:
        """Return a doubt with the option of a name, for its own path or another."""
        there = path if to is None else to
        return cls(path, says, f"{option(name, there)} {instead}", evidence, (name, _asked(there)))

    def __str__(self) -> str:
        return self.line(MOST_NAMED)

    def line(self, most: int) -> str:
        """Return one line, with so many places."""
        named = [f"`{path_text(path)}`" for path in (self.path, *self.also)]
        return f"{and_more(named, most)}: {self.says}; {self.instead}"


class Doubts:
    """Collects what inference decides on little evidence."""

    def __init__(self) -> None:
        self._doubts: list[Doubt] = []
        self._places: dict[str, list[Path]] = {word: [] for word in _COMMON}

    def collected(self) -> tuple[Doubt, ...]:
        """Return all of it; what concerns many places is one, and last."""
        return (
            *self._doubts,
            *(_common(word, *dict.fromkeys(paths)) for word, paths in self._places.items() if paths),
        )

    def texts(self, path: Path, texts: Texts) -> None:
        """Doubt texts that may be bytes, that libraries may respell, or whose datetimes use all six digits of a second."""
        if texts.like:
            says = f"text that looks like {texts.like}"
            self._doubts.append(Doubt(path, says, "a JSON Schema (--schema) may say that it is bytes", only="show"))
        if texts.respelled:
            self._places["respelled"].append(path)
        if texts.microseconds:
            self._places["digits"].append(path)

    def records(self, records: Collection[Object]) -> None:
        """Doubt records of few objects, those of which a further object often has a new key, and ints that may be fractions."""
        floats = {key for record in records for key, shape in record.fields.items() if float in _scalars(shape)}
        for record in records:
            seen, counts = record.seen, [shape.seen for shape in record.fields.values()]
            if record.few is not None:  # one that occurs again says nothing new
                seen, counts = len(record.few), [*Counter(chain.from_iterable(record.few)).values()]
            if seen < FEW_OBJECTS or 1 in counts:
                self._places["few"].append(record.path)
            if record.path and seen >= FEW_OBJECTS and counts and (chance := unseen(counts)) >= OPEN:
                known = f"{_number(len(counts), 'key')} in {_number(seen, 'object')}"
                what = f"record, {known}: the next object has a new key with a chance of {chance:.0%}"
                self._doubts.append(Doubt.with_choice(record.path, what, "any", "makes it any JSON", Evidence(())))
            beside = {key for key, shape in record.fields.items() if float in _scalars(shape)}
            for key, shape in record.fields.items():
                if _scalars(shape) == {int} and (key in floats or is_quantity(key, beside)):
                    self._places["int"].append((*record.path, key))

    def map(self, path: Path, keys: Keys, evidence: Evidence) -> None:
        """Doubt a map of few keys, unless they look like data, and whatever the rules leave about even."""
        seen, score = sum(keys.counts.values()), evidence.score
        if score > 0 and (seen < FEW_KEYS or score == 1) and not SURE & {rule for rule, _ in evidence.rules}:
            what = f"map of {_values(keys)}, {_counted(keys)}"
            self._doubts.append(Doubt.with_choice(path, what, "record", "makes it a record", evidence))
        elif _may_be_map(evidence) or (score < 0 and _is_named_as_map(keys)):
            what = f"record, {_counted(keys)}, {'all of one kind' if len(keys.kinds) == 1 else _values(keys)}"
            self._doubts.append(Doubt.with_choice(path, what, "map", "makes it a map", evidence))

    def tag(self, path: Path, keys: Keys, chosen: str | None, weighed: Mapping[str, Evidence]) -> None:
        """Doubt one record of objects that a key with the name of tags may tell apart, and a tag with few objects."""
        for key, evidence in weighed.items():
            kinds, rules = len({each[key] for each in keys.objects}), dict(evidence.rules)
            counted = f"{kinds} values of `{_step_text(key)}` in {len(keys.objects)} objects"
            if key == chosen and evidence.score <= LEAST_OF_TAG:
                says = f"union of {kinds} records, {counted}"
                self._doubts.append(Doubt.with_choice(path, says, "record", "makes it one record", evidence))
            elif chosen is None and rules.keys() >= LIKE_A_TAG:
                says, to = f"one record, {counted}", (*path, key)
                self._doubts.append(Doubt.with_choice(path, says, "union", "makes it a union", evidence, to))


_COMMON = {
    "int": (
        "int, but its name or its neighbours are those of fractions, which an int refuses",
        "a JSON Schema (--schema) may say number",
    ),
    "digits": ("datetime with microseconds; further digits would be cut or rounded", ""),
    "few": (
        "record of few objects, or with a key of only one, so others may have other keys and types",
        "--check tries further files",
    ),
    "respelled": ("datetime, which some libraries write in another spelling, such as `+00:00` for `Z`", ""),
}
"""The doubts of many places, in their order: what each says, and what helps; if that is empty, to keep the text."""
_ONLY = {"few": "adopt", "respelled": "show"}


def _common(word: str, path: Path, *also: Path) -> Doubt:
    says, instead = _COMMON[word]
    doubt = Doubt(path, says, instead) if instead else Doubt.with_choice(path, says, "text", "keeps the text")
    return replace(doubt, also=also, only=_ONLY.get(word, ""))


def _may_be_map(evidence: Evidence) -> bool:
    """Return whether so much speaks for a map that a record is doubtful."""
    rules = {rule for rule, _ in evidence.rules}
    if evidence.score >= 0 or rules & SPEAK_FOR_A_RECORD:
        return evidence.score == 0
    return NAMED in rules or (evidence.score >= LEAST_OF_RECORD and not rules.isdisjoint(SPEAK_FOR_A_MAP))


def _is_named_as_map(keys: Keys) -> bool:
    """Return whether values of one kind stand under a name of maps, with words joined by hyphens for keys, as headers."""
    hyphened = any(re.fullmatch(r"\w+(?:-\w+)+", key) for key in keys.counts)
    return keys.name_of_map and len(keys.kinds) == 1 and hyphened


def _scalars(shape: Shape) -> set[type]:
    """Return the types of the scalars in a column, or in its lists."""
    while shape.items is not None and not shape.scalars:
        shape = shape.items
    return shape.scalars if shape.object is None else set()


def _counted(keys: Keys) -> str:
    return f"{_number(len(keys.counts), 'key')} in {_number(len(keys.objects), 'object')}"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _values(keys: Keys) -> str:
    known = {str: "text", dict: "objects", list: "lists", float: "numbers", int: "numbers", bool: "booleans"}
    return " or ".join(sorted(known.get(kind, kind.__name__) for kind in keys.kinds)) or "null"


def path_text(path: Path) -> str:
    """Return a path as `Wanted` reads it; text of the data is ASCII, and quoted if it has other signs."""
    return ".".join(_step_text(step) for step in path) or "$"


def _step_text(step: str) -> str:
    return step if step == EACH or _PLAIN.fullmatch(step) else json.dumps(step)


def option(name: str, path: Path) -> str:
    """Return an option with its path, as it is typed in a shell."""
    return f"--{name} {shlex.quote(_asked(path))}"


def _asked(path: Path) -> str:
    """Return a path as the value of an option, in which a comma would separate paths."""
    return path_text(tuple(EACH if "," in step else step for step in path))


def worst_first(doubts: Iterable[Doubt], notes: Iterable[str] = ()) -> list[str]:
    """Return so many lines as advice has room for, the worst first: doubts of the thinnest evidence, and notes of what is refused."""
    some = sorted(
        (doubt for doubt in doubts if doubt.only != "adopt"),
        key=lambda doubt: abs(doubt.evidence.score) if doubt.evidence else math.inf,
    )
    narrow_first = sorted(notes, key=lambda note: "narrowly" not in note)
    lines = [*map(str, some), *(f"JSON Schema {note}" for note in narrow_first)]
    rest = len(lines) - MOST_ADVISED
    return [*lines[:MOST_ADVISED], *([f"and {rest} more, which `serbench show FILE` lists"] if rest > 0 else [])]


def shown(doubts: Iterable[Doubt], command: str) -> list[str]:
    """Return a line for each doubt that a command says; of more than `MOST_SHOWN` decisions, the number of the rest."""
    weighed, others = list[str](), list[str]()
    for doubt in (doubt for doubt in doubts if doubt.only in ("", command)):
        (others if doubt.evidence is None else weighed).append(doubt.line(MOST_SHOWN))
    rest = len(weighed) - MOST_SHOWN
    return [*weighed[:MOST_SHOWN], *([f"and {rest} more"] if rest > 0 else []), *others]


def doubts_text(doubts: Iterable[Doubt]) -> str:
    """Return the doubts as lines; empty if there is none."""
    lines = [f"- {line}\n" for line in shown(doubts, "show")]
    return "worth checking:\n" + "".join(lines) if lines else ""
