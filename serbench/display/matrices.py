"""Outcomes of probes as data, in sentences, and as a heat map with the details on hover."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from serbench.display import style, words
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.display.table import Table, Tables
from serbench.display.values import Displayed
from serbench.errors import check
from serbench.judge.outcomes import Behaviour, Finding
from serbench.judge.packed import probe_names
from serbench.judge.probe_types import by_type
from serbench.judge.work_class import WorkClass
from serbench.results import bracketed, grouped

Matrix = Literal["fidelity", "strictness"]
_LOST = {"timeout": "#3ACEFF", "memory": "#260095", "crashed": "#732618"}
OUTCOMES: dict[str, dict[str, str]] = {
    "fidelity": {
        "exact": "#009E73",
        "refused": "#F0E442",
        "changed": "#D55E00",
        **_LOST,
        "unsupported": "#B9BDC1",
    },
    "strictness": {
        "rejected": "#009E73",
        "ignored": "#155EFF",
        "default": "#055866",
        "coerced": "#F0E442",
        "let through": "#D55E00",
        **_LOST,
        "unprobed": "#B9BDC1",
    },
}
"""Outcome → colour, the best first; a test sees them with the eyes of the colour-blind."""
REFUSALS = {
    "strict": "will refuse it",
    "coercing": "may convert it",
    "unchecked": "may let it through to your code",
    "typed": "will leave it to the format's schema",
    "": "were not classed",
}
"""How a work class checks input → what a case of it does with a value of a wrong type."""
LINE_PX, KINDS_PX, HOVER_WIDTH = 18, 46, 70
MOST_CASES = 60
"""More lines than that are hard to read, and slow a browser down."""


def case_title(behaviour: Behaviour) -> str:
    """A case in words."""
    environment = "" if behaviour.environment == "main" else f" ({behaviour.environment})"
    return (
        words.case_words(
            f"{behaviour.library}{bracketed(behaviour.variant)}", behaviour.library, behaviour.codec, behaviour.format
        )
        + environment
    )


def behaviours_data(behaviours: Iterable[Behaviour]) -> list[dict[str, Any]]:
    """The cases as JSON data, each with its matrices: probe → outcome with its details."""
    return [
        {
            **{key: value for key, value in vars(one).items() if key not in OUTCOMES},
            **{name: {probe: _finding_data(f) for probe, f in getattr(one, name).items()} for name in OUTCOMES},
            "limits": {name: vars(limit) for name, limit in one.limits.items()},
        }
        for one in behaviours
    ]


def limits_rows(behaviours: Iterable[Behaviour]) -> list[dict[str, Any]]:
    """A line for each case and axis: the largest value that worked, and the outcome of a larger one."""
    return [
        {
            "case": case_title(one),
            "axis": axis,
            "most": None if limit.most is None else f"{limit.most:,}",
            "then": limit.outcome or "not reached",
            "why": limit.detail,
            "far": limit.far or None,
        }
        for one in behaviours
        for axis, limit in one.limits.items()
    ]


@dataclass(frozen=True, repr=False)
class Limits(Displayed):
    """How deep, long, large and wide a value each case carries, and what happens beyond; it displays itself."""

    cases: Sequence[Behaviour]

    def to_data(self) -> dict[str, Any]:
        """A row for each case and axis."""
        return {"rows": limits_rows(self.cases)}

    __repr__ = Displayed.__str__

    def table(self) -> Tables:
        """A line for each case; why it goes no further stands below."""
        rows = [
            {"case": row["case"], "axis": row["axis"], "most": row["most"], "then": row["then"], "reason": row["why"]}
            for row in limits_rows(self.cases)
        ]
        return Tables([Table.of_rows(rows)] if rows else [], [] if rows else ["no limit has been found yet"])


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

    A cell of a type has the colour of its worst outcome and the number of probes that did not have the best one. Of
    more than 60 cases each library has one line.

    Raises:
        PlanError: no probe is of that type.
    """
    able = [one for one in behaviours if getattr(one, matrix)]
    shown = one_for_each_library(able)
    types = by_type(probe_names(shown, matrix))
    if probes:
        check("type of probes", probes, types)
    columns = {name: [name] for name in types[probes]} if probes else types
    scale = list(OUTCOMES[matrix])
    of_more = f", one for each library of {len(able):,}: choose libraries or codecs to see others"
    count = len(types[probes]) if probes else sum(map(len, types.values()))
    tried = f"{words.counted(count, 'probe')}{f' of {probes}' if probes else ''} in {words.counted(len(shown), 'case')}"
    foot = [
        f"{tried}{of_more if len(shown) < len(able) else ''}.",
        "Hover for what came back or was said."
        if probes
        else f"A number counts the probes of that type that were not {scale[0]}; the colour is the worst outcome.",
        "unsupported and unprobed: the case cannot be rendered for that type, or the input cannot be made.",
        probed_on(able),
    ]
    body = LINE_PX * max(len(shown), 8) + KINDS_PX
    figure = style.layout(matrix_finding(able, matrix), foot, body, theme, labels=map(case_title, shown))
    axis = {"showgrid": False, "zeroline": False, "automargin": True, "ticks": "", "color": THEMES[theme].text}
    axis |= {"type": "category", "tickfont": {"size": 10}}
    headings = [style.markup(name.partition(": ")[2] or name) for name in columns]
    figure["layout"] |= {
        "xaxis": {**axis, "tickvals": list(columns), "ticktext": headings, "tickangle": -40, "side": "top"},
        "yaxis": {**axis, "autorange": "reversed", "domain": [0, 1 - KINDS_PX / body]},
    }
    cells = [[_Cell.of(getattr(one, matrix), names, scale) for names in columns.values()] for one in shown]
    figure["data"] = [
        {
            "type": "heatmap",
            "x": list(columns),
            "y": [style.markup(case_title(one)) for one in shown],
            "z": [[cell.worst for cell in row] for row in cells],
            "text": [["" if probes else cell.count for cell in row] for row in cells],
            "texttemplate": "%{text}",
            "textfont": {"size": 10},
            "customdata": [[cell.about for cell in row] for row in cells],
            "hovertemplate": "<b>%{y}</b><br>%{x}<br>%{customdata}<extra></extra>",
            "hoverongaps": False,
            "colorscale": _steps([OUTCOMES[matrix][name] for name in scale]),
            "zmin": -0.5,
            "zmax": len(scale) - 0.5,
            "xgap": 1,
            "ygap": 1,
            "colorbar": {"tickvals": list(range(len(scale))), "ticktext": scale, "thickness": 14, "outlinewidth": 0},
        }
    ]
    return figure


@dataclass(frozen=True)
class _Cell:
    """What a case does with the probes of a column: the place of the worst outcome, a count, and the hover text."""

    worst: int | None
    count: str
    about: str

    @classmethod
    def of(cls, findings: Mapping[str, Finding], probes: Sequence[str], scale: Sequence[str]) -> _Cell:
        known = {name: findings[name] for name in probes if name in findings}
        if not known:
            return cls(None, "", "not probed")
        if len(probes) == 1:
            (finding,) = known.values()
            return cls(scale.index(finding.outcome), "", _hover(finding))
        bad = {name: finding for name, finding in known.items() if finding.outcome != scale[0]}
        worst = max(scale.index(finding.outcome) for finding in known.values())
        lines = [f"{len(known) - len(bad)} of {len(known)} {scale[0]}"]
        for outcome, names in grouped(bad, lambda name: bad[name].outcome).items():
            lines += textwrap.wrap(f"{outcome}: {', '.join(names)}", HOVER_WIDTH)[:6]
        return cls(worst, str(len(bad) or ""), "<br>".join(map(style.markup, lines)))


def one_for_each_library(behaviours: Sequence[Behaviour]) -> list[Behaviour]:
    """The cases themselves, or of more than 60 one for each library and variant: its first in JSON, if there is one."""
    if len(behaviours) <= MOST_CASES:
        return list(behaviours)
    chosen: dict[tuple[str, str, str], Behaviour] = {}
    for one in sorted(behaviours, key=lambda one: (one.format != "json", one.codec != "json")):
        chosen.setdefault(one.case[:3], one)
    return [chosen[case] for case in sorted(chosen)]


def matrix_finding(behaviours: Sequence[Behaviour], matrix: Matrix) -> str:
    """A sentence on a matrix that can be its title."""
    shown = [one for one in behaviours if getattr(one, matrix)]
    if not shown:
        return "Nothing has been probed yet"
    if matrix == "fidelity":
        changed = sum(any(f.outcome == "changed" for f in one.fidelity.values()) for one in shown)
        lost = sum(any(f.outcome in ("crashed", "timeout", "memory") for f in one.fidelity.values()) for one in shown)
        fail = "crashes, hangs or runs" if lost == 1 else "crash, hang or run"
        return f"{changed:,} of {len(shown):,} cases change a value without saying so; {lost:,} {fail} out of memory"
    checked = Counter(WorkClass.parse(one.work_class).checks.partition(" (")[0] for one in shown)
    told = [f"{checked[how]:,} {text}" for how, text in REFUSALS.items() if checked[how]]
    return f"Of {words.counted(len(shown), 'case')} given a value of a wrong type, {', '.join(told)}"


def probed_on(behaviours: Sequence[Behaviour]) -> str:
    """The number of cases, with the dates and machines of their probes."""
    dates = sorted({one.date[:10] for one in behaviours if one.date})
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""
    machines = "; ".join(dict.fromkeys(one.machine for one in behaviours if one.machine))
    count = f"{words.counted(len(behaviours), 'case')}, by probes"
    return " · ".join(part for part in (count, when, machines) if part)


def matrix_sentences(behaviours: Sequence[Behaviour]) -> dict[str, list[str]]:
    """Sentences on the values that each case changes or loses, and on the wrong input that it lets through."""
    kept, refused = [matrix_finding(behaviours, "fidelity")], [matrix_finding(behaviours, "strictness")]
    for one in behaviours:
        for outcome, verb in (("changed", "changes"), ("crashed", "crashes on"), ("timeout", "takes too long for")):
            names = [name for name, finding in one.fidelity.items() if finding.outcome == outcome]
            kept += [f"{case_title(one)} {verb} {', '.join(names)}"] if names else []
        through = [name for name, finding in one.strictness.items() if finding.outcome == "let through"]
        refused += [f"{case_title(one)} lets through {len(through)} of {len(one.strictness)}"] if one.strictness else []
    return {"What is kept": kept, "What is refused": refused}


def _hover(finding: Finding) -> str:
    lines = [finding.outcome]
    lines += [f"names the field: {'yes' if finding.names else 'no'}"] if finding.names is not None else []
    for text in (finding.detail, finding.written and f"written: {finding.written}"):
        lines += textwrap.wrap(text, HOVER_WIDTH)[:6] if text else []
    return "<br>".join(style.markup(line) for line in lines)


def _steps(colours: Sequence[str]) -> list[list[Any]]:
    """A colour scale of steps."""
    count = len(colours)
    return [[edge / count, colour] for number, colour in enumerate(colours) for edge in (number, number + 1)]
