from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

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


def encode(clients: Any) -> bytes:
    return clients.SerializeToString()


def decode(blob: bytes) -> Any:
    return DocumentMessage.FromString(blob)


def build(values: Any) -> Any:
    return DocumentMessage(items=values)


def plain(clients: Any) -> Any:
    return from_document(clients)
