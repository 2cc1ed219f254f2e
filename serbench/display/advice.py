"""Advice in sentences, each with its evidence, and as JSON data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from serbench.analysis.leading import COMMON
from serbench.analysis.recommend import Advice, Against, CaseRows, Ratio, validates
from serbench.display.words import (
    codec_label,
    counted,
    factor_text,
    library_label,
    point_words,
    three_digits,
    unit_of,
    with_half_width,
)


def advice_lines(advice: Advice) -> list[str]:
    """The advice in sentences, each with its evidence."""
    if not advice.qualified:
        return ["no case fulfils these demands", *_exclusions(advice)]
    said = []
    if advice.validating:
        said.append(f"fastest that checks its input: {_all(advice.validating)}, {_leading(advice.validating, advice)}")
    if advice.fastest[0] not in advice.validating:
        said.append(
            f"fastest, {advice.fastest[0].decode.work_class}: {_all(advice.fastest)}, {_leading(advice.fastest, advice)}"
        )
    said.append(
        f"smallest: {_label(advice.smallest[0])}, {advice.smallest[0].size_bytes:,} bytes{_others(advice.smallest)}"
    )
    front = "; ".join(f"{_label(o)} ({_time(o)}, {o.size_bytes:,} bytes)" for o in advice.front)
    said.append(f"beaten by none in both time and size: {front}")
    for against in advice.against:
        said += _against_lines(against)
    return said + _exclusions(advice)


def advice_data(advice: Advice) -> dict[str, Any]:
    """The advice as JSON data."""
    names = ("validating", "fastest", "smallest", "front")
    return {
        "data": point_words(advice.point),
        **{name: [_data(option) for option in getattr(advice, name)] for name in names},
        "against": [_against_data(against) for against in advice.against],
        "excluded": advice.excluded,
        "advice": advice_lines(advice),
    }


def _leading(first: Sequence[CaseRows], advice: Advice) -> str:
    """The time of the first, and how many times as fast it is as the next that does not tie, and as the common choice."""
    others = [option for option in advice.qualified if option not in first]
    alike = [option for option in others if validates(option.decode)] if first is advice.validating else others
    common = [option for option in others if option.decode.library == COMMON != first[0].decode.library]
    told = [*alike[:1], *(option for option in common[:1] if option not in alike[:1])]
    parts = [f"{factor_text(one.time_ns / first[0].time_ns)} as fast as {_label(one)}" for one in told]
    return ", ".join([_time(first[0]), *parts])


def _label(option: CaseRows) -> str:
    return f"{library_label(option.decode)} with {codec_label(option.decode)}"


def _exclusions(advice: Advice) -> list[str]:
    return [f"{counted(count, 'case')} left out: {why}" for why, count in advice.excluded.items()]


def _changes(against: Against) -> list[str]:
    before, after = against.present.decode, against.other.decode
    changes = []
    if before.work_class != after.work_class:
        changes.append(f"decoding is “{after.work_class}”, not “{before.work_class}”")
    if before.format != after.format:
        changes.append(f"the bytes are {after.format}, not {before.format}")
    if before.library != after.library:
        changes.append(
            f"you lose what {before.library} offers beyond encoding and decoding, such as validators of your own, "
            f"if {after.library} lacks it"
        )
    return changes


def _against_lines(against: Against) -> list[str]:
    present, other = _label(against.present), _label(against.other)
    if against.present == against.other:
        return [f"you use {present}, and nothing that checks as much is faster"]
    parts = []
    for operation, found in (("decode", against.decode), ("encode", against.encode)):
        inverse = Ratio(1 / found.value, 1 / found.high, 1 / found.low)
        better = found if found.value > 1 else inverse
        factor = with_half_width(better.value, better.low, better.high)
        change = f"{factor} {'faster' if better is found else 'slower'}"
        parts += [f"{operation} {change}"] if found.proven else []
    gain = f"{other} would {' and '.join(parts)}" if parts else f"{other} is not proven faster"
    return [f"you use {present}; {gain}", *(f"what would change: {change}" for change in _changes(against))]


def _against_data(against: Against) -> dict[str, Any]:
    return {
        "present": _data(against.present),
        "other": _data(against.other),
        "changes": _changes(against),
        "decode_ratio": list(astuple(against.decode)),
        "encode_ratio": list(astuple(against.encode)),
    }


def _data(option: CaseRows) -> dict[str, Any]:
    names = ("library", "variant", "codec", "format", "work_class")
    facts = {name: getattr(option.decode, name) for name in names}
    return {**facts, "time_ns": option.time_ns, "size_bytes": option.size_bytes}


def _time(option: CaseRows) -> str:
    unit, name = unit_of([option.time_ns])
    return f"{three_digits(option.time_ns / unit)} {name} to encode and decode"


def _all(options: Sequence[CaseRows]) -> str:
    return _label(options[0]) + (f" (tied: {', '.join(map(_label, options[1:]))})" if len(options) > 1 else "")


def _others(options: Sequence[CaseRows]) -> str:
    return f" (and {len(options) - 1} more of that size)" if len(options) > 1 else ""
