from collections.abc import Iterator
from typing import Any

import numpy

SPAN = numpy.dtype([("at", "<u8"), ("size", "<u8")])
USER_DTYPE = numpy.dtype([("fullname", SPAN), ("email", SPAN)])
CLIENT_DTYPE = numpy.dtype([("user", USER_DTYPE), ("last_contact", SPAN)])


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


class UserView:
    __slots__ = ("_buffer", "_record")

    def __init__(self, record: Any, buffer: Any) -> None:
        self._record = record
        self._buffer = buffer

    @property
    def fullname(self) -> str:
        return text_at(self._buffer, self._record["fullname"])

    @property
    def email(self) -> str:
        return text_at(self._buffer, self._record["email"])


class ClientView:
    __slots__ = ("_buffer", "_record")

    def __init__(self, record: Any, buffer: Any) -> None:
        self._record = record
        self._buffer = buffer

    @property
    def user(self) -> Any:
        return UserView(self._record["user"], self._buffer)

    @property
    def last_contact(self) -> str:
        return text_at(self._buffer, self._record["last_contact"])


def pack_user(row: Any, heap: Heap) -> Any:
    return (
        heap.put(encoded := row["fullname"].encode(), len(encoded)),
        heap.put(encoded := row["email"].encode(), len(encoded)),
    )


def pack_client(row: Any, heap: Heap) -> Any:
    return (
        pack_user(row["user"], heap),
        heap.put(encoded := row["last_contact"].encode(), len(encoded)),
    )


def plain_user(view: UserView) -> Any:
    return {"fullname": view.fullname, "email": view.email}


def plain_client(view: ClientView) -> Any:
    return {"user": plain_user(view.user), "last_contact": view.last_contact}


class Records:
    def __init__(self, buffer: bytes) -> None:
        self.buffer = buffer
        count = int.from_bytes(buffer[:8], "little")
        self.array = numpy.frombuffer(buffer, CLIENT_DTYPE, count, 8)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: int) -> ClientView:
        return ClientView(self.array[index], self.buffer)

    def __iter__(self) -> Iterator[ClientView]:
        for record in self.array:
            yield ClientView(record, self.buffer)


def to_records(rows: list[Any]) -> Records:
    heap = Heap(8 + len(rows) * CLIENT_DTYPE.itemsize)
    array = numpy.array([pack_client(row, heap) for row in rows], CLIENT_DTYPE)
    blob = b"".join([len(rows).to_bytes(8, "little"), array.tobytes(), *heap.parts])
    return Records(blob)


def encode(clients: Records) -> bytes:
    return bytes(clients.buffer)


def decode(blob: bytes) -> Records:
    return Records(blob)


def build(values: Any) -> Records:
    return to_records(values)


def plain(clients: Records) -> Any:
    return [plain_client(item) for item in clients]
