"""A case that is ready to be timed, and the documents that its calls get in turn.

The worker loads this file by its path, so it is standard library only and runs on Python 3.6 and PyPy.
"""

import copy
import io
import marshal
import pickle
import struct
import sys
from collections import deque
from itertools import cycle, islice, repeat
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Optional, Tuple

WARM_OF_PART = 8  # an untimed call for so many timed ones
MADE_FOR_WARM = 4  # arguments of untimed calls, if others fit in the cache
TOGETHER_BYTES = 64 << 10  # of encoded documents that are compared at once


class Documents:
    """The documents of a stream, each alone, so that whatever is made of one is new in every part.

    `span` calls are timed together; with `fresh`, their arguments are made right before; `kept` results stay alive.

    Attributes:
        value: returns a new copy of a document; the keys of its records are shared, as the names in a program are.
        slim: returns the same with a tuple of values for each record; None if the documents have no such form.
    """

    def __init__(self, path: str, span: int, fresh: bool, kept: int) -> None:
        with open(path, "rb") as file:
            keys, python, whole, slim = pickle.load(file)
        names = [sys.intern(key) for key in keys]
        self.value: Callable[[int], Any] = _copier(names, python, *whole)
        self.slim: Optional[Callable[[int], Any]] = _copier([], python, *slim) if slim[0] else None
        self.count = len(whole[0])
        self.span, self.fresh, self.kept = span, fresh, kept

    def __len__(self) -> int:
        return self.count


def _copier(names: List[str], python: str, pickled: List[bytes], marshalled: List[bytes]) -> Callable[[int], Any]:
    """Return what copies a document. Those of builtins come marshalled as well, which this Python copies in half the time."""
    count = len(pickled)
    if marshalled and python == sys.implementation.cache_tag:
        return lambda index: marshal.loads(marshalled[index % count])  # noqa: S302 (serbench wrote it for this run)
    if not names:
        return lambda index: pickle.loads(pickled[index % count])
    # a class, as an attribute of an unpickler cannot be set on CPython 3.13.0
    unpickler: Any = type("Unpickler", (pickle.Unpickler,), {"persistent_load": names.__getitem__})
    return lambda index: unpickler(io.BytesIO(pickled[index % count])).load()


class UserObjects:
    """How a user's class makes its objects: `make` does it of a neutral value, which may be another than the document.

    With `further`, documents have more fields than the class.
    """

    def __init__(self, path: str, module: Any, fidelity: Any, *, further: bool = False) -> None:
        with open(path, "rb") as file:
            facts = pickle.load(file)
        make: Callable[[Any], Any] = fidelity.user_maker(module, facts["spec"], ready=facts["ready"])
        self.make = make
        if further:
            self.make = lambda value: make(fidelity.without_further(facts["spec"], value))
        self.lacking: Any = facts["lacking"]  # the schema of the documents, which tells what they may lack
        self.complete: Callable[[Any, Any], None] = fidelity.complete
        self.to_read: List[bytes] = []  # for each document of the stream
        if facts["to_read"]:
            with open(facts["to_read"], "rb") as file:
                self.to_read = pickle.load(file)

    def objects(self, index: int, value: Any) -> Any:
        """Return the objects of a document of the stream."""
        if not self.to_read:
            return self.make(value)
        document, beside = pickle.loads(self.to_read[index % len(self.to_read)])
        made = self.make(document)
        for one, more in zip(made, beside):
            self.complete(one, more)
        return made


class PreparedCase:
    """A rendered module, imported, with the inputs of its operations.

    Without `documents`, all calls of an operation get the same input. Otherwise consecutive calls get consecutive
    documents, encoded in `blobs`; those that refuse get the `wrong` ones of their operation.
    """

    def __init__(self, module: Any, data: str, value: Any = None, documents: Optional[Documents] = None) -> None:
        self.module = module
        self.data = data
        self.value = value
        self.documents = documents
        self.encode: Callable[[Any], bytes] = bytes
        self.make: Optional[Callable[[Any], Any]] = None
        self.make_of_slim: Optional[Callable[[Any], Any]] = None
        self.objects: Any = None
        self.user: Optional[UserObjects] = None
        self.user_encodes = False  # a user's class writes, or does not
        self.user_objects: Any = None
        self.any_class = False  # of functions of the user's, whose records may be of any class
        self.blob = b""
        self.answer: Any = None  # of a function's first call
        self.blobs: List[bytes] = []
        self.wrong: Dict[str, List[bytes]] = {}
        self.inputs: Dict[str, Any] = {}
        self.reused: Dict[Tuple[str, int], Any] = {}
        self.results: Dict[str, Deque[Any]] = {}

    def function(self, operation: str) -> Callable[[Any], Any]:
        """Return the function of an operation."""
        function: Callable[[Any], Any] = (
            self.refuse if operation.startswith("reject") else getattr(self.module, operation)
        )
        return function

    def input(self, operation: str) -> Any:
        """Return the argument that all calls of an operation share."""
        if operation in self.wrong:
            return self.wrong[operation][0]
        if operation not in self.inputs:
            make = self.argument(operation, lambda: self.objects, lambda: self.blob, lambda: self.value)
            self.inputs[operation] = make()
        return self.inputs[operation]

    def maker(self, operation: str) -> Callable[[int], Any]:
        """Return what makes the argument of an operation that belongs to a document: a new one if they are to be fresh."""
        documents = self.documents
        assert documents is not None
        if operation in self.wrong:
            return _copies(self.wrong[operation])
        fresh = self.argument(operation, self.objects_of, _copies(self.blobs), documents.value)
        if documents.fresh:
            return fresh

        def reused(index: int) -> Any:
            key = (operation, index % len(documents))
            if key not in self.reused:
                self.reused[key] = fresh(index)
            return self.reused[key]

        return reused

    def objects_of(self, index: int) -> Any:
        """Return new objects of a document of the stream."""
        assert self.documents is not None
        if self.make_of_slim and self.documents.slim:
            return self.make_of_slim(self.documents.slim(index))
        value = self.documents.value(index)
        if self.user is not None and self.user_encodes:
            return self.user.objects(index, value)
        return self.make(value) if self.make else value

    def argument(
        self,
        operation: str,
        objects: Callable[..., Any],
        blob: Callable[..., Any],
        value: Callable[..., Any],
    ) -> Callable[..., Any]:
        """Return what makes the argument of an operation of what gives a document's objects, its bytes or its neutral value."""
        if operation in ("encode", "dump", "call"):
            return objects
        if operation == "dumps":
            return lambda *index: self.module.dump(objects(*index))
        if operation == "build":
            return value
        if operation == "load":
            return lambda *index: self.module.loads(blob(*index))
        return (lambda *index: self.module.decode(blob(*index))) if operation == "read" else blob

    def spans(
        self, operation: str, loops: int, start: int, warmup: int
    ) -> Iterator[Tuple[Iterable[Any], Iterable[Any]]]:
        """Yield the arguments of `loops` calls, the first of document `start`, in parts that are timed one by one.

        Before those of each part come those of the untimed calls right before it, `warmup` for the first. They are made
        with the others: what makes arguments would leave cold caches to the first timed calls. Only a few are made, since
        they take more time than the calls; further untimed calls get the same ones again.
        """
        if self.documents is None:
            argument = self.input(operation)
            yield repeat(argument, warmup), repeat(argument, loops)
            return
        make, span = self.maker(operation), self.documents.span
        parts = -(-loops // span)
        for part in range(parts):
            count = (loops + part) // parts
            calls = warmup if part == 0 else count // WARM_OF_PART
            before = min(calls, max(count // WARM_OF_PART, min(MADE_FOR_WARM, span - count), 1))
            made = list(map(make, range(start - before, start + count)))
            yield islice(cycle(made[:before]), calls), made[before:]
            start += count

    def last_results(self, operation: str) -> Deque[Any]:
        """Return the results of an operation that are still alive; appending one drops the oldest."""
        if operation not in self.results:
            self.results[operation] = deque(maxlen=self.documents.kept if self.documents else 0)
        return self.results[operation]

    def refuse(self, blob: bytes) -> None:
        """Decode the wrong document, up to its refusal."""
        try:
            self.module.decode(blob)
        except Exception:  # whatever a library raises
            return
        raise ValueError("the wrong document is let through")


def _copies(blobs: List[bytes]) -> Callable[[int], bytes]:
    """Return what gives a copy of one of these, in cache as one that has just been received."""
    count = len(blobs)
    return lambda index: bytes(memoryview(blobs[index % count]))


def write_blobs(path: str, blobs: List[bytes]) -> None:
    """Write encoded documents behind their number and their lengths, each in eight bytes."""
    lengths = [len(blob) for blob in blobs]
    with open(path, "wb") as file:
        file.write(struct.pack("<{}Q".format(1 + len(blobs)), len(blobs), *lengths))
        file.writelines(blobs)


def read_blobs(path: str) -> List[bytes]:
    """Read what `write_blobs` wrote."""
    with open(path, "rb") as file:
        (count,) = struct.unpack("<Q", file.read(8))
        return [file.read(length) for length in struct.unpack("<{}Q".format(count), file.read(8 * count))]


def maker_for_functions(prepared: PreparedCase, encoding: Any, spec: Any, fidelity: Any) -> Callable[[Any], Any]:
    """Return what makes what functions of the user's take: by `build`, from the bytes of `encoding`, or a copy."""
    prepared.any_class = True
    if hasattr(prepared.module, "build"):
        build: Callable[[Any], Any] = prepared.module.build
        return lambda value: build(copy.deepcopy(value))
    if encoding is prepared.module:
        return copy.deepcopy
    make = fidelity.builder(spec, spec["root"], encoding)
    return lambda value: prepared.module.decode(encoding.encode(make(value) if make else value))
