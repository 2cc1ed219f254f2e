"""The documents as MessagePack, written and read by ormsgpack and msgpack."""

import msgpack
import ormsgpack

from .documents import DOCUMENTS, json, random


def prepare(document, blob=False):
    """Return a document, or its MessagePack."""
    found = DOCUMENTS[document](random.Random(3))
    return msgpack.packb(found) if blob else found


def packb(document):
    return ormsgpack.packb(document)


def packb_with_msgpack(document):
    return msgpack.packb(document)


def unpackb(blob):
    return ormsgpack.unpackb(blob)


def unpackb_with_msgpack(blob):
    return msgpack.unpackb(blob)


def answer(result):
    """Return the document in few words: its text sorted, by its length and sum."""
    found = json.dumps(msgpack.unpackb(result) if isinstance(result, bytes) else result, sort_keys=True)
    return [len(found), sum(map(ord, found))]
