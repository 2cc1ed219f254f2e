"""The objects written by ormsgpack, and by msgpack with a function for what it lacks."""

from dataclasses import asdict, is_dataclass

import msgpack
import ormsgpack
from pydantic import BaseModel

from .objects import List, json, made


class MemberModel(BaseModel):
    id: int
    active: bool


class GroupModel(BaseModel):
    id: int
    name: str
    members: List[MemberModel]


def prepare(kind):
    """Return objects of a kind; the groups as pydantic models too."""
    if kind != "models":
        return made(kind)
    return [GroupModel(**asdict(one)) for one in made("groups")]


def plain(value):
    """Return what msgpack asks for: the fields of an object, the list of an array."""
    if is_dataclass(value):
        return asdict(value)
    if isinstance(value, BaseModel):
        return value.model_dump() if hasattr(value, "model_dump") else value.dict()
    return value.tolist()


def packb(objects):
    return ormsgpack.packb(objects)


def packb_with_msgpack(objects):
    return msgpack.packb(objects, default=plain)


def numpy_packb(array):
    return ormsgpack.packb(array, option=ormsgpack.OPT_SERIALIZE_NUMPY)


def models_packb(models):
    return ormsgpack.packb(models, option=ormsgpack.OPT_SERIALIZE_PYDANTIC)


def answer(blob):
    """Return the values in few words: their text, by its length and sum."""
    found = json.dumps(msgpack.unpackb(blob), sort_keys=True)
    return [len(found), sum(map(ord, found))]
