"""The record as attrs classes: pickled as it is, or through cattrs around three codecs."""

import json
import pickle

import attrs
import cattrs
import msgpack
import orjson


@attrs.define(kw_only=True)
class ATUser:
    fullname: str
    email: str


@attrs.define(kw_only=True)
class ATClient:
    user: ATUser
    last_contact: str


CLIENT = ATClient(user=ATUser(fullname="JK", email="jk@elicer.com"), last_contact="2024-06-15T12:34:56.789012+09:00")


def write_pickle(client):
    return pickle.dumps(client)


def read_pickle(blob):
    return pickle.loads(blob)


def write_json(client):
    return json.dumps(cattrs.unstructure(client)).encode()


def read_json(blob):
    return cattrs.structure(json.loads(blob), ATClient)


def write_orjson(client):
    return orjson.dumps(cattrs.unstructure(client))


def read_orjson(blob):
    return cattrs.structure(orjson.loads(blob), ATClient)


def write_msgpack(client):
    return msgpack.dumps(cattrs.unstructure(client))


def read_msgpack(blob):
    return cattrs.structure(msgpack.loads(blob), ATClient)


WRITERS = {"pickle": write_pickle, "json": write_json, "orjson": write_orjson, "msgpack": write_msgpack}


def prepare(reads=None):
    """The record, or what a codec has made of it."""
    return CLIENT if reads is None else WRITERS[reads](CLIENT)


def answer(result):
    """The record as plain values, read again with another way where it is bytes."""
    if isinstance(result, bytes):
        ways = {b"\x80": pickle.loads, b"{": json.loads}
        result = ways.get(result[:1], msgpack.loads)(result)
    return result if isinstance(result, dict) else attrs.asdict(result)
