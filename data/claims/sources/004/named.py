"""A client with its user as NamedTuples and as dataclasses: made, and read field by field."""

from dataclasses import dataclass
from typing import NamedTuple


class TupleUser(NamedTuple):
    fullname: str
    email: str


class TupleClient(NamedTuple):
    user: TupleUser
    last_contact: str


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


def prepare(kind):
    """The classes, and a client of them."""
    client, user = (TupleClient, TupleUser) if kind == "tuple" else (Client, User)
    return client, user, client(user("JK", "jk@example.com"), "2024-06-15")


def make(given):
    client, user, _ = given
    return client(user("JK", "jk@example.com"), "2024-06-15")


def access(given):
    client = given[2]
    return client.user.fullname, client.user.email, client.last_contact


def answer(result):
    """The texts of a client, or those that were read."""
    is_read = isinstance(result, tuple) and isinstance(result[0], str)
    return list(result if is_read else access((None, None, result)))
