"""Rows with typed and object columns into a data frame: inferred from the records, or of columns whose types are known."""

import datetime
import random
import uuid

import numpy as np
import pandas as pd

from .compiled import compiled_once

EACH = 5  # columns of each of the four types; as many object columns as typed ones
TYPES = {"int": "int64", "float": "float64", "time": None, "flag": "bool"}
NAMES = [
    f"{kind}{number}" for kind in (*TYPES, "uuid", "list") for number in range(EACH if kind in TYPES else 2 * EACH)
]
TYPED = len(TYPES) * EACH
PYX = '''
import numpy as np
cimport cython
from cpython cimport PyList_GET_ITEM, PyTuple_GET_ITEM

@cython.boundscheck(False)
@cython.wraparound(False)
def split(list rows, int typed, int others):
    """The columns of rows that are tuples, as an array of objects for the typed ones and one for the others."""
    cdef Py_ssize_t i, j, size = len(rows)
    first = np.empty((typed, size), dtype=object)
    second = np.empty((others, size), dtype=object)
    cdef object[:, :] left = first
    cdef object[:, :] right = second
    cdef tuple row
    for i in range(size):
        row = rows[i]
        for j in range(typed):
            left[j, i] = row[j]
        for j in range(others):
            right[j, i] = row[typed + j]
    return first, second
'''


def prepare(rows, compiled=False):
    """Rows as a database's driver returns them, and the compiled function where it is used."""
    rng = random.Random(0)
    start = datetime.datetime(2022, 3, 10)
    made = []
    for number in range(rows):
        row = [number * 1000 + place for place in range(EACH)]
        row += [rng.random() for _ in range(EACH)]
        row += [start + datetime.timedelta(seconds=number + place) for place in range(EACH)]
        row += [rng.random() < 0.5 for _ in range(EACH)]
        row += [uuid.UUID(int=rng.getrandbits(128)) if rng.random() < 0.9 else None for _ in range(2 * EACH)]
        row += [[number, place] if rng.random() < 0.9 else None for place in range(2 * EACH)]
        made.append(tuple(row))
    return made, compiled_once("serbench_columns", PYX).split if compiled else None


def typed(name, values):
    """An array of objects as one of the known type; NumPy alone is slow with datetimes, so pandas reads them."""
    kind = TYPES[name[:-1]]
    return values.astype(kind) if kind else pd.to_datetime(values)


def from_records(given):
    return pd.DataFrame.from_records(given[0], columns=NAMES)


def frame_of(columns):
    """A data frame of arrays of objects, of which those of a known type are converted."""
    arrays = {name: column if name[:-1] not in TYPES else typed(name, column) for name, column in zip(NAMES, columns)}
    return pd.DataFrame(arrays, copy=False)


def typed_columns(given):
    rows = given[0]
    return frame_of(np.fromiter(column, object, len(rows)) for column in zip(*rows))


def typed_columns_compiled(given):
    rows, split = given
    typed_ones, others = split(rows, TYPED, len(NAMES) - TYPED)
    return frame_of([*typed_ones, *others])


def answer(frame):
    """Names, kinds, and the first and last rows, every value as text; what is missing is None in all of them."""
    ends = pd.concat([frame.head(3), frame.tail(3)]).astype(object)
    rows = [[None if value is None else str(value) for value in row] for row in ends.itertuples(index=False)]
    return [list(frame.columns), [dtype.kind for dtype in frame.dtypes], len(frame), rows]
