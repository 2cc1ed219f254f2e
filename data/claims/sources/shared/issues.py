"""A page of an issue tracker, from plain values to objects and back, in the libraries that compare themselves on one."""

from dataclasses import asdict, dataclass, fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import List, Optional


class State(Enum):
    OPEN = "open"
    CLOSED = "closed"


@dataclass
class User:
    id: int
    login: str
    link: str
    admin: bool


@dataclass
class Label:
    id: int
    name: str
    colour: str
    text: Optional[str]
    default: bool


@dataclass
class Votes:
    total: int
    up: int
    down: int


@dataclass
class Issue:
    id: int
    title: str
    author: User
    labels: List[Label]
    state: State
    people: List[User]
    comments: int
    created: datetime
    changed: Optional[datetime]
    closed: Optional[datetime]
    votes: Votes
    text: Optional[str]


@dataclass
class Page:
    issues: List[Issue]


def values():
    """Return thirty issues as JSON has them."""

    def user(number):
        return {
            "id": number,
            "login": f"user{number}",
            "link": f"https://example.org/u/{number}",
            "admin": not number % 9,
        }

    def label(number):
        text = "what this label means" if number % 2 else None
        return {"id": number, "name": f"label {number}", "colour": f"{number:06x}", "text": text, "default": False}

    issues = [
        {
            "id": 1_900_000 + number,
            "title": f"Something is wrong in part {number}",
            "author": user(number),
            "labels": [label(number + one) for one in range(number % 4)],
            "state": "closed" if number % 3 == 0 else "open",
            "people": [user(number + one) for one in range(number % 3)],
            "comments": number,
            "created": "2023-09-15T10:20:30+00:00",
            "changed": "2023-09-16T10:20:30+00:00" if number % 2 else None,
            "closed": "2023-09-17T10:20:30+00:00" if number % 3 == 0 else None,
            "votes": {"total": 3, "up": 2, "down": 1},
            "text": "It does not do what it should. " * (number % 7) or None,
        }
        for number in range(30)
    ]
    return {"issues": issues}


CLASSES = (User, Label, Votes, Issue, Page)


def copied(decorate, *bases):
    """Return the page's classes made anew with other bases, by a decorator."""
    made = {}
    for one in CLASSES:
        kinds = {}
        for field in fields(one):
            kind = field.type
            inner = getattr(kind, "__args__", (None,))[0]
            if inner in made:
                kind = List[made[inner]]
            kinds[field.name] = made.get(kind, kind)
        name = f"Own{one.__name__}"  # some libraries look a class up by its name in its module
        globals()[name] = made[one] = decorate(type(name, bases, {"__annotations__": kinds, "__module__": __name__}))
    return made[Page]


def with_mashumaro():
    from mashumaro import DataClassDictMixin

    page = copied(dataclass, DataClassDictMixin)
    return page.from_dict, page.to_dict


def with_cattrs():
    import attr
    import cattr

    page = copied(attr.s(auto_attribs=True))
    converter = cattr.GenConverter()
    converter.register_structure_hook(datetime, lambda value, _: datetime.fromisoformat(value))
    converter.register_unstructure_hook(datetime, datetime.isoformat)
    return lambda found: converter.structure(found, page), converter.unstructure


def with_pydantic():
    from pydantic import BaseModel

    page = copied(lambda one: one, BaseModel)
    if hasattr(page, "model_validate"):
        return page.model_validate, lambda one: one.model_dump(mode="json")
    return page.parse_obj, page.dict


def with_marshmallow():
    from marshmallow import Schema, post_load
    from marshmallow import fields as kinds

    class Chosen(kinds.Field):
        def _serialize(self, value, attr, obj, **_):
            return value.value

        def _deserialize(self, value, attr, data, **_):
            return State(value)

    def schema(model, **own):
        def make(self, data, **_):
            return model(**data)

        return type(f"{model.__name__}Schema", (Schema,), {**own, "make": post_load(make)})

    def maybe(kind):
        return kind(required=True, allow_none=True)

    def must(kind, *inner):
        return kind(*inner, required=True)

    text, whole, flag, moment = kinds.String, kinds.Integer, kinds.Boolean, kinds.DateTime
    user = schema(User, id=must(whole), login=must(text), link=must(text), admin=must(flag))
    label = schema(Label, id=must(whole), name=must(text), colour=must(text), text=maybe(text), default=must(flag))
    votes = schema(Votes, total=must(whole), up=must(whole), down=must(whole))
    issue = schema(
        Issue,
        id=must(whole),
        title=must(text),
        author=must(kinds.Nested, user),
        labels=must(kinds.List, kinds.Nested(label)),
        state=must(Chosen),
        people=must(kinds.List, kinds.Nested(user)),
        comments=must(whole),
        created=must(moment),
        changed=maybe(moment),
        closed=maybe(moment),
        votes=must(kinds.Nested, votes),
        text=maybe(text),
    )
    page = schema(Page, issues=must(kinds.List, kinds.Nested(issue)))()
    return page.load, page.dump


def with_dacite():
    import dacite

    config = dacite.Config(cast=[State], type_hooks={datetime: datetime.fromisoformat})
    return lambda found: dacite.from_dict(Page, found, config), None


def with_asdict():
    return None, asdict


def with_serpyco_rs():
    import serpyco_rs

    serializer = serpyco_rs.Serializer(Page)
    return serializer.load, serializer.dump


def with_adaptix():
    from adaptix import Retort

    retort = Retort()
    return retort.get_loader(Page), retort.get_dumper(Page)


def with_apischema():
    import apischema

    return apischema.deserialization_method(Page), apischema.serialization_method(Page)


def with_typedload():
    from typedload.datadumper import Dumper
    from typedload.dataloader import Loader

    loader, dumper = Loader(), Dumper(hidedefault=False)
    text = (lambda kind: kind is datetime, lambda _, value, __: datetime.fromisoformat(value))
    loader.handlers.insert(loader.index(datetime), text)
    moment = (lambda value: isinstance(value, datetime), lambda _, value, *__: value.isoformat())
    dumper.handlers.insert(dumper.index(datetime.now()), moment)
    return lambda found: loader.load(found, Page), dumper.dump


def with_msgspec():
    import msgspec

    return lambda found: msgspec.convert(found, Page), msgspec.to_builtins


WAYS = {name[5:].replace("_", "-"): way for name, way in globals().copy().items() if name.startswith("with_")}


def prepare(library, loads=True):
    """Return the library's function and its argument: plain values, or the object that the library has made of them."""
    load, dump = WAYS[library]()
    if loads:
        return load, values()
    return dump, (load or by_hand())(values())


def by_hand():
    """Return a function that makes the page without any library."""

    def make(found):
        moments = ("created", "changed", "closed")
        issues = [
            Issue(
                **{
                    **one,
                    "author": User(**one["author"]),
                    "labels": [Label(**label) for label in one["labels"]],
                    "state": State(one["state"]),
                    "people": [User(**user) for user in one["people"]],
                    "votes": Votes(**one["votes"]),
                    **{name: one[name] and datetime.fromisoformat(one[name]) for name in moments},
                }
            )
            for one in found["issues"]
        ]
        return Page(issues)

    return make


def call(asked):
    function, argument = asked
    return function(argument)


def answer(result):
    """Return plain values, dates in one form."""
    if hasattr(result, "model_dump"):
        return plain(result.model_dump())
    if hasattr(result, "dict"):
        return plain(result.dict())
    if hasattr(result, "__attrs_attrs__"):
        import attr

        return plain(attr.asdict(result))
    return plain(asdict(result) if is_dataclass(result) else result)


def plain(value):
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        value = value.isoformat()
    return value.replace("Z", "+00:00") if isinstance(value, str) else value
