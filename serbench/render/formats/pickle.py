"""pickle: Python's own object graph, for Python only and for trusted data only.

- Its size depends on the names of the module and of the classes, which every pickle holds, and on who made the data: a
  text that is one object stands there once. A thousand records of two numbers take 12,780 bytes if json has read them, and
  32,760 if ujson 6.1.0 has, which shares no keys (https://docs.python.org/3/library/pickle.html#comparison-with-marshal).
- It builds objects without calling their constructors: nothing is validated, and a pickle from an
  untrusted source runs code.
"""

from __future__ import annotations

from serbench.render.codec import ANY_MODEL, Calls, Codec, Format, Objects

_DOCS = "https://docs.python.org/3/library/pickle.html"
_PICKLE = Codec(
    name="pickle",
    docs=_DOCS,
    core=True,
    calls=Calls(dumps="pickle.dumps({})", loads="pickle.loads({})", imports=("pickle",)),
    objects=Objects(takes=ANY_MODEL, makes=ANY_MODEL),
)

FORMAT = Format(
    name="pickle",
    summary="Python's own object graph; trusted data only",
    codecs=(
        _PICKLE,
        _PICKLE.tuned("protocol=4", f"{_DOCS}#data-stream-format", writing="protocol=4"),
        _PICKLE.tuned("protocol=5", f"{_DOCS}#data-stream-format", writing="protocol=5"),
    ),
    reader_in_worker="pickle:_loads",
)
