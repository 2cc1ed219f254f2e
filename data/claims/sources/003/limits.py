"""What the article says of order, placeholders and its records, each as a question that is answered."""

import asyncio

import numpy as np


def prepare(argument=None):
    return argument


def order_of_starts(_):
    """The order in which gather starts what it is given."""
    started = []

    async def request(name):
        started.append(name)

    async def all_of_them():
        await asyncio.gather(*map(request, "abc"))

    asyncio.run(all_of_them())
    return "".join(started)


def parameters(dialect):
    """How many parameters a UNION ALL with a condition in common has: a placeholder without a name stands once for each use."""
    from importlib import import_module

    import sqlalchemy as sa

    table = sa.Table("facts", sa.MetaData(), *(sa.Column(name, sa.Integer) for name in "abc"))
    select = sa.select(table) if sa.__version__.startswith("2") else sa.select([table])
    shared = table.c.c == 3
    arms = [select.where(sa.and_(table.c.a == a, table.c.b == b, shared)) for a, b in ((1, 2), (2, 1))]
    compiled = sa.union_all(*arms).compile(dialect=import_module(f"sqlalchemy.dialects.{dialect}").dialect())
    return len(compiled.positiontup or compiled.params)


DTYPE = np.dtype([("number", "i8"), ("moment", "datetime64[s]"), ("text", "U16"), ("blob", "S8")])
ARRAY = np.array([(7, "2022-03-10T00:00:00", "ä", b"raw")], dtype=DTYPE)


def shares_memory(_):
    """Whether what is serialized is the record's own memory, and what is deserialized too."""
    data = ARRAY.view(np.uint8).data
    return np.shares_memory(ARRAY, np.frombuffer(data, dtype=DTYPE, count=1))


def values(_):
    """A number, a moment, a text and a blob, from the bytes."""
    record = np.frombuffer(ARRAY.tobytes(), dtype=DTYPE, count=1)[0]
    return [str(value.decode() if isinstance(value, bytes) else value) for value in record]


def changeable(_):
    """Whether a record over bytes can be changed."""
    return bool(np.frombuffer(ARRAY.tobytes(), dtype=DTYPE, count=1).flags.writeable)


def any_type(_):
    """Whether a field can hold any object."""
    try:
        np.frombuffer(bytes(8), dtype=np.dtype([("anything", object)]))
    except ValueError:
        return False
    return True
