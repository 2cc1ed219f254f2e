"""What answers are, whatever the objects are, and whether two are the same."""

from __future__ import annotations

import dataclasses
import json
from array import array
from collections import deque, namedtuple
from decimal import Decimal

import pydantic
import pytest

from serbench.measure.comparing import Comparison
from serbench.measure.worker.user_code import answers, maker, told


@dataclasses.dataclass
class Point:
    """A class with fields."""

    x: object


@dataclasses.dataclass
class Dot(Point):
    """Another one with the same fields."""


class Hidden:
    """An object that shows nothing of itself."""

    __slots__ = ()


class Plain:
    """An object with a field, and no `repr` of its own."""

    def __init__(self, x):
        self.x = x


Pair = namedtuple("Pair", "one two")  # noqa: PYI024  # as old code has it


def compared(one, other):
    """The comparison of two answers, as they come from a worker."""
    return Comparison(*(json.loads(json.dumps(told(value))) for value in (one, other)))


@pytest.mark.parametrize(
    "value",
    [None, 1, 1.5, float("nan"), "a", b"\xff", [1, (2,)], {"a": {1, 2}}, Point([Decimal("1.0")]), Pair(1, "b"), {1: 2}],
    ids=repr,
)
def test_equal_answers_are_equal(value):
    """Types, values and fields are compared, and nothing has to be said."""
    found = compared(value, value)
    assert (None, {}) == (found.difference, found.notes)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (1, 1.0, "the answer is 1, not 1.0"),
        (True, 1, "the answer is True, not 1"),
        ([1, 2], [1], "the answer[1] is 2, not missing"),
        ([1], (1,), "the answer is list of 1, not tuple of 1"),
        ({"a": [Point(1)]}, {"a": [Point("1")]}, "the answer['a'][0].x is 1, not '1'"),
        ({"a": 1}, {"b": 1}, "the answer['a'] is 1, not missing"),
        (Point(1), {"x": 1}, "the answer is Point(x=1), not {'x': 1}"),
        (Decimal(1), Decimal("1.0"), "the answer.repr is \"Decimal('1')\", not \"Decimal('1.0')\""),
        (b"[1]", b"[2]", "the answer is b'[1]', not b'[2]'"),
        (Point(1), None, "the answer is Point(x=1), not None"),
        (b'"\xe9"', b'"\xe8"', "the answer is b'\"\\xe9\"', not b'\"\\xe8\"'"),  # no JSON
    ],
)
def test_a_difference_is_told_with_its_place(one, other, told):
    """The first difference in a sentence, from the side of the first answer."""
    assert told == compared(one, other).difference


@pytest.mark.parametrize(
    ("one", "other", "note"),
    [
        ('{"a": 1}', b'{"a":1}', "the texts differ, and are JSON of the same value"),
        (Point(1), Dot(1), "objects of Point and of Dot count as the same if their fields are"),
        (Hidden(), Hidden(), "of a Hidden nothing can be compared but its class"),
    ],
)
def test_what_counts_as_the_same_is_said(one, other, note):
    """JSON of the same value, equal fields of another class, and what shows nothing of itself."""
    found = compared(one, other)
    assert (None, [note]) == (found.difference, [*found.notes])


def of_pyarrow(text):
    """Tables and columns of pyarrow, and what is no column: two columns of one name, a number, bytes."""
    pa = pytest.importorskip("pyarrow")
    rows = {"a": [*range(1000)], "b": ["x"] * 999 + [text]}
    yield from (pa.table(rows), pa.record_batch(rows), pa.table(rows)["b"], pa.array(rows["b"]), pa.scalar(rows["b"]))
    yield pa.Table.from_arrays([pa.array([1]), pa.array([text])], names=["a", "a"])
    yield pa.table({text: []})
    yield pa.py_buffer(text.encode())


def of_pandas(text):
    """Tables, columns and indexes of pandas, with labels that differ."""
    pd = pytest.importorskip("pandas")
    rows = {"a": [*range(1000)], "b": ["x"] * 999 + [text]}
    yield from (pd.DataFrame(rows), pd.DataFrame(rows)["b"], pd.Index(rows["b"]), pd.Categorical(rows["b"]))
    yield from (pd.Series([1], name=text), pd.Series([1], index=[text]), pd.Index([1], name=text))
    yield pd.DataFrame([[1, "x"], [1, text]], columns=["a", "a"], index=[1, 1])
    yield from (pd.DataFrame(columns=[text]), pd.DataFrame(index=pd.MultiIndex.from_tuples([(1, text)])))


def of_polars(text):
    """Tables and columns of polars."""
    pl = pytest.importorskip("polars")
    rows = pl.DataFrame({"a": [*range(1000)], "b": ["x"] * 999 + [text]})
    yield from (rows, rows["b"], pl.Series(text, [1]), rows.select(pl.struct("a", "b").alias("c")))


def of_numpy(text):
    """Arrays of numpy, with names, and a number that Python lacks."""
    np = pytest.importorskip("numpy")
    yield from (np.array(["x"] * 999 + [text]), np.array([1], dtype=[(text, int)]), np.longdouble(ord(text)))


def of_python(text):
    """Tables and columns of Python."""
    yield from (
        array("i", [0] * 999 + [ord(text)]),
        deque([Hidden(), text]),
        {Hidden(), text},
        {Hidden(): 1, Hidden(): text},
    )


@pytest.mark.parametrize("make", [of_pyarrow, of_pandas, of_polars, of_numpy, of_python])
def test_tables_are_told_by_all_that_they_hold(make):
    """Two that differ in one value or one name differ, however many rows they have; nothing of a table is left unsaid."""
    for one, same, other in zip(make("p"), make("p"), make("q"), strict=True):
        equal = compared(one, same)
        assert equal.difference is None
        assert [note for note in equal.notes if "Hidden" not in note] == []
        assert compared(one, other).difference is not None, one


def test_what_cannot_tell_what_it_holds_is_told_by_its_fields():
    """A table that is elsewhere, or not computed yet."""

    class Lazy(Point):
        def tolist(self):
            raise NotImplementedError

    assert {"": "Lazy", "x": 1} == told(Lazy(1))


@pytest.mark.parametrize("kind", [set, frozenset, dict.fromkeys, lambda values: {frozenset(values), 1}, deque])
def test_where_objects_are_makes_no_difference(kind):
    """Objects without a `repr` of their own are in no order in sets and as keys, and are compared by their fields."""

    def made(last):
        return kind([Plain(number) for number in [*range(20), last]])

    assert (None, {}) == (compared(made(20), made(20)).difference, compared(made(20), made(20)).notes)
    assert compared(made(20), made(21)).difference is not None


def test_an_object_that_has_itself_is_told_once():
    """A cycle ends."""
    loop = Point(None)
    loop.x = loop
    assert {"": "Point", "x": {"": "…"}} == told(loop)


def test_the_number_of_an_argument_is_given_to_a_setup_that_takes_it():
    """Another setup is called without; what is proven is several arguments, one made anew, or the very same one."""
    make, several = maker(lambda number: [number])
    assert (True, [*range(16)]) == (several, answers(sum, make, 0, several, hot=False))
    plain, alone = maker(list)
    assert (False, [0, 0]) == (alone, answers(len, plain, 0, alone, hot=False))
    assert [1, 2] == answers(lambda values: values.append(0) or len(values), plain, 1, alone, hot=True)


def test_a_model_of_pydantic_is_told_by_its_fields():
    """It has the facts of a dataclass with these fields, and those that it takes beside them; how it holds them is no fact."""

    @dataclasses.dataclass
    class Order:
        id: int

    def model(name, **extra):
        return pydantic.create_model(name, __config__={"extra": "allow"}, id=(int, ...))(id=1, **extra)

    assert told(Order(1)) == told(model("Order"))
    assert {"": "Order", "id": 1, "note": "a"} == told(model("Order", note="a"))
