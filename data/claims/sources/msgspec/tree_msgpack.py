"""The tree in MessagePack: as Structs and as plain values with msgspec, and as plain values with msgpack and ormsgpack."""

import msgpack
import ormsgpack

from .tree_structs import Folder, msgspec, plain, tree

STRUCTS = msgspec.msgpack.Decoder(Folder)
ENCODER, ANY = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder()


def prepare(count=1000):
    """Return the tree in MessagePack, its times as texts."""
    return ENCODER.encode(msgspec.json.decode(tree(count)))


def with_structs(blob):
    return ENCODER.encode(STRUCTS.decode(blob))


def with_msgspec(blob):
    return ENCODER.encode(ANY.decode(blob))


def with_msgpack(blob):
    return msgpack.packb(msgpack.unpackb(blob))


def with_ormsgpack(blob):
    return ormsgpack.packb(ormsgpack.unpackb(blob))


def answer(blob):
    """Return what was written as plain values; Structs write their times as MessagePack has them or as texts."""
    return plain(msgspec.to_builtins(ANY.decode(blob)))
