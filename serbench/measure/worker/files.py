"""Reads and writes files with a module, as a program would: a user's own files, and files of many records.

The worker loads this file by its path inside any environment and calls its functions, so it is standard library
only, imports nothing of serbench, and runs on Python 3.6 and PyPy.
"""

import sys
import time
from typing import Any, Dict, List, Optional

MOST_TOLD = 1000  # refusals whose messages are sent


def returned(
    worker: Any,
    module: str,
    path: str,
    blobs: str,
    written: str,
    data: Optional[str] = None,
    stream: Optional[str] = None,
) -> Dict[str, Any]:
    """Decode each document of the file `blobs`, and write what encoding makes of it to the file `written`.

    What is decoded is compared with the neutral values `data`; a module that only writes encodes these. `stream` is a
    file with a document in each line, which the module's `read_stream` reads.

    Returns:
        `refused` has the number of each document that ends in an exception, from 0, and the message, `refusals` how many
        there are; `misread` the number of the first document that becomes another value than `data` says, and the
        difference; `whole` the same of one that only has ints in place of floats.
    """
    imported = worker.load_module(module, path)
    files: Any = sys.modules["_serbench_prepared_case"]
    spec, values = worker.data[data] if data else ({}, None)
    spec = {**spec, "sparse": True}
    decode, encode = getattr(imported, "decode", None), getattr(imported, "encode", None)
    inputs: List[Any] = files.read_blobs(blobs) if decode is not None else values
    if decode is None:
        make = getattr(imported, "build", None) or worker.fidelity.builder(spec, spec["root"], imported)
        decode = make or (lambda value: value)
    compare = worker.fidelity.decoded_difference
    encoded: List[bytes] = []
    refused: List[List[Any]] = []
    differing: Dict[str, List[Any]] = {}
    for number, document in enumerate(inputs):
        try:
            objects = decode(document)
            encoded.append(encode(objects) if encode is not None else b"")
        except MemoryError:
            raise
        except Exception as error:  # libraries may raise any exception
            encoded.append(b"")
            refused.append([number, worker.fidelity.told(error)])
            continue
        if values is not None and inputs is not values and "misread" not in differing:
            with worker.fidelity.deep_recursion():
                text = compare(imported, spec, values[number], objects)
                real = text and compare(imported, {**spec, "whole": True}, values[number], objects)
            if text is not None:
                differing.setdefault("whole" if real is None else "misread", [number, real or text])
    if stream is not None and not refused:
        with open(stream, "rb") as file:
            read = sum(1 for _ in imported.read_stream(file))
        if read != len(encoded):
            differing["misread"] = [0, ": read_stream gives {} documents of {}".format(read, len(encoded))]
    files.write_blobs(written, encoded)
    return {"refused": refused[:MOST_TOLD], "refusals": len(refused), **differing}


def write_stream(
    worker: Any, module: str, path: str, data: str, file: str, target: int, user: Optional[str] = None
) -> Dict[str, Any]:
    """Write the items of the data over and over, until the file has `target` bytes: the CPU time, and how many times.

    Each item has come back unchanged before. `user` is the path of how a user's class makes its objects.
    """
    imported = worker.load_module(module, path)
    spec, values = worker.data[data]
    fidelity, users = worker.fidelity, user_objects(worker, user, imported)
    make = users.make if users else fidelity.builder(spec, spec["root"], imported)
    items = [make(value) if make else value for value in values]
    for value, item in zip(values, items):
        back = imported.decode(imported.encode(item))
        text = fidelity.user_difference(item, back) if users else fidelity.difference(spec, spec["root"], value, back)
        if text is not None:
            raise ValueError("decode: value" + text)
    cpu = time.thread_time_ns()
    rounds = 0
    with open(file, "wb") as records:
        while records.tell() < target:
            imported.write_stream(items, records)
            rounds += 1
        size = records.tell()
    return {"cpu_ns": time.thread_time_ns() - cpu, "rounds": rounds, "size_bytes": size}


def prove_stream(
    worker: Any, module: str, path: str, data: str, file: str, user: Optional[str] = None
) -> Dict[str, Any]:
    """Read every record of a file and compare it with that of the data, which may have more fields; say if it has them all.

    A dict may lack what is null, and an int stand for the float that equals it.
    """
    imported = worker.load_module(module, path)
    spec, values = worker.data[data]
    fidelity, users, everything = worker.fidelity, user_objects(worker, user, imported), "written" in spec

    def difference(spec: Any, value: Any, one: Any) -> Any:
        return fidelity.difference(dict(spec, sparse=True, whole=True), spec["root"], value, one)

    with open(file, "rb") as records:
        read = list(imported.read_stream(records))
    if len(read) != len(values):
        raise ValueError("read_stream gives {} records of {}".format(len(read), len(values)))
    for number, (value, one) in enumerate(zip(values, read), 1):
        everything = everything and difference(spec["written"], value, one) is None
        if everything:
            continue
        known = fidelity.without_further(spec, value)
        text = fidelity.user_difference(users.make(known), one) if users else difference(spec, known, one)
        if text is not None:
            raise ValueError("read_stream: record {}{}".format(number, text))
    return {"everything": everything}


def user_objects(worker: Any, user: Optional[str], module: Any) -> Any:
    """Return what makes the objects of a user's class; None if there is none."""
    return user and sys.modules["_serbench_prepared_case"].UserObjects(user, module, worker.fidelity)
