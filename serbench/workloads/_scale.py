"""Makes a payload larger or deeper with records like its own: each part is drawn from what stands in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random
from typing import Any

from serbench.schema import Field, List, Map, Optional, Ref, Scalar, Schema, Type, Union, neutral_class
from serbench.schema.names import field_name
from serbench.workloads._contract import Dataset, WorkloadError
from serbench.workloads._draw import pick
from serbench.workloads._generate import MOST_RECORDS


def scaled(data: Dataset, records: int | None, depth: int | None, seed: int) -> Dataset:
    """The data set with that many items in its root list, and that many objects inside one another.

    The payload's own items come first; fewer are the first of them. Each further one is drawn anew, part by
    part, from what stands in the same place in the payload: a scalar is one of those, a list is as long as one
    of those, an optional value is absent as often, a member of a union as frequent. A payload that is no list is
    one item. With a greater depth every item gets a chain of further ones in a field of its own, `inner`.

    Raises:
        WorkloadError: a number out of range, or nothing to draw from.
    """
    count = data.records if records is None else records
    depth = data.depth if depth is None else depth
    _check(data, records, depth, seed)
    if (count, depth) == (data.records, data.depth):
        return data
    single = not isinstance(data.schema.root, List)
    item = data.schema.root.item if isinstance(data.schema.root, List) else data.schema.root
    real = [data.value] if single else data.value
    if not real:
        raise WorkloadError(f"{data.name}: an empty list has nothing to draw further records from; leave --records out")
    random, place = Random(seed), _Place(item, real)
    schema, drawn = data.schema, (place.draw(random, data.schema) for _ in iter(int, 1))
    values = [*real[:count], *(next(drawn) for _ in range(count - len(real)))]
    if depth > data.depth:
        schema, key = _with_inner(data, item)
        links = [next(drawn) for _ in range(count * (depth - data.depth))]
        for record in _roots([*values, *links], item, data.schema):
            record[key] = None
        last = values
        for _ in range(depth - data.depth):
            for outer, link in zip(last, links, strict=False):
                outer[key] = link
            last, links = links[:count], links[count:]
    root, value = (item, values[0]) if single and count == 1 else (List(item), values)
    return replace(data, records=count, depth=depth, seed=seed, schema=Schema(root, schema.records), value=value)


def _check(data: Dataset, records: int | None, depth: int, seed: int) -> None:
    if records is not None and records < 1:
        raise WorkloadError(f"records must be at least 1, not {records}")
    if seed < 0:
        raise WorkloadError(f"seed must be at least 0, not {seed}")
    if depth < data.depth:
        raise WorkloadError(f"depth must be at least {data.depth} for the payload {data.name}, not {depth}")
    if (records or data.records) * (depth - data.depth + 1) > MOST_RECORDS:
        raise WorkloadError(
            f"{records} records of depth {depth} are more than {MOST_RECORDS:,} records in all; lower one of them"
        )


@dataclass(eq=False)
class _Place:
    """All values that stand in one place of the payload, and the places inside them as they are needed."""

    type: Type
    pool: Sequence[Any]
    inner: dict[Any, _Place] = field(default_factory=dict)

    def draw(self, random: Random, schema: Schema) -> Any:
        """A value of this place."""
        one = pick(random, self.pool)
        match self.type:
            case Optional(item) if one is not None:
                present = (value for value in self.pool if value is not None)
                return self._inside(None, item, present).draw(random, schema)
            case List(item) if one:
                items = self._inside(None, item, chain.from_iterable(self.pool))
                if isinstance(item, Scalar):
                    return [pick(random, items.pool) for _ in one]
                return [items.draw(random, schema) for _ in one]
            case Map(item) if one:
                values = self._inside(None, item, (value for each in self.pool for value in each.values()))
                return {key: values.draw(random, schema) for key in one}
            case Ref(name):
                tag = {schema.tags[name]: one[schema.tags[name]]} if name in schema.tags else {}
                fields = schema.record(name).fields
                places = ((f.wire, self._inside(f.wire, f.type, (v[f.wire] for v in self.pool))) for f in fields)
                return tag | {wire: place.draw(random, schema) for wire, place in places}
            case Union(members, str() as tag):
                refs = {schema.record(m.record).tag_value: m for m in members if isinstance(m, Ref)}
                alike = (value for value in self.pool if value[tag] == one[tag])
                return self._inside(one[tag], refs[one[tag]], alike).draw(random, schema)
            case Union(members):
                member = next(m for m in members if neutral_class(m) is type(one))
                alike = (value for value in self.pool if type(value) is type(one))
                return self._inside(member, member, alike).draw(random, schema)
        return one

    def _inside(self, key: Any, type_: Type, values: Iterable[Any]) -> _Place:
        """The place inside this one, with those values; they are looked at only once."""
        if key not in self.inner:
            self.inner[key] = _Place(type_, list(values))
        return self.inner[key]


def _with_inner(data: Dataset, item: Type) -> tuple[Schema, str]:
    """The schema with a field for a further item in each of the item's records, and the field's key."""
    names = {m.record for m in (item.members if isinstance(item, Union) else (item,)) if isinstance(m, Ref)}
    if not names or (isinstance(item, Union) and item.tag is None):
        raise WorkloadError(f"{data.name}: only records can stand inside one another; leave --depth out")
    records = [data.schema.record(name) for name in sorted(names)]
    taken = {name for record in records for f in record.fields for name in (f.name, f.wire)}
    key = field_name("inner", {*taken, *data.schema.tags.values(), *(r.name for r in data.schema.records)})
    inner = Field(key, Optional(item), default=None)
    changed = tuple(replace(r, fields=(*r.fields, inner)) if r.name in names else r for r in data.schema.records)
    return Schema(data.schema.root, changed), key


def _roots(values: list[Any], item: Type, schema: Schema) -> Iterator[dict[str, Any]]:
    """Every object of the item's records, also inside others, where a record is recursive."""
    names = {m.record for m in (item.members if isinstance(item, Union) else (item,)) if isinstance(m, Ref)}
    todo: list[tuple[Type, Any]] = [(item, value) for value in values]
    while todo:
        match todo.pop():
            case (Optional(type_), value) if value is not None:
                todo.append((type_, value))
            case (List(type_), value):
                todo += [(type_, each) for each in value]
            case (Map(type_), value):
                todo += [(type_, each) for each in value.values()]
            case (Ref(name), value):
                todo += [(f.type, value[f.wire]) for f in schema.record(name).fields]
                if name in names:
                    yield value
            case (Union(members, str() as tag), value):
                todo += [
                    (m, value)
                    for m in members
                    if isinstance(m, Ref) and schema.record(m.record).tag_value == value[tag]
                ]
            case (Union(members), value):
                todo += [(m, value) for m in members if neutral_class(m) is type(value)]
