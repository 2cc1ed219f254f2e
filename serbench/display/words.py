"""Labels, numbers and sentences that all outputs share, the terms of the glossary, and the next command of an answer."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from shlex import join, quote, split
from types import MappingProxyType
from typing import Any

from serbench.judge.compare import is_proven, least_difference
from serbench.judge.leading import Overall
from serbench.judge.outcomes import Behaviour, WorkClass
from serbench.judge.rows import Row
from serbench.measure.probes.wrong import BASICS
from serbench.render.library import libraries
from serbench.results import FLOOR, OWN_APP, VIA, YOURS, OfCase, Origin, Point, bracketed, rewritten, without_via

UNITS = ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))
BYTES = ((1, "bytes"), (1e3, "kB"), (1e6, "MB"))
VERBS = {operation: f"{operation}s" for operation in ("encode", "decode", "dump", "load", "read", "build")}
VERBS["frame"] = "makes a data frame"
BY_WALL, NAMED_IN_BYTES, NO_PART = "*", "†", "–"
STARRED = "starred rows use threads and are timed by the wall clock"
CHECKS = {
    "strict": "validates",
    "coercing": "coerces",
    "unchecked": "no validation",
    "typed": "typed by the schema",
}
"""How a work class checks input → the words for it."""
HOLDERS = {
    "dicts": "plain dicts",
    "builtins": "plain values",
    "generated objects": "the format's own objects",
    "objects as lines": "JSON Lines",
    "dicts as lines": "JSON Lines of plain dicts",
    OWN_APP: "your own app",
}
NO_CLASS = "validation not measured"
VALIDATION, COMBINATION = "validation", "library + format"
"""The headings of columns of work classes and of cases."""
CONDITIONS = {"varied": "varied documents", "hot": "one document repeated"}
"""What consecutive calls get → the words for it."""
NAMED = 2
"""The number of cases that a sentence names of those that tie."""
CHECKED = (
    "“validates” rejects all of them, “coerces” converts some to the right type, “no validation” lets some through"
)
OBJECT_GRAPHS = frozenset({"pickle", "marshal"})
"""Formats whose bytes tell which objects are one: of the same records, keys that a decoder shared stand there once."""
FOOTNOTES = {
    BY_WALL: "wall time, because it uses threads or waits; all others are CPU time",
    NAMED_IN_BYTES: "its size varies with class paths and with which equal texts are one object",
    NO_PART: "not ranked: the library takes no part in the operation",
    YOURS: "is your class as it is; every other row has the same fields in models that serbench wrote for its library",
}
OF_FLOOR = "not ranked: it returns ready bytes, the floor of its framework"
"""What the footnote of `NO_PART` says of endpoints."""
PROBED = (
    f"validation: each decoder got one record corrupted in {len(BASICS.wrong)} ways "
    f"({', '.join(wrong.name for wrong in BASICS.wrong[:4])} and so on). {CHECKED}. serbench verify --all shows each"
)
OF_USER = f"validation: each decoder got your first record with one value wrong or missing at a time. {CHECKED}"
"""What `PROBED` says if there is a class of the user's, whose own values are made wrong."""
OF_ENDPOINTS = (
    "validation: each endpoint returned and got one record, the first of your class if there is one, with one value wrong at "
    f"a time; only what it got lacked fields. {CHECKED}"
)
"""What `PROBED` says of endpoints."""


def board_title(row: Row) -> str:
    """The operation and data of a row, as "decode client · 1,000 records · depth 2"."""
    return f"{row.operation} {point_words(row.point)}"


def class_words(work_class: str | None) -> str:
    """A work class in words that need no glossary: "validates", "plain dicts, coerces", "objects", "no validation, lossy (at: offset)"."""
    holder, checks, left_out, lossy = WorkClass.parse(work_class)
    how, bracket, why = checks.partition(" (")
    checked = CHECKS.get(how, f"checks {how}" if how else "") + bracket + why
    held = "" if holder == "objects" and checked else HOLDERS.get(holder, holder)
    return ", ".join(filter(None, (held, checked, left_out, lossy))) or NO_CLASS


def point_words(point: Point) -> str:
    """A workload point, as "client · 1,000 records · depth 2 · varied documents"."""
    return f"{data_words(point)} · {CONDITIONS.get(point.conditions, point.conditions)}"


def data_words(point: Point) -> str:
    """The data of a point, as everything without conditions of its own names it."""
    return f"{point.workload} · {counted(point.records, 'record')} · depth {point.depth}"


def counted(count: int, unit: str) -> str:
    """A number of things: "1 record", "1,000 records"."""
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def open_words(left: int, every: int) -> str:
    """How many combinations of a run in progress may still take the lead."""
    return f"{left} of {counted(every, 'combination')} can still change that"


def together(cases: Sequence[tuple[str, str]]) -> str:
    """Libraries with codecs: "a, b via x, y" if these are all the pairs, otherwise one by one."""
    labels, codecs = (list(dict.fromkeys(names)) for names in zip(*cases, strict=True))
    pairs = dict.fromkeys(f"{label} via {codec}" for label, codec in cases)
    every = len(pairs) == len(labels) * len(codecs)
    return f"{', '.join(labels)} via {', '.join(codecs)}" if every else ", ".join(pairs)


def held_text(axis: str, other: int) -> str:
    """The value that is the same along an axis: "at depth 2" along "records", "with 1,000 records" along "depth"."""
    return f"at depth {other:,}" if axis == "records" else f"with {counted(other, 'record')}"


def library_label(row: Row, several: Mapping[str, AbstractSet[str]] = MappingProxyType({})) -> str:
    """Library and variant, with those of version, Python and environment that tell rows apart; see `differing_facts`.

    A row that stands for several cases has the names of all.
    """
    return ", ".join(f"{library_name(one, several)} {bracketed(one.variant)}".rstrip() for one in (row, *row.also))


def library_name(row: Row, several: Mapping[str, AbstractSet[str]] = MappingProxyType({})) -> str:
    """The same without the variant."""
    facts = several.get(row.library, set())
    python = (row.python or "").rpartition(".")[0] if "python" in facts else ""
    version = row.version if "version" in facts and row.version not in (row.python or "").split() else ""
    where = f"@{row.environment}" if "environment" in facts else ""
    parts = (models_name(row.library, row.rewritten), version, where, f"({python})" if python else "")
    return " ".join(filter(None, parts))


def with_models_named(facts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Facts of rows, whose library is named as in `library_name`; sizes only if a workload has several."""
    anew = rewritten((fact["library"], fact["codec"]) for fact in facts)
    sized = has_several_sizes((fact["workload"], fact["records"], fact["depth"]) for fact in facts)
    return [
        {name: value for name, value in fact.items() if sized or name not in ("records", "depth")}
        | {"library": models_name(fact["library"], fact["library"] in anew)}
        for fact in facts
    ]


def has_several_sizes(data: Iterable[tuple[str, int, int]]) -> bool:
    """Whether a workload has several sizes, of data with workload, records and depth."""
    known = {*data}
    return len(known) > len({workload for workload, *_ in known})


def models_name(library: str, is_anew: bool) -> str:
    """A library, said of models that were written anew for it beside the user's class."""
    return f"rewritten for {library}" if is_anew else library


def codec_label(row: OfCase | Overall | Behaviour) -> str:
    """The codec, with its format if that has another name and is not JSON."""
    return row.codec if row.format in (row.codec, "json") else f"{row.codec} ({row.format})"


def rank_label(row: Row, rows: Iterable[Row]) -> str:
    """The rank, marked with = if others of the ranking share it; a dash if the row is not ranked."""
    if row.rank is None:
        return NO_PART
    return f"{row.rank}=" if sum(other.rank == row.rank for other in rows) > 1 else f"{row.rank}"


def first_label(row: Row) -> str:
    """The probability that no row of the ranking is faster, as "62%"; empty below 1%."""
    share = row.first_probability or 0.0
    return f"{share:.0%}" if share >= 0.01 else ""


def share_label(row: Row) -> str:
    """The share of an endpoint's time that its floor does not take, as "54% (51 to 57)"; empty for other rows."""
    if row.share is None or row.share_low is None or row.share_high is None:
        return ""
    return f"{row.share * 100:.0f}% ({row.share_low * 100:.0f} to {row.share_high * 100:.0f})"


def percent_words(share: float) -> str:
    """A share as a whole percentage, "12%", and a smaller one than 1% as that."""
    return f"{share:.0%}" if share >= 0.01 else "less than 1%"


def unit_of(values: Iterable[float], units: Sequence[tuple[float, str]] = UNITS) -> tuple[float, str]:
    """The unit in which the middle value is at least 1 and the least at least 0.01, for all values of a table."""
    ranked = sorted(values)
    most = min(ranked[len(ranked) // 2], 100 * ranked[0]) if ranked else 1.0
    return next((unit for unit in reversed(units) if most >= unit[0]), units[0])


def three_digits(value: float) -> str:
    """The value with three significant digits, never in exponents: "0.0123", "1.23", "1,230"."""
    if value <= 0 or not math.isfinite(value):
        return f"{value:.3g}"
    decimals = 2 - math.floor(math.log10(float(f"{value:.2e}")))
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def number(value: float | None, unit: float) -> str:
    """The value in a unit, with three digits; empty for None."""
    return "" if value is None else three_digits(value / unit)


def amount(value: float, unit: float, units: Sequence[tuple[float, str]] = UNITS) -> str:
    """A value in one of the units, with three digits; bytes are whole numbers."""
    return f"{value:,.0f}" if (unit, units) == (1, BYTES) else three_digits(value / unit)


def with_unit(value: float, units: Sequence[tuple[float, str]] = UNITS) -> str:
    """A value in the unit that fits: "26.9 ns", "1.23 ms", and of `BYTES` "86 bytes", "98.1 kB"."""
    unit, name = unit_of([value], units)
    return f"{amount(value, unit, units)} {name}"


def time_label(row: Row, unit: float) -> str:
    """The time in a unit, marked if it is wall time."""
    return number(row.time_ns, unit) + (BY_WALL if row.clock == "wall" else "")


def size_label(row: Row, unit: float) -> str:
    """The size in a unit, marked if it depends on more than the data; bytes are whole numbers."""
    if row.size_bytes is None:
        return ""
    return amount(row.size_bytes, unit, BYTES) + (NAMED_IN_BYTES if row.format in OBJECT_GRAPHS else "")


def factor_text(factor: float, width: float = math.inf) -> str:
    """A factor in a sentence: "3.4×", "240×"; near 1, or if an interval of this width needs it, "1.04×"."""
    exact = 1 <= factor < 1.1 or abs(float(f"{factor:.2g}") - factor) > width / 4
    return f"{factor:,.0f}×" if factor >= 10 else f"{factor:.{2 + exact}g}×"


NO_DIFFERENCE = "no proven difference"


def difference_words(ratio: float | None, low: float | None, high: float | None, least: float = 0.0) -> str:
    """A time over another in words, with its interval: "2.7× faster (2.52 to 2.98)", "1.2× slower (1.11 to 1.28)".

    A difference that the interval does not prove, or that is below `least`, is `NO_DIFFERENCE`; empty for None.
    """
    if ratio is None or low is None or high is None:
        return ""
    if not is_proven(ratio, low, high, least):
        return NO_DIFFERENCE
    word, ends = ("slower", (low, high)) if ratio > 1 else ("faster", (1 / high, 1 / low))
    return f"{factor_text(max(ratio, 1 / ratio), ends[1] - ends[0])} {word} ({ends_words(*ends)})"


def ends_words(low: float, high: float) -> str:
    """The ends of a factor's interval: "1.21 to 1.34"."""
    return f"{three_digits(low)} to {three_digits(high)}"


def noise_words(least: float) -> str:
    """The caveat of a noisy run; empty if `least` is 0."""
    return f"ignore differences below {least:.1%} (noise)" if least else ""


def noisy(text: str, least: float) -> str:
    """A sentence that claims a difference, if there is one; of a noisy run it ends with the smallest difference to trust."""
    return f"{text}; {noise_words(least)}" if text and least else text


def ratio_label(row: Row) -> str:
    """The ratio with its interval's half-width to one or two digits: "1.32× ± 0.02"."""
    if row.ratio is None or row.ratio_low is None or row.ratio_high is None:
        return "no baseline"
    if row.reference:
        return "1× (baseline)"
    if row.ratio_high <= row.ratio_low:
        return f"{three_digits(row.ratio)}×"
    return with_half_width(row.ratio, row.ratio_low, row.ratio_high)


def with_half_width(factor: float | None, low: float | None, high: float | None) -> str:
    """A factor with its interval's half-width to one or two digits: "1.32× ± 0.02", "2.1× ± 1.6"; empty for None."""
    if factor is None or low is None or high is None:
        return ""
    half = (high - low) / 2
    of_half = -math.floor(math.log10(half * 1.05)) if half > 0 else 3
    decimals = max(0, of_half, 1 - math.floor(math.log10(factor)) if half > factor / 5 else 0)
    return f"{factor:,.{decimals}f}× ± {half:.{decimals}f}"


def versions_line(versions: Mapping[str, Any]) -> str:
    """The versions in one line: "attrs 25.3.0, orjson 3.13.0"; serbench's own Python is in the machine's line.

    Of another environment only the versions that its rows do not show: codecs in other versions.
    """
    shown: dict[str, None] = {}
    for name, version in versions.items():
        where, _, what = name.rpartition(": ")
        if what == "python" or (where and versions.get(what) == version):
            continue
        said = not where or where.startswith(f"{what}=={version}")
        shown[f"{what} {version}" + ("" if said else f" ({where})")] = None
    return ", ".join(shown)


def machine_line(machine: Mapping[str, Any]) -> str:
    """The machine in one line; unknown facts are left out."""
    cores = machine.get("cores")
    parts = [
        machine.get("cpu"),
        counted(cores, "core") if cores and isinstance(cores, int) else None,
        " ".join(str(machine[key]) for key in ("system", "kernel") if machine.get(key)),
        machine.get("python"),
    ]
    return ", ".join(str(part) for part in parts if part)


def trusted_words(control: Mapping[str, float | int | None]) -> str:
    """Which differences of a run can be trusted, and if that makes it a noisy one; empty if nobody knows."""
    error = control.get("aa_error")
    if error is None:
        return ""
    kind = "a noisy run: trust only" if least_difference(control) else "a quiet run: trust"
    return f"{kind} differences above {error:.1%}"


def control_line(control: Mapping[str, float | int | None]) -> str:
    """The noise floor (A/A error) in a sentence."""
    cases, error, miss = (control.get(f"aa_{name}") for name in ("cases", "error", "miss_rate"))
    if not cases or error is None or miss is None:
        return "Noise floor not known: this run has no hidden duplicates"
    most = "at most" if cases < 10 else "less than"
    often = "" if cases < 10 else " in 95% of cases"
    return (
        f"Noise floor {error:.1%}: identical code measured twice differed by {most} this{often}; "
        f"{round(miss * cases)} of {int(cases)} confidence intervals missed"
    )


def case_name(row: Row, several: Mapping[str, AbstractSet[str]] = MappingProxyType({})) -> str:
    """A case in a sentence; `several` as for `library_label`."""
    return case_words(library_label(row, several), row.library, row.codec, row.format)


def tied_words(rows: Sequence[Row], several: Mapping[str, AbstractSet[str]] = MappingProxyType({})) -> str:
    """What follows a name that ties with these: ", tied with a", ", tied with a, b and 3 others"; empty if there are none."""
    return f", tied with {listed([case_name(row, several) for row in rows])}" if rows else ""


def listed(names: Sequence[str], most: int = NAMED) -> str:
    """Names in a sentence: "a", "a and b", "a, b and 3 others"; empty if there are none."""
    more = len(names) - most
    *first, last = [*names[:most], *([counted(more, "other")] if more > 0 else [])] or [""]
    return f"{', '.join(first)}{' and ' if first else ''}{last}"


def class_labels(model: str, names: Collection[str]) -> dict[str, str]:
    """Return what a row of the user's class is called for each of these names of libraries: "Order", "Order via cattrs".

    `model` is the class that the names do not tell; one of several classes of one name has its module too.
    """
    here = ":".join(model.rsplit(":", 2)[-2:])
    found = {name: match for name in names if (match := _OF_CLASS.fullmatch(name))}
    told = {name: match["own"] or match["other"] or here for name, match in found.items()}
    several = Counter(whole.rpartition(":")[2] for whole in {*told.values()})
    called = {
        name: whole if several[whole.rpartition(":")[2]] > 1 else whole.rpartition(":")[2]
        for name, whole in told.items()
    }
    return {
        name: f"{called[name]} via {match['via']}" if match["via"] else called[name]
        for name, match in found.items()
        if called[name]
    }


_OF_CLASS = re.compile(rf"{YOURS} (?:\(\w+(?:, (?P<own>[^)]+))?\)|via (?P<via>[^ ]+)(?: \((?P<other>[^)]+)\))?)")


def case_words(label: str, library: str, codec: str, form: str) -> str:
    """A case, whose library has this label, as every output calls it: "msgspec", "pydantic via orjson", "msgspec (msgpack)".

    The user's class is "yours via cattrs and orjson".
    """
    of_format = "" if form in (codec, "json") else f" ({form})"
    by = "and" if library.startswith(VIA) else "via"
    return f"{label}{of_format}" if codec == without_via(library) else f"{label} {by} {codec}{of_format}"


def plain_name(row: OfCase | Behaviour) -> str:
    """A case with its variant, of which no row beside it is to be told: "msgspec[gc=False] via orjson"."""
    return case_words(f"{row.library}{bracketed(row.variant)}", row.library, row.codec, row.format)


def footnotes(rows: Iterable[Row]) -> list[str]:
    """The footnotes that these rows need."""
    table = list(rows)
    users = {row.library.startswith(YOURS) for row in table}
    needed = {
        BY_WALL: any(row.clock == "wall" for row in table),
        NAMED_IN_BYTES: any(row.format in OBJECT_GRAPHS and row.size_bytes is not None for row in table),
        NO_PART: any(row.measured and row.rank is None for row in table),
        YOURS: len(users) > 1 and not any(row.rewritten for row in table),
    }
    texts = FOOTNOTES | ({NO_PART: OF_FLOOR} if any(row.codec == FLOOR for row in table) else {})
    marked = [f"{mark} {text}" for mark, text in texts.items() if needed[mark]]
    is_probed = any(WorkClass.parse(row.work_class).checks in ("strict", "coercing", "unchecked") for row in table)
    of_endpoints = any(row.codec == FLOOR or row.share is not None for row in table)
    probed = OF_ENDPOINTS if of_endpoints else OF_USER if True in users else PROBED
    return [*marked, probed] if is_probed else marked


def about_lines(info: Origin, control: Mapping[str, float | int | None] | None) -> list[str]:
    """Run, machine, versions and accuracy, a line each; no accuracy if `control` is None."""
    run = " · ".join(part for part in (f"run {info.id}" if info.id else "", info.started, info.command) if part)
    accuracy = "" if control is None else control_line(control)
    return [line for line in (run, machine_line(info.machine), versions_line(info.versions), accuracy) if line]


TERMS = {
    "library": "what models are written with: dataclasses, pydantic, attrs with cattrs, msgspec, …",
    "format": "the kind of bytes: JSON, MessagePack, CBOR, Avro, pickle, …",
    "codec": "an implementation of a format: json, orjson, msgspec, …",
    "variant": "a way of using a library: `default`, as its documentation introduces it, or a documented tuning such as `gc=False`",
    "library + format": "one combination of library, variant and codec, such as pydantic via orjson; also *case*",
    "operation": "`encode` and `decode`: object ↔ bytes; `dump` and `load`: object ↔ plain values; `dumps` and `loads`: plain values ↔ bytes; `read`: access every field; `build`: plain values → objects; `frame`: bytes → a pandas data frame; `reject`, `reject_first`: invalid bytes → an error",
    "validation": "what decoding does with wrong input, measured: *validates* rejects all of it, *coerces* converts some to the right type, *no validation* lets some through, *typed by the schema* has bytes without types; also *work class*",
    "baseline": "the fastest row of a first measurement, beside which every other is timed; a row's time is its ratio times the baseline's; also *reference*",
    "repetition": "a measurement of everything in fresh processes, one for each library; also *wave*",
    "noise floor": "how much identical code measured twice differed in this run; ignore smaller differences; also *A/A error*",
    "tie": "rows that share a rank: no difference of more than 1% is proven between any two of them",
    "rank": "1 + the number of rows in the groups of ties above: `1`, `2=`, `2=`, `4`",
    "conditions": "what consecutive calls get: `varied` documents (other ones, new objects, recent results still in use, as in a service), or `hot`: one document repeated",
    "run": "everything measured for one request, with machine, raw samples, code and versions",
    "cell": "one library + format, operation, size and depth of a run",
    "row": "a cell with its figures: time, interval, ratio, rank",
    "endpoint": "a function of a web framework that returns a document or takes one, requested without a server; its *share* is the part of its time above the *floor*, an endpoint that returns ready bytes",
    "document": "one value that is encoded and decoded as a whole",
    "payload": "your file or object",
    "record": "an object with named fields",
    "schema": "the types of the data: records, fields, types of fields",
    "workload": "a schema with a seeded generator of values, of any number of *records* and *depth*",
    "probe": "an awkward value or a wrong input, tried with every library + format",
    "environment": "an interpreter with exact packages; `main` is serbench's own, others are built on demand",
    "store": "the SQLite file that keeps every run",
}
OF_VIEWS = (
    "library + format",
    "codec",
    "variant",
    "operation",
    "validation",
    "baseline",
    "rank",
    "tie",
    "cell",
    "repetition",
    "conditions",
    "noise floor",
)
"""The terms in the explorer's views."""


_SIZES = {"records": "-n", "depth": "-d"}
_READ = {"as_map": "--map", "as_record": "--record", "as_union": "--union", "as_text": "--text", "as_any": "--any"}


def again(command: str, effort: str, store: str = "") -> str:
    """The command that measures the same more precisely, into the store that this option names; what was typed with an effort has the next one."""
    higher = {"quick": "normal"}.get(effort, "thorough")
    try:
        typed = _without(command, "--effort", "-e", "--store") if command.startswith("serbench ") else ""
    except ValueError:  # a run of others, whose command is none that a shell takes
        typed = ""
    return (
        f"{typed}{store} --effort {higher}"
        if typed
        else f'repeat it with effort="{higher}", to see smaller differences'
    )


def _without(command: str, *options: str) -> str:
    """A command without these options and their values, and without --resume."""
    parts, kept = iter(split(command)), []
    for part in parts:
        if part in options:
            next(parts, None)
        elif part != "--resume" and not part.startswith(tuple(f"{option}=" for option in options)):
            kept.append(part)
    return join(kept)


def data_options(plan: Mapping[str, Any], point: Point | None = None) -> str:
    """The options that choose a plan's data, such as " -w events -n 10"; empty for the default.

    With `point`, for a command that takes one class, and one size: those of this point.
    """
    models = [plan["model"], *plan.get("more_models", ())] if plan.get("model") else []
    parts = [("--payload", shown_path(plan["payload"]))] if plan.get("payload") else []
    parts += [("--model", shown_class(model)) for model in models[: 1 if point else None]]
    workloads = [*plan.get("workloads", ())] if point is None else [point.workload]
    if not parts and workloads not in ([], ["client"]):
        parts.append(("-w", ",".join(workloads)))
    for name, flag in _SIZES.items():
        sizes = [*(plan.get(name) or ())]
        if sizes:
            parts.append((flag, ",".join(map(str, sizes if point is None else [getattr(point, name)]))))
    if plan.get("seed"):
        parts.append(("--seed", str(plan["seed"])))
    parts += [(flag, path) for name, flag in _READ.items() for path in plan.get(name) or ()]
    if plan.get("schema"):
        parts.append(("--schema", shown_path(plan["schema"])))
    if plan.get("sample"):
        parts.append(("--sample", str(plan["sample"])))
    literal = " --literal-strings" if plan.get("literal_strings") else ""
    return "".join(f" {flag} {quote(value)}" for flag, value in parts) + literal


def shown_path(path: str) -> str:
    """A path as it is typed in the working folder: relative if it lies in it."""
    home = Path.cwd()
    return str(Path(path).relative_to(home)) if Path(path).is_relative_to(home) else path


def is_gone(plan: Mapping[str, Any]) -> bool:
    """Return whether no command can measure a plan's class again, as its file is gone: that of a cell ends with the kernel."""
    folder, module, _ = (plan.get("model") or "::").rsplit(":", 2)
    return module.endswith(".py") and not Path(folder, module).is_file()


def shown_class(located: str) -> str:
    """A class of the user's, "folder:module:Class", as it is typed: "models.py:Class" if it is in such a file."""
    folder, module, name = located.rsplit(":", 2)
    file = Path(folder, module if module.endswith(".py") else f"{module.replace('.', '/')}.py")
    return f"{shown_path(str(file))}:{name}" if file.is_file() else located


def case_text(row: OfCase, between: str = "/") -> str:
    """A case as `--present` takes it, "msgspec[gc=False]/orjson/json", or with a space as `show` and `adopt` do."""
    return f"{row.case.name}{between}{row.codec}/{row.format}"


def case_arguments(row: OfCase) -> str:
    """A case as `show` and `adopt` take it in a shell: "msgspec orjson/json"."""
    return join((row.case.name, f"{row.codec}/{row.format}"))


def can_be_named(row: OfCase) -> bool:
    """Tell if a command can name the case: of serbench's own interpreter, and not of functions in a file."""
    return row.environment == "main" and (row.library in libraries() or row.library.startswith(YOURS))
