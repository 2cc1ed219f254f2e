"""What the proof of an adopted module has shown: in lines for its user, and as comments at the top of the module."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from serbench.measure.probes.adoption import Returned
from serbench.measure.probes.meaning import KINDS, LOST, Change
from serbench.render.case import Case
from serbench.results import grouped

_MOST_LINES, _MOST_COLUMNS = 20, 8
_WIDTH = 100


def proof_lines(one: Returned, case: Case) -> Iterator[str]:
    """Yield what comes back of a file, and each way in which it differs."""
    if one.refusal:
        more = f" ({one.refusals:,} of {one.documents:,} lines)" if one.documents > 1 else ""
        yield f"{one.name} is refused: {one.refusal}{more}"
        return
    steps = [name for name, step in (("decoded", "decode"), ("written", "encode")) if step in case.operations]
    what = " and ".join(steps) + (", line by line" if one.documents > 1 else "")
    same = "the data is lost in part" if one.losses else "the same data" if one.changes else "exactly the same data"
    yield f"{one.name}: {what}: {same}"
    for change in sorted(one.changes, key=lambda change: change.kind != LOST)[:_MOST_LINES]:
        yield f"- {'lost: ' if change.kind == LOST else ''}{change}"
    if len(one.changes) > _MOST_LINES:
        yield f"- and {len(one.changes) - _MOST_LINES:,} more"


def comments(case: Case, unknown: Mapping[str, str], changes: Sequence[Change], lines_of: str = "") -> str:
    """Return the comments of an adopted module: what differs in what it writes, and what becomes of unknown keys.

    `unknown` has an outcome for each record; `lines_of` is the name of a file with a document in each line.
    """
    said = []
    if lines_of:
        read = (
            ", and `read_stream` all lines of a file that is open in binary mode" if "stream" in case.operations else ""
        )
        read = read or ": open it in binary mode, and decode each line"
        said.append(f"`decode` reads a line of {ascii(lines_of)[1:-1]}{read}.")
    by_kind = grouped(changes, lambda change: change.kind)
    for kind, some in by_kind.items():
        columns = list(
            dict.fromkeys(change.column.removeprefix("[]" if lines_of else "").lstrip(".") for change in some)
        )
        meaning = KINDS.get(kind, "a value is lost or changed")
        said.append(f"{meaning[0].upper()}{meaning[1:]}: {_named(columns)}")
    said += [_unknown_text(case, unknown)] if unknown else []
    wrapped = (textwrap.wrap(one, _WIDTH, break_long_words=False, break_on_hyphens=False) for one in said)
    text = "".join(f"# {line}\n" for lines in wrapped for line in lines)
    return re.sub(r"coding(?=[:=])", "coding ", text)  # PEP 263 would read an encoding there


def _unknown_text(case: Case, unknown: Mapping[str, str]) -> str:
    by_outcome = grouped(unknown, lambda record: unknown[record])
    if len(by_outcome) == 1:
        said = f"A key that no field has is {next(iter(by_outcome))}"
    else:
        parts = (f"{outcome} in {_named(records)}" for outcome, records in by_outcome.items())
        said = f"A key that no field has is {'; '.join(parts)}"
    library = case.library
    others = [
        f"with {variant} it is {outcome} ({library.variants[variant]})"
        for outcome, variant in library.unknown_keys.items()
        if variant != case.variant
    ]
    return "; ".join([said, *others])


def _named(names: Sequence[str]) -> str:
    more = len(names) - _MOST_COLUMNS
    return ", ".join(name[:_WIDTH] or "the document" for name in names[:_MOST_COLUMNS]) + (
        f" and {more:,} more" if more > 0 else ""
    )
