"""The outcomes of probes as one small text: each distinct finding once, and one character for each probe of each case."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from serbench.judge.outcomes import Behaviour, Finding

MATRICES = ("fidelity", "strictness")
FIRST_SIGN = 0xC0
"""Above every sign that JSON or HTML writes in another way."""
LAST_SIGN = 0xD7FF
"""Below the surrogates, which no file holds."""
ABOUT = tuple(field.name for field in fields(Behaviour) if field.name not in (*MATRICES, "limits"))


def packed(behaviours: Iterable[Behaviour]) -> dict[str, Any]:
    """The cases as JSON data, the most frequent findings first; limits are left out.

    `probes` has the names of each matrix, and `findings` the different findings without what they lack. Each of
    `cases` has a text for each matrix with one sign per probe: `FIRST_SIGN` plus the index of the finding, or a space
    if there is none.

    Raises:
        ValueError: more different findings than there are signs.
    """
    known = list(behaviours)
    met = Counter(id(f) for one in known for name in MATRICES for f in getattr(one, name).values())
    every = {id(f): f for one in known for name in MATRICES for f in getattr(one, name).values()}
    counted: Counter[Finding] = Counter()
    for number, times in met.items():  # many cases share a finding, which is compared with others once
        counted[every[number]] += times
    order = sorted(counted, key=lambda f: (-counted[f], json.dumps(vars(f))))
    if FIRST_SIGN + len(order) > LAST_SIGN:
        raise ValueError(f"{len(order):,} different findings, which is more than there are signs")
    signs_of = {finding: chr(FIRST_SIGN + number) for number, finding in enumerate(order)}
    sign = {number: signs_of[finding] for number, finding in every.items()}
    probes = {name: probe_names(known, name) for name in MATRICES}

    def signs(findings: Mapping[str, Finding], names: Sequence[str]) -> str:
        return "".join(sign[id(findings[name])] if name in findings else " " for name in names).rstrip(" ")

    return {
        "probes": probes,
        "findings": [{name: value for name, value in vars(f).items() if value is not None} for f in order],
        "cases": [
            {name: getattr(one, name) for name in ABOUT}
            | {name: signs(getattr(one, name), probes[name]) for name in MATRICES}
            for one in known
        ],
    }


def probe_names(behaviours: Iterable[Behaviour], matrix: str) -> list[str]:
    """Every probe of a matrix, in the order of the case that has most of them."""
    matrices = sorted((getattr(one, matrix) for one in behaviours), key=len, reverse=True)
    return list(dict.fromkeys(name for one in matrices for name in one))


def unpacked(data: Mapping[str, Any]) -> list[Behaviour]:
    """The cases in data that `packed` returned.

    Raises:
        KeyError, IndexError, TypeError: the data has another form.
    """
    findings = [Finding(**one) for one in data["findings"]]

    def findings_of(signs: str, names: Sequence[str]) -> dict[str, Finding]:
        return {name: findings[ord(sign) - FIRST_SIGN] for name, sign in zip(names, signs, strict=False) if sign != " "}

    return [
        Behaviour(**{**case, **{name: findings_of(case[name], data["probes"][name]) for name in MATRICES}})
        for case in data["cases"]
    ]


def packed_text(behaviours: Iterable[Behaviour]) -> str:
    """`packed` as JSON with a line for each finding and each case, so that two of them can be compared."""
    data = packed(behaviours)
    lists = [f'"{name}": [\n' + ",\n".join(map(_json, data[name])) + "\n]" for name in ("findings", "cases")]
    return "{" + ",\n".join([f'"probes": {_json(data["probes"])}', *lists]) + "}\n"


def finding_rows(behaviours: Iterable[Behaviour]) -> list[dict[str, Any]]:
    """A line for each case and probe, for tables: the case, the matrix, the probe and its outcome."""
    return [
        {name: getattr(one, name) for name in ABOUT if name not in ("machine", "versions", "reason")}
        | {"matrix": name, "probe": probe, **asdict(finding)}
        for one in behaviours
        for name in MATRICES
        for probe, finding in getattr(one, name).items()
    ]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
