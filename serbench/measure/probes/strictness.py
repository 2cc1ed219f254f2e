"""Feeds wrong input to decoders, and derives each operation's work class from what they do with it.

A case is *strict* if it refuses every wrong input of one record, *coercing* if whatever it lets in has
become the declared type, and *unchecked* if a wrong type or a missing field gets through. The record is the
same for every library; for a class of the user's own it is the first of its data.

For `reject` to time, whole documents are made wrong at their beginning or at their end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from serbench.judge.outcomes import Finding
from serbench.measure.probes.values.wrong import BASICS, MISSING, StrictnessTest, WrongInput
from serbench.measure.session import Fault, WorkerSession
from serbench.model.records import List, Ref, Schema, Type
from serbench.render.case import REJECTS, Case, render
from serbench.render.codec import formats

NO_NAMES = "an object cannot be made without its field"


class _Positional(dict[str, Any]):
    """A record that stands in its bytes as an array of its fields."""


def strictness(session: WorkerSession, case: Case, trial: StrictnessTest = BASICS) -> str:
    """Probe the library, variant and codec of a case.

    Returns:
        What holds the records and how they are checked: "objects, strict", "dicts, coercing", …

    Raises:
        Fault: the probe itself could not be encoded or decoded, or the process ended.
    """
    rendered = render(case.library, case.variant, case.codec, trial.schema, case.environment)
    return checked(*tried(session, rendered, trial))


def checked(holder: str, findings: Mapping[str, Finding]) -> str:
    """The work class of a decoder with these outcomes of wrong input."""
    outcomes = {finding.outcome for finding in findings.values()}
    if "let through" in outcomes:
        return f"{holder}, unchecked"
    return f"{holder}, coercing" if "coerced" in outcomes else f"{holder}, strict"


def work_class(operation: str, probed: str, lost: Mapping[str, str] | None = None, left_out: str = "") -> str:
    """The words under which rows are ranked: what an operation yields or takes, how it checks, what it loses.

    `probed` is what `strictness` gave, or "builtins" for data without records; `lost` the fields that do not
    come back as they were, and what they lose; `left_out` what documents leave out, in the words of a work class.
    """
    if operation in ("dumps", "loads"):
        words = "builtins"
    else:
        words = probed if operation in ("decode", "load", *REJECTS) else probed.partition(",")[0]
    words += f", {left_out}" if left_out else ""
    if not lost:
        return words
    return f"{words}, lossy ({', '.join(f'{name}: {what}' for name, what in sorted(lost.items()))})"


def tried(
    session: WorkerSession, case: Case, trial: StrictnessTest, wanted: Iterable[WrongInput] | None = None
) -> tuple[str, dict[str, Finding]]:
    """Feed a case, which is rendered for the trial's schema, with wrong inputs; all of them if none are named.

    Returns:
        What holds the records ("objects" or "dicts"), and what became of each input by its name: "rejected",
        "coerced", "let through", "default" (a missing field got one), "ignored" (an unknown key) or "unprobed".

    Raises:
        Fault: the good record could not be encoded, decoded or written anew, or the process ended.
    """
    name, good = opened(session, case, trial.name, trial.schema, trial.good)
    write = formats()[case.codec.format].write
    inputs = list(trial.wrong if wanted is None else wanted)
    unmade: dict[str, Finding] = {}
    if write is None:
        possible = [one for one in inputs if one.value is not MISSING and not one.more and one.path[0][1] in trial.good]
        bad = [{"path": one.path, "value": one.value, "names": one.names} for one in possible]
        answers = dict(zip((one.name for one in possible), answers_to(session, name, bad), strict=True))
    else:
        document = _document(case, trial.schema, good["blob"])
        first = answers_to(session, name, [{"blob": written(case, document).hex()}])[0] if inputs else {"outcome": ""}
        if first["outcome"] == "rejected":
            raise Fault("failed", f"a valid record, written again, is rejected: {first['message']}", fatal=False)
        blobs = [(one, _made_wrong(case, one, document)) for one in inputs]
        made = [(one, blob) for one, blob in blobs if isinstance(blob, bytes)]
        bad = [{"path": one.path, "blob": blob.hex(), "names": one.names} for one, blob in made]
        answers = dict(zip((one.name for one, _ in made), answers_to(session, name, bad), strict=True))
        unmade = {one.name: Finding("unprobed", blob) for one, blob in blobs if isinstance(blob, str)}
    session.ask("drop", case=name)
    return good["holder"], {
        one.name: unmade.get(one.name) or _finding(one, answers.get(one.name), trial) for one in inputs
    }


def written_class(session: WorkerSession, case: Case, trial: StrictnessTest = BASICS) -> str:
    """What an endpoint returns ("objects", "dicts" or "bytes"), and how that is checked on the way out, as for `strictness`.

    Raises:
        Fault: a right record is refused, or the process ended.
    """
    rendered = render(case.library, case.variant, case.codec, trial.schema, case.environment)
    if rendered.reason is not None:
        raise Fault("unsupported", f"the probe cannot be rendered: {rendered.reason}", fatal=False)
    name = f"written_of_{rendered.module_name}"
    session.prepare(rendered, name, trial.schema.as_data(), trial.good)
    path, right = trial.wrong[0].path[: 2 if isinstance(trial.good, list) else 1], trial.good
    for _, wire in path:
        right = right[wire]
    asked: dict[str, Any] = {"written": True, "inside": rendered.inside}
    asked["in_lines"] = rendered.in_lines and isinstance(trial.good, list)
    same = {**asked, "path": path, "value": right}
    if answers_to(session, name, [same])[0]["outcome"] != "let through":
        raise Fault("failed", "it returns something else than it is given", fatal=False)
    wrong = [one for one in trial.wrong if one.value is not MISSING]
    answers = answers_to(session, name, [{**asked, "path": one.path, "value": one.value} for one in wrong])
    outcomes = {answer["outcome"] for answer in answers}
    session.ask("drop", case=name)
    checks = "unchecked" if "let through" in outcomes else "coercing" if "coerced" in outcomes else "strict"
    return f"{answers[0]['holder']}, {checks}"


def opened(session: WorkerSession, case: Case, key: str, schema: Schema, good: Any) -> tuple[str, dict[str, Any]]:
    """Prepare and verify a case with its good document; its name in the worker, and the answer of `verify`.

    Raises:
        Fault: it cannot be rendered, or does not come back.
    """
    if case.reason is not None:
        raise Fault("unsupported", f"the probe cannot be rendered: {case.reason}", fatal=False)
    name = f"{key.replace(' ', '_')}_of_{case.module_name}"
    session.prepare(case, name, schema.as_data(), good)
    reply = session.ask("verify", case=name, operations=[], reader=None, losses={})
    if reply["difference"] is not None:
        raise Fault("failed", f"the probe does not survive a round trip: {reply['difference']}", fatal=False)
    return name, reply


def answers_to(session: WorkerSession, name: str, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Feed a case with inputs; the worker's answer to each."""
    outcomes: list[dict[str, Any]] = session.ask("take", case=name, inputs=inputs)["outcomes"] if inputs else []
    return outcomes


def written(case: Case, document: Any, write: Callable[[Any], bytes] | None = None) -> bytes:
    """A document in the format of the case, by that writer, or else by serbench's usual one."""
    write = write or formats()[case.codec.format].write
    assert write is not None
    plain = _plain(document)
    try:
        return write({case.root: plain} if case.root else plain)
    except Exception as error:  # whatever a writer raises on what its reader gave
        raise Fault("failed", f"the wrong input cannot be written: {error}", fatal=False) from None


def read(case: Case, schema: Schema, blob: bytes) -> Any:
    """The document in these bytes as the first independent reader has it; records that are arrays get their keys."""
    readers = list(case.readers(schema.as_data()).values())
    if not readers:
        raise Fault("failed", "nothing else reads these bytes", fatal=False)
    return _named(schema, schema.root, readers[0](blob))


def wrong_documents(
    case: Case, schema: Schema, blob: bytes, positions: Mapping[str, int]
) -> tuple[bytes, dict[str, bytes]]:
    """Write the document anew with serbench's own writer: as it is, and lacking a field in the record at each place.

    The field is the last one without a default, which no record may lack.

    Raises:
        Fault: the document is not a list of records, or no such bytes can be made.
    """
    if (record := schema.row) is None:
        raise Fault("unsupported", "the data is not a list of records", fatal=False)
    if formats()[case.codec.format].write is None:
        raise Fault("unsupported", f"{case.codec.format} cannot be written wrong", fatal=False)
    needed = [f.wire for f in record.fields if f.required]
    if not needed:
        raise Fault("unsupported", "no field is required", fatal=False)
    try:
        rows = read(case, schema, blob)
        if not rows:
            raise Fault("unsupported", "the data has no record that could lack a field", fatal=False)
        wrong = {name: _without(rows, position, needed[-1]) for name, position in positions.items()}
    except Fault:
        raise
    except Exception as error:  # whatever an independent reader raises
        raise Fault("unsupported", f"its bytes cannot be read: {error}", fatal=False) from None
    return written(case, rows), {name: written(case, document) for name, document in wrong.items()}


def _without(rows: list[Any], position: int, key: str) -> list[Any]:
    changed = list(rows)
    changed[position] = type(rows[position])((name, value) for name, value in rows[position].items() if name != key)
    return changed


def _document(case: Case, schema: Schema, blob: bytes) -> Any:
    try:
        return read(case, schema, blob)
    except Fault:
        raise
    except Exception as error:
        raise Fault("failed", f"the good record cannot be read: {error}", fatal=False) from None


def _made_wrong(case: Case, wrong_input: WrongInput, document: Any) -> bytes | str:
    """The bytes of a wrong input, or the reason why there are none."""
    try:
        return written(case, wrong_input.document(document))
    except (LookupError, TypeError) as error:
        return f"its bytes have no such place: {error}"
    except Fault as fault:
        return fault.reason


def _finding(wrong: WrongInput, answer: Mapping[str, Any] | None, trial: StrictnessTest) -> Finding:
    if answer is None:
        return Finding("unprobed", NO_NAMES)
    if answer["outcome"] == "rejected":
        return Finding("rejected", answer["message"], names=set(answer["names"]) == set(wrong.names))
    what = f"{answer['value']} of type {answer['outcome']}"
    if answer["outcome"] in wrong.right:
        return Finding("default" if wrong.value is MISSING else "coerced", f"becomes {what}")
    if answer["outcome"] == "NoneType" and not trial.of_user and wrong.path[0][1] not in trial.good:
        return Finding("ignored", "it is left out")
    return Finding("let through", f"becomes {what}" if wrong.value is not MISSING else f"its place has {what}")


def _named(schema: Schema, type_: Type, parsed: Any) -> Any:
    """Records that are arrays of their fields as mappings that remember it."""
    if isinstance(type_, List) and isinstance(parsed, list):
        return [_named(schema, type_.item, item) for item in parsed]
    if not isinstance(type_, Ref) or not isinstance(parsed, list | dict):
        return parsed
    fields = schema.record(type_.record).fields
    if isinstance(parsed, dict):
        known = {f.wire: f.type for f in fields}
        return {key: _named(schema, known[key], v) if key in known else v for key, v in parsed.items()}
    if len(parsed) != len(fields):
        return parsed
    pairs = zip(fields, parsed, strict=True)
    return _Positional((f.wire, _named(schema, f.type, value)) for f, value in pairs)


def _plain(document: Any) -> Any:
    """The document as it is written: arrays in place of what was one."""
    if isinstance(document, _Positional):
        return [_plain(value) for value in document.values()]
    if isinstance(document, dict):
        return {key: _plain(value) for key, value in document.items()}
    return [_plain(item) for item in document] if isinstance(document, list) else document
