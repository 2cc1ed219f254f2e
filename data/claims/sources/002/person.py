"""A person of a name and an age: what each row of the table timed, and marshmallow's way from dict to object as well."""

import attr
import pydantic
from cattr import structure
from marshmallow import Schema, fields, post_load
from schematics.models import Model
from schematics.types import IntType, StringType

PERSON = {"name": "Mario Luigi", "age": 32}


class SchematicsPerson(Model):
    name = StringType()
    age = IntType()


@attr.s
class AttrsPerson(object):
    name = attr.ib(validator=[attr.validators.instance_of(str)])
    age = attr.ib(validator=[attr.validators.instance_of(int)])


class PydanticPerson(pydantic.BaseModel):
    name: str = ...
    age: int = ...


class Person(object):
    def __init__(self, name, age):
        if not isinstance(name, str):
            raise ValueError("the name is no string")
        if not isinstance(age, int):
            raise ValueError("the age is no integer")
        self.name = name
        self.age = age


class UncheckedPerson(object):
    def __init__(self, name, age):
        self.name = name
        self.age = age


class DumpingSchema(Schema):
    name = fields.Str()
    age = fields.Int()


class LoadingSchema(DumpingSchema):
    @post_load
    def person(self, data, **_):
        return UncheckedPerson(**data)


def prepare(schema=None):
    """The person as a dict, with the schema that the row works with."""
    schemas = {"dumping": DumpingSchema, "loading": LoadingSchema}
    return PERSON if schema is None else (schemas[schema](), PERSON)


def schematics(person):
    """An object, which is then validated."""
    made = SchematicsPerson(person)
    made.validate()
    return made


def marshmallow_dump(given):
    """No object, and nothing is validated: a dict from a dict."""
    schema, person = given
    return schema.dump(person)


def marshmallow_load(given):
    """An object, of what is validated first."""
    schema, person = given
    return schema.load(person)


def attrs(person):
    return AttrsPerson(**person)


def pydantic_model(person):
    return PydanticPerson(**person)


def checked_class(person):
    return Person(**person)


def unchecked_class(person):
    return UncheckedPerson(**person)


def cattrs(person):
    return structure(person, AttrsPerson)


def answer(made):
    """The kind of what was made, and its values; marshmallow 2 wraps them with the errors."""
    if isinstance(made, tuple):
        made = made.data
    if isinstance(made, dict):
        return {"dict": made}
    return {"object": {"name": made.name, "age": made.age}}
