"""What cases do with probes as Markdown: what codecs and libraries keep, and what libraries refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from serbench.analysis.export import escaped
from serbench.analysis.matrices import probed_on
from serbench.analysis.packed import probe_names
from serbench.engine.results import Behaviour, Finding


def matrices_markdown(behaviours: Sequence[Behaviour], command: str) -> str:
    """Markdown: what codecs and libraries each do with most of their partners, and the strictness of libraries."""
    lines = ["# What libraries and codecs really do", "", f"Made with `{command}`.", *_HOW_TO_READ, ""]
    lines += [*_origin(behaviours), ""]
    lines += ["## Codecs", "", *_kept_by(behaviours, lambda b: f"{b.codec}/{b.format}"), ""]
    lines += ["## Libraries", "", *_kept_by(behaviours, _library), ""]
    lines += ["## What is refused of wrong input", "", *_strictness_table(behaviours), ""]
    return "\n".join(lines)


_HOW_TO_READ = (
    "A probe is an awkward value that goes there and back. It is put down to a codec, or to a library, if it had that",
    "outcome in more than half of the cases of that codec or library in which it could be tried.",
    "In the last table, R is rejected, c coerced, **L** let through, i ignored, d replaced by a default and – not tried;",
    "a small ' says that the error does not name the field.",
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
    """When, where and with what it was found out."""
    versions = {f"{name} {version}" for one in behaviours for name, version in one.versions.items()}
    about = [f"{probed_on(behaviours)}.", *([", ".join(sorted(versions)) + "."] if versions else [])]
    return [escaped(line) for line in about]


def _library(behaviour: Behaviour) -> str:
    variant = "" if behaviour.variant == "default" else f"[{behaviour.variant}]"
    return f"{behaviour.library}{variant}"


def _kept_by(behaviours: Sequence[Behaviour], name_of: Any) -> list[str]:
    """A line for each codec or library: how many probes are exact, and which are not in most cases."""
    lines = ["| | exact | changed | refused | crashed, timed out, out of memory |", "| :-- | --: | :-- | :-- | :-- |"]
    members: dict[str, list[Behaviour]] = {}
    for one in behaviours:
        if one.fidelity:
            members.setdefault(name_of(one), []).append(one)
    for name, group in sorted(members.items()):
        mostly: dict[str, list[str]] = {"exact": [], "changed": [], "refused": [], "lost": []}
        for probe in probe_names(group, "fidelity"):
            tried = [one.fidelity[probe] for one in group if probe in one.fidelity]
            outcome = _most([finding for finding in tried if finding.outcome != "unsupported"])
            if outcome is not None:
                key = outcome if outcome in mostly else "lost"
                mostly[key].append(probe if outcome in mostly else f"{probe}: {outcome}")
        columns = [escaped("; ".join(mostly[key])) or "–" for key in ("changed", "refused", "lost")]
        lines.append(f"| {escaped(name)} | {len(mostly['exact'])} | {' | '.join(columns)} |")
    return lines


def _most(findings: Sequence[Finding]) -> str | None:
    """The outcome of more than half of them."""
    counted = Counter(finding.outcome for finding in findings)
    return next((name for name, count in counted.items() if count * 2 > len(findings)), None)


def _strictness_table(behaviours: Sequence[Behaviour]) -> list[str]:
    """A line for each library with the first of its JSON codecs: what it does with the inputs that decide its class."""
    chosen: dict[str, Behaviour] = {}
    for one in behaviours:
        if one.format == "json" and one.strictness:
            chosen.setdefault(_library(one), one)
    if not chosen:
        return ["Nothing was probed with JSON."]
    inputs = list(next(iter(chosen.values())).strictness)
    lines = [f"{number}. {escaped(name)}" for number, name in enumerate(inputs, 1)]
    lines += ["", "| library | with | work class | " + " | ".join(map(str, range(1, len(inputs) + 1))) + " |"]
    lines.append("| :-- | :-- | :-- |" + " :-: |" * len(inputs))
    for name, one in sorted(chosen.items()):
        letters = " | ".join(_letter(one.strictness.get(key)) for key in inputs)
        lines.append(f"| {escaped(name)} | {escaped(one.codec)} | {escaped(one.work_class or '')} | {letters} |")
    return lines


def _letter(finding: Finding | None) -> str:
    if finding is None:
        return "–"
    mark = "'" if finding.outcome == "rejected" and finding.names is False else ""
    return _LETTERS.get(finding.outcome, "–") + mark
