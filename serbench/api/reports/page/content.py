"""The data of a page: rows by column, sources by line, and everything that does not depend on choices in the browser."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from importlib import metadata
from typing import Any

from serbench.api.reports.page.boards import bandwidths, boards, class_labels, command_on, overview, starts, steps
from serbench.display import words
from serbench.display.matrices import MOST_CASES, OUTCOMES, case_title, matrix_finding, one_for_each_library
from serbench.display.result_table import PHASES, overall_data
from serbench.display.style import library_mark
from serbench.display.views import CORES
from serbench.judge.compare import least_difference
from serbench.judge.figures import strictness_rank, why_incomparable
from serbench.judge.outcomes import FIRST_SIGN, Behaviour, Finding, packed, probe_type
from serbench.judge.rows import COLUMNS, NOT_REACHED, Row, case_of, column, decoding_classes, differing_facts
from serbench.model.data.dataset import get, workload_names
from serbench.results import OPERATIONS, bracketed, grouped
from serbench.store.archive import Sheet
from serbench.store.folder import RunInfo

Content = dict[str, Any]


def content(runs: Sequence[Sheet], matrices: Sequence[Behaviour] = (), left_out: Sequence[str] = ()) -> Content:
    """The runs, newest first, as JSON data for the page's script.

    The script draws what stands here: rows, their order, ranks, sentences and labels come from the boards and views that
    every other output shows.
    """
    rows = [row for run in runs for row in run.rows]
    told = boards(runs)
    code = _code(rows, {sha256: text for run in runs for sha256, text in run.sources.items()})
    return {
        "serbench": metadata.version("serbench"),
        "fields": COLUMNS,
        "rows": _columns(runs) | {"show": _column(_commands(runs, code["sources"]))},
        "runs": [_told(run) for run in runs],
        "boards": told,
        "steps": steps(runs),
        "starts": starts(told),
        "overview": overview(runs, told),
        "marks": _marks({row.library for row in rows} | {matrix.library for matrix in matrices}),
        "classes": classes((row.work_class for row in rows), matrices),
        "phases": PHASES,
        "operations": OPERATIONS,
        "bandwidths": bandwidths(),
        "cores": CORES,
        "abouts": {name: get(name).summary for name in workload_names() if any(row.workload == name for row in rows)},
        **code,
        "matrices": matrix_content(matrices),
        "left_out": list(left_out),
    }


def run_content(run: Sheet) -> Content:
    """A run as the page takes it beside others: its rows, boards and steps, with the marks and classes that they have."""
    return {
        "rows": _columns([run]) | {"present": _column(list(map(_present, run.rows)))},
        "runs": [_told(run)],
        "boards": boards([run]),
        "steps": steps([run]),
        "marks": _marks({row.library for row in run.rows}),
        "classes": classes({row.work_class for row in run.rows}),
    }


def probes_content(known: Sequence[Behaviour]) -> Content:
    """What is known of the probes, as the page takes it beside runs."""
    return {
        "matrices": matrix_content(known),
        "marks": _marks({one.library for one in known}),
        "classes": classes((), known),
    }


def _marks(libraries: Iterable[str]) -> Content:
    return {name: library_mark(name) for name in sorted(libraries)}


def classes(names: Iterable[str | None], behaviours: Iterable[Behaviour] = ()) -> dict[str, str]:
    """Work class → its words."""
    every = {*names, *(behaviour.work_class for behaviour in behaviours)}
    return {name: words.class_words(name) for name in sorted(filter(None, every))}


def _columns(runs: Sequence[Sheet]) -> Content:
    """The columns of `Row`, and how a row is called, and what its decoding checks."""
    rows = [row for run in runs for row in run.rows]
    columns: dict[str, list[Any]] = defaultdict(list, {name: [getattr(r, name) for r in rows] for name in COLUMNS})
    for run in runs:
        together = grouped(run.rows, lambda row: (row.point, row.operation)).values()
        differing = {id(row): told for members in together for told in [differing_facts(members)] for row in members}
        columns["case"] += [_case_key(row) for row in run.rows]
        users = class_labels(run)
        labels = [words.library_label(row, differing[id(row)]) for row in run.rows]
        labels = [
            label.replace(row.library, users.get(row.library, row.library))
            for label, row in zip(labels, run.rows, strict=True)
        ]
        columns["label"] += labels
        columns["rest"] += [words.case_words("", row.library, row.codec, row.format) for row in run.rows]
        columns["codec_label"] += [words.codec_label(row) for row in run.rows]
        columns["name"] += [
            words.case_words(label, row.library, row.codec, row.format)
            for label, row in zip(labels, run.rows, strict=True)
        ]
        columns["ratio_text"] += [words.ratio_label(row) if row.measured else "" for row in run.rows]
        columns["first_text"] += [words.first_label(row) for row in run.rows]
        columns["checks"] += decoding_classes(run.rows)
        columns["apart"] += map(why_incomparable, run.rows)
        columns["strictness"] += [strictness_rank(row) for row in run.rows]
    return {name: _column(values) for name, values in columns.items()}


def _column(values: Sequence[Any]) -> Any:
    """The values as `column` has them; a value that all rows share stands once, as `{"values": [value], "at": []}`."""
    coded = column(values)
    listed = coded["values"] if isinstance(coded, Mapping) else coded
    return {"values": listed[:1], "at": []} if listed and listed.count(listed[0]) == len(listed) else coded


def _case_key(row: Row) -> str:
    """A case in the page's address: "msgspec[gc=False]@pydantic==1.10 json/json"."""
    where = "" if row.environment == "main" else f"@{row.environment}"
    return f"{row.library}{bracketed(row.variant)}{where} {row.codec}/{row.format}"


def _present(row: Row) -> str:
    """A case as the explorer's setting `present` names it."""
    return words.case_text(row) if row.environment == "main" else _case_key(row)


def _group(run: Sheet) -> str:
    """Times of one group may stand in one figure: the same processor, system, Python, collector and seed, measured by the same person."""
    machine = (run.info.machine.get(name) for name in ("cpu", "cores", "system", "python"))
    facts = (*machine, run.gc, run.rows[0].seed, run.published)
    return sha256(repr(facts).encode()).hexdigest()[:8]


def _told(run: Sheet) -> Content:
    info = run.info
    return {
        "id": info.id,
        "date": info.started,
        "command": info.command,
        "machine": words.machine_line(info.machine),
        "versions": words.versions_line(info.versions),
        "trusted": words.trusted_words(run.control),
        "accuracy": ". ".join(filter(None, (words.trusted_words(run.control), words.control_line(run.control)))),
        "least": least_difference(run.control),
        "warnings": list(run.warnings),
        "published": run.published,
        "group": _group(run),
        "rows": len(run.rows),
        "overall": overall_data(run.rows),
    } | _unfinished(run)


def _unfinished(run: Sheet) -> Content:
    """A sentence on a run that has not finished: how many of its cases have a time; nothing of one that has."""
    if not isinstance(run.info, RunInfo) or run.info.status == "finished":
        return {}
    timed = {case_of(row) for row in run.rows if row.measured}
    every = timed | {case_of(row) for row in run.rows if row.reason == NOT_REACHED}
    what = "was ended by its budget" if run.info.used_up else "is not finished"
    return {
        "unfinished": f"Run {run.info.id} {what}: {len(timed)} of {len(every)} combinations have a time, with wider intervals than those of a whole run."
    }


def _commands(runs: Sequence[Sheet], sources: Collection[str]) -> list[str]:
    """For each row whose module the page has not, the command that prints that of today."""
    return [
        command_on(run, "show", row) if row.source_sha256 and row.source_sha256 not in sources else ""
        for run in runs
        for row in run.rows
    ]


def _code(rows: Sequence[Row], sources: Mapping[str, str]) -> Content:
    """The different lines of all sources, and each source as their places: modules have most lines in common."""
    lines: dict[str, int] = {}
    needed = dict.fromkeys(row.source_sha256 or "" for row in rows)
    numbered = {
        sha256: [lines.setdefault(line, len(lines)) for line in sources[sha256].split("\n")]
        for sha256 in needed
        if sha256 in sources
    }
    return {"lines": list(lines), "sources": numbered}


def matrix_content(behaviours: Sequence[Behaviour]) -> Content:
    """The cases with their outcomes, as `packed` gives them, without what only a table tells."""
    probed = [behaviour for behaviour in behaviours if behaviour.fidelity or behaviour.strictness]
    usual = {one.case for one in one_for_each_library(probed)}
    kept: dict[int, Finding] = {}  # many cases share a finding

    def undeclared(findings: Mapping[str, Finding]) -> dict[str, Finding]:
        for finding in findings.values():
            if id(finding) not in kept:
                kept[id(finding)] = replace(finding, declared=None)
        return {probe: kept[id(one)] for probe, one in findings.items()}

    data = packed(
        replace(one, fidelity=undeclared(one.fidelity), strictness=undeclared(one.strictness)) for one in probed
    )
    shown = ("library", "codec", "format", "version", "work_class", "date", *OUTCOMES)
    cases = [
        {name: case[name] for name in shown} | {"name": case_title(one), "usual": one.case in usual}
        for one, case in zip(probed, data["cases"], strict=True)
    ]
    return data | {
        "cases": cases,
        "titles": {name: matrix_finding(probed, name) for name in OUTCOMES},
        "most": MOST_CASES,
        "first_sign": FIRST_SIGN,
        "types": {name: column(map(probe_type, data["probes"][name])) for name in OUTCOMES},
        "outcomes": OUTCOMES,
        "machines": sorted({one.machine for one in probed if one.machine}),
    }
