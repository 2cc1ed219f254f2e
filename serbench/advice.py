"""The public verb that recommends: measures a payload, and says what to choose under which demands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any

from serbench.analysis import Row
from serbench.analysis.recommend import Advice, Key
from serbench.analysis.recommend import recommend as advise
from serbench.cases import render
from serbench.engine.selection import find_case
from serbench.formats import Codec, codecs, formats
from serbench.libraries import Library, libraries
from serbench.names import PlanError, check
from serbench.own_model import BASES, OWN
from serbench.result import Run
from serbench.schema import DECIMAL, Field, List, Record, Ref, Schema
from serbench.verbs import load, run

_PRICE = Schema(List(Ref("Item")), (Record("Item", (Field("price", DECIMAL),)),))
_COMPILED = (".so", ".pyd", ".dylib")


@dataclass(frozen=True)
class Recommendation:
    """The advice for each workload point, and the run that it rests on."""

    run: Run
    advice: tuple[Advice, ...]

    def __str__(self) -> str:
        parts = [f"{one.point}\n" + "".join(f"- {line}\n" for line in one.lines()) for one in self.advice]
        accuracy = self.run.control.get("aa_error")
        known = f", in which identical code differed by {accuracy:.1%}" if isinstance(accuracy, float) else ""
        return "\n".join([*parts, f"from run {self.run.id}{known}"])

    def to_data(self) -> dict[str, Any]:
        """The object that `serbench recommend --json` prints."""
        return {"run": self.run.id, "advice": [one.to_data() for one in self.advice]}


def recommend(
    *choices: Any,
    demands: str | Iterable[str] = (),
    present: str | None = None,
    measured: Run | str | None = None,
    **options: Any,
) -> Recommendation:
    """What to choose for data, with the evidence.

    Args:
        *choices, **options: what `serbench.run` takes; not looked at with `measured`.
        demands: "human-readable", "validating", "no-compiled-code", "standard-library", "exact-decimal",
            "keeps-all".
        present: what is used today, as "pydantic/json" or "library/codec/format"; "yours/json" is the class given as
            `model`.
        measured: a run, or the id of a stored one, to judge by in place of a new one.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    wanted = [part.strip() for part in demands.split(",")] if isinstance(demands, str) else list(demands)
    for demand in wanted:
        check("demand", demand, DEMANDS)
    own = present is not None and present.partition("/")[0] == OWN
    today = None if present is None or own else _case(present)
    if "keeps-all" in wanted:
        options["keeps_all"] = True
    done = measured if isinstance(measured, Run) else load(measured) if measured else run(*choices, **options)

    if "keeps-all" in wanted and not done.info.plan.get("keeps_all"):
        raise PlanError(f"run {done.id} did not ask what keeps all; measure with --keeps-all")

    def refuse(row: Row) -> str | None:
        served = next(codec for codec in codecs() if (codec.name, codec.format) == (row.codec, row.format))
        return next(filter(None, (DEMANDS[demand](row, _library(row.library), served) for demand in wanted)), None)

    if own:
        today = _own_case(present or "", done)
    return Recommendation(done, tuple(advise(done.rows, refuse=refuse, present=today)))


def _case(text: str) -> Key:
    """The case that "library/codec" or "library/codec/format" means."""
    library, _, served = text.partition("/")
    found, variant, codec = find_case(library, served or "json")
    return (found.name, variant, codec.name, codec.format)


def _own_case(text: str, run: Run) -> Key:
    """The case of the user's class in a run that has one."""
    name = next((row.library for row in run.rows if row.library.startswith(f"{OWN} (")), None)
    if name is None:
        raise PlanError(f"there is no class of your own in run {run.id}; give it with --model, or name a library")
    _, _, codec, format_ = _case(f"{_library(name).name}/{text.partition('/')[2]}".rstrip("/"))
    return (name, "default", codec, format_)


def _library(name: str) -> Library:
    """The library of that name; of a class of the user's, what it is written with."""
    kind = re.fullmatch(rf"{OWN} \((.+)\)", name)
    return libraries()[BASES[kind[1]] if kind else name]


def _human_readable(row: Row, _library: Library, codec: Codec) -> str | None:
    return None if formats()[codec.format].text else f"{row.format} is not human-readable"


def _validating(row: Row, _library: Library, codec: Codec) -> str | None:
    if formats()[codec.format].write is None:
        return f"{row.format} runs code that comes with the data"
    checks = (row.work_class or "").endswith(("strict", "coercing"))
    return None if checks else "wrong input passes unchecked"


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
"""What may be demanded of a case → why one does not fulfil it, by its decode row, library and codec."""


@cache
def _compiled(name: str) -> bool:
    """Whether an installed distribution, or one that it requires, has compiled files."""
    todo, seen = [name], set()
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        try:
            found = metadata.distribution(one)
        except metadata.PackageNotFoundError:
            continue  # a requirement of another platform
        if any(file.suffix in _COMPILED for file in found.files or ()):
            return True
        needed = (line for line in found.requires or () if "extra ==" not in line)
        todo += [match[0] for line in needed if (match := re.match(r"[\w.-]+", line))]
    return False
