"""Outcomes of probes, sweeps, verification and adoption: as data, sentences, tables and heat maps."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from serbench.display import style, words
from serbench.display.style import Figure, ThemeName
from serbench.display.table import Column, Table, code, escaped
from serbench.display.views import View
from serbench.errors import and_more, check
from serbench.judge.outcomes import Behaviour, Finding, Swept, by_type, probe_names
from serbench.measure.probes.adoption import KINDS, LOST, Change, Returned
from serbench.render.case import Case
from serbench.render.library import libraries
from serbench.results import Cell, Point, bracketed, grouped, rewritten

Matrix = Literal["fidelity", "strictness"]
_LOST = {"timeout": "#3ACEFF", "memory": "#260095", "crashed": "#732618"}
OUTCOMES: dict[Matrix, dict[str, str]] = {
    "fidelity": {
        "exact": "#009E73",
        "unsupported": "#B9BDC1",
        "refused": "#F0E442",
        **_LOST,
        "changed": "#D55E00",
    },
    "strictness": {
        "rejected": "#009E73",
        "unprobed": "#B9BDC1",
        "ignored": "#155EFF",
        "default": "#055866",
        "coerced": "#F0E442",
        **_LOST,
        "let through": "#D55E00",
    },
}
"""Outcome → colour, the least harm first, what happens in silence last; a test sees them with the eyes of the colour-blind."""
HEADINGS_PX, HOVER_WIDTH = 60, 70
MOST_CASES = 60
"""More lines than that are hard to read, and slow a browser down."""


def case_title(behaviour: Behaviour) -> str:
    """A case in words."""
    environment = "" if behaviour.environment == "main" else f" ({behaviour.environment})"
    return words.plain_name(behaviour) + environment


def behaviours_data(behaviours: Iterable[Behaviour]) -> list[dict[str, Any]]:
    """The cases as JSON data, each with its matrices: probe → outcome with its details."""
    return [
        {
            **{key: value for key, value in vars(behaviour).items() if key not in OUTCOMES},
            **{name: {probe: _finding_data(f) for probe, f in getattr(behaviour, name).items()} for name in OUTCOMES},
        }
        for behaviour in behaviours
    ]


def _finding_data(finding: Finding) -> dict[str, Any]:
    return {key: value for key, value in vars(finding).items() if value is not None}


def tally(behaviour: Behaviour) -> dict[str, Any]:
    """The number of probes with each outcome, for one case."""
    kept = Counter(finding.outcome for finding in behaviour.fidelity.values())
    strict = Counter(finding.outcome for finding in behaviour.strictness.values())
    named = [f.names for f in behaviour.strictness.values() if f.outcome == "rejected" and f.names is not None]
    return {
        "case": case_title(behaviour),
        "work_class": behaviour.work_class,
        **{name: kept[name] for name in ("exact", "changed", "refused")},
        "lost": kept["crashed"] + kept["timeout"] + kept["memory"],
        **{name.replace(" ", "_"): strict[name] for name in ("rejected", "coerced", "let through")},
        "named": f"{sum(named)}/{len(named)}" if named else None,
        "reason": behaviour.reason,
    }


def matrix_figure(
    behaviours: Sequence[Behaviour], matrix: Matrix = "fidelity", *, probes: str = "", theme: ThemeName = "light"
) -> Figure:
    """A heat map: a line for each case, a column for each type of probe, or for each probe of the type `probes`.

    A cell of a type has the colour of its worst outcome and the number of probes that had it. Of more than 60 cases
    each library has one line.

    Raises:
        PlanError: no probe is of that type.
    """
    check("matrix", matrix, get_args(Matrix))
    able = [behaviour for behaviour in behaviours if getattr(behaviour, matrix)]
    shown = one_for_each_library(able)
    types = by_type(probe_names(shown, matrix))
    if probes:
        check("type of probes", probes, types)
    columns = {name: [name] for name in types[probes]} if probes else types
    scale = list(OUTCOMES[matrix])
    count = len(types[probes]) if probes else sum(map(len, types.values()))
    shares = (
        f"{len(shown):,} of {len(able):,} combinations, one for each library; choose libraries or codecs to see others"
    )
    tried = shares if len(shown) < len(able) else words.counted(len(shown), "combination")
    foot = [
        f"{words.counted(count, 'probe')}{f' of {probes}' if probes else ''} in {tried}.",
        "Hover for what came back or was said."
        if probes
        else "The colour is the worst outcome; the number, how many of several probes had it.",
        "Unsupported: the library or format has no such type."
        if "unsupported" in scale
        else "White: the library or format has no such type. Unprobed: the input cannot be made.",
        probed_on(able),
    ]
    cells = [[_cell(getattr(one, matrix), names, scale) for names in columns.values()] for one in shown]
    headings = [style.markup(name.partition(": ")[2] or name) for name in columns]
    x = {"type": "category", "tickvals": list(columns), "ticktext": headings, "tickangle": -40, "side": "top"}
    bar = {"tickvals": list(range(len(scale))), "ticktext": scale, "thickness": 14, "outlinewidth": 0}
    colours = {"colorscale": _steps(OUTCOMES[matrix].values()), "zmin": -0.5, "zmax": len(scale) - 0.5, "colorbar": bar}
    lines = [style.markup(case_title(one)) for one in shown]
    panel = style.heat(lines, cells, list(columns), x, "", **colours)
    return style.draw(View(matrix_finding(able, matrix), shown, foot), None, [[panel]], theme, head_px=HEADINGS_PX)


def _cell(findings: Mapping[str, Finding], probes: Sequence[str], scale: Sequence[str]) -> tuple[int | None, str, str]:
    """A case's worst outcome in a column of probes, a count, and the hover text."""
    known = {name: findings[name] for name in probes if name in findings}
    if not known:
        return None, "", "not probed"
    worst = max(scale.index(finding.outcome) for finding in known.values())
    if len(probes) == 1:
        (finding,) = known.values()
        return worst, "", _hover(finding)
    bad = {name: finding for name, finding in known.items() if finding.outcome != scale[0]}
    lines = [f"{len(known) - len(bad)} of {len(known)} {scale[0]}"]
    for outcome, names in grouped(bad, lambda name: bad[name].outcome).items():
        lines += textwrap.wrap(f"{outcome}: {', '.join(names)}", HOVER_WIDTH)[:6]
    had = sum(finding.outcome == scale[worst] for finding in bad.values())
    return worst, str(had or ""), "<br>".join(map(style.markup, lines))


def one_for_each_library(behaviours: Sequence[Behaviour]) -> list[Behaviour]:
    """The cases themselves, or of more than 60 one for each library and variant: its first in JSON, if it supports that."""
    if len(behaviours) <= MOST_CASES:
        return list(behaviours)
    chosen: dict[tuple[str, str, str], Behaviour] = {}
    unsupported = {id(one) for one in behaviours if {"unsupported"} == {f.outcome for f in one.fidelity.values()}}
    for behaviour in sorted(
        behaviours, key=lambda one: (id(one) in unsupported, one.format != "json", one.codec != "json")
    ):
        chosen.setdefault(behaviour.case[:3], behaviour)
    return [chosen[case] for case in sorted(chosen)]


def matrix_finding(behaviours: Sequence[Behaviour], matrix: Matrix) -> str:
    """A sentence on a matrix that can be its title."""
    shown = [behaviour for behaviour in behaviours if getattr(behaviour, matrix)]
    if not shown:
        return "Nothing has been probed yet"
    if matrix == "fidelity":
        changed = sum(any(f.outcome == "changed" for f in one.fidelity.values()) for one in shown)
        lost = sum(any(f.outcome in ("crashed", "timeout", "memory") for f in one.fidelity.values()) for one in shown)
        fail = "crashes, hangs or runs" if lost == 1 else "crash, hang or run"
        change = "silently changes" if changed == 1 else "silently change"
        of = words.counted(len(shown), "combination")
        return f"{changed:,} of {of} {change} a value; {lost:,} {fail} out of memory"
    through = sorted(sum(f.outcome == "let through" for f in one.strictness.values()) for one in shown)
    every, half = max(len(one.strictness) for one in shown), through[(len(through) - 1) // 2]
    let = "combination lets" if len(shown) == 1 else "combinations let"
    said = f"Of {every:,} kinds of wrong input, {len(shown):,} {let} through {through[0]:,}"
    return said if through[0] == through[-1] else f"{said} to {through[-1]:,}, half of them at most {half:,}"


def probed_on(behaviours: Sequence[Behaviour]) -> str:
    """The number of cases, with the dates and machines of their probes."""
    dates = sorted({behaviour.date[:10] for behaviour in behaviours if behaviour.date})
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""
    machines = "; ".join(dict.fromkeys(behaviour.machine for behaviour in behaviours if behaviour.machine))
    count = f"{words.counted(len(behaviours), 'combination')}, probed"
    return " · ".join(part for part in (count, when, machines) if part)


def matrix_sentences(behaviours: Sequence[Behaviour]) -> dict[str, list[str]]:
    """Sentences on the values that each case changes or loses, and on the wrong input that it lets through."""
    kept, refused = [matrix_finding(behaviours, "fidelity")], [matrix_finding(behaviours, "strictness")]
    for behaviour in behaviours:
        for outcome, verb in (("changed", "changes"), ("crashed", "crashes on"), ("timeout", "takes too long for")):
            names = [name for name, finding in behaviour.fidelity.items() if finding.outcome == outcome]
            kept += [f"{case_title(behaviour)} {verb} {', '.join(names)}"] if names else []
        through = [name for name, finding in behaviour.strictness.items() if finding.outcome == "let through"]
        refused += (
            [f"{case_title(behaviour)} lets through {len(through)} of {len(behaviour.strictness)}"]
            if behaviour.strictness
            else []
        )
    return {"What is kept": kept, "What is refused": refused}


def _hover(finding: Finding) -> str:
    lines = [finding.outcome]
    lines += [f"names the field: {'yes' if finding.names else 'no'}"] if finding.names is not None else []
    for text in (finding.detail, finding.written and f"written: {finding.written}"):
        lines += textwrap.wrap(text, HOVER_WIDTH)[:6] if text else []
    return "<br>".join(style.markup(line) for line in lines)


def _steps(colours: Collection[str]) -> list[list[Any]]:
    count = len(colours)
    return [[edge / count, colour] for number, colour in enumerate(colours) for edge in (number, number + 1)]


def kept_table(members: Mapping[str, Sequence[Behaviour]]) -> str:
    """Return a line for each name with its cases: how many probes are exact, and which are not in most cases."""
    names = list(members)
    mostly: dict[str, list[list[str]]] = {
        outcome: [[] for _ in names] for outcome in ("exact", "changed", "refused", "lost")
    }
    for line, name in enumerate(names):
        for probe in probe_names(members[name], "fidelity"):
            tried = [one.fidelity[probe] for one in members[name] if probe in one.fidelity]
            tried = [finding for finding in tried if finding.outcome != "unsupported"]
            outcome = most_frequent(tried)
            if sum(finding.outcome == outcome for finding in tried) * 2 <= len(tried):
                continue
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


def most_frequent(findings: Sequence[Finding]) -> str | None:
    """Return the most frequent outcome of these, the worst of several; None if there is none."""
    times, scale = Counter(finding.outcome for finding in findings), list(OUTCOMES["fidelity"])
    return max(times, key=lambda outcome: (times[outcome], scale.index(outcome)), default=None)


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
    head = f"Wrong input, decoded with {behaviour.codec} ({words.class_words(behaviour.work_class)}):"
    return f"{head}\n\n{Table('', columns).to_markdown()}"


def with_recommended_codec(behaviours: Sequence[Behaviour]) -> dict[str, Behaviour]:
    """Return each library with the JSON codec that its authors recommend, or else with its first one."""
    known = libraries()
    shown: dict[str, Behaviour] = {}
    for behaviour in behaviours:
        if behaviour.format == "json" and behaviour.strictness:
            library = known.get(behaviour.library)
            recommended = library.recommended.get("json", "json") if library else "json"
            name = f"{behaviour.library}{bracketed(behaviour.variant)}"
            if behaviour.codec == recommended or name not in shown:
                shown[name] = behaviour
    return shown


FINE = ("ok", "unresolved")
HOW_TO_READ = (
    "Each figure is the number of the library's codecs that return the workload exactly, with "
    "bytes that mean the same to an independent reader. Wrong results come first; the reasons for the others are below."
)


def outcomes_markdown(cells: Sequence[Cell], command: str) -> str:
    """Markdown: a row for each library, version and environment, a column for each workload and size, and the reasons below.

    A figure is the number of the library's codecs that were verified; wrong results come first.
    """
    pairs = one_for_each_case(cells)
    anew = rewritten((cell.library, cell.codec) for cell, _ in pairs)
    points = dict.fromkeys(cell.point for cell, _ in pairs)
    sized = words.has_several_sizes((point.workload, point.records, point.depth) for point in points)
    names = {point: words.data_words(point) if sized else point.workload for point in points}
    known = sorted(
        grouped(pairs, lambda pair: _line_key(pair[0], pair[0].library in anew)).items(), key=lambda item: item[0]
    )
    columns = [
        *(
            Column(heading, [key[number] for key, _ in known], "left")
            for number, heading in enumerate(("library", "version", "environment"))
        ),
        Column(words.VALIDATION, [_work_classes(members) for _, members in known], "left"),
    ]
    for point, name in names.items():
        counts = [_counts([cell for cell, _ in members if cell.point == point]) for _, members in known]
        columns.append(Column(name, counts, "center", markup=True))
    reasons = [line for key, members in known for line in _reasons(key, members, names)]
    cells = [cell for cell, _ in pairs]
    fine, wrong = (sum(test(cell) for cell in cells) for test in (_is_fine, _is_wrong))
    answer = f"{fine:,} of {len(cells):,} combinations return the data exactly; {wrong or 'none'} of the others returned wrong data."
    head = ["# Every library with every workload", "", answer, HOW_TO_READ, ""]
    made = ["## How it was made", "", code(command), ""]
    return "\n".join([*head, Table("", columns).to_markdown(), "", "## Reasons", "", *reasons, "", *made])


def _is_fine(cell: Cell) -> bool:
    return cell.status in FINE


def _is_wrong(cell: Cell) -> bool:
    return cell.status not in (*FINE, "unsupported", "unavailable")


def _line_key(cell: Cell, is_anew: bool) -> tuple[str, str, str, str]:
    name = f"{words.models_name(cell.library, is_anew)} {bracketed(cell.variant)}".rstrip()
    return (name, cell.version or "", cell.environment, cell.python or "")


def _counts(cells: Sequence[Cell]) -> str:
    fine, wrong = sum(map(_is_fine, cells)), sum(map(_is_wrong, cells))
    text = f"{fine}/{len(cells)}" if fine else "–"
    return f"**{wrong} wrong**, {text}" if wrong else text


def _work_classes(members: Sequence[tuple[Cell, str | None]]) -> str:
    return "; ".join(
        sorted({words.class_words(cell.work_class) for cell, _ in members if cell.work_class and cell.status in FINE})
    )


def _reasons(key: tuple[str, ...], members: Sequence[tuple[Cell, str | None]], data: Mapping[Point, str]) -> list[str]:
    """The reasons of a library, each with the data and codecs that it concerns."""
    told = ((cell, " ".join(reason.split())) for cell, reason in members if reason)
    lines = []
    for (status, reason), pairs in grouped(told, lambda pair: (pair[0].status, pair[1])).items():
        met_in = dict.fromkeys(data[cell.point] for cell, _ in pairs)
        names = "any workload" if len(met_in) == len(data) else ", ".join(met_in)
        codecs = ", ".join(dict.fromkeys(f"{cell.codec}/{cell.format}" for cell, _ in pairs))
        said = f" ({status})" if status not in (*FINE, "unsupported") else ""
        lines.append(f"- {escaped(key[0])} on {escaped(names)} with {escaped(codecs)}{said}: {_linked(reason)}")
    return lines


_LINK = re.compile(r"\(?https://[\w./#?=&%:~+-]+\)?[.,;:]?")


def _linked(reason: str) -> str:
    return " ".join(word if _LINK.fullmatch(word) else escaped(word) for word in reason.split(" "))


def one_for_each_case(cells: Iterable[Cell]) -> list[tuple[Cell, str | None]]:
    """The cell that says most of each case, with the reason why it or its other operation fails."""
    cases: dict[Any, dict[str, Cell]] = {}
    for cell in cells:
        cases.setdefault((cell.point, cell.case.key), {})[cell.operation] = cell
    return [_saying_most(by_operation) for by_operation in cases.values()]


def _saying_most(by_operation: dict[str, Cell]) -> tuple[Cell, str | None]:
    if not {"encode", "decode"} <= by_operation.keys():  # one direction of a user's class, or what was asked for
        cells = list(by_operation.values())
        cell = next((cell for cell in cells if not _is_fine(cell)), cells[0])
        return cell, cell.reason
    encode, decode = by_operation["encode"], by_operation["decode"]
    if decode.status == "unsupported" and encode.status != "unsupported":
        return encode, f"decode: {decode.reason}" if encode.status == "ok" else encode.reason
    if encode.status == "unsupported" and decode.status == "ok":
        return decode, f"encode: {encode.reason}"
    return decode, decode.reason


_STEPS = {
    "written": "writes it as another",
    "decoded": "decodes its own bytes to another",
    "read": "decodes another writer's bytes to another",
    "readers": "writes what independent readers read differently",
    "crashed": "crashes",
    "timeout": "takes too long",
    "memory": "runs out of memory",
}


def swept_rows(results: Iterable[Swept]) -> list[dict[str, Any]]:
    """A row for each case: how many values were tried, kept, refused and returned as others."""
    return [
        {
            "case": _case(result),
            "tried": f"{result.tried:,}" if result.tried else None,
            "kept": f"{result.kept:,}" if result.tried else None,
            "refused": f"{result.refused:,}" if result.refused else None,
            "different": f"{sum(d.values for d in result.differences):,}" if result.differences else None,
            "not supported": ", ".join(result.unsupported) or None,
            "reason": result.reason,
        }
        for result in results
    ]


def swept_lines(results: Iterable[Swept]) -> Iterator[str]:
    """A line for each difference: the case, the smallest value, and what it becomes."""
    for result in results:
        for d in result.differences:
            yield f"{_case(result)}: {d.type} {d.value}: {_STEPS[d.step]} ({words.counted(d.values, 'value')}): {d.detail}"


def _case(swept: Swept) -> str:
    name = " ".join(filter(None, (f"{swept.library}{bracketed(swept.variant)}", swept.version)))
    return words.case_words(name, swept.library, swept.codec, swept.format)


_MOST_LINES, _MOST_COLUMNS = 20, 8
_WIDTH = 100


def proof_lines(returned: Returned, case: Case) -> Iterator[str]:
    """Yield what comes back of a file, and each way in which it differs."""
    if returned.refusal:
        more = f" ({returned.refusals:,} of {returned.documents:,} lines)" if returned.documents > 1 else ""
        yield f"{returned.name} is refused: {returned.refusal}{more}"
        return
    steps = [name for name, step in (("decoded", "decode"), ("written", "encode")) if step in case.operations]
    what = " and ".join(steps) + (", line by line" if returned.documents > 1 else "")
    same = (
        "the data is lost in part"
        if returned.losses
        else "the same data"
        if returned.changes
        else "exactly the same data"
    )
    yield f"{returned.name}: {what}: {same}"
    for change in sorted(returned.changes, key=lambda change: change.kind != LOST)[:_MOST_LINES]:
        yield f"- {'lost: ' if change.kind == LOST else ''}{change}"
    if len(returned.changes) > _MOST_LINES:
        yield f"- and {len(returned.changes) - _MOST_LINES:,} more"


def comments(case: Case, unknown: str, changes: Sequence[Change], lines_of: str = "") -> str:
    """Return the comments of an adopted module: what differs in what it writes, and what becomes of unknown keys.

    `lines_of` is the name of a file with a document in each line.
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
        paths = (change.column.removeprefix("[]" if lines_of else "").lstrip(".") for change in some)
        columns = [path[:_WIDTH] or "the document" for path in dict.fromkeys(paths)]
        meaning = KINDS.get(kind, "a value is lost or changed")
        said.append(f"{meaning[0].upper()}{meaning[1:]}: {and_more(columns, _MOST_COLUMNS)}")
    said += [_unknown_text(case, unknown)] if unknown else []
    wrapped = (textwrap.wrap(one, _WIDTH, break_long_words=False, break_on_hyphens=False) for one in said)
    text = "".join(f"# {line}\n" for lines in wrapped for line in lines)
    return re.sub(r"coding(?=[:=])", "coding ", text)  # PEP 263 would read an encoding there


def _unknown_text(case: Case, unknown: str) -> str:
    library = case.library
    others = [
        f"with {variant} it is {outcome} ({library.variants[variant]})"
        for outcome, variant in library.unknown_keys.items()
        if variant != case.variant
    ]
    return "; ".join([f"An unknown key is {unknown}", *others])
