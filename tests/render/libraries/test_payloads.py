"""Libraries of several kinds with every codec carry real payloads, or say why not."""

from pathlib import Path

import pytest

import serbench

PAYLOADS = Path(__file__).parents[4] / "shared" / "payloads"


@pytest.mark.full
@pytest.mark.parametrize("name", ["github_events", "numbers"])
def test_payload(name):
    """No case fails; what is not carried has its reason."""
    path = PAYLOADS / f"{name}.json"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    cells = serbench.verify(payload=path, records=3, libraries="dataclasses,pydantic,marshmallow", formats="all")
    assert len(cells) > 150
    wrong = [cell for cell in cells if cell.status not in ("ok", "unsupported")]
    assert [] == [(cell.library, cell.codec, cell.format, cell.status, cell.reason) for cell in wrong]
    assert all(cell.reason for cell in cells if cell.status == "unsupported")
