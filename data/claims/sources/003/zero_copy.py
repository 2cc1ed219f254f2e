"""Records that are an array over bytes, against pickled objects and against values of single columns."""

import pickle
import random

import numpy as np
import pandas as pd

TIMES = ["created", "first_commit", "last_commit", "first_review", "last_review", "approved", "merged", "closed"]
COUNTS = ["commits", "additions", "deletions", "files", "comments", "reviews", "lines"]
TEXTS = ["author", "merger", "base"]
FIELDS = TIMES + COUNTS + TEXTS + ["done", "size"]
DTYPE = np.dtype(
    [(name, "datetime64[s]") for name in TIMES]
    + [(name, "i8") for name in COUNTS]
    + [(name, "U16") for name in TEXTS]
    + [("done", "?"), ("size", "f8"), ("activity_offset", "i4"), ("activity_count", "i4")]
)
ACTIVITY = np.dtype("datetime64[s]")


class Facts:
    """One record: its bytes as an array, its properties made of the fields, and a field that is not serialized."""

    __slots__ = ("_array", "_data", "repository")

    def __init__(self, data, repository=None):
        self._data = data
        self._array = np.frombuffer(data, dtype=DTYPE, count=1)
        self.repository = repository

    @classmethod
    def of(cls, values, activity):
        """A record of values in the order of the fields, and its days of activity behind it."""
        array = np.array([(*values, DTYPE.itemsize, len(activity))], dtype=DTYPE)
        return cls(array.tobytes() + np.array(activity, dtype=ACTIVITY).tobytes())

    @property
    def activity(self):
        """The array of variable length, which begins where the record says."""
        start, count = self._array["activity_offset"][0], self._array["activity_count"][0]
        return np.frombuffer(self._data, dtype=ACTIVITY, offset=start, count=count)

    def serialize(self):
        """A view of the bytes, as the printed one makes it, with what stands behind the record."""
        return np.frombuffer(self._data, dtype=np.uint8).data


def made_property(name):
    return property(lambda self: self._array[name][0])


for field in FIELDS:
    setattr(Facts, field, made_property(field))


class Plain:
    """The same record as an ordinary object."""

    __slots__ = (*FIELDS, "activity")

    def __init__(self, *values):
        for name, value in zip(self.__slots__, values):
            setattr(self, name, value)

    def __reduce__(self):
        return Plain, tuple(getattr(self, name) for name in self.__slots__)


def records(count):
    """Values of so many records, in the order of the fields, and their days of activity."""
    rng = random.Random(0)
    for number in range(count):
        times = [np.datetime64(1_600_000_000 + rng.randrange(10**7), "s") for _ in TIMES]
        counts = [rng.randrange(10_000) for _ in COUNTS]
        texts = [f"person {rng.randrange(1000)}" for _ in TEXTS]
        activity = [np.datetime64(1_600_000_000 + day * 86_400, "s") for day in range(number % 5)]
        yield [*times, *counts, *texts, rng.random() < 0.5, rng.random()], activity


def prepare(count, form):
    """The records as objects over arrays, as ordinary objects, as bytes of either, or as rows of single columns."""
    rows = list(records(count))
    if form.startswith("struct"):
        made = [Facts.of(values, activity) for values, activity in rows]
        return [facts.serialize() for facts in made] if form == "struct bytes" else made
    if form == "columns":
        return [
            (*(value.item() if hasattr(value, "item") else value for value in values), activity)
            for values, activity in rows
        ]
    made = [Plain(*values, activity) for values, activity in rows]
    return [pickle.dumps(plain) for plain in made] if form == "pickle bytes" else made


def struct_write(objects):
    return [facts.serialize() for facts in objects]


def struct_read(blobs):
    return [Facts(blob) for blob in blobs]


def struct_read_all(blobs):
    return [[*(getattr(facts, name) for name in FIELDS), facts.activity] for facts in map(Facts, blobs)]


def struct_frame(blobs):
    joined = np.frombuffer(b"".join([blob[: DTYPE.itemsize] for blob in blobs]), dtype=DTYPE, count=len(blobs))
    return pd.DataFrame({name: joined[name] for name in FIELDS})


def pickle_write(objects):
    return [pickle.dumps(plain) for plain in objects]


def pickle_read(blobs):
    return [pickle.loads(blob) for blob in blobs]


def pickle_read_all(blobs):
    return [[getattr(plain, name) for name in Plain.__slots__] for plain in map(pickle.loads, blobs)]


def pickle_frame(blobs):
    objects = [pickle.loads(blob) for blob in blobs]
    return pd.DataFrame({name: [getattr(plain, name) for plain in objects] for name in FIELDS})


def columns_read(rows):
    return [Plain(*row) for row in rows]


def columns_frame(rows):
    return pd.DataFrame.from_records([row[:-1] for row in rows], columns=FIELDS)


def plain_values(values):
    """Values that mean the same, as the same texts."""
    return [
        str(np.datetime64(value, "s")) if name in TIMES else value.item() if hasattr(value, "item") else value
        for name, value in zip(FIELDS, values)
    ]


def answer(result):
    """What the first and last results hold, in whatever form they are."""
    if isinstance(result, pd.DataFrame):
        return [plain_values(row) for row in result.iloc[[0, -1]].itertuples(index=False)]
    ends = []
    for one in (result[0], result[-1]):
        if isinstance(one, (bytes, memoryview)):
            one = pickle.loads(one) if bytes(one[:1]) == b"\x80" else Facts(one)
        values = one if isinstance(one, list) else [getattr(one, name) for name in FIELDS]
        ends.append(plain_values(values))
    return ends
