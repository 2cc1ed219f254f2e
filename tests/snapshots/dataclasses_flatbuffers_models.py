# as dataclasses_json_models.py, but for:
import flatbuffers
from flatbuffers.number_types import Float64Flags, UOffsetTFlags
class ItemTable:
    __slots__ = ["_tab"]

    def Init(self, buf: Any, pos: int) -> None:
        self._tab = flatbuffers.table.Table(buf, pos)

    def Price(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(4))
        if o != 0:
            return self._tab.Get(Float64Flags, o + self._tab.Pos)
        return None
class OrderTable:
    __slots__ = ["_tab"]

    def Init(self, buf: Any, pos: int) -> None:
        self._tab = flatbuffers.table.Table(buf, pos)

    def Title(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(4))
        if o != 0:
            return self._tab.String(o + self._tab.Pos)
        return None

    def Placed(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(6))
        if o != 0:
            return self._tab.String(o + self._tab.Pos)
        return None

    def Items(self, j: int) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(8))
        if o != 0:
            x = self._tab.Vector(o)
            x += UOffsetTFlags.py_type(j) * 4
            x = self._tab.Indirect(x)
            obj = ItemTable()
            obj.Init(self._tab.Bytes, x)
            return obj
        return None

    def ItemsLength(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(8))
        if o != 0:
            return self._tab.VectorLen(o)
        return 0
class DocumentTable:
    __slots__ = ["_tab"]

    @classmethod
    def GetRootAs(cls, buf: Any, offset: int = 0) -> Any:
        n = flatbuffers.encode.Get(flatbuffers.packer.uoffset, buf, offset)
        x = DocumentTable()
        x.Init(buf, n + offset)
        return x

    def Init(self, buf: Any, pos: int) -> None:
        self._tab = flatbuffers.table.Table(buf, pos)

    def Items(self, j: int) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(4))
        if o != 0:
            x = self._tab.Vector(o)
            x += UOffsetTFlags.py_type(j) * 4
            x = self._tab.Indirect(x)
            obj = OrderTable()
            obj.Init(self._tab.Bytes, x)
            return obj
        return None

    def ItemsLength(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(4))
        if o != 0:
            return self._tab.VectorLen(o)
        return 0
def ItemStart(builder: Any) -> None:
    builder.StartObject(1)
def ItemAddPrice(builder: Any, value: Any) -> None:
    builder.PrependFloat64Slot(0, value, None)
def ItemEnd(builder: Any) -> Any:
    return builder.EndObject()
def OrderStart(builder: Any) -> None:
    builder.StartObject(3)
def OrderAddTitle(builder: Any, value: Any) -> None:
    builder.PrependUOffsetTRelativeSlot(0, UOffsetTFlags.py_type(value), 0)
def OrderAddPlaced(builder: Any, value: Any) -> None:
    builder.PrependUOffsetTRelativeSlot(1, UOffsetTFlags.py_type(value), 0)
def OrderAddItems(builder: Any, value: Any) -> None:
    builder.PrependUOffsetTRelativeSlot(2, UOffsetTFlags.py_type(value), 0)
def OrderEnd(builder: Any) -> Any:
    return builder.EndObject()
def DocumentStart(builder: Any) -> None:
    builder.StartObject(1)
def DocumentAddItems(builder: Any, value: Any) -> None:
    builder.PrependUOffsetTRelativeSlot(0, UOffsetTFlags.py_type(value), 0)
def DocumentEnd(builder: Any) -> Any:
    return builder.EndObject()
def vector_of_offsets(builder: Any, values: Any) -> Any:
    builder.StartVector(4, len(values), 4)
    for value in reversed(values):
        builder.PrependUOffsetTRelative(value)
    return builder.EndVector()
def to_item(builder: Any, data: Any) -> Any:
    ItemStart(builder)
    ItemAddPrice(builder, data["price"])
    return ItemEnd(builder)
def to_order(builder: Any, data: Any) -> Any:
    title_offset = builder.CreateString(data["title"])
    placed_offset = builder.CreateString(data["placed"])
    items_offset = vector_of_offsets(
        builder, [to_item(builder, item) for item in data["items"]]
    )
    OrderStart(builder)
    OrderAddTitle(builder, title_offset)
    OrderAddPlaced(builder, placed_offset)
    OrderAddItems(builder, items_offset)
    return OrderEnd(builder)
def to_document(builder: Any, data: Any) -> Any:
    items_offset = vector_of_offsets(
        builder, [to_order(builder, item) for item in data["items"]]
    )
    DocumentStart(builder)
    DocumentAddItems(builder, items_offset)
    return DocumentEnd(builder)
def from_item(table: Any) -> Any:
    return {"price": table.Price()}
def from_order(table: Any) -> Any:
    return {
        "title": table.Title().decode(),
        "placed": table.Placed().decode(),
        "items": [from_item(table.Items(j)) for j in range(table.ItemsLength())],
    }
def from_document(table: Any) -> Any:
    return {"items": [from_order(table.Items(j)) for j in range(table.ItemsLength())]}
def finished(data: Any) -> Any:
    builder = flatbuffers.Builder()
    builder.Finish(to_document(builder, {"items": data}))
    return builder
def encode(orders: list[Order]) -> bytes:
    return bytes(finished([dump_order(entry) for entry in orders]).Output())
def decode(blob: bytes) -> list[Order]:
    return [
        load_order(entry)
        for entry in from_document(DocumentTable.GetRootAs(blob))["items"]
    ]
def dumps(data: Any) -> bytes:
    return bytes(finished(data).Output())
def loads(blob: bytes) -> Any:
    return from_document(DocumentTable.GetRootAs(blob))["items"]
