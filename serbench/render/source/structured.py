"""Types in NumPy's structured records: their dtypes, and the expressions that pack a value and read it in place."""

from __future__ import annotations

from serbench.model.records import Record, Schema
from serbench.model.scalars import Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type
from serbench.render.source.module import Unsupported, listed, literal, tuple_of
from serbench.render.source.names import snake

DOCS = "https://numpy.org/doc/stable/user/basics.rec.html"
_DTYPES = {
    "int": '"<i8"',
    "uint64": '"<u8"',
    "float": '"<f8"',
    "bool": '"?"',
    "datetime": '"<M8[us]"',
    "naive_datetime": '"<M8[us]"',
    "date": '"<M8[D]"',
    "timedelta": '"<m8[us]"',
}
NUMBERS = ("int", "uint64", "float", "bool")


def dtype_name(record: str) -> str:
    """The constant that holds the dtype of a record."""
    return f"{snake(record).upper()}_DTYPE"


def names_name(enum: Enum) -> str:
    """The constant that holds the values of an enumeration by number."""
    return f"{snake(enum.name).upper()}_NAMES"


class Layout:
    """For each type its dtype, and the expressions that pack it and read it."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def dtype(self, type_: Type) -> str:
        """The dtype of what the record itself holds."""
        match type_:
            case Scalar("any"):
                raise Unsupported(f"a NumPy dtype cannot hold arbitrary JSON ({DOCS})")
            case Scalar(kind):
                return _DTYPES.get(kind, "SPAN")
            case Enum():
                return '"<i8"'
            case Optional(item):
                return listed(['("there", "?")', f'("value", {self.dtype(item)})'])
            case Tuple(items):
                return listed(f'("f{i}", {self.dtype(item)})' for i, item in enumerate(items))
            case Ref(name):
                return dtype_name(name)
        return "SPAN"

    def item(self, type_: Type) -> str:
        """The dtype of what lies behind a span, one after the other."""
        match type_:
            case List(item) | Set(item):
                return self.dtype(item)
            case Map(item):
                return f'[("key", SPAN), ("value", {self.dtype(item)})]'
        raise AssertionError(type_)

    def packing(self, record: Record) -> list[str]:
        """The body of the function that makes a record of a row."""
        return [f"return {tuple_of(self.packed(f.type, f'row[{literal(f.wire)}]') for f in record.fields)}"]

    def packed(self, type_: Type, value: str) -> str:
        """The expression that puts a value into a record."""
        match type_:
            case Scalar("datetime"):
                return f"{value}.astimezone(UTC).replace(tzinfo=None)"
            case Scalar("bytes"):
                return f"heap.put({value}, len({value}))"
            case Scalar(kind) if kind not in _DTYPES:
                return f"heap.put(encoded := {value}.encode(), len(encoded))"
            case Enum():
                return f"{names_name(type_)}.index({value})"
            case Optional(item):
                return f"(False, {self.zero(item)}) if {value} is None else (True, {self.packed(item, value)})"
            case Tuple(items):
                return tuple_of(self.packed(item, f"{value}[{i}]") for i, item in enumerate(items))
            case Ref(name):
                return f"pack_{snake(name)}({value}, heap)"
            case Map(item):
                each = f"({self.packed(Scalar('str'), 'key')}, {self.packed(item, 'item')})"
                return self._array(f"[{each} for key, item in {value}.items()]", type_, value)
            case List(item) | Set(item):
                each = self.packed(item, "item")
                as_it_is = each == "item" and isinstance(type_, List)
                return self._array(value if as_it_is else f"[{each} for item in {value}]", type_, value)
        return value

    def _array(self, items: str, type_: Type, value: str) -> str:
        return f"heap.put(numpy.array({items}, {self.item(type_)}).tobytes(), len({value}))"

    def zero(self, type_: Type) -> str:
        """The value that stands in the place of None."""
        match type_:
            case Scalar("datetime" | "naive_datetime" | "timedelta" | "date" as kind):
                unit = "D" if kind == "date" else "us"
                return f'numpy.{"timedelta64" if kind == "timedelta" else "datetime64"}(0, "{unit}")'
            case Scalar(kind) if kind in NUMBERS:
                return "0"
            case Enum():
                return "0"
            case Optional(item):
                return f"(False, {self.zero(item)})"
            case Tuple(items):
                return tuple_of(self.zero(item) for item in items)
            case Ref(name):
                return tuple_of(self.zero(f.type) for f in self.schema.record(name).fields)
        return "(0, 0)"

    def read(self, type_: Type, value: str) -> str:
        """The expression for what a view gives of a field."""
        match type_:
            case Scalar("datetime"):
                return f"{value}.item().replace(tzinfo=UTC)"
            case Scalar("bytes"):
                return f"bytes(array_at(self._buffer, {value}, numpy.uint8))"
            case Scalar(kind):
                return f"{value}.item()" if kind in _DTYPES else f"text_at(self._buffer, {value})"
            case Enum():
                return f"{names_name(type_)}[{value}]"
            case Optional(item):
                return f'{self.read(item, f"""{value}["value"]""")} if {value}["there"] else None'
            case Tuple(items):
                return tuple_of(self.read(item, f'{value}["f{i}"]') for i, item in enumerate(items))
            case Ref(name):
                return f"{name}View({value}, self._buffer)"
            case Map(item):
                pair = f'{self.read(Scalar("str"), """item["key"]""")}: {self.read(item, """item["value"]""")}'
                return f"{{{pair} for item in array_at(self._buffer, {value}, {self.item(type_)})}}"
            case List(Scalar(kind) as item) | Set(Scalar(kind) as item) if kind in _DTYPES and kind != "datetime":
                return f"array_at(self._buffer, {value}, {self.item(type_)}).tolist()"
            case List(item) | Set(item):
                return f"[{self.read(item, 'item')} for item in array_at(self._buffer, {value}, {self.item(type_)})]"
        raise AssertionError(type_)
