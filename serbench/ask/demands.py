"""What a case can be asked to meet, beside speed: the demands of `recommend`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import metadata

from serbench.ask.present import library_of
from serbench.judge.recommend import validates
from serbench.judge.rows import Row
from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import DECIMAL
from serbench.model.types import List, Ref
from serbench.render.codec import Codec
from serbench.render.format import codecs, formats
from serbench.render.library import Library
from serbench.render.rendering import render
from serbench.render.user_class.functions import CODEC

_PRICE = Schema(List(Ref("Item")), (Record("Item", (Field("price", DECIMAL),)),))
_COMPILED = (".so", ".pyd", ".dylib")


def refusal(demands: Sequence[str], row: Row) -> str | None:
    """The reason why a case does not meet these demands, from its decode row; None if it meets all."""
    if row.codec == CODEC:
        return _refuse_functions(row, demands)
    served = next((codec for codec in codecs() if (codec.name, codec.format) == (row.codec, row.format)), None)
    library = library_of(row.library)
    if served is None or library is None:  # of a plug-in, or of another version of serbench
        return "it is not known here" if demands else None
    return next(filter(None, (DEMANDS[demand](row, library, served) for demand in demands)), None)


def _refuse_functions(row: Row, demands: Sequence[str]) -> str | None:
    """The reason against functions of the user's, of which nothing is known but what was measured."""
    if unknown := [demand for demand in demands if demand not in ("validating", "keeps-all")]:
        return f"{unknown[0]} is not known of your own functions"
    return None if "validating" not in demands or validates(row) else "wrong input passes unchecked"


def _human_readable(row: Row, _library: Library, codec: Codec) -> str | None:
    return None if formats()[codec.format].text else f"{row.format} is not human-readable"


def _validating(row: Row, _library: Library, codec: Codec) -> str | None:
    if formats()[codec.format].write is None:
        return f"{row.format} runs code that comes with the data"
    return None if validates(row) else "wrong input passes unchecked"


def _no_compiled_code(_row: Row, library: Library, codec: Codec) -> str | None:
    names = filter(None, (*library.distributions, codec.distribution))
    return "compiled code" if any(_compiled(name) for name in names) else None


def _standard_library(_row: Row, library: Library, codec: Codec) -> str | None:
    return "not in the standard library" if library.distributions or codec.distribution else None


def _exact_decimal(row: Row, library: Library, codec: Codec) -> str | None:
    return None if render(library, row.variant, codec, _PRICE).reason is None else "no exact Decimal"


DEMANDS: dict[str, Callable[[Row, Library, Codec], str | None]] = {
    "human-readable": _human_readable,
    "validating": _validating,
    "no-compiled-code": _no_compiled_code,
    "standard-library": _standard_library,
    "exact-decimal": _exact_decimal,
    "keeps-all": lambda _row, _library, _codec: None,  # the run itself has left out the others
}
"""Each demand, with a function that says why a case does not meet it, from its decode row, library and codec."""


@cache
def _compiled(name: str) -> bool:
    """Tell if an installed distribution, or one that it requires, has compiled files."""
    todo, seen = [name], set()
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        try:
            distribution = metadata.distribution(one)
        except metadata.PackageNotFoundError:
            continue  # a requirement of another platform
        if any(file.suffix in _COMPILED for file in distribution.files or ()):
            return True
        needed = (line for line in distribution.requires or () if "extra ==" not in line)
        todo += [match[0] for line in needed if (match := re.match(r"[\w.-]+", line))]
    return False
