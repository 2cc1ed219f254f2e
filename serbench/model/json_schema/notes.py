"""What a JSON Schema says and serbench's types do not, in lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from serbench.model.json_schema.metaschema import printable

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

    def rename(self, names: Mapping[str, str]) -> None:
        """Give the records in all places other names."""
        for places in self._places.values():
            parts = [where.partition(".") for where in places]
            places[:] = [names.get(record, record) + dot + key for record, dot, key in parts]

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
        lines = [f"{why}: {_listed(places)}" for why, places in self._places.items()]
        if self._unchecked:
            each = [f"{name} ({len(parts)})" for name, parts in sorted(self._unchecked.items())]
            lines.append(f"read more widely: no model checks {', '.join(each)}")
        return tuple(map(printable, lines))

    def _note(self, why: str, where: str | None) -> None:
        where = (self.where if where is None else where) or "the document"
        if not self.is_quiet and where not in self._places[why]:
            self._places[why].append(where)


def _listed(places: list[str]) -> str:
    rest = len(places) - _MOST_PLACES
    return ", ".join(places[:_MOST_PLACES]) + (f" and {rest} more" if rest > 0 else "")
