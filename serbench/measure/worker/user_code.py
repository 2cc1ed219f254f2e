"""User code in a worker: its values, its functions, and their answers.

The worker loads this file by its path, so it is standard library only and runs on Python 3.6 and PyPy.
"""

import importlib
import importlib.util
import inspect
import json
import pickle
import re
import sys
import time
from collections import deque
from typing import Any, Callable, Dict, Iterator, List, Tuple

PROVEN = 16  # documents of which answers are compared
PROVEN_S = 2.0
LISTS = (list, tuple, deque, set, frozenset)
ADDRESS = re.compile(r"\bat 0x[0-9a-f]", re.IGNORECASE)


def module_at(folder: str, name: str) -> Any:
    """Import a module of a folder; `name` may be a file that no import statement can name."""
    if name.endswith(".py"):
        sys.path.append(folder)  # last: a file called json.py must not hide the module json
        return module_of("file_" + name[:-3], folder + "/" + name)
    sys.path.insert(0, folder)
    return importlib.import_module(name)


def module_of(name: str, path: str) -> Any:
    """Import a file under a name of its own."""
    if name not in sys.modules:
        spec: Any = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def attribute(value: Any, path: str) -> Any:
    """Return an attribute of an attribute."""
    for name in path.split("."):
        value = getattr(value, name)
    return value


def values_of(path: str) -> Dict[str, Any]:
    """Return what serbench has pickled for this run, by name: see `carried.py`. What its classes need is in `__main__` too.

    It is read by the cloudpickle of the process that wrote it, which other environments may lack.
    """
    with open(path, "rb") as file:
        python, cloudpickle, folders = pickle.load(file)
        if python != sys.implementation.cache_tag:
            raise RuntimeError("code of a cell or a script runs on {} alone; put it into a file".format(python))
        sys.path += [folder for folder in folders if folder not in sys.path]
        module_of("cloudpickle", cloudpickle)
        both, main = pickle.Unpickler(file), vars(sys.modules["__main__"])
        main.update((name, value) for name, value in both.load().items() if name not in main)
        values: Dict[str, Any] = both.load()
    return values


def maker(setup: Callable[..., Any]) -> Tuple[Callable[[int], Any], bool]:
    """Return what makes the argument of the call of a number, and whether arguments differ by their number.

    A setup that takes a parameter is called with the number.
    """
    parameters = inspect.signature(setup).parameters.values()
    if any(
        parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        for parameter in parameters
    ):
        return setup, True
    return lambda _number: setup(), False


def after(build: Callable[[int], Any], function: Callable[[Any], Any]) -> Callable[[int], Any]:
    """Return what makes of a number what a function makes of an argument."""
    return lambda number: function(build(number))


def answers(call: Callable[[Any], Any], build: Callable[[int], Any], first: Any, several: bool, hot: bool) -> List[Any]:
    """Return the answers to the first arguments, as `told` tells them; of several, as many as two seconds allow.

    `first` is the answer to the first argument. If arguments do not differ, the second answer is that to another like the
    first or, if `hot`, to the very same.
    """
    facts, began = [told(first)], time.time()
    if hot:
        argument = build(0)
        call(argument)
        return [facts[0], told(call(argument))]
    for number in range(1, PROVEN if several else 2):
        if time.time() - began > PROVEN_S:
            break
        facts.append(told(call(build(number))))
    return facts


def told(value: Any, within: Tuple[int, ...] = ()) -> Any:
    """Describe an answer as JSON data that tells types and values, whatever the objects are.

    A list begins with its type, and a set is in the order of what it holds; a dict has the `repr` of its keys, or is a set of
    pairs if these show nothing; a table or an array has its values; an object has its class as "" and its fields, its bytes,
    or its `repr`, or nothing more if it shows nothing of itself.
    """
    if value is None or type(value) in (str, int, bool):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else {"": "float", "repr": repr(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"": type(value).__name__, "latin-1": bytes(value).decode("latin-1")}
    if isinstance(value, type):
        return {"": "type", "repr": value.__name__}
    if id(value) in within:
        return {"": "…"}
    inside = (*within, id(value))
    if isinstance(value, dict):
        if not all(type(key) in (str, int) or shown_by(key) for key in value):
            return ["dict", *in_order([told(pair, inside) for pair in value.items()])]
        return {repr(key): told(item, inside) for key, item in value.items()}
    if isinstance(value, LISTS) and not getattr(value, "_fields", None):
        items = [told(item, inside) for item in value]
        return [type(value).__name__] + (in_order(items) if isinstance(value, (set, frozenset)) else items)
    facts: Dict[str, Any] = {"": type(value).__name__}
    try:
        held = held_by(value)
    except Exception:  # it is not as its methods say, or holds nothing yet
        held = {}
    held = held or {name: getattr(value, name) for name in field_names(value) if hasattr(value, name)}
    facts.update((name, told(item, inside)) for name, item in held.items())
    if len(facts) == 1:
        try:
            facts["latin-1"] = bytes(memoryview(value)).decode("latin-1")
        except (TypeError, ValueError, BufferError):  # it is no buffer
            text = shown_by(value)
            if text:
                facts["repr"] = text
    return facts


def shown_by(value: Any) -> str:
    """Return the `repr`; an empty text if it is only a memory address."""
    text = repr(value)
    return "" if ADDRESS.search(text) or "{:x}".format(id(value)) in text.lower() else text


def in_order(items: List[Any]) -> List[Any]:
    """Return what `told` tells of values in an order that depends on nothing else."""
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))


def held_by(value: Any) -> Dict[str, Any]:
    """Return what arrays, columns and tables hold, whose fields tell nothing and whose `repr` is shortened; nothing of others.

    They are known by the methods of their classes: no library is imported.
    """

    def has(*names: str) -> bool:
        return all(hasattr(type(value), name) for name in names)

    if has("to_pydict", "schema", "columns"):  # pyarrow
        return {"columns": list(value.schema.names), "values": [column.to_pylist() for column in value.columns]}
    if has("get_columns", "to_dicts"):  # polars
        return {"columns": value.columns, "values": [column.to_list() for column in value.get_columns()]}
    if has("iloc", "columns", "itertuples"):  # pandas
        columns = [value.iloc[:, number].tolist() for number in range(len(value.columns))]
        return {"columns": value.columns, "index": value.index, "values": columns}
    read = next((name for name in ("tolist", "to_pylist", "to_list", "as_py") if has(name)), "")
    if not read or (read == "to_list" and not has("dtype")):
        return {}
    values = getattr(value, read)()
    if type(values) is type(value):  # a number that is none of Python's
        return {"repr": repr(value)}
    held = {"values": values}
    if has("dtype", "to_list"):  # a column or an index of a table
        labels = ("names",) if has("names") else ("name", "index")
        held.update((label, getattr(value, label)) for label in labels if has(label))
    elif getattr(getattr(value, "dtype", None), "names", None):
        held["columns"] = value.dtype.names
    return held


def field_names(value: Any) -> Iterator[str]:
    """Return the names under which an object may hold its data, each once."""
    names = list(getattr(value, "__struct_fields__", ())) + list(getattr(value, "_fields", ()))
    for one in type(value).__mro__:
        slots = one.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else list(slots)
    names += list(getattr(value, "__dict__", ()))
    held = getattr(value, "__pydantic_extra__", None) or ()  # which a model gives as attributes
    names += [name for name in held if isinstance(name, str)]
    return iter([name for name in dict.fromkeys(names) if not (name.startswith("__") and name.endswith("__"))])
