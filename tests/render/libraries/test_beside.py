"""The functions that are written where they are asked for: build, read and frame."""

from __future__ import annotations

import pytest
from feature_schemas import EXAMPLES
from round_trip import AT_HAND, imported, objects

from serbench.api.verifying import verify
from serbench.measure.plan import Plan
from serbench.model import fidelity
from serbench.model.data.dataset import generate, workload_names
from serbench.render.case import Case, render
from serbench.render.codec import codec_named
from serbench.render.library import libraries

BESIDE = ("build", "read", "frame")
WORKLOADS = {name: generate(name, records=3, seed=1) for name in workload_names()}


def carried(library: str) -> dict[str, Case]:
    """The library's cases with the functions that are asked for, by the workloads that it carries."""
    name = {"generated": "protobuf/protobuf", "pyfory": "fory/fory"}.get(library, "orjson/json")
    rendered = {
        workload: render(libraries()[library], "default", codec_named(name), data.schema, beside=BESIDE)
        for workload, data in WORKLOADS.items()
    }
    return {workload: case for workload, case in rendered.items() if case.source}


@pytest.mark.drawn(part=8)
@pytest.mark.parametrize("library", AT_HAND)
def test_what_is_built_is_the_value(library, tmp_path):
    """`build` makes objects that equal the neutral value, and `read` touches them all without a word."""
    done = set()
    for workload, case in carried(library).items():
        data = WORKLOADS[workload]
        module, spec = imported(case, tmp_path), data.schema.as_data()
        if "build" in case.operations and library != "generated":
            assert fidelity.difference(spec, spec["root"], data.value, module.build(data.value)) is None
            done.add("build")
        if "decode" in case.operations:
            writing = imported(case.writer, tmp_path) if case.writer else module
            made = writing.build(data.value) if library == "generated" else objects(writing, data.schema, data.value)
            assert module.read(module.decode(writing.encode(made))) is None
            done.add("read")
    assert done


@pytest.mark.drawn(part=8)
@pytest.mark.parametrize("feature", EXAMPLES)
def test_reading_and_building_take_every_feature(feature, tmp_path):
    """Whatever a schema uses, `build` and `read` are written for dataclasses and dicts."""
    schema, value = EXAMPLES[feature]
    spec = schema.as_data()
    for library in ("dataclasses", "typeddict"):
        case = render(libraries()[library], "default", codec_named("pickle/pickle"), schema, beside=BESIDE)
        module = imported(case, tmp_path)
        if "build" in case.operations:
            assert fidelity.difference(spec, spec["root"], value, module.build(value)) is None
        module.read(objects(module, schema, value))


def test_nothing_is_written_that_was_not_asked_for():
    """Without asking, the module is the one that was always measured."""
    schema = generate("rows", records=2).schema
    plain, more = (
        render(libraries()["dataclasses"], "default", codec_named("orjson/json"), schema, beside=beside)
        for beside in ((), BESIDE)
    )
    assert more.source.startswith(plain.source.rstrip("\n").partition("\n\n\n")[0][:20])
    assert not {"build", "read", "frame"} & set(plain.operations)
    assert set(BESIDE) <= set(more.operations)


@pytest.mark.parametrize(
    "name", ["orjson/json", "pickle/pickle", "csv/csv", "pyarrow/arrow", "pyarrow/parquet", "pyarrow/feather"]
)
def test_frames_have_the_rows_and_columns(name, tmp_path):
    """`frame` makes a data frame with a row for each record and a column for each field."""
    data = generate("rows", records=3)
    case = render(libraries()["dataclasses"], "default", codec_named(name), data.schema, beside=("frame",))
    module = imported(case, tmp_path)
    frame = module.frame(module.encode(objects(module, data.schema, data.value)))
    assert [f.wire for f in data.schema.record("Row").fields] == list(frame.columns)
    assert [row["id"] for row in data.value] == frame["id"].tolist()


@pytest.mark.slow
def test_the_engine_verifies_them():
    """The operations are part of a plan, and each is verified with its case."""
    cells = verify("rows", records=3, libraries="dataclasses", formats="csv", operations=BESIDE)
    assert dict.fromkeys(BESIDE, "ok") == {cell.operation: cell.status for cell in cells}
    assert {"build", "read", "frame"}.isdisjoint(Plan().operations)
