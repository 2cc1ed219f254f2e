"""pickle: Python's own object graph, for Python only and for trusted data only.

- Its size depends on the names of the module and of the classes, which every pickle holds.
- It builds objects without calling their constructors: nothing is validated, and a pickle from an
  untrusted source runs code.
"""

from __future__ import annotations

from serbench.formats import ANY_MODEL, Codec, Format

FORMAT = Format(
    name="pickle",
    summary="Python's own object graph; trusted data only",
    codecs=(
        Codec(
            name="pickle",
            core=True,
            docs="https://docs.python.org/3/library/pickle.html",
            dumps="pickle.dumps({})",
            loads="pickle.loads({})",
            imports=("pickle",),
            takes=ANY_MODEL,
            makes=ANY_MODEL,
        ),
    ),
    reader_in_worker="pickle:_loads",
    size_note="a pickle holds the names of its module and classes, so its size depends on them",
)
