"""What a type is in NumPy's structured records: its dtype, and the expressions that pack a value and read it where it lies."""

from __future__ import annotations

from serbench.schema import Enum, List, Map, Optional, Ref, Scalar, Schema, Set, Tuple, Type
from serbench.source.layout import Bracketed, Conditional, Expression, call, flat, split
from serbench.source.models import Unsupported, snake

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

    def dtype(self, type_: Type) -> Expression:
        """What lies in the record."""
        match type_:
            case Scalar("any"):
                raise Unsupported(f"no dtype for any JSON ({DOCS})")
            case Scalar(kind):
                return _DTYPES.get(kind, "SPAN")
            case Enum():
                return '"<i8"'
            case Optional(item):
                parts = ('("there", "?")', Bracketed("(", ('"value"', self.dtype(item)), ")"))
                return Bracketed("[", parts, "]")
            case Tuple(items):
                named = (Bracketed("(", (f'"f{i}"', self.dtype(item)), ")") for i, item in enumerate(items))
                return Bracketed("[", tuple(named), "]")
            case Ref(name):
                return dtype_name(name)
        return "SPAN"

    def item(self, type_: Type) -> str:
        """The dtype of what lies behind a span, one after the other."""
        match type_:
            case List(item) | Set(item):
                return flat(self.dtype(item))
            case Map(item):
                return f'[("key", SPAN), ("value", {flat(self.dtype(item))})]'
        raise AssertionError(type_)

    def laid(self, type_: Type, value: str) -> Expression:
        """`packed`, so that it can be laid out."""
        match type_:
            case Optional(item):
                there = Bracketed("(", ("True", self.packed(item, value)), ")")
                return Conditional(f"(False, {self.zero(item)})", f"{value} is None", there)
            case List() | Set() | Map():
                text = self.packed(type_, value)
                array = text.removeprefix("heap.put(").removesuffix(f".tobytes(), len({value}))")
                made = call("numpy.array", *split(array.removeprefix("numpy.array(").removesuffix(")"), ", "))
                return call("heap.put", Bracketed(made.opening, made.items, ").tobytes()"), f"len({value})")
        return self.packed(type_, value)

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
                parts = ", ".join(self.packed(item, f"{value}[{i}]") for i, item in enumerate(items))
                return f"({parts},)" if len(items) == 1 else f"({parts})"
            case Ref(name):
                return f"pack_{snake(name)}({value}, heap)"
            case Map(item):
                each = f"({self.packed(Scalar('str'), 'key')}, {self.packed(item, 'item')})"
                return self._array(f"[{each} for key, item in {value}.items()]", type_, value)
            case List(item) | Set(item):
                each = self.packed(item, "item")
                return self._array(
                    value if each == "item" and isinstance(type_, List) else f"[{each} for item in {value}]",
                    type_,
                    value,
                )
        return value

    def _array(self, items: str, type_: Type, value: str) -> str:
        return f"heap.put(numpy.array({items}, {self.item(type_)}).tobytes(), len({value}))"

    def zero(self, type_: Type) -> str:
        """What stands in the place of None."""
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
                return "(" + "".join(f"{self.zero(item)}, " for item in items).strip() + ")"
            case Ref(name):
                fields = self.schema.record(name).fields
                return "(" + "".join(f"{self.zero(f.type)}, " for f in fields).strip() + ")"
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
                parts = ", ".join(self.read(item, f'{value}["f{i}"]') for i, item in enumerate(items))
                return f"({parts},)" if len(items) == 1 else f"({parts})"
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

    def plain(self, type_: Type, value: str) -> str:
        """The builtins of what a view gives."""
        match type_:
            case Ref(name):
                return f"plain_{snake(name)}({value})"
            case Optional(item):
                inner = self.plain(item, value)
                return value if inner == value else f"None if {value} is None else {inner}"
            case List(item) | Set(item):
                inner = self.plain(item, "item")
                return value if inner == "item" else f"[{inner} for item in {value}]"
            case Map(item):
                inner = self.plain(item, "item")
                return value if inner == "item" else f"{{key: {inner} for key, item in {value}.items()}}"
            case Tuple(items):
                parts = [self.plain(item, f"{value}[{i}]") for i, item in enumerate(items)]
                same = all(part == f"{value}[{i}]" for i, part in enumerate(parts))
                return value if same else f"({', '.join(parts)},)"
        return value
