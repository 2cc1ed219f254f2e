"""The code that FlatBuffers' compiler, flatc, makes of the tables of a .fbs file: accessors and builder functions.

Names and bodies are flatc's; functions that nothing calls are left out. A class is called after its table with `Table`
behind it, so that models may bear the table's own name in the same module.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass

from serbench.render.source.module import block

NUMBERS = {
    "long": ("Int64", 8, "0"),
    "ulong": ("Uint64", 8, "0"),
    "double": ("Float64", 8, "None"),
    "bool": ("Bool", 1, "False"),
    "ubyte": ("Uint8", 1, "0"),
}


@dataclass(frozen=True)
class Slot:
    """A field of a table: its place in it, its name and wire name, and what it is in a .fbs file."""

    number: int
    name: str
    wire: str
    optional: bool
    fbs: str

    @property
    def accessor(self) -> str:
        """The name that flatc gives the method that reads it, if its own name is in snake_case."""
        camel = self.name[:1].upper() + re.sub("_(.)", lambda match: match[1].upper(), self.name[1:])
        return f"{camel}_" if keyword.iskeyword(camel) else camel

    @property
    def item(self) -> str:
        """The type of the items of a vector; empty if the field is not a vector."""
        return self.fbs[1:-1] if self.fbs.startswith("[") else ""

    @property
    def value(self) -> str:
        """The expression that reads it, or an item of it."""
        return f"table.{self.accessor}({'j' if self.item else ''})"

    @property
    def items(self) -> str:
        """The clause that goes through a vector."""
        return f"for j in range(table.{self.accessor}Length())"

    @property
    def offset(self) -> str:
        """The expression that finds it in its table, by what describes the table."""
        return f"UOffsetTFlags.py_type(self._tab.Offset({4 + 2 * self.number}))"

    @property
    def line(self) -> str:
        """The field in a .fbs file."""
        null = " = null" if self.fbs in NUMBERS and (self.optional or self.fbs == "double") else ""
        return f"  {self.name}:{self.fbs}{null};"


def imports(slots: Iterable[Slot]) -> list[str]:
    """The imports of the classes and functions, in the form of `Codec.imports`."""
    used: set[str] = set()
    for slot in slots:
        used |= {"UOffsetT", *(NUMBERS[kind][0] for kind in (slot.fbs, slot.item) if kind in NUMBERS)}
    return [f"flatbuffers.number_types:{name}Flags" for name in sorted(used)]


def accessors(table: str, slots: list[Slot], *, root: bool) -> str:
    """The class that reads a table; that of a whole document reads it from its bytes."""
    lines = ['__slots__ = ["_tab"]']
    if root:
        lines += ["", _GET_ROOT % f"{table}Table"]
    lines += ["", _INIT]
    for slot in slots:
        lines += ["", _accessor(slot)]
        if slot.item:
            lines += ["", _method(slot, "Length", "self._tab.VectorLen(o)", "0")]
        if slot.item and slot.optional:
            lines += ["", f"def {slot.accessor}IsNone(self) -> Any:", f"    o = {slot.offset}", "    return o == 0"]
    return block(f"class {table}Table:", lines)


_GET_ROOT = """@classmethod
def GetRootAs(cls, buf: Any, offset: int = 0) -> Any:
    n = flatbuffers.encode.Get(flatbuffers.packer.uoffset, buf, offset)
    x = %s()
    x.Init(buf, n + offset)
    return x"""
_INIT = """def Init(self, buf: Any, pos: int) -> None:
    self._tab = flatbuffers.table.Table(buf, pos)"""


def _method(slot: Slot, end: str, value: str, absent: str, *before: str, parameter: str = "") -> str:
    lines = [f"def {slot.accessor}{end}(self{parameter}) -> Any:"]
    lines += [f"    o = {slot.offset}", "    if o != 0:"]
    lines += [f"        {line}" for line in before]
    return "\n".join([*lines, f"        return {value}", f"    return {absent}"])


def _accessor(slot: Slot) -> str:
    parameter = ", j: int" if slot.item else ""
    if slot.fbs in NUMBERS:
        flags, _, default = NUMBERS[slot.fbs]
        value = f"self._tab.Get({flags}Flags, o + self._tab.Pos)"
        value = f"bool({value})" if slot.fbs == "bool" else value
        return _method(slot, "", value, "None" if slot.optional else default)
    if slot.fbs == "string":
        return _method(slot, "", "self._tab.String(o + self._tab.Pos)", "None")
    if slot.item in NUMBERS:
        flags, size, _ = NUMBERS[slot.item]
        value = f"self._tab.Get({flags}Flags, a + UOffsetTFlags.py_type(j * {size}))"
        return _method(slot, "", value, "0", "a = self._tab.Vector(o)", parameter=parameter)
    if slot.item == "string":
        value = "self._tab.String(a + UOffsetTFlags.py_type(j * 4))"
        return _method(slot, "", value, '""', "a = self._tab.Vector(o)", parameter=parameter)
    steps = ["x = self._tab.Indirect(o + self._tab.Pos)"]
    if slot.item:
        steps = ["x = self._tab.Vector(o)", "x += UOffsetTFlags.py_type(j) * 4", "x = self._tab.Indirect(x)"]
    steps += [f"obj = {slot.item or slot.fbs}Table()", "obj.Init(self._tab.Bytes, x)"]
    return _method(slot, "", "obj", "None", *steps, parameter=parameter)


def builders(table: str, slots: list[Slot]) -> list[str]:
    """The functions that write a table."""
    functions = [f"def {table}Start(builder: Any) -> None:\n    builder.StartObject({len(slots)})"]
    for slot in slots:
        made = f"builder.PrependUOffsetTRelativeSlot({slot.number!s}, UOffsetTFlags.py_type(value), 0)"
        if slot.fbs in NUMBERS:
            flags, _, default = NUMBERS[slot.fbs]
            made = f"builder.Prepend{flags}Slot({slot.number!s}, value, {('None' if slot.optional else default)})"
        functions.append(f"def {table}Add{slot.accessor}(builder: Any, value: Any) -> None:\n    {made}")
    return [*functions, f"def {table}End(builder: Any) -> Any:\n    return builder.EndObject()"]


def vector(kind: str) -> str:
    """The function that writes a vector of numbers, or of offsets to anything else."""
    flags, size, _ = NUMBERS.get(kind, ("UOffsetTRelative", 4, ""))
    return f"""def vector_of_{kind}s(builder: Any, values: Any) -> Any:
    builder.StartVector({size}, len(values), {size})
    for value in reversed(values):
        builder.Prepend{flags}(value)
    return builder.EndVector()"""
