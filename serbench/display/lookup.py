"""The lookup of values: a line for each outcome of each probe, with its codecs and libraries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from serbench.display.matrices import by_codec, most_frequent, with_recommended_codec
from serbench.display.scripts import Way, script, title, way_of
from serbench.display.table import Column, Table, escaped
from serbench.judge.outcomes import Behaviour, Finding, by_type, probe_names, probe_type
from serbench.results import grouped

SHOWN = 96
ALSO = {
    "datetime +05:45": "datetime with offset",
    "datetime -03:30": "datetime with offset",
    "None in place of text": "None in TOML, null",
    "str that looks like 1_000": "1_000 in YAML",
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


class Line(NamedTuple):
    """What codecs and libraries make of a probe alike: what happens, to whom, and what comes back."""

    probe: str
    what: str
    codecs: Sequence[str]
    libraries: Sequence[str]
    back: str

    @property
    def way(self) -> Way | None:
        """The way that shows what is changed in silence."""
        names = [*self.codecs, *(name.partition(" (")[0] for name in self.libraries)]
        return way_of(self.probe, names) if self.what == SILENT else None


def values_markdown(behaviours: Sequence[Behaviour]) -> str:
    """Markdown: for each type a table of its probes, each with what its codecs and libraries do, the worst first."""
    known = lines(behaviours)
    headings = {(way, probe): heading for heading, (way, probes) in _scripts(known).items() for probe in probes}
    text: list[str] = []
    for type_, rows in grouped(known, lambda line: probe_type(line.probe)).items():
        firsts = {one.probe: number for number, one in reversed([*enumerate(rows)])}
        titles = [_titled(one.probe, is_first=firsts[one.probe] == number) for number, one in enumerate(rows)]
        links = [_linked(one.what, headings[one.way, one.probe] if one.way else None) for one in rows]
        columns = [
            Column("value", titles, "left", markup=True),
            Column("what happens", links, "left", markup=True),
            Column("what comes back, or is said", [one.back or "–" for one in rows], "left"),
            Column("codecs", [_named(one.codecs, one.what) for one in rows], "left"),
            Column("libraries", [_named(one.libraries, one.what) for one in rows], "left"),
        ]
        text += [f"### {type_}", "", Table("", columns).to_markdown(), ""]
    return "\n".join(text).strip()


def scripts_markdown(behaviours: Sequence[Behaviour]) -> str:
    """Markdown: a script for each way and type of values that are changed in silence."""
    parts = [f"### {name}\n\n```python\n{script(*shown)}```" for name, shown in _scripts(lines(behaviours)).items()]
    return "\n\n".join(parts)


def lines(behaviours: Sequence[Behaviour]) -> list[Line]:
    """What happens to each probe: a line for each thing that comes back, and one for those that keep the value."""
    codecs = {name: most_frequent(cases) for name, cases in by_codec(behaviours).items()}
    libraries = {
        f"{name} ({case.codec})": case.fidelity for name, case in sorted(with_recommended_codec(behaviours).items())
    }
    by_probe = by_type(probe_names(behaviours, "fidelity"))
    return [line for names in by_probe.values() for name in names for line in _lines(name, codecs, libraries)]


def _lines(
    name: str, codecs: Mapping[str, Mapping[str, Finding]], libraries: Mapping[str, Mapping[str, Finding]]
) -> Iterable[Line]:
    met = [("codec", who, known[name]) for who, known in codecs.items() if name in known]
    met += [("library", who, known[name]) for who, known in libraries.items() if name in known]
    told = [(kind, who, *_told(finding)) for kind, who, finding in met if finding.outcome != "unsupported"]
    alike = grouped(told, lambda one: (one[2], one[3] if one[2] not in _MERGED else ""))
    for (what, _), members in sorted(alike.items(), key=lambda item: (HARM.index(item[0][0]), item[0][1])):
        by_kind = {kind: [who for one, who, *_ in members if one == kind] for kind in ("codec", "library")}
        backs = ", ".join(dict.fromkeys(back for *_, back in members if back))
        yield Line(name, what, by_kind["codec"], by_kind["library"], backs)


def _scripts(known: Iterable[Line]) -> dict[str, tuple[Way, list[str]]]:
    """Heading → the way of a script, and the probes that it shows."""
    shown = [(line.way, line.probe) for line in known if line.way]
    by_way = grouped(shown, lambda one: (one[0], probe_type(one[1])))
    scripts: dict[str, tuple[Way, list[str]]] = {}
    for (way, _), pairs in by_way.items():
        heading = title(way, pairs[0][1])
        heading = f"{pairs[0][1]} with {way.who}" if heading in scripts else heading
        scripts[heading] = (way, [probe for _, probe in pairs])
    return scripts


def anchor(heading: str) -> str:
    """What a link names a heading or a value by."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _titled(probe: str, *, is_first: bool) -> str:
    """A value with other words for it; its first line can be linked."""
    mark = f'<a id="{anchor(probe)}"></a>' if is_first else ""
    return mark + escaped(f"{probe} ({ALSO[probe]})" if probe in ALSO else probe)


def _linked(what: str, heading: str | None) -> str:
    """What happens, with a link to the script that shows it."""
    return what if heading is None else f"[{what}](silent-changes.md#{anchor(heading)})"


def _named(names: Sequence[str], what: str) -> str:
    """The names, or of many that keep a value their number."""
    return f"{len(names)}" if what == KEPT and len(names) > MOST_NAMED else ", ".join(names) or "–"


def _told(finding: Finding) -> tuple[str, str]:
    """What happens, and what comes back; of texts that writers of JSON spell in their own way also the text."""
    detail = re.sub(r" object at 0x\w+", "", " ".join((finding.detail or "").split()))
    if finding.outcome == "exact":
        number = re.search(r'"subject": ?(-?[\d.]+[\d.eE+-]*)}', finding.written or "")
        return KEPT, f"written {number[1]}" if number and re.search("[.eE]", number[1]) else ""
    if finding.outcome == "changed":
        written = detail.partition("; decode: ")[0]  # what is written for it is refused
        got = written.rpartition(", got ")[2] if ", got " in written else written.removeprefix("got ")
        got = re.sub(r"\bdatetime\.(?=date|time)", "", got)
        return DECLARED if finding.declared else SILENT, got[:SHOWN]
    return finding.outcome, re.sub(r"^(?:encode|decode|build): ", "", detail).partition(":")[0][:SHOWN]
