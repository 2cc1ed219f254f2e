"""Messages (simple) and receipts (complex), from plain values to objects and back, in seven libraries."""

import warnings
from dataclasses import dataclass, field
from datetime import datetime
from typing import Optional

from mashumaro import DataClassDictMixin, field_options

from .receipts import MESSAGES, RECEIPTS, Payment, answer, camel, each
from .apischema_models import models

warnings.simplefilter("ignore")  # later versions call some of this by other names


@dataclass(frozen=True)
class PlainMessage:
    title: str
    body: str
    addresses: Optional[list[str]] = None
    persistence: Optional[int] = None


@dataclass(frozen=True)
class PlainClient:
    id: int
    first_name: str = field(metadata={"name": "firstName"})
    last_name: str = field(metadata={"name": "lastName"})

    def __post_init__(self):
        if self.id < 0:
            raise ValueError(self.id)


@dataclass(frozen=True)
class PlainItem:
    name: str
    price: float
    quantity: int = 1

    def __post_init__(self):
        if self.price < 0 or self.quantity < 1:
            raise ValueError(self)


@dataclass(frozen=True)
class PlainReceipt:
    store: str
    address: str
    date: datetime
    items: list[PlainItem]
    payment: Payment
    client: Optional[PlainClient] = None
    special_offers: Optional[float] = field(default=None, metadata={"name": "specialOffers"})

    def __post_init__(self):
        if self.special_offers is not None and self.special_offers < 0:
            raise ValueError(self.special_offers)


@dataclass(frozen=True)
class MashumaroMessage(DataClassDictMixin):
    title: str
    body: str
    addresses: Optional[list[str]] = None
    persistence: Optional[int] = None


@dataclass(frozen=True)
class MashumaroClient(DataClassDictMixin):
    id: int
    first_name: str = field(metadata=field_options(alias="firstName"))
    last_name: str = field(metadata=field_options(alias="lastName"))

    class Config:
        serialize_by_alias = True

    def __post_init__(self):
        if self.id < 0:
            raise ValueError(self.id)


@dataclass(frozen=True)
class MashumaroItem(DataClassDictMixin):
    name: str
    price: float
    quantity: int = 1

    def __post_init__(self):
        if self.price < 0 or self.quantity < 1:
            raise ValueError(self)


@dataclass(frozen=True)
class MashumaroReceipt(DataClassDictMixin):
    store: str
    address: str
    date: datetime
    items: list[MashumaroItem]
    payment: Payment
    client: Optional[MashumaroClient] = None
    special_offers: Optional[float] = field(default=None, metadata=field_options(alias="specialOffers"))

    class Config:
        serialize_by_alias = True

    def __post_init__(self):
        if self.special_offers is not None and self.special_offers < 0:
            raise ValueError(self.special_offers)


def with_apischema():
    import apischema

    apischema.settings.camel_case = True
    apischema.settings.deserialization.override_dataclass_constructors = True
    kinds = [kind for kind, _ in models(apischema, frozen=True).values()]
    return [(apischema.deserialization_method(one), apischema.serialization_method(one)) for one in kinds]


def with_mashumaro():
    return [(one.from_dict, one.to_dict) for one in (MashumaroMessage, MashumaroReceipt)]


def with_cattrs():
    import attr
    import cattr

    @attr.frozen
    class Message:
        title: str
        body: str
        addresses: Optional[list[str]] = None
        persistence: Optional[int] = None

    @attr.frozen
    class Client:
        id: int = attr.field(validator=attr.validators.ge(0))
        firstName: str
        lastName: str

    @attr.frozen
    class Item:
        name: str
        price: float = attr.field(validator=attr.validators.ge(0))
        quantity: int = attr.field(default=1, validator=attr.validators.ge(1))

    @attr.frozen
    class Receipt:
        store: str
        address: str
        date: datetime
        items: list[Item]
        payment: Payment
        client: Optional[Client] = None
        specialOffers: Optional[float] = attr.field(
            default=None, validator=attr.validators.optional(attr.validators.ge(0))
        )

    cattr.register_unstructure_hook(datetime, datetime.isoformat)
    cattr.register_structure_hook(datetime, lambda text, _: datetime.fromisoformat(text))

    def ways(kind):
        return (lambda plain: cattr.structure(plain, kind)), (lambda made: cattr.unstructure(made, kind))

    return [ways(Message), ways(Receipt)]


def with_typical():
    import typic

    @typic.constrained(ge=0)
    class PositiveFloat(float): ...

    @typic.constrained(ge=0)
    class PositiveInt(int): ...

    @typic.constrained(ge=1)
    class Quantity(int): ...

    @dataclass(frozen=True)
    class Message:
        title: str
        body: str
        addresses: Optional[list[str]] = None
        persistence: Optional[int] = None

    @dataclass(frozen=True)
    class Client:
        id: PositiveInt
        firstName: str
        lastName: str

    @dataclass(frozen=True)
    class Item:
        name: str
        price: PositiveFloat
        quantity: Quantity = Quantity(1)

    @dataclass(frozen=True)
    class Receipt:
        store: str
        address: str
        date: datetime
        items: list[Item]
        payment: Payment
        client: Optional[Client] = None
        specialOffers: Optional[PositiveFloat] = None

    protocols = [typic.protocol(one) for one in (Message, Receipt)]
    return [(one.deserialize, one.serialize) for one in protocols]


def with_pydantic(complete=False):
    import pydantic

    second = not pydantic.VERSION.startswith("1.")

    class Camel(pydantic.BaseModel):
        class Config:
            alias_generator = camel

    class Message(Camel):
        title: str
        body: str
        addresses: Optional[list[str]] = None
        persistence: Optional[int] = None

    class Client(Camel):
        id: int = pydantic.Field(ge=0)
        first_name: str
        last_name: str

    class Item(Camel):
        name: str
        price: float = pydantic.Field(ge=0)
        quantity: int = pydantic.Field(1, ge=1)

    class Receipt(Camel):
        store: str
        address: str
        date: datetime
        items: list[Item]
        payment: Payment
        client: Optional[Client] = None
        special_offers: Optional[float] = pydantic.Field(None, ge=0)

    def dumped(made):
        """Everything that JSON asks for, which the second generation does by itself."""
        if second:
            return made.model_dump(mode="json", by_alias=True)
        plain = made.dict(by_alias=True)
        if isinstance(made, Receipt):
            plain["date"], plain["payment"] = plain["date"].isoformat(), plain["payment"].value
        return plain

    def receipt(made):
        """The date's text is made, as it was published, and thrown away."""
        made.date.isoformat()
        return made.model_dump() if second else made.dict()

    load = "model_validate" if second else "parse_obj"
    message = Message.model_dump if second else Message.dict
    published = {Message: message, Receipt: receipt}
    return [(getattr(one, load), dumped if complete else published[one]) for one in (Message, Receipt)]


def with_marshmallow(complete=False):
    import marshmallow
    from marshmallow import post_load, validate
    from marshmallow.fields import DateTime, Float, Int, List, Nested, Str

    class Camel(marshmallow.Schema):
        kind = None

        def on_bind_field(self, field_name, field_obj):
            field_obj.data_key = camel(field_obj.data_key or field_name)

        @post_load
        def made(self, data, **_):
            return self.kind(**data) if complete else data

    class Member(Str):
        """The published field gives "Payment.CASH" for a member; this one its value."""

        def _serialize(self, value, attr, obj, **_):
            return value.value

    class Message(Camel):
        kind = PlainMessage
        title = Str(required=True)
        body = Str(required=True)
        addresses = List(Str)
        persistence = Int()

    class Client(Camel):
        kind = PlainClient
        id = Int(required=True, validate=validate.Range(min=0))
        first_name = Str(required=True)
        last_name = Str(required=True)

    class Item(Camel):
        kind = PlainItem
        name = Str(required=True)
        price = Float(required=True, validate=validate.Range(min=0))
        quantity = Int(load_default=1, validate=validate.Range(min=1))

    class Receipt(Camel):
        kind = PlainReceipt
        store = Str(required=True)
        address = Str(required=True)
        date = DateTime(required=True)
        items = List(Nested(Item), required=True)
        payment = (Member if complete else Str)(required=True, validate=validate.OneOf({one.value for one in Payment}))
        client = Nested(Client)
        special_offers = Float(validate=validate.Range(min=0))

        @post_load
        def made(self, data, **_):
            data["payment"] = Payment(data["payment"])
            return self.kind(**data) if complete else data

    return [(one().load, one().dump) for one in (Message, Receipt)]


def with_typedload(complete=False):
    from typedload.datadumper import Dumper
    from typedload.dataloader import Loader

    loader, dumper = Loader(), Dumper(hidedefault=not complete)
    text = (lambda kind: kind is datetime), (lambda _, value, __: datetime.fromisoformat(value))
    loader.handlers.insert(loader.index(datetime), text)
    moment = (lambda value: isinstance(value, datetime)), (lambda _, value, *__: value.isoformat())
    dumper.handlers.insert(dumper.index(datetime.now()), moment)
    return [((lambda plain, kind=kind: loader.load(plain, kind)), dumper.dump) for kind in (PlainMessage, PlainReceipt)]


WITH = {
    "apischema": with_apischema,
    "mashumaro": with_mashumaro,
    "cattrs": with_cattrs,
    "typical": with_typical,
    "pydantic": with_pydantic,
    "marshmallow": with_marshmallow,
    "typedload": with_typedload,
}


def prepare(library, documents, loads, same=False):
    """A method and what it is called with, one document after the other; `same` asks for what all others do too."""
    ways = WITH[library](True) if same else WITH[library]()
    load, dump = ways[documents == "complex"]
    plain = RECEIPTS if documents == "complex" else MESSAGES
    return (load, plain) if loads else (dump, [load(one) for one in plain])
