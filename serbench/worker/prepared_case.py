"""A case that is ready to be timed, and the stream of documents that its calls get.

The worker loads this file by its path, so it is standard library only and runs on Python 3.6 and PyPy.
"""

import io
import pickle
import struct
import sys
from collections import deque
from itertools import repeat
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Optional, Tuple


class Documents:
    """The documents of a stream, each pickled alone, so that whatever is made of one is new in every part.

    `span` calls are timed together; with `fresh`, their arguments are made right before; `kept` results stay alive.
    """

    def __init__(self, path: str, span: int, fresh: bool, kept: int) -> None:
        with open(path, "rb") as file:
            keys, self.pickled = pickle.load(file)  # type: Tuple[List[str], List[bytes]]
        self.keys = [sys.intern(key) for key in keys]
        self.span, self.fresh, self.kept = span, fresh, kept

    def value(self, index: int) -> Any:
        """Return a new copy of a document; the keys of its records are shared, as the names in a program are."""
        unpickler = pickle.Unpickler(io.BytesIO(self.pickled[index % len(self.pickled)]))
        unpickler.persistent_load = self.keys.__getitem__  # type: ignore[method-assign]
        return unpickler.load()


class PreparedCase:
    """A rendered module, imported, with the inputs of its operations.

    Without `documents`, all calls of an operation get the same input; otherwise consecutive calls get consecutive
    documents. `blobs` has each document encoded, once `verify` or `prepare` has brought them.
    """

    def __init__(self, module: Any, data: str, value: Any = None, documents: Optional[Documents] = None) -> None:
        self.module = module
        self.data = data
        self.value = value
        self.documents = documents
        self.encode: Callable[[Any], bytes] = bytes
        self.make: Optional[Callable[[Any], Any]] = None
        self.objects: Any = None
        self.blob = b""
        self.blobs: List[bytes] = []
        self.inputs: Dict[str, Any] = {}
        self.reused: Dict[Tuple[str, int], Any] = {}
        self.results: Dict[str, Deque[Any]] = {}

    def function(self, operation: str) -> Callable[[Any], Any]:
        """Return the function of an operation."""
        return self.refuse if operation.startswith("reject") else getattr(self.module, operation)  # type: ignore[no-any-return]

    def input(self, operation: str, index: Optional[int] = None) -> Any:
        """Return the argument of an operation: a new one of that document, or the one that all calls share."""
        if index is None:
            if operation not in self.inputs:
                self.inputs[operation] = self.made(operation, lambda: self.objects, lambda: self.blob, lambda: self.value)
            return self.inputs[operation]
        documents = self.documents
        assert documents is not None
        if operation in self.inputs:  # a wrong document
            return self.inputs[operation]

        def objects() -> Any:
            value = documents.value(index)
            return self.make(value) if self.make else value

        def blob() -> bytes:
            return bytes(memoryview(self.blobs[index % len(self.blobs)]))  # a copy, as if it had just been received

        return self.made(operation, objects, blob, lambda: documents.value(index))

    def made(
        self, operation: str, objects: Callable[[], Any], blob: Callable[[], bytes], value: Callable[[], Any]
    ) -> Any:
        """Make the argument of an operation from a document's objects, its bytes or its neutral value."""
        if operation in ("encode", "dump"):
            return objects()
        if operation == "build":
            return value()
        if operation == "dumps":
            return self.module.dump(objects())
        if operation == "load":
            return self.module.loads(blob())
        return self.module.decode(blob()) if operation == "read" else blob()

    def spans(self, operation: str, loops: int, start: int) -> Iterator[Iterable[Any]]:
        """Yield the arguments of `loops` calls, in parts that are to be timed each on its own."""
        documents = self.documents
        if documents is None:
            yield repeat(self.input(operation), loops)
            return
        for first in range(start, start + loops, documents.span):
            indices = range(first, min(first + documents.span, start + loops))
            yield [self.input(operation, index) if documents.fresh else self.once(operation, index) for index in indices]

    def once(self, operation: str, index: int) -> Any:
        """Return the argument of that document, made only once."""
        assert self.documents is not None
        key = (operation, index % len(self.documents.pickled))
        if key not in self.reused:
            self.reused[key] = self.input(operation, index)
        return self.reused[key]

    def keep(self, operation: str) -> Deque[Any]:
        """Return the queue of an operation's last results."""
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


def write_blobs(path: str, blobs: List[bytes]) -> None:
    """Write encoded documents, each after its length in eight bytes."""
    with open(path, "wb") as file:
        for blob in blobs:
            file.write(struct.pack("<Q", len(blob)) + blob)


def read_blobs(path: str) -> List[bytes]:
    """Read what `write_blobs` wrote."""
    with open(path, "rb") as file:
        text = file.read()
    found, place = [], 0
    while place < len(text):
        (length,) = struct.unpack_from("<Q", text, place)
        found.append(text[place + 8 : place + 8 + length])
        place += 8 + length
    return found
