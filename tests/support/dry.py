"""Commands that measure nothing: where a process, a server or the package index would be asked, stands an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import known_runs

from serbench.api import selfcheck as of_itself
from serbench.api.reports.execute import Execution
from serbench.claims.ledger import ledger
from serbench.judge.outcomes import Behaviour, Finding, Swept, Weight
from serbench.measure.plan import blocks
from serbench.measure.probes.streams import Streamed
from serbench.render.environments import BuildError
from serbench.results import CaseId, Point

if TYPE_CHECKING:
    import pytest

STORED = known_runs.run("20260101-000000-abcd", [Point("client", 10, 2, 0)], ("encode", "decode"))
CASE = CaseId("msgspec", "default", "orjson", "json", "main", "0.22.0", "3.11")


def _run(plan: Any, **about: Any) -> Any:
    next(blocks(plan))  # what cannot be is refused
    info = replace(STORED.info, plan=plan.as_data(), command=about["command"])
    return replace(STORED, info=info)


def _conduct(plan: Any, prepared: Any, recorder: Any, *_: Any, **__: Any) -> bool:
    next(iter(prepared))
    recorder.known |= {cell.id: cell for cell in STORED.cells}
    return True


def _behaviours(selected: Any, *_: Any) -> list[Behaviour]:
    found = {"int 1": Finding("exact"), "float nan": Finding("changed", "nan")}
    return [
        Behaviour(*_case(one), "objects, strict", fidelity=found, strictness={"text for int": Finding("rejected")})
        for one in selected
    ]


def _case(one: Any) -> tuple[str, str, None, str, str, str, str]:
    return (one.library.name, one.variant, None, "main", "3.11", one.codec.name, one.codec.format)


def _weights(plan: Any, prepared: Any, chosen: Any, *_: Any) -> list[Weight]:
    next(iter(prepared))
    case = vars(Point("client", 1, 2, 0)) | vars(CASE)
    facts = {"quantity": "retained", "unit": "bytes", "readings": (1.5, 2.0)}
    return [Weight(**case, **facts, metric=name) for name in chosen]


def _no_index(*_: Any, **__: Any) -> str:
    raise BuildError("no package index")


def without_processes(patch: pytest.MonkeyPatch) -> None:
    """Have commands answer at once with made-up results, after checking what they are asked."""
    published = of_itself._published().parts
    parts = {name: (lambda *_, of=name: dict(published[of])) for name in of_itself.PARTS}
    outcomes = {one.id: one for one in ledger().outcomes}
    first = next(iter(outcomes.values()))
    answers = {
        "serbench.api.running.measure": _run,
        "serbench.api.verifying.conduct": _conduct,
        "serbench.api.verifying.behaviours": _behaviours,
        "serbench.api.verifying.each_probed": lambda selected, *_: [Swept(*_swept(one), 3, 3) for one in selected],
        "serbench.api.verifying.streams": lambda *_: [
            Streamed("msgspec", "default", "json", "json", "ok", None, 9, 99, 1.0, 1.0, 9)
        ],
        "serbench.api.weighing.weights": _weights,
        "serbench.api.weighing.load_generator": lambda: "wrk",
        "serbench.api.selfcheck.PARTS": parts,
        "serbench.api.claims.measure_claim": lambda claim, *_: outcomes.get(claim.id) or first,
        "serbench.api.reports.execute.execute": lambda chosen, *_, **__: [Execution(one.name, "ok") for one in chosen],
        "serbench.api.command_line.reporting._not_current": lambda *_: [],  # it draws all that is published: 480 MB
        "serbench.api.notebook.app.open_app": lambda *_, **__: 0,
        "serbench.api.notebook.app.open_lab": lambda *_, **__: 0,
        "serbench.render.environments._uv": _no_index,
    }
    for name, answer in answers.items():
        patch.setattr(name, answer)


def _swept(one: Any) -> tuple[Any, ...]:
    library, variant, version, environment, _, codec, form = _case(one)
    return (library, variant, version, environment, codec, form)
