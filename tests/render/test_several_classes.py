"""Several classes of the user's are rows of one run over documents that all of them take."""

from __future__ import annotations

import pytest

import serbench
from serbench.render.user_class.find import load_model, locate

MINE = "from dataclasses import dataclass\n\n@dataclass\nclass Order:\n    id: int\n    name: str\n"
CHANGED = MINE.replace("@dataclass", "@dataclass(slots=True, frozen=True)")
PICKY = (
    MINE
    + "    def __post_init__(self):\n        if not 0 <= self.id < 50:\n            raise ValueError('id must be in 0 to 49')\n"
)
WIDER = MINE + "    owner: int\n"
BYTES = MINE.replace("name: str", "name: bytes")
WRITES_MORE = MINE + "    note: str = ''\n"


@pytest.fixture
def both(tmp_path):
    """A function that verifies a class and another of the same module's name; what is told, and the statuses by row."""

    def verified(*sources):
        paths = [tmp_path / str(number) / "orders.py" for number in range(len(sources))]
        for path, source in zip(paths, sources, strict=True):
            path.parent.mkdir()
            path.write_text(source, encoding="utf-8")
        models = [f"{path}:Order" for path in paths]
        cells = serbench.verify(model=models, libraries="yours", formats="json/json", records=20, operations="decode")
        told = load_model(locate(models[0])).differences
        return told, {cell.library: cell.status for cell in cells}

    return verified


@pytest.mark.parametrize("sources", [(MINE, CHANGED), (MINE, PICKY), (PICKY, MINE, CHANGED)])
def test_documents_are_those_that_all_classes_take(both, sources):
    """What one class refuses is drawn anew; modules of one name are told apart by their folders."""
    told, statuses = both(*sources)
    assert [] == told
    assert {"ok"} == set(statuses.values())
    names = {f"yours (dataclass, {number}/orders:Order)" for number in range(1, len(sources))}
    assert {"yours (dataclass)"} | names == set(statuses)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (WIDER, "Order.owner: the schema requires this key, but the document lacks it"),
        (BYTES, "it reads another document: [0].name is "),
        (WRITES_MORE, 'it reads another document: [0].note is added, as ""'),
    ],
)
def test_a_class_that_takes_no_common_document_is_named_with_the_field(both, source, reason):
    """One line says so, and the first class is measured all the same."""
    told, statuses = both(MINE, source)
    assert told[0].startswith(
        f"no document that all classes take: 1/orders:Order refuses what 0/orders:Order takes: {reason}"
    )
    assert "ok" == statuses["yours (dataclass)"]
