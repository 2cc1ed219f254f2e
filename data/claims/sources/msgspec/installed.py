"""The size of installed distributions."""

from importlib.metadata import files


def prepare(names):
    return names


def size(names):
    """Return the bytes of their files, without those that Python has compiled."""
    found = [one for name in names for one in files(name) if one.suffix != ".pyc"]
    return sum(one.locate().stat().st_size for one in found)
