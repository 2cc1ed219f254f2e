"""Messages and receipts with apischema alone: compiled or as pure Python, and with or without its own way to make objects."""

import importlib.machinery
import sys

from .receipts import answer, each
from .apischema_models import models


class SourceOnly:
    """Finds apischema's modules as source, beside which the compiled ones lie."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None or name.partition(".")[0] != "apischema":
            return None
        loaders = importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES
        return importlib.machinery.FileFinder(path[0], loaders).find_spec(name)


def prepare(documents="complex", loads=True, pure=False, frozen=True, override=True, calls=False):
    """A method and the documents or objects for it, as in the benchmark unless it is asked for otherwise.

    With `calls`, only the classes of all objects, the inner ones first, and what their constructors are called with.
    """
    if pure:
        sys.meta_path.insert(0, SourceOnly)
    import apischema
    import apischema.deserialization.methods as compiled

    if pure != (type(compiled.__loader__) is importlib.machinery.SourceFileLoader):
        raise RuntimeError("apischema is " + ("compiled" if pure else "pure Python") + " here")
    apischema.settings.camel_case = True
    apischema.settings.deserialization.override_dataclass_constructors = override
    kind, plain = models(apischema, frozen)[documents]
    load, dump = apischema.deserialization_method(kind), apischema.serialization_method(kind)
    made = [load(one) for one in plain]
    if calls:
        objects = [
            one for each in made for one in (*getattr(each, "items", ()), getattr(each, "client", None), each) if one
        ]
        return [(type(one), [getattr(one, name) for name in one.__dataclass_fields__]) for one in objects]
    return (load, plain) if loads else (dump, made)


def construct(calls):
    """Nothing but the calls of the constructors, with the values that they are called with."""
    return [kind(*values) for kind, values in calls]
