"""A fault that a file declares names the version that it was seen in, and that is the version that is tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DECLARED = (
    *("cattrs", "dataclasses-json", "jsons", "mashumaro", "py-ubjson", "pyfory", "pyserde"),
    *("ruamel.yaml", "schematics", "serpyco-rs", "typical", "yapic.json", "yyjson", "yaml-rs", "ormsgpack"),
)


@pytest.fixture(scope="module")
def pinned():
    """The version of each distribution that the tests run with."""
    texts = [(ROOT / "constraints.txt").read_text(encoding="utf-8")]
    texts += [path.read_text(encoding="utf-8") for path in (ROOT / "serbench" / "render" / "libraries").glob("*.py")]
    found = re.findall(r"""(?:^|")([\w.-]+)==([\w.]+)""", "\n".join(texts), re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name): version for name, version in found}


@pytest.mark.parametrize("name", DECLARED)
def test_a_declared_fault_names_the_tested_version(name, pinned):
    """A newer version has its faults looked at again before this test is green."""
    files = [path for part in ("libraries", "formats") for path in (ROOT / "serbench" / "render" / part).glob("*.py")]
    seen = {
        version
        for path in files
        for version in re.findall(rf"\b{re.escape(name)} (\d+(?:[.]\d+)+)", path.read_text(encoding="utf-8"))
    }
    assert {pinned[name.replace(".", "-")]} == seen
