"""Reads a user's documents with an adopted module and writes them again, as a program that has the module does.

The worker loads this file by its path inside any environment and calls its function, so it is standard library
only, imports nothing of serbench, and runs on Python 3.6 and PyPy.
"""

import sys
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
