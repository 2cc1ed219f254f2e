from dataclasses import dataclass
from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


DESCRIPTOR = """
name: "schema.proto"
syntax: "proto3"
message_type {
  name: "Client"
  field { name: "user" number: 1 type: TYPE_MESSAGE type_name: ".User" label: LABEL_OPTIONAL }
  field { name: "last_contact" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL }
}
message_type {
  name: "User"
  field { name: "fullname" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  field { name: "email" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL }
}
message_type {
  name: "Document"
  field { name: "items" number: 1 type: TYPE_MESSAGE type_name: ".Client" label: LABEL_REPEATED }
}
"""
pool = DescriptorPool()
parsed = text_format.Parse(DESCRIPTOR, FileDescriptorProto())
pool.AddSerializedFile(parsed.SerializeToString())
DocumentMessage = GetMessageClass(pool.FindMessageTypeByName("Document"))


def from_user(message: Any) -> dict[str, Any]:
    return {"fullname": message.fullname, "email": message.email}


def from_client(message: Any) -> dict[str, Any]:
    return {"user": from_user(message.user), "last_contact": message.last_contact}


def from_document(message: Any) -> Any:
    return [from_client(value) for value in message.items]


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return DocumentMessage(
        items=[dump_client(item) for item in clients]
    ).SerializeToString()


def decode(blob: bytes) -> list[Client]:
    return [
        load_client(item) for item in from_document(DocumentMessage.FromString(blob))
    ]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return DocumentMessage(items=data).SerializeToString()


def loads(blob: bytes) -> Any:
    return from_document(DocumentMessage.FromString(blob))


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
