# as dataclasses_cbor2_cbor_models.py, but for:
from datetime import UTC, datetime
from google.protobuf import text_format, timestamp_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
DESCRIPTOR = """
name: "schema.proto"
syntax: "proto3"
dependency: "google/protobuf/timestamp.proto"
message_type {
  name: "Item"
  field { name: "price" number: 1 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
}
message_type {
  name: "Order"
  field { name: "title" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  field { name: "placed" number: 2 type: TYPE_MESSAGE type_name: ".google.protobuf.Timestamp" label: LABEL_OPTIONAL }
  field { name: "items" number: 3 type: TYPE_MESSAGE type_name: ".Item" label: LABEL_REPEATED }
}
message_type {
  name: "Document"
  field { name: "items" number: 1 type: TYPE_MESSAGE type_name: ".Order" label: LABEL_REPEATED }
}
"""
pool = DescriptorPool()
pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
parsed = text_format.Parse(DESCRIPTOR, FileDescriptorProto())
pool.AddSerializedFile(parsed.SerializeToString())
DocumentMessage = GetMessageClass(pool.FindMessageTypeByName("Document"))
def from_item(message: Any) -> dict[str, Any]:
    return {"price": message.price}
def from_order(message: Any) -> dict[str, Any]:
    return {
        "title": message.title,
        "placed": message.placed.ToDatetime(UTC),
        "items": [from_item(value) for value in message.items],
    }
def from_document(message: Any) -> Any:
    return [from_order(value) for value in message.items]
def encode(orders: list[Order]) -> bytes:
    return DocumentMessage(
        items=[dump_order(entry) for entry in orders]
    ).SerializeToString()
def decode(blob: bytes) -> list[Order]:
    return [
        load_order(entry) for entry in from_document(DocumentMessage.FromString(blob))
    ]
def dumps(data: Any) -> bytes:
    return DocumentMessage(items=data).SerializeToString()
def loads(blob: bytes) -> Any:
    return from_document(DocumentMessage.FromString(blob))
