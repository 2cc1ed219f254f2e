"""Files are written whole, all of them or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from serbench.store.files import write_file, write_files


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


def test_a_file_that_cannot_be_written_is_named_as_asked(tmp_path):
    """The error has the name that somebody gave, and not that of the file which takes its place."""
    with pytest.raises(FileNotFoundError) as missing:
        write_file(tmp_path / "nowhere" / "table.md", "new\n")
    assert str(tmp_path / "nowhere" / "table.md") == missing.value.filename


def test_a_link_and_a_pipe_stay_what_they_are(tmp_path):
    """What stands in the place of a file is written through and not replaced."""
    write_file(tmp_path / "table.md", "old\n")
    (tmp_path / "link").symlink_to(tmp_path / "table.md")
    write_file(tmp_path / "link", "new\n")
    assert ("new\n", True) == ((tmp_path / "table.md").read_text(), (tmp_path / "link").is_symlink())
    write_file(Path(os.devnull), "new\n")
    assert not Path(os.devnull).is_file()
