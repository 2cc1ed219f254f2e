"""Scales a payload to more records or greater depth, drawing each value from those at the same path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random
from typing import Any

from serbench.errors import WorkloadError
from serbench.model.data.dataset import Dataset, check_parameters, check_total, item_records, with_inner
from serbench.model.data.drawing import pick
from serbench.model.inference.build import neutral_class
from serbench.model.names import field_name
from serbench.model.records import Schema
from serbench.model.scalars import Scalar
from serbench.model.types import List, Map, Optional, Ref, Type, Union


def scale(data: Dataset, records: int | None, depth: int | None, seed: int) -> Dataset:
    """Return the data set with `records` items in its root list and `depth` levels of nested objects.

    The payload's own items come first. Further items are drawn value by value from those at the same path in the
    payload: scalars and list lengths are among those found, and optional values and members of unions are as frequent
    as found. A payload that is not a list counts as one item. If `depth` is greater than the payload's, every item gets
    a chain of further items in a new field, `inner`.

    Raises:
        WorkloadError: a number is out of range, or the payload is an empty list.
    """
    count = data.records if records is None else records
    depth = data.depth if depth is None else depth
    wanted = 1 if records is None else records  # None: the payload may be an empty list
    check_parameters(wanted, depth, seed, shallowest=data.depth, of=f"the payload {data.name}")
    check_total(count, depth, depth - data.depth + 1)
    single = not isinstance(data.schema.root, List)
    item = data.schema.root.item if isinstance(data.schema.root, List) else data.schema.root
    real = [data.value] if single else data.value
    if (count, depth) != (data.records, data.depth) and not real:
        raise WorkloadError(f"{data.name}: an empty list cannot be scaled; omit --records")
    schema, key = _with_inner(data, item) if depth > data.depth else (data.schema, "")
    pool = _Pool(item, real)

    def document(number: int) -> Any:
        random = Random(f"{seed} {number}" if number else seed)
        drawn = (pool.draw(random, data.schema) for _ in iter(int, 1))
        of_payload = real[number * count : (number + 1) * count]
        values = [*of_payload, *(next(drawn) for _ in range(count - len(of_payload)))]
        if key:
            links = [next(drawn) for _ in range(count * (depth - data.depth))]
            for record in _roots([*values, *links], item, data.schema):
                record[key] = None
            last = values
            for _ in range(depth - data.depth):
                for outer, link in zip(last, links, strict=False):
                    outer[key] = link
                last, links = links[:count], links[count:]
        return values[0] if single and count == 1 else values

    if (count, depth) == (data.records, data.depth):
        return replace(data, draw=document if real else None)
    root = item if single and count == 1 else List(item)
    return replace(
        data,
        records=count,
        depth=depth,
        seed=seed,
        schema=Schema(root, schema.records),
        value=document(0),
        draw=document,
    )


@dataclass(eq=False)
class _Pool:
    """All values at one path of the payload; pools of inner paths are built on demand."""

    type: Type
    pool: Sequence[Any]
    inner: dict[Any, _Pool] = field(default_factory=dict)

    def draw(self, random: Random, schema: Schema) -> Any:
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
                return tag | {wire: pool.draw(random, schema) for wire, pool in places}
            case Union(members, str() as tag):
                refs = {schema.record(m.record).tag_value: m for m in members if isinstance(m, Ref)}
                alike = (value for value in self.pool if value[tag] == one[tag])
                return self._inside(one[tag], refs[one[tag]], alike).draw(random, schema)
            case Union(members):
                member = next(m for m in members if neutral_class(m) is type(one))
                alike = (value for value in self.pool if type(value) is type(one))
                return self._inside(member, member, alike).draw(random, schema)
        return one

    def _inside(self, key: Any, type_: Type, values: Iterable[Any]) -> _Pool:
        """Return the pool of an inner path; `values` is consumed only on the first call."""
        if key not in self.inner:
            self.inner[key] = _Pool(type_, list(values))
        return self.inner[key]


def _with_inner(data: Dataset, item: Type) -> tuple[Schema, str]:
    """Return the schema with a field for a nested item in each of the item's records, and that field's key."""
    names = item_records(item)
    if not names or (isinstance(item, Union) and item.tag is None):
        raise WorkloadError(f"{data.name}: only records can be nested deeper; omit --depth")
    records = [data.schema.record(name) for name in sorted(names)]
    used = {name for record in records for f in record.fields for name in (f.name, f.wire)}
    key = field_name("inner", {*used, *data.schema.tags.values(), *(r.name for r in data.schema.records)})
    return Schema(data.schema.root, with_inner(data.schema.records, item, key)), key


def _roots(values: list[Any], item: Type, schema: Schema) -> Iterator[dict[str, Any]]:
    """Yield every object of the item's record types, including objects nested in others."""
    names = item_records(item)
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
