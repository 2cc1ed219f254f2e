"""Documents of the kinds that people have: webhooks, feeds, lock files, bills of materials, logs, labels and the like."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

Document = Callable[[Random], Any]
_WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "islet",
    "jolly",
    "kayak",
    "lunar",
    "maple",
    "north",
    "opal",
    "pearl",
    "quill",
    "river",
]


def _word(draw: Random) -> str:
    return draw.choice(_WORDS)


def _words(draw: Random, count: int) -> str:
    return " ".join(_word(draw) for _ in range(count))


def _hash(draw: Random, length: int = 40) -> str:
    return "".join(draw.choices("0123456789abcdef", k=length))


def _moment(draw: Random, zone: str = "Z") -> str:
    return (
        f"20{draw.randint(15, 25)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        f"T{draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02}{zone}"
    )


def _version(draw: Random) -> str:
    return f"{draw.randint(0, 9)}.{draw.randint(0, 20)}.{draw.randint(0, 9)}"


def _user(draw: Random) -> dict[str, Any]:
    name = _word(draw)
    number = draw.randint(1, 10**6)
    return {
        "login": name,
        "id": number,
        "avatar": f"https://forge.example/u/{number}?v=4",
        "site_admin": draw.random() < 0.1,
    }


def _push(draw: Random) -> Any:
    def commit() -> dict[str, Any]:
        author = {"name": _words(draw, 2).title(), "email": f"{_word(draw)}@mail.example"}
        files = {
            key: [f"src/{_word(draw)}.py" for _ in range(draw.randint(0, 3))]
            for key in ("added", "removed", "modified")
        }
        return {
            "id": _hash(draw),
            "message": _words(draw, 5),
            "timestamp": _moment(draw, "+02:00"),
            "author": author,
            **files,
        }

    repository = {
        "id": 7,
        "full_name": "amber/birch",
        "private": False,
        "license": None,
        "topics": ["a", "b"],
        "pushed_at": 1700000000,
    }
    return {
        "ref": "refs/heads/main",
        "before": _hash(draw),
        "after": _hash(draw),
        "forced": False,
        "repository": repository,
        "pusher": _user(draw),
        "commits": [commit() for _ in range(6)],
        "head_commit": commit(),
    }


def _issues(draw: Random) -> Any:
    def issue(number: int) -> dict[str, Any]:
        closed = draw.random() < 0.5
        return {
            "number": number,
            "title": _words(draw, 4),
            "user": _user(draw),
            "labels": [
                {"name": _word(draw), "color": _hash(draw, 6), "default": False} for _ in range(draw.randint(0, 3))
            ],
            "state": "closed" if closed else "open",
            "closed_at": _moment(draw) if closed else None,
            "created_at": _moment(draw),
            "milestone": {"title": _word(draw), "due_on": None} if draw.random() < 0.3 else None,
            "reactions": {"+1": draw.randint(0, 9), "-1": 0, "laugh": 0, "url": "https://forge.example/r"},
            **({"pull_request": {"merged_at": _moment(draw)}} if draw.random() < 0.4 else {}),
        }

    return [issue(number) for number in range(1, 25)]


def _forge_events(draw: Random) -> Any:
    def event(number: int) -> dict[str, Any]:
        kind = draw.choice(["PushEvent", "WatchEvent", "ForkEvent"])
        payload: dict[str, Any] = {"action": "started"}
        if kind == "PushEvent":
            payload = {"size": 1, "commits": [{"sha": _hash(draw), "distinct": True, "message": _words(draw, 3)}]}
        elif kind == "ForkEvent":
            payload = {"forkee": {"id": number, "name": _word(draw), "fork": True}}
        node = draw.choice(["MDEwOlJlcG9zaXRvcnkxNzI3MzA1MQ==", "MDEyOk9yZ2FuaXphdGlvbjY4MTE2NzI="])
        return {
            "id": str(number),
            "type": kind,
            "actor": _user(draw),
            "node_id": node,
            "payload": payload,
            "public": True,
        }

    return [event(number) for number in range(30)]


def _analysis_results(draw: Random) -> Any:
    def location() -> dict[str, Any]:
        region = {"startLine": draw.randint(1, 500), "startColumn": draw.randint(1, 80)}
        artifact = {"uri": f"src/{_word(draw)}.c", "uriBaseId": "%SRCROOT%"}
        return {"physicalLocation": {"artifactLocation": artifact, "region": region}}

    def result() -> dict[str, Any]:
        made = {"ruleId": f"R{draw.randint(1, 9):03}", "level": draw.choice(["error", "warning", "note"])}
        made |= {"message": {"text": _words(draw, 6)}, "locations": [location()]}
        if draw.random() < 0.3:
            made["relatedLocations"] = [{"id": 1, **location()}]
        if draw.random() < 0.3:
            made["fingerprints"] = {"primary/v1": _hash(draw)}
        return made

    rules = [
        {"id": f"R{n:03}", "shortDescription": {"text": _words(draw, 3)}, "properties": {"tags": ["a", "b"]}}
        for n in range(1, 10)
    ]
    driver = {"name": "lint", "semanticVersion": "1.2.3", "rules": rules}
    return {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": [result() for _ in range(20)]}]}


def _stations(draw: Random) -> Any:
    stations = [
        {
            "station_id": f"{number}",
            "name": f"{_word(draw).title()} St.",
            "lat": round(50 + draw.random(), 6),
            "lon": round(4 + draw.random(), 6),
            "capacity": draw.randint(5, 40),
            "rental_methods": ["CREDITCARD", "KEY"][: draw.randint(1, 2)],
            **({"address": _words(draw, 2)} if draw.random() < 0.6 else {}),
        }
        for number in range(30)
    ]
    return {"last_updated": 1700000000, "ttl": 60, "version": "2.3", "data": {"stations": stations}}


def _station_status(draw: Random) -> Any:
    def status(number: int) -> dict[str, Any]:
        types = [{"vehicle_type_id": kind, "count": draw.randint(0, 9)} for kind in ("bike", "ebike")]
        return {
            "station_id": str(number),
            "num_bikes_available": draw.randint(0, 9),
            "is_renting": True,
            "last_reported": _moment(draw, "+00:00"),
            "vehicle_types_available": types if draw.random() < 0.8 else [],
        }

    return {
        "last_updated": _moment(draw, "+00:00"),
        "ttl": 0,
        "version": "3.0",
        "data": {"stations": [status(n) for n in range(20)]},
    }


def _pricing(draw: Random) -> Any:
    plans = [
        {
            "plan_id": _hash(draw, 8),
            "name": [{"text": _word(draw), "language": "en"}],
            "price": draw.choice([0, 1, 2.5]),
            "is_taxable": False,
            "per_min_pricing": [{"start": 0, "rate": draw.choice([1, 0.25]), "interval": 1}]
            if draw.random() < 0.5
            else [],
        }
        for _ in range(8)
    ]
    return {"last_updated": 1700000000, "ttl": 0, "data": {"plans": plans}}


def _script_lock(draw: Random) -> Any:
    packages: dict[str, Any] = {"": {"name": "app", "version": "1.0.0", "dependencies": {"amber": "^1.0.0"}}}
    for _ in range(25):
        name = f"node_modules/{_word(draw)}-{_word(draw)}"
        packages[name] = {
            "version": _version(draw),
            "resolved": f"https://registry.example/{_word(draw)}.tgz",
            "integrity": f"sha512-{_hash(draw, 20)}==",
            **({"dev": True} if draw.random() < 0.4 else {}),
            **({"dependencies": {_word(draw): "^1.2.0" for _ in range(2)}} if draw.random() < 0.5 else {}),
            **({"engines": {"node": ">=12"}} if draw.random() < 0.5 else {}),
            **({"bin": {_word(draw): "cli.js"}} if draw.random() < 0.2 else {}),
        }
    return {"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": True, "packages": packages}


def _library_lock(draw: Random) -> Any:
    def package() -> dict[str, Any]:
        return {
            "name": f"{_word(draw)}/{_word(draw)}",
            "version": f"v{_version(draw)}",
            "source": {"type": "git", "url": "https://forge.example/x.git", "reference": _hash(draw)},
            "require": {"php": ">=8.1", **{f"{_word(draw)}/{_word(draw)}": "^2.0" for _ in range(draw.randint(0, 3))}},
            "type": draw.choice(["library", "plugin"]),
            "autoload": {"psr-4": {f"{_word(draw).title()}\\": "src/"}}
            if draw.random() < 0.7
            else {"files": ["f.php"]},
            "license": ["MIT"],
            "funding": [{"type": draw.choice(["forge", "custom"]), "url": "u"}] if draw.random() < 0.4 else [],
            "time": _moment(draw, "+00:00"),
        }

    return {
        "content-hash": _hash(draw, 32),
        "packages": [package() for _ in range(20)],
        "aliases": [],
        "stability-flags": {},
    }


def _manifests(draw: Random) -> Any:
    def manifest() -> dict[str, Any]:
        made: dict[str, Any] = {"name": _word(draw), "version": _version(draw)}
        if draw.random() < 0.7:
            made["dependencies"] = {_word(draw): f"^{_version(draw)}" for _ in range(draw.randint(1, 4))}
        if draw.random() < 0.5:
            made["scripts"] = {"build": "make", "test:unit": "make test"}
        if draw.random() < 0.5:
            made["author"] = draw.choice(["A <a@b.example>", {"name": "A", "email": "a@b.example"}])
        if draw.random() < 0.3:
            made["repository"] = {"type": "git", "url": "git+https://forge.example/x.git"}
        return made

    return [manifest() for _ in range(25)]


def _build_metadata(draw: Random) -> Any:
    def package() -> dict[str, Any]:
        dependencies = [
            {
                "name": _word(draw),
                "req": "^1",
                "kind": draw.choice([None, "dev"]),
                "optional": False,
                "features": ["std"],
            }
            for _ in range(draw.randint(0, 3))
        ]
        features = {_word(draw): [f"dep:{_word(draw)}"] for _ in range(draw.randint(0, 3))}
        return {
            "name": _word(draw),
            "version": _version(draw),
            "dependencies": dependencies,
            "features": features,
            "links": None,
        }

    return {"packages": [package() for _ in range(15)], "resolve": {"root": None}, "version": 1}


def _charges(draw: Random) -> Any:
    def charge() -> dict[str, Any]:
        card = {
            "brand": "visa",
            "last4": f"{draw.randint(0, 9999):04}",
            "exp_month": draw.randint(1, 12),
            "checks": {"cvc": "pass"},
        }
        refunds = [{"id": f"re_{_hash(draw, 8)}", "amount": draw.randint(1, 99)} for _ in range(draw.randint(0, 2))]
        return {
            "id": f"ch_{_hash(draw, 14)}",
            "object": "charge",
            "amount": draw.randint(100, 9999),
            "captured": True,
            "created": 1700000000,
            "customer": draw.choice([None, f"cus_{_hash(draw, 8)}"]),
            "metadata": {"order_id": str(draw.randint(1, 999))} if draw.random() < 0.5 else {},
            "payment_method_details": {"type": "card", "card": card},
            "refunds": {"object": "list", "data": refunds, "has_more": False, "url": "/v1/refunds"},
            "sources": {"object": "list", "data": [], "has_more": False, "url": "/v1/sources"},
        }

    return {"object": "list", "data": [charge() for _ in range(15)], "has_more": True, "url": "/v1/charges"}


def _payment_events(draw: Random) -> Any:
    def event() -> dict[str, Any]:
        kind = draw.choice(["customer.created", "invoice.paid"])
        data: dict[str, Any] = {"id": _hash(draw, 8), "object": "customer", "email": "a@b.example", "balance": 0}
        if kind == "invoice.paid":
            lines = {"object": "list", "data": [{"id": "il", "amount": 5}], "has_more": False}
            data = {"id": _hash(draw, 8), "object": "invoice", "total": 1200, "lines": lines}
        return {
            "id": f"evt_{_hash(draw, 8)}",
            "type": kind,
            "livemode": False,
            "data": {"object": data},
            "request": {"id": None},
        }

    return [event() for _ in range(20)]


def _archive(draw: Random) -> Any:
    def headers() -> list[dict[str, str]]:
        return [{"name": _word(draw).title(), "value": _words(draw, 2)} for _ in range(3)]

    def entry() -> dict[str, Any]:
        method = draw.choice(["GET", "POST"])
        request: dict[str, Any] = {
            "method": method,
            "url": "https://x.example/",
            "headers": headers(),
            "queryString": [],
            "bodySize": -1,
        }
        if method == "POST":
            request["postData"] = {"mimeType": "application/json", "text": '{"a": 1}'}
        content = {"size": draw.randint(0, 999), "mimeType": "text/html", "text": "<p>é</p>"}
        timings = {"blocked": draw.choice([-1, 0.5]), "send": 0, "wait": round(draw.random() * 50, 3), "receive": 1}
        return {
            "startedDateTime": _moment(draw, ".123Z"),
            "time": round(draw.random() * 100, 6),
            "request": request,
            "response": {"status": 200, "headers": headers(), "content": content, "redirectURL": ""},
            "cache": {},
            "timings": timings,
        }

    return {
        "log": {"version": "1.2", "creator": {"name": "b", "version": "1"}, "entries": [entry() for _ in range(12)]}
    }


def _points(draw: Random) -> Any:
    def feature(number: int) -> dict[str, Any]:
        geometry = {"type": "Point", "coordinates": [draw.uniform(-180, 180), draw.uniform(-90, 90)]}
        properties = {"name": _word(draw), "population": draw.choice([None, draw.randint(1, 10**6)])}
        return {"type": "Feature", "id": number, "geometry": geometry, "properties": properties}

    return {"type": "FeatureCollection", "features": [feature(number) for number in range(25)]}


def _shapes(draw: Random) -> Any:
    def ring() -> list[list[float]]:
        return [[round(draw.uniform(-9, 9), 4), round(draw.uniform(-9, 9), 4)] for _ in range(4)]

    def feature() -> dict[str, Any]:
        kind = draw.choice(["Point", "LineString", "Polygon"])
        coordinates: Any = ring()[0] if kind == "Point" else ring() if kind == "LineString" else [ring()]
        return {"type": "Feature", "properties": None, "geometry": {"type": kind, "coordinates": coordinates}}

    return {"type": "FeatureCollection", "bbox": [1, 2, 3.5, 4], "features": [feature() for _ in range(20)]}


def _bill(draw: Random) -> Any:
    def component() -> dict[str, Any]:
        name = _word(draw)
        licence = draw.choice([{"license": {"id": "MIT"}}, {"license": {"name": "own"}}, {"expression": "MIT OR X"}])
        made: dict[str, Any] = {
            "type": "library",
            "bom-ref": f"pkg:x/{name}@1",
            "name": name,
            "version": _version(draw),
        }
        made["licenses"] = [licence]
        if draw.random() < 0.5:
            made["hashes"] = [{"alg": "SHA-256", "content": _hash(draw, 64)}]
        if draw.random() < 0.4:
            made["externalReferences"] = [{"type": "website", "url": "https://x.example"}]
        return made

    metadata = {"timestamp": _moment(draw), "tools": {"components": [{"type": "application", "name": "t"}]}}
    serial = "urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": serial,
        "version": 1,
        "metadata": metadata,
        "components": [component() for _ in range(20)],
    }


def _package_facts(draw: Random) -> Any:
    packages = [
        {
            "SPDXID": f"SPDXRef-{number}",
            "name": _word(draw),
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "checksums": [{"algorithm": "SHA1", "checksumValue": _hash(draw)}] if draw.random() < 0.5 else [],
            **(
                {"externalRefs": [{"referenceType": "purl", "referenceLocator": "pkg:x/y"}]}
                if draw.random() < 0.5
                else {}
            ),
        }
        for number in range(15)
    ]
    info = {"created": _moment(draw), "creators": ["Tool: t", "Person: A"]}
    return {"spdxVersion": "SPDX-2.3", "creationInfo": info, "packages": packages, "relationships": []}


def _labels(draw: Random) -> Any:
    def item() -> dict[str, Any]:
        name = _word(draw)
        labels = {"app.kubernetes.io/name": name, **({"tier": _word(draw)} if draw.random() < 0.5 else {})}
        annotations = {f"{_word(draw)}.example/{_word(draw)}": _words(draw, 2) for _ in range(draw.randint(0, 3))}
        metadata = {"name": name, "labels": labels, "creationTimestamp": _moment(draw)}
        metadata |= {"annotations": annotations} if annotations else {}
        container = {"name": name, "image": f"{name}:1", "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": {"containers": [container], "nodeSelector": {}},
        }

    return {"kind": "List", "items": [item() for _ in range(15)]}


def _rates(draw: Random) -> Any:
    days = {
        f"2024-01-{day:02}": {code: round(draw.uniform(0.5, 200), 4) for code in ("USD", "JPY", "CHF")}
        for day in range(1, 20)
    }
    return {"base": "EUR", "start": "2024-01-01", "rates": days}


def _daily_rates(draw: Random) -> Any:
    codes = ["AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "GBP", "HKD"]
    return [
        {"base": "EUR", "date": f"2024-01-{day:02}", "rates": {c: round(draw.uniform(1, 9), 4) for c in codes}}
        for day in range(1, 9)
    ]


def _translations(draw: Random) -> Any:
    return {
        "de": {"hello": "Grüß Gott", "menu": {"open": "Öffnen", "close": "Schließen"}, "items_one": "{{n}} Ding"},
        "fr": {"hello": "Bonjour", "menu": {"open": "Ouvrir", "close": "Fermer"}, "items_other": _words(draw, 2)},
        "zh": {"hello": "你好", "menu": {"open": "打开", "close": "关闭"}},
    }


def _interface(draw: Random) -> Any:
    def operation(name: str) -> dict[str, Any]:
        response = {
            "description": "ok",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/X"}}},
        }
        parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
        return {
            "operationId": name,
            "parameters": [parameter],
            "responses": {"200": response, "default": {"description": "no"}},
        }

    paths = {
        f"/{word}/{{id}}": {
            "get": operation(f"get_{word}"),
            **({"delete": operation(f"drop_{word}")} if draw.random() < 0.5 else {}),
        }
        for word in _WORDS[:8]
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "t", "version": "1"},
        "paths": paths,
        "components": {"schemas": {"X": {"type": "object"}}},
    }


def _feed(draw: Random) -> Any:
    items = [
        {
            "id": str(n),
            "title": _words(draw, 3),
            "date_published": _moment(draw, "-05:00"),
            "tags": [_word(draw)],
            **({"summary": "s"} if n % 3 else {}),
        }
        for n in range(12)
    ]
    return {"version": "https://jsonfeed.org/version/1.1", "title": "f", "items": items}


def _state(draw: Random) -> Any:
    def resource() -> dict[str, Any]:
        attributes = {
            "id": _hash(draw, 8),
            "tags": {"Name": _word(draw)},
            "ports": [80, 443][: draw.randint(0, 2)],
            "ttl": draw.choice([None, 60]),
        }
        return {
            "mode": "managed",
            "type": "host",
            "name": _word(draw),
            "instances": [{"schema_version": 0, "attributes": attributes}],
        }

    return {
        "version": 4,
        "serial": 12,
        "lineage": "0b1f3d5e-2c4a-4b6d-8e9f-a1b2c3d4e5f6",
        "outputs": {},
        "resources": [resource() for _ in range(12)],
    }


def _containers(draw: Random) -> Any:
    def container() -> dict[str, Any]:
        ports = {"80/tcp": [{"HostIp": "0.0.0.0", "HostPort": "8080"}] if draw.random() < 0.5 else None}
        state = {
            "Status": "running",
            "Pid": draw.randint(1, 9999),
            "StartedAt": _moment(draw, ".123456789Z"),
            "FinishedAt": "0001-01-01T00:00:00Z",
        }
        return {
            "Id": _hash(draw, 64),
            "State": state,
            "NetworkSettings": {"Ports": ports},
            "Config": {"Env": ["A=b"], "Labels": {}},
        }

    return [container() for _ in range(8)]


def _notebook(draw: Random) -> Any:
    def cell(number: int) -> dict[str, Any]:
        if draw.random() < 0.4:
            return {"cell_type": "markdown", "metadata": {}, "source": ["# t\n", "x"]}
        output = {"output_type": "stream", "name": "stdout", "text": ["1\n"]}
        return {
            "cell_type": "code",
            "execution_count": draw.choice([None, number]),
            "metadata": {},
            "outputs": [output],
            "source": ["1"],
        }

    return {
        "cells": [cell(n) for n in range(14)],
        "metadata": {"kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _weather(draw: Random) -> Any:
    hours = [f"2024-01-01T{hour:02}:00" for hour in range(24)]
    values = [draw.choice([None, round(draw.uniform(-9, 9), 1)]) for _ in hours]
    return {
        "latitude": 52.52,
        "longitude": 13,
        "hourly_units": {"time": "iso8601", "t": "°C"},
        "hourly": {"time": hours, "t": values},
    }


def _survey(draw: Random) -> Any:
    return [{"id": n, **{f"q{i}": draw.choice([1, 2, "other", None, [1, 2]]) for i in range(1, 6)}} for n in range(20)]


def _catalogue(draw: Random) -> Any:
    def product(number: int) -> dict[str, Any]:
        price = draw.choice([10, 12.5, 9.99])
        options = {"colour": ["red"], "size": ["s", "m"]} if draw.random() < 0.5 else {}
        return {
            "sku": f"{number:05}",
            "price": price,
            "old_price": draw.choice([None, price]),
            "options": options,
            "rating": draw.choice([4, 4.5]),
        }

    return {"products": [product(n) for n in range(25)], "total": 25}


def _settings(draw: Random) -> Any:
    return {
        "editor.fontSize": 12,
        "editor.rulers": [80, 100],
        "files.exclude": {"**/.git": True, "**/*.pyc": {"when": "$(basename).py"}},
        "[python]": {"editor.formatOnSave": draw.random() < 0.5},
        "workbench.colorTheme": None,
        "": "empty",
        "class": "x",
        "a-b": 1,
        "a b": 2,
    }


def _test_report(draw: Random) -> Any:
    def case() -> dict[str, Any]:
        outcome = draw.choice(["passed", "failed", "skipped"])
        call = {"duration": draw.random() / 9, "outcome": outcome}
        call |= {"longrepr": "E assert", "crash": {"path": "t.py", "lineno": 3}} if outcome == "failed" else {}
        return {
            "nodeid": f"tests/t.py::test_{_word(draw)}[{draw.randint(1, 9)}]",
            "outcome": outcome,
            "keywords": ["t"],
            "call": call,
        }

    return {
        "created": 1700000000.123,
        "duration": 1.5,
        "exitcode": 1,
        "summary": {"passed": 3, "total": 5},
        "tests": [case() for _ in range(20)],
    }


def _coverage(draw: Random) -> Any:
    def summary() -> dict[str, Any]:
        return {
            "covered_lines": draw.randint(0, 99),
            "percent_covered": draw.choice([100, 87.5, 93.33333333333333]),
            "missing_lines": 0,
        }

    files = {
        f"src/{word}.py": {"executed_lines": [1, 2, 3], "missing_lines": [], "summary": summary()}
        for word in _WORDS[:9]
    }
    return {"meta": {"version": "7.4", "timestamp": "2024-01-01T00:00:00.123456"}, "files": files, "totals": summary()}


def _policy(draw: Random) -> Any:
    def statement() -> dict[str, Any]:
        action: Any = draw.choice(["s3:GetObject", ["s3:GetObject", "s3:PutObject"]])
        made: dict[str, Any] = {
            "Sid": _word(draw),
            "Effect": "Allow",
            "Action": action,
            "Resource": draw.choice(["*", ["arn:x"]]),
        }
        if draw.random() < 0.5:
            made["Condition"] = {"StringEquals": {"aws:x": draw.choice(["a", ["a", "b"]])}}
        return made

    return {"Version": "2012-10-17", "Statement": [statement() for _ in range(12)]}


def _search_hits(draw: Random) -> Any:
    def hit(number: int) -> dict[str, Any]:
        source = {"title": _words(draw, 2), "price": draw.choice([1, 1.5]), "geo": {"lat": 1.5, "lon": 2}}
        return {
            "_index": "i",
            "_id": str(number),
            "_score": draw.choice([None, 1.25]),
            "_source": source,
            "sort": [draw.randint(1, 9), "a", None],
        }

    hits = {"total": {"value": 12, "relation": "eq"}, "max_score": None, "hits": [hit(n) for n in range(12)]}
    return {"took": 3, "timed_out": False, "_shards": {"total": 5, "failed": 0}, "hits": hits}


def _chat(draw: Random) -> Any:
    def message(number: int) -> dict[str, Any]:
        made: dict[str, Any] = {
            "update_id": number,
            "message": {"message_id": number, "date": 1700000000, "chat": {"id": -(10**12), "type": "group"}},
        }
        if draw.random() < 0.6:
            made["message"]["text"] = draw.choice(["hi 👋", "ok", "<b>&"])
            made["message"]["entities"] = [{"type": "bold", "offset": 0, "length": 2}] if draw.random() < 0.3 else []
        else:
            made["message"]["photo"] = [{"file_id": _hash(draw, 12), "width": 90, "height": 51}]
        return made

    return {"ok": True, "result": [message(n) for n in range(25)]}


def _type_system(draw: Random) -> Any:
    def type_of(depth: int) -> Any:
        if depth and draw.random() < 0.5:
            return {"kind": "LIST", "name": None, "ofType": type_of(depth - 1)}
        return {"kind": "SCALAR", "name": "Int", "ofType": None}

    types = [
        {
            "kind": "OBJECT",
            "name": _word(draw),
            "fields": [{"name": _word(draw), "args": [], "type": type_of(3), "isDeprecated": False} for _ in range(3)],
            "interfaces": [],
            "enumValues": None,
        }
        for _ in range(8)
    ]
    return {"data": {"__schema": {"queryType": {"name": "Query"}, "types": types}}}


def _matrix(draw: Random) -> Any:
    return {
        "shape": [12, 5],
        "rows": [[draw.choice([0, 1, round(draw.random(), 3)]) for _ in range(5)] for _ in range(12)],
    }


def _sensor(draw: Random) -> Any:
    return [
        {"t": 1700000000000 + n, "v": draw.random() * 10 ** draw.randint(-12, 12), "q": draw.choice([0, 1])}
        for n in range(60)
    ]


def _flags(draw: Random) -> Any:
    return {
        f"{_word(draw)}-{n}": {"enabled": draw.random() < 0.5, "rollout": draw.choice([0, 50, 12.5]), "groups": []}
        for n in range(30)
    }


def _big_numbers(draw: Random) -> Any:
    return [
        {"id": 2**63 + draw.randint(0, 9), "big": 2**70, "small": -(2**62), "zero": -0.0, "e": 1e-300, "many": 0.1}
        for _ in range(5)
    ]


def _tree(draw: Random) -> Any:
    def node(depth: int) -> dict[str, Any]:
        children = [node(depth - 1) for _ in range(draw.randint(0, 3))] if depth else []
        return {"name": _word(draw), "size": draw.randint(0, 9), "children": children}

    return node(4)


def _years(draw: Random) -> Any:
    years = [str(year) for year in range(1960, 2010)]
    return [
        {
            "Country": _word(draw),
            "Code": "ABC",
            "Indicator": "i",
            **{year: draw.choice([None, round(draw.random() * 9, 2)]) for year in years},
        }
        for _ in range(12)
    ]


def _awkward_texts(_: Random) -> Any:
    texts = [
        "",
        " ",
        "\u2028",
        "\x00",
        "\x7f",
        '"',
        "\\",
        "\U0001f600",
        "\ufeff",
        "é",
        "e\u0301",
        "\ud7ff",
        "null",
        "1",
        "2024-13-45",
    ]
    return [{"id": n, "text": text, "note": text or None} for n, text in enumerate(texts)]


def _sparse(draw: Random) -> Any:
    return [{key: draw.randint(1, 9) for key in draw.sample(_WORDS, 4)} for _ in range(30)]


def _dates(draw: Random) -> Any:
    return [
        {
            "day": f"2024-02-{draw.randint(1, 28):02}",
            "at": _moment(draw, ".250Z"),
            "local": _moment(draw, ""),
            "id": "0b1f3d5e-2c4a-4b6d-8e9f-a1b2c3d4e5f6",
            "offset": _moment(draw, "+05:45"),
        }
        for _ in range(10)
    ]


DOCUMENTS: dict[str, Document] = {
    function.__name__.lstrip("_"): function
    for function in (
        *(_push, _issues, _forge_events, _analysis_results, _stations, _station_status, _pricing, _script_lock),
        *(_library_lock, _manifests, _build_metadata, _charges, _payment_events, _archive, _points, _shapes, _bill),
        *(_package_facts, _labels, _rates, _daily_rates, _translations, _interface, _feed, _state, _containers),
        *(_notebook, _weather, _survey, _catalogue, _settings, _test_report, _coverage, _policy, _search_hits, _chat),
        *(_type_system, _matrix, _sensor, _flags, _big_numbers, _tree, _years, _awkward_texts, _sparse, _dates),
    )
}
"""Name → a function that draws such a document."""


def _access_log(draw: Random) -> dict[str, Any]:
    return {
        "ts": _moment(draw),
        "status": draw.choice([200, 404]),
        "ms": draw.choice([1, 0.5]),
        "user": draw.choice([None, _word(draw)]),
    }


def _service_log(draw: Random) -> dict[str, Any]:
    made: dict[str, Any] = {
        "level": draw.choice(["info", "error"]),
        "msg": _words(draw, 4),
        "time": 1700000000 + draw.random(),
    }
    if made["level"] == "error":
        made["err"] = {"type": "ValueError", "stack": "a\nb"}
    return made | ({"ctx": {_word(draw): _word(draw)}} if draw.random() < 0.5 else {})


def _audit_log(draw: Random) -> dict[str, Any]:
    event = draw.choice(["login", "purchase"])
    data = {"ip": "10.0.0.1"} if event == "login" else {"sku": "a", "amount": draw.choice([5, 7.25])}
    return {"event": event, "at": _moment(draw, "+00:00"), **data}


LINES: dict[str, Document] = {
    function.__name__.lstrip("_"): function for function in (_access_log, _service_log, _audit_log)
}
"""Name → a function that draws one line of a JSON Lines file."""


def text_of(name: str, seed: int = 0) -> tuple[str, str]:
    """Return the file name and the text of a document of that name."""
    draw = Random(f"{name} {seed}")
    if name in LINES:
        return f"{name}.ndjson", "".join(f"{json.dumps(LINES[name](draw))}\n" for _ in range(40))
    return f"{name}.json", json.dumps(DOCUMENTS[name](draw), ensure_ascii=draw.random() < 0.5)
