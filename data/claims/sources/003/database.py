"""Rows that a PostgreSQL has sent, as asyncpg's records or as tuples of the same values, into a data frame."""

import asyncio
from functools import lru_cache

import asyncpg

from .frames import NAMES, PYX_RECORDS, ROWS_OF_TUPLES, compiled_once, from_records, typed_blocks, typed_columns
from .server import started

COLUMNS = {"int": "bigint", "float": "float8", "time": "timestamp", "flag": "bool", "uuid": "uuid", "list": "bigint[]"}
READ = [from_records, typed_blocks, typed_columns]


async def sent(rows):
    """The rows, written into a table and read again."""
    folder, server = started()
    try:
        connection = await connected(folder)
        kinds = ", ".join(f"{name} {COLUMNS[name.rstrip('0123456789')]}" for name in NAMES)
        await connection.execute(f"CREATE TABLE bench ({kinds})")
        await connection.copy_records_to_table("bench", records=ROWS_OF_TUPLES(rows)[0])
        records = await connection.fetch("SELECT * FROM bench ORDER BY int0")
        await connection.close()
    finally:
        server.stdin.close()
        server.wait()
    return records


async def connected(folder):
    """A connection, once the server takes any."""
    for _ in range(100):
        try:
            return await asyncpg.connect(host=str(folder), user="bench", database="postgres")
        except (OSError, asyncpg.CannotConnectNowError):
            await asyncio.sleep(0.1)
    raise TimeoutError("the server takes no connection")


@lru_cache(maxsize=1)
def fetched(rows):
    """The records; the rows of one process share them."""
    return asyncio.run(sent(rows))


def prepare(rows, records=True, compiled=False):
    made = fetched(rows)
    if not records:
        made = [tuple(record) for record in made]
    return made, compiled_once("serbench_records", PYX_RECORDS).split if compiled else None
