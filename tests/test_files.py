"""A file is written whole, or stays as it was."""

from __future__ import annotations

import pytest

from serbench.files import write_text


def test_a_full_disk_leaves_what_was_there(tmp_path):
    """Where there is no room for the new text the old one stays, and no half a file beside it."""
    resource = pytest.importorskip("resource", reason="this platform does not limit files")
    path = write_text(tmp_path / "table.md", "old\n")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, usual[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_text(path, "new\n" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert "old\n" == path.read_text()
    assert [path] == list(tmp_path.iterdir())
