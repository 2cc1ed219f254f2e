from typing import Any

import flatbuffers
from flatbuffers.number_types import UOffsetTFlags


class UserTable:
    __slots__ = ["_tab"]

    def Init(self, buf: Any, pos: int) -> None:
        self._tab = flatbuffers.table.Table(buf, pos)

    def Fullname(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(4))
        if o != 0:
            return self._tab.String(o + self._tab.Pos)
        return None

    def Email(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(6))
        if o != 0:
            return self._tab.String(o + self._tab.Pos)
        return None


class ClientTable:
    __slots__ = ["_tab"]

    def Init(self, buf: Any, pos: int) -> None:
        self._tab = flatbuffers.table.Table(buf, pos)

    def User(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(4))
        if o != 0:
            x = self._tab.Indirect(o + self._tab.Pos)
            obj = UserTable()
            obj.Init(self._tab.Bytes, x)
            return obj
        return None

    def LastContact(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(6))
        if o != 0:
            return self._tab.String(o + self._tab.Pos)
        return None


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
            obj = ClientTable()
            obj.Init(self._tab.Bytes, x)
            return obj
        return None

    def ItemsLength(self) -> Any:
        o = UOffsetTFlags.py_type(self._tab.Offset(4))
        if o != 0:
            return self._tab.VectorLen(o)
        return 0


def UserStart(builder: Any) -> None:
    builder.StartObject(2)


def UserAddFullname(builder: Any, value: Any) -> None:
    builder.PrependUOffsetTRelativeSlot(0, UOffsetTFlags.py_type(value), 0)


def UserAddEmail(builder: Any, value: Any) -> None:
    builder.PrependUOffsetTRelativeSlot(1, UOffsetTFlags.py_type(value), 0)


def UserEnd(builder: Any) -> Any:
    return builder.EndObject()


def ClientStart(builder: Any) -> None:
    builder.StartObject(2)


def ClientAddUser(builder: Any, value: Any) -> None:
    builder.PrependUOffsetTRelativeSlot(0, UOffsetTFlags.py_type(value), 0)


def ClientAddLastContact(builder: Any, value: Any) -> None:
    builder.PrependUOffsetTRelativeSlot(1, UOffsetTFlags.py_type(value), 0)


def ClientEnd(builder: Any) -> Any:
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


def to_user(builder: Any, data: Any) -> Any:
    fullname_offset = builder.CreateString(data["fullname"])
    email_offset = builder.CreateString(data["email"])
    UserStart(builder)
    UserAddFullname(builder, fullname_offset)
    UserAddEmail(builder, email_offset)
    return UserEnd(builder)


def to_client(builder: Any, data: Any) -> Any:
    user_offset = to_user(builder, data["user"])
    last_contact_offset = builder.CreateString(data["last_contact"])
    ClientStart(builder)
    ClientAddUser(builder, user_offset)
    ClientAddLastContact(builder, last_contact_offset)
    return ClientEnd(builder)


def to_document(builder: Any, data: Any) -> Any:
    items_offset = vector_of_offsets(
        builder, [to_client(builder, item) for item in data["items"]]
    )
    DocumentStart(builder)
    DocumentAddItems(builder, items_offset)
    return DocumentEnd(builder)


def from_user(table: Any) -> Any:
    return {"fullname": table.Fullname().decode(), "email": table.Email().decode()}


def from_client(table: Any) -> Any:
    return {
        "user": from_user(table.User()),
        "last_contact": table.LastContact().decode(),
    }


def from_document(table: Any) -> Any:
    return {"items": [from_client(table.Items(j)) for j in range(table.ItemsLength())]}


def finished(data: Any) -> Any:
    builder = flatbuffers.Builder()
    builder.Finish(to_document(builder, {"items": data}))
    return builder


def encode(clients: Any) -> bytes:
    return bytes(clients.Output())


def decode(blob: bytes) -> Any:
    return DocumentTable.GetRootAs(blob)


def build(values: Any) -> Any:
    return finished(values)


def plain(clients: Any) -> Any:
    return from_document(clients)["items"]
