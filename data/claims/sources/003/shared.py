"""A UNION ALL of two selects that have a large condition in common, made and compiled with the condition twice or once."""

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

TABLE = sa.Table("facts", sa.MetaData(), *(sa.Column(name, sa.Integer) for name in ("a", "b", "c", "d", "e")))
COLUMN = TABLE.c
DIALECT = postgresql.dialect()
SECOND_GENERATION = sa.__version__.startswith("2")


def select(*conditions):
    """A select of the whole table, as the installed generation spells it."""
    start = sa.select(TABLE) if SECOND_GENERATION else sa.select([TABLE])
    return start.where(sa.and_(*conditions))


def large(values):
    """A condition with a long list and some comparisons."""
    return sa.and_(
        COLUMN.c.in_(values),
        sa.or_(COLUMN.d > values[0], COLUMN.d.is_(None)),
        sa.or_(COLUMN.e < values[-1], COLUMN.e.is_(None)),
    )


def union(first, second):
    """Both arms, each with its own small condition beside the large one, compiled for PostgreSQL."""
    return sa.union_all(
        select(COLUMN.a == 1, COLUMN.b == 2, first), select(COLUMN.a == 2, COLUMN.b == 1, second)
    ).compile(dialect=DIALECT)


def prepare(length):
    """The values of the long list."""
    return list(range(1000, 1000 + length))


def apart(values):
    return union(large(values), large(values))


def shared(values):
    condition = large(values)
    return union(condition, condition)


def answer(compiled):
    """The statement with its values in their places."""
    literal = compiled.statement.compile(dialect=DIALECT, compile_kwargs={"literal_binds": True})
    return " ".join(str(literal).split())
