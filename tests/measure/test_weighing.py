"""What is planted in a case's memory, start-up or threads is found in the pass that looks for it."""

from __future__ import annotations

import sys
from itertools import count
from types import SimpleNamespace

import pytest
from planted import GOOD, block, case

from serbench.measure.plan import Plan
from serbench.measure.weighing import METRICS, weights
from serbench.measure.worker import weigher
from serbench.render.environments import Environment, required

pytestmark = pytest.mark.drawn(part=8, of="weighings")

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a high-water mark that can be reset")
MB = 1 << 20
HUNGRY = GOOD.replace("    return [Item(", "    needed = b'x' * (64 << 20)\n    return [Item(")
HOARDING = (
    GOOD.replace("    return [Item(", "    hoard.append(b'x' * (1 << 20))\n    return [Item(") + "\n\nhoard = []\n"
)


def weighed(source, metric, processes=1):
    """Quantity → readings, or the reason why there are none."""
    plan = Plan(time_limit_s=120.0)
    found = list(weights(plan, [block(case("planted", source))], [metric], processes, lambda _: None))
    assert {metric} == {one.metric for one in found}
    return {one.quantity: one.readings or one.reason for one in found}


@pytest.mark.full
@linux
def test_memory_that_is_given_back_is_in_the_peak_and_not_retained():
    """A call that needs 64 MB for a moment has that as its peak, and keeps next to nothing."""
    found = weighed(HUNGRY, "memory")
    assert found["decode_peak"][0] == pytest.approx(64 * MB, rel=0.05)
    assert found["decode_retained"][0] < MB
    assert "less than 2 MB" in found["encode_peak"]


@pytest.mark.full
@linux
def test_native_memory_that_is_kept_is_retained():
    """What a library keeps outside of Python's own allocator counts for each document."""
    assert weighed(HOARDING, "memory")["decode_retained"][0] == pytest.approx(MB, rel=0.1)


@pytest.mark.parametrize("sizes", [[1] * 3 + [5] * 9, [9] * 12], ids=["growing", "large"])
def test_each_document_that_is_kept_counts_once(sizes, monkeypatch):
    """At least ten are kept, also if the first few fill the 8 MB."""
    kept, now = [None], count(0, 10_000_000)
    monkeypatch.setattr(weigher, "resident", lambda: sum(sizes[: len(kept)]) * MB)
    monkeypatch.setattr(weigher, "time", SimpleNamespace(perf_counter_ns=lambda: next(now)))
    assert sum(sizes[1:10]) * MB / len(sizes[1:10]) == weigher.retained(lambda _: None, None, kept)
    assert len(kept) == 10


@pytest.mark.parametrize(
    ("where", "part"),
    [("import json\n{}\nimport dataclasses\n", "import"), ("import json\n{}\n", "model_build")],
)
def test_the_parts_of_a_start_are_told_apart(where, part):
    """Work among the imports is the import's, work below them that of building the models; each process is fresh."""
    busy = "for _ in range(3_000_000): pass"
    found = weighed(
        GOOD.replace("import json\nfrom dataclasses import asdict, dataclass\n", where.format(busy)).replace(
            "@dataclass",
            "from_dataclass = __import__('dataclasses').dataclass\nasdict = __import__('dataclasses').asdict\n\n@from_dataclass",
        ),
        "start",
        processes=2,
    )
    times = {"import", "model_build", "first_encode", "first_decode"}
    assert {*times, "after_import", "after_first_use"} == set(found)
    assert {2} == {len(readings) for readings in found.values()}
    assert part == max(times, key=lambda quantity: min(found[quantity]))


@linux
def test_the_memory_of_a_start_is_told_after_import_and_after_first_use():
    """What a module keeps from its import is there from then on, what its first call keeps only afterwards."""
    source = GOOD.replace("import json\n", "import json\nkept = [b'x' * (8 << 20)]\n", 1)
    found = weighed(
        source.replace("    return [Item(", "    kept.append(b'x' * (16 << 20))\n    return [Item("), "start"
    )
    assert found["after_first_use"][0] - found["after_import"][0] == pytest.approx(16 * MB, rel=0.1)
    assert 8 * MB < found["after_import"][0] < 14 * MB


@linux
def test_a_leak_of_one_object_in_a_hundred_calls_is_proven_and_clean_code_is_not_accused():
    """Blocks count small objects, bytes large ones; what is kept for a while is no leak."""
    keeping = "    global calls\n    calls += 1\n    calls % 100 or kept.append({what})\n    return "
    source = GOOD.replace("    return json.dumps", keeping.format(what="b'x' * 100_000") + "json.dumps")
    source = source.replace("    return [Item(", keeping.format(what="object()") + "[Item(")
    ends = {"leaking": "kept, calls = [], 0\n", "clean": "kept, calls = __import__('collections').deque(maxlen=5), 0\n"}
    leaks = {}
    for name, end in ends.items():
        tried = block(case("planted", f"{source}\n\n{end}"))
        readings = weights(Plan(time_limit_s=120.0), [tried], ["leak"], 6, lambda _: None)
        leaks[name] = {row.quantity: (row.leaks, row.value) for row in readings}
    assert (True, pytest.approx(0.01, rel=0.1)) == leaks["leaking"]["decode_blocks"]
    assert (True, pytest.approx(1000, rel=0.2)) == leaks["leaking"]["encode_bytes"]
    assert {f"{way}_{what}": (False, 0) for way in ("encode", "decode") for what in ("blocks", "bytes")} == leaks[
        "clean"
    ]


def test_a_reference_that_is_never_given_up_is_a_leak():
    """The argument of each call is new in every part, so that what is held of one is held for each."""
    held = GOOD.replace("    return json", "    held.append(items[0])\n    return json") + "\n\nheld = []\n"
    assert weighed(held, "leak")["encode_blocks"][0] >= 1


def test_threads_are_ratios():
    """Each operation has a number for each count of threads beyond one."""
    assert {f"{way}_{count}_threads" for way in ("encode", "decode") for count in (2, 4)} == set(
        weighed(GOOD, "threads")
    )


@pytest.mark.parametrize("metric", METRICS)
def test_what_is_wrong_is_not_weighed(metric):
    """A case that loses data has its reason in every metric, and no number."""
    assert {"": "decode: value[0].size: expected 1, got 0"} == weighed(
        GOOD.replace("asdict(item)", '{**asdict(item), "size": 0}'), metric
    )


def test_a_crash_in_a_pass_is_a_reason():
    """A case whose process dies on the scales has that as its reason."""
    deadly = GOOD.replace(
        "def decode(blob):",
        "def decode(blob):\n    import threading, os\n    threading.current_thread() is threading.main_thread() or os._exit(9)",
    )
    assert "exit code 9" in weighed(deadly, "threads")[""]


def test_a_distribution_brings_what_it_requires():
    """Requirements are followed with their extras and markers, each counted once; what is not there is left out."""
    installed = {
        "a-a": ["b[x]>1", "gone", 'c; python_version < "3"', "not a requirement!"],
        "b": ["a-a", 'd; extra == "x"', 'e; extra == "y"'],
        "c": [],
        "d": ["b"],
        "e": [],
    }
    assert {"a-a", "b", "d"} == required(["a-A"], installed.get, Environment("main", ""))


@linux
def test_a_worker_that_is_killed_is_weighed_again(tmp_path):
    """A process that somebody else ends while a case is proved costs time and no figure."""
    once = f"flag = pathlib.Path({str(tmp_path / 'flag')!r})"
    killed = GOOD.replace(
        "def decode(blob):",
        "def decode(blob):\n    import os, pathlib, signal\n    "
        f"{once}\n    flag.exists() or (flag.touch(), os.kill(os.getpid(), signal.SIGKILL))",
    )
    assert weighed(GOOD, "installed") == weighed(killed, "installed")
    assert (tmp_path / "flag").exists()
