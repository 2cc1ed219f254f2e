"""The lookup of values: a line for each outcome of each probe, with its codecs and libraries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from serbench.display.matrices import by_codec, most_frequent, with_recommended_codec
from serbench.display.table import Column, Table
from serbench.judge.outcomes import Behaviour, Finding, by_type, probe_names
from serbench.results import grouped

SHOWN = 60
ALSO = {
    "datetime +05:45": "datetime with offset",
    "datetime -03:30": "datetime with offset",
    "None in place of text": "None, null",
    "None in place of int": "None, null",
    "list with None in it": "None, null",
    "dict with None as a key": "None, null",
}
"""Other words for a probe, for who searches the page."""
KEPT, SILENT = "kept", "changed in silence"
DECLARED = "changed, a fault is declared"
HARM = (SILENT, DECLARED, "crashed", "memory", "timeout", "refused", KEPT)
"""What may happen, the worst first."""
_MERGED = HARM[2:-1]
"""What has one line for all errors and messages."""
MOST_NAMED = 12


def values_markdown(behaviours: Sequence[Behaviour]) -> str:
    """Markdown: for each type a table of its probes, each with what its codecs and libraries do, the worst first."""
    codecs = {name: most_frequent(cases) for name, cases in by_codec(behaviours).items()}
    libraries = {
        f"{name} ({case.codec})": case.fidelity for name, case in sorted(with_recommended_codec(behaviours).items())
    }
    lines: list[str] = []
    for type_, names in by_type(probe_names(behaviours, "fidelity")).items():
        rows = [row for name in names for row in _rows(name, codecs, libraries)]
        heads = ("value", "what happens", "codecs", "libraries", "what comes back, or is said")
        columns = [Column(head, [row[number] for row in rows], "left") for number, head in enumerate(heads)]
        lines += [f"### {type_}", "", Table("", columns).to_markdown(), ""]
    return "\n".join(lines).strip()


def _rows(
    name: str, codecs: Mapping[str, Mapping[str, Finding]], libraries: Mapping[str, Mapping[str, Finding]]
) -> Iterable[tuple[str, ...]]:
    """The lines of a probe: one for each thing that comes back, and one for those that keep the value."""
    title = f"{name} ({ALSO[name]})" if name in ALSO else name
    met = [("codec", who, known[name]) for who, known in codecs.items() if name in known]
    met += [("library", who, known[name]) for who, known in libraries.items() if name in known]
    told = [(kind, who, *_told(finding)) for kind, who, finding in met if finding.outcome != "unsupported"]
    alike = grouped(told, lambda one: (one[2], one[3] if one[2] not in _MERGED else ""))
    for (what, _), members in sorted(alike.items(), key=lambda item: (HARM.index(item[0][0]), item[0][1])):
        by_kind = {kind: [who for one, who, *_ in members if one == kind] for kind in ("codec", "library")}
        backs = ", ".join(dict.fromkeys(back for *_, back in members if back))
        yield title, what, *(_named(whos, what) for whos in by_kind.values()), backs or "–"


def _named(names: Sequence[str], what: str) -> str:
    """The names, or of many that keep a value their number."""
    return f"{len(names)}" if what == KEPT and len(names) > MOST_NAMED else ", ".join(names) or "–"


def _told(finding: Finding) -> tuple[str, str]:
    """What happens, and what comes back; of texts that writers of JSON spell in their own way also the text."""
    detail = " ".join((finding.detail or "").split())
    if finding.outcome == "exact":
        number = re.search(r'"subject": ?(-?[\d.]+[\d.eE+-]*)}', finding.written or "")
        return KEPT, f"written {number[1]}" if number and re.search("[.eE]", number[1]) else ""
    if finding.outcome == "changed":
        got = detail.rpartition(", got ")[2] if ", got " in detail else detail.removeprefix("got ")
        return DECLARED if finding.declared else SILENT, got[:SHOWN]
    return finding.outcome, re.sub(r"^(?:encode|decode|build): ", "", detail).partition(":")[0][:SHOWN]
