"""The record as pydantic models, by the methods that both generations have, and by the JSON of each generation's own."""

import json
import pickle
import warnings

import msgpack
import orjson
import pydantic

warnings.simplefilter("ignore")  # the second generation calls these methods by other names


class PDUser(pydantic.BaseModel):
    fullname: str
    email: str


class PDClient(pydantic.BaseModel):
    user: PDUser
    last_contact: str


CLIENT = PDClient(user=PDUser(fullname="JK", email="jk@elicer.com"), last_contact="2024-06-15T12:34:56.789012+09:00")


def write_pickle(client):
    return pickle.dumps(client)


def read_pickle(blob):
    return pickle.loads(blob)


def write_json(client):
    return json.dumps(client.dict()).encode()


def read_json(blob):
    return PDClient.parse_obj(json.loads(blob))


def write_orjson(client):
    return orjson.dumps(client.dict())


def read_orjson(blob):
    return PDClient.parse_obj(orjson.loads(blob))


def write_msgpack(client):
    return msgpack.dumps(client.dict())


def read_msgpack(blob):
    return PDClient.parse_obj(msgpack.loads(blob))


OWN_WRITE = getattr(PDClient, "model_dump_json", None) or PDClient.json
OWN_READ = getattr(PDClient, "model_validate_json", None) or PDClient.parse_raw


def write_own(client):
    return OWN_WRITE(client).encode()


def read_own(blob):
    return OWN_READ(blob)


WRITERS = {"pickle": write_pickle, "json": write_json, "orjson": write_orjson, "msgpack": write_msgpack}


def prepare(reads=None):
    """The record, or what a codec has made of it."""
    return CLIENT if reads is None else WRITERS[reads](CLIENT)


def answer(result):
    """The record as plain values, read again with another way where it is bytes."""
    if isinstance(result, bytes):
        ways = {b"\x80": pickle.loads, b"{": json.loads}
        result = ways.get(result[:1], msgpack.loads)(result)
    return result if isinstance(result, dict) else result.dict()
