# as dataclasses_cbor2_cbor_models.py, but for:
from collections.abc import Iterator
from datetime import UTC, datetime
import numpy
SPAN = numpy.dtype([("at", "<u8"), ("size", "<u8")])
ITEM_DTYPE = numpy.dtype([("price", "<f8")])
ORDER_DTYPE = numpy.dtype([("title", SPAN), ("placed", "<M8[us]"), ("items", SPAN)])
class Heap:
    def __init__(self, at: int) -> None:
        self.at = at
        self.parts: list[bytes] = []

    def put(self, part: bytes, count: int) -> tuple[int, int]:
        place = (self.at, count)
        self.parts.append(part)
        self.at += len(part)
        return place
def text_at(buffer: Any, span: Any) -> str:
    at, size = span.item()
    if at + size > len(buffer):
        raise ValueError(f"{size} bytes are announced at {at}, behind the end")
    return str(buffer[at : at + size], "utf-8")
def array_at(buffer: Any, span: Any, dtype: Any) -> Any:
    at, size = span.item()
    return numpy.frombuffer(buffer, dtype, size, at)
class ItemView:
    __slots__ = ("_buffer", "_record")

    def __init__(self, record: Any, buffer: Any) -> None:
        self._record = record
        self._buffer = buffer

    @property
    def price(self) -> float:
        return self._record["price"].item()
class OrderView:
    __slots__ = ("_buffer", "_record")

    def __init__(self, record: Any, buffer: Any) -> None:
        self._record = record
        self._buffer = buffer

    @property
    def title(self) -> str:
        return text_at(self._buffer, self._record["title"])

    @property
    def placed(self) -> Any:
        return self._record["placed"].item().replace(tzinfo=UTC)

    @property
    def items(self) -> Any:
        return [
            ItemView(item, self._buffer)
            for item in array_at(self._buffer, self._record["items"], ITEM_DTYPE)
        ]
def pack_item(row: Any, heap: Heap) -> Any:
    return (row["price"],)
def pack_order(row: Any, heap: Heap) -> Any:
    return (
        heap.put(encoded := row["title"].encode(), len(encoded)),
        row["placed"].astimezone(UTC).replace(tzinfo=None),
        heap.put(
            numpy.array(
                [pack_item(item, heap) for item in row["items"]], ITEM_DTYPE
            ).tobytes(),
            len(row["items"]),
        ),
    )
def plain_item(view: ItemView) -> Any:
    return {"price": view.price}
def plain_order(view: OrderView) -> Any:
    return {
        "title": view.title,
        "placed": view.placed,
        "items": [plain_item(item) for item in view.items],
    }
class Records:
    def __init__(self, buffer: bytes) -> None:
        self.buffer = buffer
        count = int.from_bytes(buffer[:8], "little")
        self.array = numpy.frombuffer(buffer, ORDER_DTYPE, count, 8)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: int) -> OrderView:
        return OrderView(self.array[index], self.buffer)

    def __iter__(self) -> Iterator[OrderView]:
        for record in self.array:
            yield OrderView(record, self.buffer)
def to_records(rows: list[Any]) -> Records:
    heap = Heap(8 + len(rows) * ORDER_DTYPE.itemsize)
    array = numpy.array([pack_order(row, heap) for row in rows], ORDER_DTYPE)
    blob = b"".join([len(rows).to_bytes(8, "little"), array.tobytes(), *heap.parts])
    return Records(blob)
def encode(orders: list[Order]) -> bytes:
    return bytes(to_records([dump_order(entry) for entry in orders]).buffer)
def decode(blob: bytes) -> list[Order]:
    return [
        load_order(entry) for entry in [plain_order(item) for item in Records(blob)]
    ]
def dumps(data: Any) -> bytes:
    return bytes(to_records(data).buffer)
def loads(blob: bytes) -> Any:
    return [plain_order(item) for item in Records(blob)]
