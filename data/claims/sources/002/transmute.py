"""A call through transmute-core, from the text of a request to that of its response: of a number, and of an object."""

import json

import attr
from attr.validators import instance_of
from schematics.models import Model
from schematics.types import BooleanType, IntType, StringType
from schematics.types.compound import ModelType
from transmute_core import (
    NoArgument,
    ParamExtractor,
    TransmuteFunction,
    annotate,
    default_context,
    describe,
    process_result,
)

JSON = "application/json"
RECORD = {"user": {"name": "Richard Stallman", "age": 104}, "description": "this is a test", "is_allowed": True}


class SchematicsUser(Model):
    name = StringType()
    age = IntType()


class SchematicsRecord(Model):
    user = ModelType(SchematicsUser)
    description = StringType()
    is_allowed = BooleanType()


@attr.s
class ValidatedUser(object):
    name = attr.ib(validator=instance_of(str))
    age = attr.ib(validator=instance_of(int))


@attr.s
class ValidatedRecord(object):
    """Types are named for the validators only."""

    user = attr.ib(validator=instance_of(ValidatedUser))
    description = attr.ib(validator=instance_of(str))
    is_allowed = attr.ib(validator=instance_of(bool))


@attr.s
class AttrsUser(object):
    name = attr.ib(type=str, validator=instance_of(str))
    age = attr.ib(type=int, validator=instance_of(int))


@attr.s
class AttrsRecord(object):
    """Types are named for the converter as well."""

    user = attr.ib(type=AttrsUser, validator=instance_of(AttrsUser))
    description = attr.ib(type=str, validator=instance_of(str))
    is_allowed = attr.ib(type=bool, validator=instance_of(bool))


class Body(ParamExtractor):
    """A request that is a body and nothing else."""

    def __init__(self, text):
        self._text = text

    @property
    def body(self):
        return self._text

    def _get_framework_args(self):
        return {}

    def _query_argument(self, key, is_list):
        return NoArgument

    def _header_argument(self, key):
        return NoArgument

    def _path_argument(self, key):
        return NoArgument


MODELS = {"int": int, "schematics": SchematicsRecord, "validated": ValidatedRecord, "attrs": AttrsRecord}


def prepare(model, phase=None):
    """A function that gives back what it is called with, and the request; or what a phase of its call begins with."""
    kind = MODELS[model]

    @describe(paths="/echo", body_parameters="body")
    @annotate({"body": kind, "return": kind})
    def echo(body):
        return body

    text = json.dumps(1 if kind is int else RECORD)
    if phase is None:
        return TransmuteFunction(echo), text
    plain = json.loads(text)
    structured = default_context.serializers.load(kind, plain)
    starts = {"decode": text, "structure": plain, "function": structured, "unstructure": structured, "encode": plain}
    return TransmuteFunction(echo), kind, starts[phase]


def call(given):
    """All of it."""
    function, text = given
    arguments, keywords = Body(text).extract_params(default_context, function, JSON)
    result = function(*arguments, **keywords)
    return process_result(function, default_context, result, None, JSON)


def decode(given):
    return default_context.contenttype_serializers[JSON].load(given[2])


def structure(given):
    return default_context.serializers.load(given[1], given[2])


def run(given):
    return given[0](given[2])


def unstructure(given):
    return default_context.serializers.dump(given[1], given[2])


def encode(given):
    return default_context.contenttype_serializers[JSON].dump(given[2])


def conversion(given):
    """Both conversions: from plain values to the object, and back."""
    made = default_context.serializers.load(given[1], given[2])
    return default_context.serializers.dump(given[1], made)


def answer(result):
    """What the response, or the phase, says as plain values."""
    if isinstance(result, dict) and "body" in result:
        return json.loads(result["body"].decode())
    if isinstance(result, bytes):
        return json.loads(result.decode())
    if isinstance(result, Model):
        return result.to_primitive()
    return attr.asdict(result) if attr.has(type(result)) else result
