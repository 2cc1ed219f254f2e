"""The record as msgspec structs, which msgspec itself writes as JSON and MessagePack."""

import json

import msgspec


class MSUser(msgspec.Struct):
    fullname: str
    email: str


class MSClient(msgspec.Struct):
    user: MSUser
    last_contact: str


CLIENT = MSClient(user=MSUser(fullname="JK", email="jk@elicer.com"), last_contact="2024-06-15T12:34:56.789012+09:00")


def write_json(client):
    return msgspec.json.encode(client)


def read_json(blob):
    return msgspec.json.decode(blob, type=MSClient)


def write_msgpack(client):
    return msgspec.msgpack.encode(client)


def read_msgpack(blob):
    return msgspec.msgpack.decode(blob, type=MSClient)


WRITERS = {"json": write_json, "msgpack": write_msgpack}


def prepare(reads=None):
    """The record, or what a codec has made of it."""
    return CLIENT if reads is None else WRITERS[reads](CLIENT)


def answer(result):
    """The record as plain values, read again with another way where it is bytes."""
    if isinstance(result, bytes):
        result = json.loads(result) if result[:1] == b"{" else msgspec.msgpack.decode(result)
    return result if isinstance(result, dict) else msgspec.to_builtins(result)
