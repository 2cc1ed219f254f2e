"""Judges a failed row of a user's class: the class has failed only if its own library fails in a plain script too."""

from __future__ import annotations

import json
from shlex import quote
from typing import Any

from serbench.measure.sessions.scripts import run_script
from serbench.model.data.dataset import Dataset
from serbench.model.fidelity import json_ready, wire_difference
from serbench.model.records import Schema
from serbench.model.types import List
from serbench.render.environments.environment import Environment
from serbench.render.left_out import LeftOut, without_absent
from serbench.render.user_class.find import UserModel
from serbench.render.user_class.script import plain_script

MOST_DOCUMENTS = 16


def plain_failure(
    model: UserModel,
    dataset: Dataset,
    documents: list[Any],
    to_read: list[Any],
    environment: Environment,
    limit_s: float,
) -> str | None:
    """Return what goes wrong if a plain script reads and writes these documents with the class's own library, with the script.

    Args:
        model: the class.
        dataset: the data set of the documents.
        documents: what the class writes or, if it writes nothing of this data, reads.
        to_read: what it reads.
        environment: that of the script.
        limit_s: the seconds that it may take.

    Returns:
        An empty text if nothing goes wrong; None if the class is written with no library.
    """
    script = plain_script(model, returns=not dataset.direction)
    if script is None:
        return None
    alone = not isinstance(dataset.schema.root, List)
    read = json.dumps(json_ready(without_absent(model.lacking(dataset.schema), _records(to_read, alone=alone))))
    printed, failed = run_script(environment, script, read, limit_s)
    if failed is not None:
        return f"a plain script {failed}: {_one_line(script)}"
    if dataset.direction == "reads":
        return ""
    schema = Schema(List(dataset.schema.root), dataset.schema.records) if alone else dataset.schema
    spec, expected, written, left_out = (
        schema.as_data(),
        _records(documents, alone=alone),
        json.loads(printed),
        LeftOut(),
    )
    filled = left_out.fill(schema, expected, written)
    text = wire_difference(spec, spec["root"], expected, written if left_out.defaults else filled)
    return "" if text is None else f"a plain script writes value{text}: {_one_line(script)}"


def _records(documents: list[Any], *, alone: bool) -> list[Any]:
    return list(documents) if alone else [record for document in documents for record in document]


def _one_line(script: str) -> str:
    """Return a script as a command of one line, which reads its document from standard input."""
    return f"python -c {quote(f'exec({script!r})')}"
