"""Rows of asyncpg's records, or of tuples, into a data frame: inferred, of typed columns, or of whole blocks."""

from asyncpg.protocol import protocol

from .records import EACH, NAMES, TYPED, TYPES, compiled_once, frame_of, np, pd, prepare, typed

ROWS_OF_TUPLES = prepare
PYX_RECORDS = '''
import numpy as np
cimport cython

@cython.boundscheck(False)
@cython.wraparound(False)
def split(list rows, int typed, int others):
    """The columns of rows that are records, as an array of objects for the typed ones and one for the others."""
    cdef Py_ssize_t i, j, size = len(rows)
    first = np.empty((typed, size), dtype=object)
    second = np.empty((others, size), dtype=object)
    cdef object[:, :] left = first
    cdef object[:, :] right = second
    for i in range(size):
        row = rows[i]
        for j in range(typed):
            left[j, i] = row[j]
        for j in range(others):
            right[j, i] = row[typed + j]
    return first, second
'''


def prepare(rows, records=True, compiled=False):
    """Rows as the driver's own records or as tuples, and the compiled function where it is used."""
    made, _ = ROWS_OF_TUPLES(rows)
    if records:
        names = {name: place for place, name in enumerate(NAMES)}
        made = [protocol._create_record(names, row) for row in made]
    return made, compiled_once("serbench_records", PYX_RECORDS).split if compiled else None


def from_records(given):
    return pd.DataFrame.from_records(given[0], columns=NAMES)


def typed_columns(given):
    """Each column an array of its known type."""
    rows, split = given
    known, others = split(rows, TYPED, len(NAMES) - TYPED)
    return frame_of([*known, *others])


def typed_blocks(given):
    """The columns of one type are one array already, which pandas takes as it is."""
    rows, split = given
    known, others = split(rows, TYPED, len(NAMES) - TYPED)
    blocks = []
    for place, kind in enumerate(TYPES):
        columns = known[place * EACH : (place + 1) * EACH]
        if TYPES[kind]:
            block = columns.astype(TYPES[kind])
        else:
            block = np.stack([np.asarray(typed(f"{kind}0", column)) for column in columns])
        blocks.append((block, np.arange(place * EACH, (place + 1) * EACH)))
    blocks.append((others, np.arange(TYPED, len(NAMES))))
    index, columns = pd.RangeIndex(len(rows)), pd.Index(NAMES)
    if hasattr(pd.api, "internals"):
        return pd.api.internals.create_dataframe_from_blocks(blocks, index=index, columns=columns)
    from pandas.core.internals import BlockManager, make_block

    made = tuple(make_block(block, placement=slice(place[0], place[-1] + 1)) for block, place in blocks)
    return pd.DataFrame(BlockManager(made, [columns, index], verify_integrity=False), copy=False)
