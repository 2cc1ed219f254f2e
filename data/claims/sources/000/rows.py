"""Rows of 15 fields, dumped: how long it takes, how often values are looked up, and what two profilers name."""

import cProfile
import datetime
import importlib
import os
import pstats

START = datetime.datetime(2022, 1, 1)
KINDS = ("Int", "Str", "Float", "Bool", "DateTime")
NAMES = ["{}_{}".format(kind.lower(), n) for n in range(3) for kind in KINDS]
CULPRITS = ("get_attribute", "serialize")


class Row(object):
    """What a query gives: attributes and nothing else."""

    def __init__(self, n):
        values = (n, "text {}".format(n), n / 8, n % 2 == 0, START + datetime.timedelta(seconds=n))
        for place, name in enumerate(NAMES):
            setattr(self, name, values[place % len(values)])


def prepare(rows, package="marshmallow"):
    """A schema of the package and so many rows."""
    if package == "althaia":
        importlib.import_module("althaia").patch()
    import marshmallow

    kinds = {name: getattr(marshmallow.fields, KINDS[place % len(KINDS)])() for place, name in enumerate(NAMES)}
    return marshmallow.Schema.from_dict(kinds)(many=True), [Row(n) for n in range(rows)]


def dump(given):
    schema, rows = given
    return schema.dump(rows)


def by_hand(given):
    """The same dicts from a loop that knows its fields."""
    plain = [(name, not name.startswith("datetime")) for name in NAMES]
    return [
        {name: getattr(row, name) if is_plain else getattr(row, name).isoformat() for name, is_plain in plain}
        for row in given[1]
    ]


def lookups(given):
    """How often a dump asks for a value of a row."""
    schema, rows = given
    asked = []
    get = schema.get_attribute

    def counted(row, name, default):
        asked.append(name)
        return get(row, name, default)

    schema.get_attribute = counted
    try:
        schema.dump(rows)
    finally:
        del schema.get_attribute
    return len(asked)


def hottest(given):
    """The three functions of marshmallow that take longest, with what they call, of those that run for every value."""
    schema, rows = given
    profile = cProfile.Profile()
    profile.runcall(schema.dump, rows)
    values = len(rows) * len(NAMES)
    found = {
        name: times[3]
        for (path, _, name), times in pstats.Stats(profile).stats.items()
        if os.sep + "marshmallow" + os.sep in path and times[0] >= values
    }
    return sorted(found, key=found.get, reverse=True)[:3]


def culprits(given):
    """Which of the two that were named are among them."""
    named = hottest(given)
    return [name for name in CULPRITS if name in named]


def hottest_lines(given):
    """The line of each of two functions on which it is longest, as line_profiler has it, but for calls of itself."""
    from line_profiler import LineProfiler

    schema, rows = given
    field = schema.fields[NAMES[0]]
    functions = [type(schema)._serialize, type(field).serialize]
    profiler = LineProfiler(*functions)
    profiler.runcall(schema.dump, rows)
    found = {}
    for (path, _, name), lines in profiler.get_stats().timings.items():
        with open(path, encoding="utf-8") as file:
            source = file.read().splitlines()
        times = {source[number - 1].strip(): taken for number, _, taken in lines}
        others = [line for line in times if "self._serialize(" not in line]
        found[name.rpartition(".")[2]] = max(others, key=times.get)
    return [found["_serialize"], found["serialize"]]


def answer(result):
    """Of many rows the number, the first and the last."""
    if isinstance(result, list) and isinstance(result[0], dict):
        return [len(result), result[0], result[-1]]
    return result
