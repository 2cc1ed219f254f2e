"""Files are written whole, all of them or none."""

from __future__ import annotations

import pytest

from serbench.files import write_files


def test_a_full_disk_leaves_what_was_there(tmp_path):
    """Where there is no room for one of the new files all old ones stay, and no part of a new one beside them."""
    resource = pytest.importorskip("resource", reason="this platform does not limit files")
    write_files(tmp_path, {"a.md": "old\n", "b.md": "old\n"})
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, usual[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_files(tmp_path, {"a.md": "new\n", "b.md": "new\n" * 1000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert {"a.md": "old\n", "b.md": "old\n"} == {path.name: path.read_text() for path in tmp_path.iterdir()}
