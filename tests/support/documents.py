"""Documents as services and tools write them, each with what someone who knows the data says of its places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

WORDS = re.findall(
    r"\w+", "amber basin cable delta ember field grain harbor island jungle kernel ladder meadow night ocean paper"
)


def without_nones(value: Any, leaf: Callable[[Any], Any] = lambda value: value) -> Any:
    """A value without the keys that are None; `leaf` says what is compared of each value that holds no others."""
    if isinstance(value, dict):
        return {key: without_nones(item, leaf) for key, item in value.items() if item is not None}
    return [without_nones(item, leaf) for item in value] if isinstance(value, list) else leaf(value)


def _versions(draw: Random, count: int) -> dict[str, str]:
    return {"-".join(draw.sample(WORDS, 2)): f"^{draw.randrange(9)}.1.0" for _ in range(count)}


def manifest(draw: Random) -> Any:
    """The manifest of one package."""
    return {
        "name": "harbor",
        "version": "1.2.3",
        "author": {"name": "Ann", "email": "ann@mail.example"},
        "scripts": {word: f"make {word}" for word in ("build", *draw.sample(WORDS, 2))},
        "dependencies": _versions(draw, 3),
        "devDependencies": _versions(draw, 2),
        "engines": {"node": ">=18"},
        "repository": {"type": "git", "url": "https://forge.example/harbor.git"},
        "exports": {".": "./index.js", "./package.json": "./package.json"},
    }


def manifests(draw: Random) -> Any:
    """Manifests of three packages, one of which has an odd key."""
    one, two, three, four, five = draw.sample(WORDS, 5)
    return [
        {"name": "a", "dependencies": {one: "18", two: "4"}},
        {"name": "b", "dependencies": {three: "3", four: "1"}},
        {"name": "c", "psr-4": {f"{five.title()}\\": "src/"}},
    ]


def lock_file(draw: Random) -> Any:
    """A lock file: packages by path, each with its own requirements."""
    packages: dict[str, Any] = {"": {"version": "1.0.0", "resolved": "", "requires": _versions(draw, 4)}}
    for number in range(30):
        made: dict[str, Any] = {"version": f"{number}.0.1", "resolved": f"https://files.example/{number}.tgz"}
        if number % 2:
            made["requires"] = _versions(draw, 3)
        packages[f"node_modules/{draw.choice(WORDS)}{number}"] = made
    return {"lockfileVersion": 3, "packages": packages}


def resources(draw: Random) -> Any:
    """Resources of a cluster with labels, annotations and selectors."""
    return {
        "items": [
            {
                "kind": "Pod",
                "metadata": {
                    "name": f"pod-{number}",
                    "uid": f"{number}",
                    "generation": number,
                    "labels": {"app": "shop", **({draw.choice(WORDS): "x"} if number % 3 else {})},
                    "annotations": {f"harbor.example/{draw.choice(WORDS)}": "yes"},
                },
                "spec": {"nodeSelector": {"disk": "ssd"} if number % 2 else {}, "replicas": number},
            }
            for number in range(12)
        ]
    }


def rates(draw: Random) -> Any:
    """Exchange rates of a few days, and those of today."""
    codes = draw.sample(["EUR", "USD", "GBP", "CHF", "JPY", "SEK", "PLN", "INR"], 5)
    day = {code: round(draw.random() * 3, 4) for code in codes}
    return {"base": "EUR", "rates": day, "history": {f"2024-03-{n:02}": dict(day) for n in range(1, 15)}}


def translations(draw: Random) -> Any:
    """Places with names in several languages, and the texts of a page."""
    codes = draw.sample(["de", "en", "fr", "it", "es", "pt", "cs", "ja"], 4)
    return {
        "places": [
            {
                "id": n,
                "name": {code: f"{draw.choice(WORDS)} {code}" for code in codes},
                "area": n * 1.5,
            }
            for n in range(6)
        ],
        "messages": {word: f"{word}!" for word in draw.sample(WORDS, 3)},
    }


def wide_table(draw: Random) -> Any:
    """Equal rows with three texts and a column for each of 50 years."""
    years = map(str, range(1970, 2020))
    rows = []
    columns = list(years)
    for number in range(8):
        row: dict[str, Any] = {"country": f"c{number}", "code": f"{number}", "series": "area"}
        rows.append(row | {year: draw.randrange(1000) for year in columns})
    return rows


def wide_row(draw: Random) -> Any:
    """One such row."""
    return wide_table(draw)[0]


def sparse_rows(draw: Random) -> Any:
    """Rows that have few of many columns of text each."""
    names = [f"{a}{b}" for a in WORDS[:8] for b in ("one", "two", "three", "four", "five")]
    return [{name: "x" for number, name in enumerate(names) if (number * 7 + n) % 5 == 0} for n in range(60)]


def features(draw: Random) -> Any:
    """A collection of places on a map."""
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"name": draw.choice(WORDS), "kind": "lake"},
                "geometry": {"type": "Point", "coordinates": [draw.random(), draw.random()]},
            }
            for _ in range(9)
        ],
    }


def archive(draw: Random) -> Any:
    """The requests of a page, as a browser records them."""
    pairs = [{"name": "accept", "value": "*/*"}, {"name": "host", "value": "a.example"}]
    entry = {
        "startedDateTime": "2024-03-01T10:00:00.125Z",
        "request": {"method": "GET", "url": "https://a.example/", "headers": pairs, "bodySize": 0},
        "timings": {"dns": 1.5, "connect": 2.5, "wait": 30.25, "receive": 4.5},
        "cache": {},
    }
    return {"log": {"version": "1.2", "entries": [entry] * 4}}


def log_lines(draw: Random) -> Any:
    """Lines of a log, with a context that differs."""
    return [
        {
            "ts": f"2024-05-01T10:00:{n:02}Z",
            "level": "info",
            "ctx": {"_".join(draw.sample(WORDS, 2)): "x"},
        }
        for n in range(20)
    ]


def list_envelopes(draw: Random) -> Any:
    """Two lists in the envelope of an API; the first is empty."""
    cards = [{"id": "c1", "brand": "blue"}] * draw.choice([0, 0, 1])
    empty = {"object": "list", "data": cards, "has_more": False}
    line = {"id": "l1", "amount": 5}
    return {"account": {"cards": empty}, "note": {"lines": {"object": "list", "data": [line], "has_more": False}}}


def packages(draw: Random) -> Any:
    """Packages of two types, one each, the first with funding of two."""
    forge, custom, library, plugin = draw.sample(["forge", "custom", "library", "plugin", "theme", "fund"], 4)
    funding = [{"type": forge, "url": "u"}, {"type": custom, "url": "v"}]
    return {"packages": [{"type": library, "funding": funding}, {"type": plugin, "extra": 1}]}


def events(draw: Random) -> Any:
    """Events of three types, each with fields of its own."""
    kinds: list[dict[str, Any]] = [
        {"type": "click", "x": 1, "y": 2},
        {"type": "key", "code": "Enter"},
        {"type": "scroll", "by": -1.5},
    ]
    return [dict(draw.choice(kinds), at=n) for n in range(40)]


def syntax_tree(draw: Random) -> Any:
    """Expressions in expressions."""

    def expression(depth: int) -> dict[str, Any]:
        if not depth or draw.random() < 0.3:
            return {"kind": "number", "value": draw.randrange(9)}
        if draw.random() < 0.3:
            return {"kind": "minus", "of": expression(depth - 1)}
        return {"kind": "add", "left": expression(depth - 1), "right": expression(depth - 1)}

    return [expression(4) for _ in range(12)]


def categories(draw: Random) -> Any:
    """Rows whose type is a mere category."""
    return [{"type": draw.choice(WORDS[:6]), "name": f"n{n}", "price": n * 1.5} for n in range(40)]


def routes(draw: Random) -> Any:
    """The paths of an API."""
    return {"paths": {f"/{word}/{{id}}": {"get": {"summary": "x"}, "tags": [word]} for word in WORDS[:5]}}


def sizes(draw: Random) -> Any:
    """Pictures in the same sizes each."""
    size = {"w": 100, "h": 80}
    return [{"id": n, "sizes": {"small": size, "medium": size, "large": size, "thumb": size}} for n in range(5)]


def scores(draw: Random) -> Any:
    """Games with the points of whoever took part."""
    return [
        {"game": n, "points_by_player": {draw.choice(WORDS) + str(draw.randrange(99)): n for _ in range(3)}}
        for n in range(6)
    ]


MAP, RECORD, UNION = "map", "record", "union"

KNOWN: list[tuple[Callable[[Random], Any], dict[str, str]]] = [
    (
        manifest,
        {"dependencies": MAP, "devDependencies": MAP, "scripts": MAP, "engines": MAP, "exports": MAP}
        | {"author": RECORD, "repository": RECORD, "$": RECORD},
    ),
    (manifests, {"$": RECORD, "dependencies": MAP, "psr-4": MAP}),
    (lock_file, {"$": RECORD, "packages": MAP, "packages.*": RECORD, "packages.*.requires": MAP}),
    (
        resources,
        {"items": RECORD, "items.metadata": RECORD, "items.metadata.labels": MAP, "items.metadata.annotations": MAP}
        | {"items.spec": RECORD},
    ),
    (rates, {"$": RECORD, "rates": MAP, "history": MAP, "history.*": MAP}),
    (translations, {"places": RECORD, "places.name": MAP, "messages": MAP}),
    (wide_table, {"$": RECORD}),
    (wide_row, {"$": RECORD}),
    (sparse_rows, {"$": RECORD}),
    (features, {"features": RECORD, "features.properties": RECORD, "features.geometry": RECORD}),
    (
        archive,
        {"log": RECORD, "log.entries": RECORD, "log.entries.timings": RECORD, "log.entries.request.headers": RECORD},
    ),
    (log_lines, {"$": RECORD, "ctx": MAP}),
    (list_envelopes, {"account": RECORD, "account.cards": RECORD, "note.lines": RECORD}),
    (packages, {"packages": RECORD, "packages.funding": RECORD}),
    (events, {"$": UNION}),
    (syntax_tree, {"$": UNION, "left": UNION}),
    (categories, {"$": RECORD}),
    (routes, {"paths": MAP, "paths.*": RECORD}),
    (sizes, {"$": RECORD, "sizes": RECORD, "sizes.small": RECORD}),
    (scores, {"$": RECORD, "points_by_player": MAP}),
]
"""Each kind of document, with what its objects are, by path."""


def documents(seed: int = 0) -> Iterator[tuple[str, Any, dict[str, str]]]:
    """Yield each document with its name and what is known of it."""
    for make, known in KNOWN:
        yield make.__name__, make(Random(seed)), known
