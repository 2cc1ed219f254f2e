"""Outcomes of probes as Markdown: values that codecs and libraries keep, and wrong input that libraries refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from serbench.display.escapes import code, escaped
from serbench.display.matrices import probed_on
from serbench.display.table import Column, Table
from serbench.display.words import class_words
from serbench.judge.outcomes import Behaviour, Finding
from serbench.judge.packed import probe_names
from serbench.render.library import libraries
from serbench.results import bracketed, grouped


def matrices_markdown(behaviours: Sequence[Behaviour], command: str) -> str:
    """Markdown: what codecs and libraries each do with most of their partners, and the strictness of libraries."""
    lines = ["# What libraries and codecs really do", "", *_HOW_TO_READ, "", f"Made with {code(command)}.", ""]
    lines += [*_origin(behaviours), ""]
    lines += ["## Codecs", "", kept_table(_by(behaviours, _codec)), ""]
    lines += ["## Libraries", "", kept_table(_by(behaviours, _library)), ""]
    lines += ["## What is refused of wrong input", "", *_strictness_table(behaviours), ""]
    return "\n".join(lines)


_HOW_TO_READ = (
    "Look up your codec and your library: each line says how many awkward values come back exactly, and which do not.",
    "An outcome counts as the codec's or library's if more than half of its cases show it.",
    "In the last table, R means rejected, c coerced, **L** let through, i ignored, d replaced by a default and – not tried;",
    "a small ' means that the error does not name the field.",
)
_LETTERS = {
    "rejected": "R",
    "coerced": "c",
    "let through": "**L**",
    "ignored": "i",
    "default": "d",
    "crashed": "**crash**",
}


def _origin(behaviours: Sequence[Behaviour]) -> list[str]:
    """The dates, machines and versions of the probes."""
    versions = {f"{name} {version}" for one in behaviours for name, version in one.versions.items()}
    about = [f"{probed_on(behaviours)}.", *([", ".join(sorted(versions)) + "."] if versions else [])]
    return [escaped(line) for line in about]


def _library(behaviour: Behaviour) -> str:
    return f"{behaviour.library}{bracketed(behaviour.variant)}"


def _codec(behaviour: Behaviour) -> str:
    return f"{behaviour.codec}/{behaviour.format}"


def _by(behaviours: Sequence[Behaviour], name_of: Callable[[Behaviour], str]) -> dict[str, list[Behaviour]]:
    return dict(sorted(grouped((one for one in behaviours if one.fidelity), name_of).items()))


def kept_table(members: Mapping[str, Sequence[Behaviour]]) -> str:
    """Return a line for each name with its cases: how many probes are exact, and which are not in most cases."""
    names = list(members)
    mostly: dict[str, list[list[str]]] = {
        outcome: [[] for _ in names] for outcome in ("exact", "changed", "refused", "lost")
    }
    for line, name in enumerate(names):
        for probe in probe_names(members[name], "fidelity"):
            tried = [one.fidelity[probe] for one in members[name] if probe in one.fidelity]
            outcome = _most([finding for finding in tried if finding.outcome != "unsupported"])
            if outcome is not None:
                known = outcome in mostly
                mostly[outcome if known else "lost"][line].append(probe if known else f"{probe}: {outcome}")
    headings = {"changed": "changed", "refused": "refused", "lost": "crashed, timed out, out of memory"}
    columns = [
        Column("", names, "left"),
        Column("exact", [f"{len(probes)}" for probes in mostly["exact"]]),
        *(Column(headings[key], ["; ".join(probes) or "–" for probes in mostly[key]], "left") for key in headings),
    ]
    return Table("", columns).to_markdown()


def _most(findings: Sequence[Finding]) -> str | None:
    """The outcome of more than half of them."""
    counted = Counter(finding.outcome for finding in findings)
    return next((name for name, count in counted.items() if count * 2 > len(findings)), None)


def refused_inputs(behaviour: Behaviour) -> str:
    """Return a line for each outcome of wrong input, with the inputs that have it; what is rejected is all the rest."""
    inputs = grouped(behaviour.strictness.items(), lambda item: item[1].outcome)
    named = {outcome: [name for name, _ in items] for outcome, items in inputs.items()}
    named |= {"rejected": ["all other wrong input that was tried"]} if "rejected" in named else {}
    columns = [
        Column("wrong input is", list(inputs), "left"),
        Column("times", [f"{len(refused)}" for refused in inputs.values()]),
        Column("", ["; ".join(names) for names in named.values()], "left"),
    ]
    head = f"Wrong input, decoded with {behaviour.codec} ({class_words(behaviour.work_class)}):"
    return f"{head}\n\n{Table('', columns).to_markdown()}"


def with_recommended_codec(behaviours: Sequence[Behaviour]) -> dict[str, Behaviour]:
    """Return each library with the JSON codec that its authors recommend, or else with its first one."""
    known = libraries()
    shown: dict[str, Behaviour] = {}
    for one in behaviours:
        if one.format == "json" and one.strictness:
            library = known.get(one.library)
            recommended = library.recommended.get("json", "json") if library else "json"
            if one.codec == recommended or _library(one) not in shown:
                shown[_library(one)] = one
    return shown


def _strictness_table(behaviours: Sequence[Behaviour]) -> list[str]:
    """A line for each library, with the JSON codec that it recommends, and a letter for each wrong input."""
    chosen = with_recommended_codec(behaviours)
    if not chosen:
        return ["Nothing was probed with JSON."]
    inputs = list(next(iter(chosen.values())).strictness)
    names = sorted(chosen)
    shown = [chosen[name] for name in names]
    columns = [
        Column("library", names, "left"),
        Column("with", [one.codec for one in shown], "left"),
        Column("work class", [class_words(one.work_class) for one in shown], "left"),
        *(
            Column(f"{number}", [_letter(one.strictness.get(name)) for one in shown], "center", markup=True)
            for number, name in enumerate(inputs, 1)
        ),
    ]
    numbered = [f"{number}. {escaped(name)}" for number, name in enumerate(inputs, 1)]
    return [*numbered, "", Table("", columns).to_markdown()]


def _letter(finding: Finding | None) -> str:
    if finding is None:
        return "–"
    mark = "'" if finding.outcome == "rejected" and finding.names is False else ""
    return _LETTERS.get(finding.outcome, "–") + mark
