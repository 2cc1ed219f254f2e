"""Hypothesis strategies for every type: draws the values of a sweep, and shrinks one that shows a fault.

Numbers are near powers of two and ten too, texts have escapes, signs of any plane and any length. A lone surrogate is no such
value: RFC 8259 leaves open what becomes of it, and a probe of its own shows it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from threading import RLock
from typing import Any
from unittest.mock import patch
from warnings import catch_warnings

from hypothesis import HealthCheck, Phase, configuration, find, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning, NoSuchExample
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from serbench.model.records import Enum, List, Map, Optional, Ref, Schema, Set, Tuple, Type, Union, referred
from serbench.model.scalars import Scalar

Strategy = st.SearchStrategy[Any]
LEAST, MOST = 5, 40  # values in a list, ten on average
MOST_ITEMS, LONGEST = 4, 600  # of a value, of a text or bytes
DEEPEST = 3  # records of one name inside each other; Hypothesis gives up most values that have more
_ESCAPED = ["\\", '"', "'", "\n", "\r\n", "\t", "\0", "\x1b", "\x7f", "\\u0041", "\\n", "/", "</", "&amp;"]
_ESCAPED += ["\u2028", "\ufeff", "e\u0301"]
_DAYS = 99_000
_ONE_AT_A_TIME = RLock()
"""Held while Hypothesis draws: it parses functions, which two threads of CPython 3.11 must not do at once
(https://github.com/python/cpython/issues/106905), and its settings are patched for all threads."""


@cache
def drawn(schema: Schema, type_: Type, count: int, seed: int, go_on: Callable[[], None] = lambda: None) -> list[Any]:
    """Draw so many values of a type of the schema; `go_on` raises what is to end that."""
    values: list[Any] = []

    def is_enough(some: list[Any]) -> bool:
        go_on()
        values.extend(some)
        return len(values) >= count

    _found(schema, type_, count, seed, is_enough, Phase.generate)
    return values[:count]


def smallest(schema: Schema, type_: Type, count: int, seed: int, shows: Callable[[list[Any]], bool]) -> list[Any]:
    """The simplest values, of those of `drawn` or smaller, of any of which something is true; none if it is true of none."""
    return _found(schema, type_, count, seed, shows, Phase.generate, Phase.shrink)


def _found(
    schema: Schema, type_: Type, count: int, seed: int, shows: Callable[[list[Any]], bool], *phases: Phase
) -> list[Any]:
    """What Hypothesis finds, of lists of values, because each of its examples takes long.

    It draws constants of the modules outside of site-packages that are imported too. These differ from process to process,
    and no setting of Hypothesis leaves them out, so it is given none: the seed alone decides.
    """
    rules = settings(
        max_examples=count, phases=phases, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    some = st.lists(strategy(schema, type_), min_size=LEAST, max_size=MOST)
    with (
        _ONE_AT_A_TIME,
        suppress(NoSuchExample),
        patch.multiple(providers, create=True, _get_local_constants=Constants, CONSTANTS_CACHE={}),
        patch.object(configuration, "__hypothesis_home_directory", Path(os.devnull)),  # else it makes one where we are
        catch_warnings(category=HypothesisWarning, action="ignore"),  # of how long a value is
    ):
        return find(some, shows, settings=rules, random=Random(seed))
    return []


@cache
def strategy(schema: Schema, type_: Type, around: tuple[str, ...] = ()) -> Strategy:
    """The values of a type inside records of these names; at most `DEEPEST` records of one name are inside each other."""

    def of(item: Type) -> Strategy:
        return strategy(schema, item, around)

    def is_too_deep(item: Type) -> bool:
        return any(around.count(name) >= DEEPEST for name in referred(item))

    most = 0 if is_too_deep(type_) else MOST_ITEMS

    match type_:
        case Scalar(kind):
            return SCALARS[kind]
        case Enum(_, members):
            return st.sampled_from([value for _, value in members])
        case Optional(item):
            return st.none() | of(item) if most else st.none()
        case List(item):
            return st.lists(of(item), max_size=most)
        case Set(item):
            return st.sets(of(item), max_size=most)
        case Map(item):
            return st.dictionaries(SCALARS["key"], of(item), max_size=most)
        case Tuple(items):
            return st.tuples(*map(of, items))
        case Union(members):
            return st.one_of([of(one) for one in members if not is_too_deep(one)] or [of(one) for one in members])
        case Ref(name):
            return st.deferred(lambda: _record(schema, name, tuple(sorted((*around, name)))))
    raise AssertionError(type_)


def _record(schema: Schema, name: str, around: tuple[str, ...]) -> Strategy:
    record = schema.record(name)
    tag = {schema.tags[name]: st.just(record.tag_value)} if name in schema.tags else {}
    return st.fixed_dictionaries(tag | {field.wire: strategy(schema, field.type, around) for field in record.fields})


def _integers(low: int, high: int) -> Strategy:
    """Any integer, or one beside 1, 2 or 5 times a power of two or ten."""
    powers = {
        sign * times * base**power
        for base in (2, 10)
        for times in (1, 2, 5)
        for power in range(134)
        for sign in (1, -1)
    }
    near = [number + beside for number in sorted(powers, key=abs) for beside in (0, 1, -1)]
    return st.integers(low, high) | st.sampled_from([number for number in near if low <= number <= high])


def _text() -> Strategy:
    sign = st.characters(exclude_categories=["Cs"])
    repeated = st.builds(lambda text, times: text * times, st.sampled_from(_ESCAPED) | sign, st.integers(1, LONGEST))
    return st.text(sign) | st.lists(st.sampled_from(_ESCAPED) | sign).map("".join) | repeated


def _any() -> Strategy:
    plain = st.none() | st.booleans() | SCALARS["int"] | SCALARS["float"] | SCALARS["key"]
    return st.recursive(
        plain,
        lambda inner: (
            st.lists(inner, max_size=MOST_ITEMS) | st.dictionaries(SCALARS["key"], inner, max_size=MOST_ITEMS)
        ),
        max_leaves=8,
    )


def _offset(minutes: int) -> timezone:
    return timezone(timedelta(minutes=minutes)) if minutes else UTC


_FIRST, _LAST = date(2, 1, 1), date(9998, 12, 31)
_NAIVE = (datetime(2, 1, 1), datetime(9998, 12, 31))  # noqa: DTZ001  # of no zone
_OFFSETS = (st.integers(-48, 56).map(lambda quarters: 15 * quarters) | st.integers(-1439, 1439)).map(_offset)
SCALARS: dict[str, Strategy] = {
    "int": _integers(-(2**63), 2**63 - 1),
    "uint64": _integers(0, 2**64 - 1),
    "bigint": _integers(-(10**40), 10**40),
    "float": st.floats(allow_nan=False, allow_infinity=False)
    | st.builds(lambda digits, power: float(f"{digits}e{power}"), st.integers(-(10**19), 10**19), st.integers(-30, 30)),
    "str": _text(),
    "key": st.text(st.characters(exclude_categories=["Cs"]), max_size=16),
    "bool": st.booleans(),
    "bytes": st.binary(max_size=LONGEST),
    "datetime": st.datetimes(*_NAIVE, timezones=_OFFSETS),
    "naive_datetime": st.datetimes(*_NAIVE),
    "date": st.dates(_FIRST, _LAST),
    "time": st.times(),
    "timedelta": st.timedeltas(timedelta(-_DAYS), timedelta(_DAYS)),
    "decimal": st.builds(
        lambda digits, power: Decimal(f"{digits}e{power}"), _integers(-(10**40), 10**40), st.integers(-30, 10)
    ),
    "uuid": st.uuids(),
}
"""Kind → its values; "key" has the keys of maps."""
SCALARS["any"] = _any()
