"""Advice with its evidence, and the last lines of a command: what to use, what it gains and costs, what is next."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from serbench.display import words
from serbench.display.board import WRONG_INPUT, Board, boards_of, lost_words
from serbench.judge.leading import COMMON, Advice, Against, CaseKey, CaseRows, Extra, Ratio, both_ways, key, validates
from serbench.judge.outcomes import Behaviour, WorkClass
from serbench.judge.rows import Row
from serbench.measure.probes.adoption import AS_INT, LOST, Returned
from serbench.results import OWN_APP, YOURS, Point, bracketed, grouped

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


Tone = Literal["good", "bad", "open"]
"""Whether the answer is welcome, unwelcome, or not known."""
STYLES: dict[Tone, str] = {"good": "bold green", "bad": "bold red", "open": "bold yellow"}
LINES, LABEL_WIDTH = 6, 6
SHORTENED = ("cost", "gain", "use")
"""The lines that are cut if there is no room, the first first."""
WHOLE = ("encode", "decode")


@dataclass(frozen=True)
class Closing:
    """The answer of a command; shows itself in a terminal, in at most six lines unless `is_whole`.

    Attributes:
        use: what to use.
        gain: how much better it is than what is used today.
        cost: what it costs or loses.
        next: the next command.
        app: the command that shows the same in the app.
        is_whole: nothing is cut.
    """

    use: str = ""
    gain: str = ""
    cost: str = ""
    next: str = ""
    tone: Tone = "good"
    app: str = ""
    is_whole: bool = False

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Label and text of each line."""
        return [(name, getattr(self, name)) for name in ("use", "gain", "cost", "next", "app") if getattr(self, name)]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol."""
        from rich.text import Text

        styles = {"use": STYLES[self.tone], "next": "cyan", "app": "cyan"}
        if self.lines:
            yield Text()
        for label, text in self.fitted(options.max_width):
            yield Text.assemble((f"{label:{LABEL_WIDTH}}", "bold"), (text, styles.get(label.strip(), "")), no_wrap=True)

    def fitted(self, width: int) -> Iterator[tuple[str, str]]:
        """The lines folded between words to so many columns; if they are too many, the longest are cut."""
        wide = max(width - LABEL_WIDTH, 20)
        folded = {
            label: textwrap.wrap(text, wide, break_long_words=False, break_on_hyphens=False)
            for label, text in self.lines
        }
        while sum(map(len, folded.values())) > LINES and not self.is_whole:
            long = next((name for name in SHORTENED if len(folded.get(name, ())) > 1 + (name == "use")), None)
            if long != "cost" and "app" in folded:
                del folded["app"]
                continue
            if long is None:
                break
            kept = folded[long][:-1]
            folded[long] = [*kept[:-1], f"{kept[-1].rstrip(',;:')[: wide - 2].rsplit(' ', 1)[0]} …"]
        for label, texts in folded.items():
            for number, text in enumerate(texts):
                yield ("" if number else label, text)


def run_closing(
    rows: Iterable[Row], *, run: str, store: str = "", least: float = 0.0, command: str = "", effort: str = ""
) -> Closing:
    """The answer of a run: the leaders of encoding and decoding, their cost, and the next command.

    Of several data it is the largest. Differences below `least` are noise; then the next command measures again.
    `run` is the run's id, empty if no store has it, and `store` the option that names its store, if a command needs it.
    """
    boards = [board for board in boards_of(rows, least) if board.measured]
    operations = grouped(boards, lambda board: board.measured[0].operation)
    chosen = [name for name in WHOLE if name in operations] or list(operations)[:2]
    if not chosen:
        return Closing()
    uses = grouped(chosen, lambda name: _largest(operations[name]).use)
    named = [f"to {' and '.join(names)} {use}" for use, names in uses.items()]
    use = next(iter(uses)) if len(uses) == 1 else "; ".join(named)
    following = _next(operations, f"--run {run}{store}") if run else ""
    return Closing(
        use,
        words.noisy("; ".join([*_own_apps(operations), *(_gain(operations[name]) for name in chosen)]), least),
        _largest(operations[chosen[-1]]).cost,
        words.again(command, effort, store) if least and command else following,
    )


def _own_apps(operations: Mapping[str, Sequence[Board]]) -> list[str]:
    boards = [_largest(boards) for boards in operations.values()]
    told = [(board, row) for board in boards for row in board.measured if row.work_class == OWN_APP]
    return [
        ", ".join(filter(None, (f"{board.name(row)} takes {words.with_unit(row.time_ns or 0.0)}", board.against(row))))
        for board, row in told
    ]


def _gain(boards: Sequence[Board]) -> str:
    board = _largest(boards)
    if len(boards) == 1 or board.lead is None:
        return board.gain
    first = board.lead.first
    leads = [other.lead for other in boards if other.lead is not None]
    led = sum(any(row.case.key == first.case.key for row in (one.first, *one.tied)) for one in leads)
    several = len({other.measured[0].conditions for other in boards}) > 1
    data = (words.point_words if several else words.data_words)(first.point)
    return f"{board.gain} ({data}; first or tied at {led} of {len(boards)})"


def extent(point: Point) -> tuple[int, bool]:
    """A sort key of data: the size, and of one size what a service meets after what repeats one document."""
    return (point.records * point.depth, point.conditions == "varied")


def _largest(boards: Sequence[Board]) -> Board:
    return max(boards, key=lambda board: extent(board.measured[0].point))


def _next(operations: Mapping[str, Sequence[Board]], run: str) -> str:
    """The command that goes on from the run of this option: what a change from the common choice brings, or a page with all views."""
    page = f"serbench report --html page {run}"
    if not set(WHOLE) <= set(operations):
        return page
    leading = _largest(operations["decode"]).lead
    present = None if leading is None else leading.common or leading.runner_up
    if present is None or not words.can_be_named(present):
        return page
    return f"serbench recommend {run} --present {quote(words.case_text(present))}"


_ACCEPTED = ("let through", "coerced", "default", "ignored")
_NAMED = 3


def advice_lines(
    advice: Advice,
    probes: Sequence[Behaviour] = (),
    features: Sequence[str] = (),
    met: Mapping[CaseKey, Returned] = MappingProxyType({}),
) -> list[str]:
    """The advice in sentences, each with its evidence; `probes` tell what a change would lose.

    `features` are what the user's class has beyond its fields, and `met` what comes back of the user's file as it is.
    """
    if not advice.qualified:
        lacking = "no library and format both encodes and decodes this data, so nothing can be recommended"
        return (
            ["no combination meets these demands", *_met_lines(met), *_exclusions(advice)]
            if advice.excluded
            else [lacking]
        )
    said = [*_uncompared(advice), *_met_lines(met)]
    said += [words.noise_words(advice.least)] if advice.least else []
    if advice.validating:
        said.append(
            f"fastest that validates its input: {_all(advice.validating)}, {_leading(advice.validating, advice)}"
        )
    if advice.fastest[0] not in advice.validating:
        said.append(
            f"fastest, {words.class_words(advice.fastest[0].decode.work_class)}: {_all(advice.fastest)}, {_leading(advice.fastest, advice)}"
        )
    smallest, *others = advice.smallest
    alike = f" (and {len(others)} more of that size)" if others else ""
    said.append(f"smallest: {_label(smallest)}, {words.with_unit(smallest.size_bytes, words.BYTES)}{alike}")
    front = "; ".join(f"{_label(o)} ({_time(o)}, {words.with_unit(o.size_bytes, words.BYTES)})" for o in advice.front)
    said.append(f"beaten by none in both time and size: {front}")
    for against in advice.against:
        said += against_lines(against, probes)
    if advice.fastest[0].encode.workload != advice.fastest[0].decode.workload:
        said.append(
            "your class reads a different document than it writes: decoding measures the former, encoding the latter"
        )
    if advice.features:
        said.append(_features_line(advice.features, features))
    return said + _exclusions(advice)


def _met_lines(met: Mapping[CaseKey, Returned]) -> list[str]:
    """A line if cases refuse the user's file or return it changed without a word: the names, and what the first does."""
    libraries = grouped(met, lambda case: case[0])
    parts = []
    for what, does in _MET.items():
        told = {case: text for case, one in met.items() if (text := does(one))}
        names = dict.fromkeys(
            name if told.keys() >= {*libraries[name]} else words.case_words(name, name, codec, format_)
            for name, _, codec, format_ in told
        )
        first = textwrap.shorten(next(iter(told.values()), ""), _MET_WIDTH, placeholder=" …")
        parts += [f"{what} {words.listed([*names], _MET_NAMED)} ({first})"] if told else []
    return [f"{next(iter(met.values())).name} as it is: {'; '.join(parts)}"] if parts else []


def _of_kind(one: Returned, kind: str) -> str:
    return next((f"{change.path}: {change.text}" for change in one.changes if change.kind == kind), "")


_MET: dict[str, Callable[[Returned], str]] = {
    "refused by": lambda one: one.refusal,
    "changed by": lambda one: _of_kind(one, LOST),
    "ints where the type is float, of": lambda one: _of_kind(one, AS_INT).partition(":")[0],
}
"""What a case may do with the user's file, and what it says of the first value; empty if it does not."""
_MET_NAMED, _MET_WIDTH = 6, 70


def advice_data(
    advice: Advice,
    probes: Sequence[Behaviour] = (),
    features: Sequence[str] = (),
    met: Mapping[CaseKey, Returned] = MappingProxyType({}),
) -> dict[str, Any]:
    """The advice as JSON data."""
    names = ("validating", "fastest", "smallest", "front")
    return {
        "data": words.point_words(advice.point),
        **{name: [_data(option) for option in getattr(advice, name)] for name in names},
        "against": [_against_data(against, probes) for against in advice.against],
        "excluded": advice.excluded,
        "features": {f"{feature.operation}_ratio": _figures(feature.ratio) for feature in advice.features},
        "feature_names": list(features),
        "advice": advice_lines(advice, probes, features, met),
    }


def advised(advice: Advice) -> CaseRows:
    """The case to use, of advice in which some case qualifies: the fastest that checks its input, against the present one of its format."""
    return advice.against[0].other if advice.against else (advice.validating or advice.fastest)[0]


def advice_closing(
    advice: Advice,
    probes: Sequence[Behaviour],
    plan: Mapping[str, Any],
    repeated: str,
    met: Mapping[CaseKey, Returned] = MappingProxyType({}),
) -> Closing:
    """The answer: what to use, its gain over today's choice, its cost, and the next command.

    `plan` is that of the run, `repeated` the command that measures more precisely, and `met` what comes back of the user's file.
    """
    if not advice.qualified:
        return Closing(advice_lines(advice)[0], cost="; ".join(_exclusions(advice)), tone="open")
    against = advice.against[0] if advice.against else None
    best, chosen = advice.validating or advice.fastest, advised(advice)
    lost = _met_lines({one: back for one, back in met.items() if one == key(chosen.decode)})
    if against is None:
        others = [option for option in best[1:] if option is not chosen]
        use, gain = _label(chosen), _leading(best, advice)
        use += words.tied_words([option.decode for option in others])
        gain = "; ".join([*_uncompared(advice), gain])
        checks = WorkClass.parse(chosen.decode.work_class).checks
        has_own = any(option.decode.library.startswith(YOURS) for option in advice.qualified)  # whose features are lost
        does = [part for part in (*lost_words(chosen.decode), WRONG_INPUT.get(checks)) if part]
        is_free = checks == "strict" and len(does) == 1 and chosen is advice.smallest[0] and not has_own and not lost
        if advice.smallest[0].size_bytes < chosen.size_bytes:
            share = chosen.size_bytes / advice.smallest[0].size_bytes - 1
            does.insert(0, f"has {words.percent_words(share)} more bytes than {_label(advice.smallest[0])}")
        subject = _label(chosen) if others else "it"  # those that tie have sizes and losses of their own
        costs = [f"{'none found: ' if is_free else ''}{subject} {'; '.join(does)}"] if does else []
    elif against.present == chosen:
        use, gain, costs = f"{_label(chosen)}, as today", "nothing that validates as much is proven faster", []
    else:
        use, gain, costs = _label(chosen), _advice_gain(against), _changes(against, probes)
        use += (
            f", the fastest in {chosen.decode.format}" if len(advice.against) > 1 else ""
        )  # another format's is faster
    costs += lost
    data = words.data_options(plan, advice.point)
    adopt = f"serbench adopt {words.case_arguments(chosen.decode)}{data} --output models.py"
    tone: Tone = "open" if against is not None and against.present != chosen and "faster" not in gain else "good"
    can_be_adopted = words.can_be_named(chosen.decode) and not chosen.decode.library.startswith(YOURS)
    following = adopt if can_be_adopted and not advice.least else repeated
    shown = (
        words.shown_path(plan["payload"])
        if plan.get("payload")
        else words.shown_class(plan["model"])
        if plan.get("model")
        else ""
    )
    app = f"serbench app {quote(shown)}" if shown else ""
    if words.is_gone(plan):
        following = app = ""
    return Closing(use, words.noisy(gain, advice.least), "; ".join(costs), following, tone, app)


def _uncompared(advice: Advice) -> list[str]:
    if advice.uncompared is None:
        return []
    (library, variant, codec, format_), reason = advice.uncompared
    label = words.case_words(f"{library}{bracketed(variant)}", library, codec, format_)
    return [f"you use {label}, which has no time for this data: {reason}"]


def _advice_gain(against: Against) -> str:
    both = (("decodes", against.decode), ("encodes", against.encode))
    gains = [f"{verb} {_times(ratio) if ratio.proven else words.NO_DIFFERENCE}" for verb, ratio in both]
    return f"against {_label(against.present)}, as today: {', '.join(gains)}"


def _leading(first: Sequence[CaseRows], advice: Advice) -> str:
    """The time of the first, and how many times faster it is than the next that does not tie, and than the common choice."""
    others = [option for option in advice.qualified if option not in first]
    alike = [option for option in others if validates(option.decode)] if first is advice.validating else others
    common = [option for option in alike if option.decode.library == COMMON != first[0].decode.library]
    told = [*alike[:1], *(option for option in common[:1] if option not in alike[:1])]
    return ", ".join([_time(first[0]), *(_as_fast(both_ways(one, first[0], advice.least), one) for one in told)])


def _as_fast(factor: Ratio, other: CaseRows) -> str:
    if not factor.proven:
        return f"not proven faster than {_label(other)}"
    return f"{words.factor_text(factor.value)} faster than {_label(other)}"


def _label(option: CaseRows) -> str:
    return words.case_name(option.decode, option.several)


def _exclusions(advice: Advice) -> list[str]:
    return [f"{words.counted(count, 'combination')} left out: {why}" for why, count in advice.excluded.items()]


def _changes(against: Against, probes: Sequence[Behaviour]) -> list[str]:
    before, after = against.present.decode, against.other.decode
    changes = []
    old, new = against.present.size_bytes, against.other.size_bytes
    if old and new and old != new:
        share = new / old - 1
        more = f"{words.percent_words(abs(share))} {'more' if share > 0 else 'fewer'}"
        changes.append(
            f"a document has {words.with_unit(new, words.BYTES)}, not {words.with_unit(old, words.BYTES)} ({more})"
        )
    if before.work_class != after.work_class:
        changes.append(
            f"validation: “{words.class_words(after.work_class)}”, not “{words.class_words(before.work_class)}”"
        )
    if before.format != after.format:
        changes.append(f"the bytes are {after.format}, not {before.format}")
    if before.library != after.library:
        changes.append(
            f"you lose what {words.library_name(before)} offers beyond encoding and decoding, such as your own validators, "
            f"if {words.library_name(after)} lacks it"
        )
    known = {key(probe): probe for probe in probes if probe.environment == "main"}
    first, second = known.get(key(before)), known.get(key(after))
    if first is None or second is None:
        return changes
    found = _losses(before, after, first, second)
    if first.unknown_keys != second.unknown_keys and first.unknown_keys and second.unknown_keys:
        found.insert(0, f"an unknown key is {second.unknown_keys}, not {first.unknown_keys}")
    pairs = ((before, first), (after, second))
    others = [f"{words.library_name(row)} {probe.version}" for row, probe in pairs if probe.version != row.version]
    beside = f" (probed with {' and '.join(others)})" if others else ""
    return changes + [f"{change}{beside}" for change in found]


def _losses(before: Row, after: Row, first: Behaviour, second: Behaviour) -> list[str]:
    """Say which values the first case keeps and which wrong input it rejects, and the second does not."""
    lost = [name for name, finding in first.fidelity.items() if finding.outcome == "exact" and name in second.fidelity]
    lost = [name for name in lost if second.fidelity[name].outcome != "exact"]
    rejected = [name for name, finding in first.strictness.items() if finding.outcome == "rejected"]
    accepted = [name for name in rejected if name in second.strictness and second.strictness[name].outcome in _ACCEPTED]
    names = [words.case_words(words.library_name(row), row.library, row.codec, row.format) for row in (before, after)]
    kept = f"of {len(first.fidelity)} probed values, {names[0]} returns {len(lost)} exactly that {names[1]} does not"
    through = f"of {len(first.strictness)} wrong inputs, {names[0]} rejects {len(accepted)} that {names[1]} takes"
    return [f"{said}: {_some(some)}" for said, some in ((kept, lost), (through, accepted)) if some]


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return "; ".join(names[:_NAMED]) + (f"; and {more} more" if more > 0 else "")


def against_lines(against: Against, probes: Sequence[Behaviour] = ()) -> list[str]:
    """The gain and cost of a change from today's choice."""
    present, other = _label(against.present), _label(against.other)
    if against.present == against.other:
        return [f"you use {present}, and nothing that validates as much is faster"]
    both = (("decode", against.decode), ("encode", against.encode))
    parts = [f"{operation} {_times(ratio)}" for operation, ratio in both if ratio.proven]
    gain = f"{other} would {' and '.join(parts)}" if parts else f"{other} is not proven faster"
    return [f"you use {present}; {gain}", *(f"what would change: {change}" for change in _changes(against, probes))]


def _times(ratio: Ratio) -> str:
    """The factor of the other case over today's, from the ratio of their times."""
    return words.difference_words(1 / ratio.value, 1 / ratio.high, 1 / ratio.low, ratio.least)


def _features_line(extras: Sequence[Extra], names: Sequence[str]) -> str:
    """The features of the user's class beyond its fields, and the times of plain models of the same fields."""
    plain = words.case_name(extras[0].plain)
    costs = [f"{extra.operation} {_times(extra.ratio)}" for extra in extras if extra.ratio.proven]
    cost = f"would {' and '.join(costs)}" if costs else "are not proven to be faster or slower"
    return f"your class has {_some(names)}; plain models of the same fields, {plain}, {cost}"


def _against_data(against: Against, probes: Sequence[Behaviour]) -> dict[str, Any]:
    return {
        "present": _data(against.present),
        "other": _data(against.other),
        "changes": _changes(against, probes),
        "decode_ratio": _figures(against.decode),
        "encode_ratio": _figures(against.encode),
    }


def _figures(ratio: Ratio) -> list[float]:
    return [ratio.value, ratio.low, ratio.high]


def _data(option: CaseRows) -> dict[str, Any]:
    names = ("library", "variant", "codec", "format", "work_class")
    facts = {name: getattr(option.decode, name) for name in names}
    return {**facts, "time_ns": option.time_ns, "size_bytes": option.size_bytes}


def _time(option: CaseRows) -> str:
    return f"{words.with_unit(option.time_ns)} to encode and decode"


def _all(options: Sequence[CaseRows]) -> str:
    return _label(options[0]) + words.tied_words([option.decode for option in options[1:]])
