"""The record as dataclasses: pickled as it is, or through asdict and dacite around three codecs."""

import dataclasses
import json
import pickle

import dacite
import msgpack
import orjson


@dataclasses.dataclass
class DCUser:
    fullname: str
    email: str


@dataclasses.dataclass
class DCClient:
    user: DCUser
    last_contact: str


CLIENT = DCClient(user=DCUser(fullname="JK", email="jk@elicer.com"), last_contact="2024-06-15T12:34:56.789012+09:00")


def write_pickle(client):
    return pickle.dumps(client)


def read_pickle(blob):
    return pickle.loads(blob)


def write_json(client):
    return json.dumps(dataclasses.asdict(client)).encode()


def read_json(blob):
    return dacite.from_dict(data_class=DCClient, data=json.loads(blob))


def write_orjson(client):
    return orjson.dumps(dataclasses.asdict(client))


def read_orjson(blob):
    return dacite.from_dict(data_class=DCClient, data=orjson.loads(blob))


def write_msgpack(client):
    return msgpack.dumps(dataclasses.asdict(client))


def read_msgpack(blob):
    return dacite.from_dict(data_class=DCClient, data=msgpack.loads(blob))


WRITERS = {"pickle": write_pickle, "json": write_json, "orjson": write_orjson, "msgpack": write_msgpack}


def prepare(reads=None):
    """The record, or what a codec has made of it."""
    return CLIENT if reads is None else WRITERS[reads](CLIENT)


def answer(result):
    """The record as plain values, read again with another way where it is bytes."""
    if isinstance(result, bytes):
        ways = {b"\x80": pickle.loads, b"{": json.loads}
        result = ways.get(result[:1], msgpack.loads)(result)
    return result if isinstance(result, dict) else dataclasses.asdict(result)
