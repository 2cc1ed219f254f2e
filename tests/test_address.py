"""What depends on the address of this copy is filled in by one script."""

from __future__ import annotations

import tomllib
from pathlib import Path

import fill_address
import pytest

TEXT = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "remote",
    [
        "https://example.org/me/copy.git",
        "git@example.org:me/copy.git",
        "ssh://git@example.org:22/me/copy",
        "https://u:p@example.org/me/copy/\n",
    ],
)
def test_the_address_is_that_of_the_remote(remote):
    """Each way in which git writes a remote gives the same page, without a name or password."""
    assert "https://example.org/me/copy" == fill_address.address(remote)


@pytest.mark.parametrize("remote", ["/srv/copy", "../copy", ""])
def test_a_folder_is_no_address(remote):
    """A remote on the disk is refused in one line."""
    with pytest.raises(SystemExit, match="no address on the web"):
        fill_address.address(remote)


def test_the_file_has_the_pages_and_nothing_else_changes():
    """Filled in twice, the file has the second address; all the rest is as it was."""
    first = fill_address.with_urls(TEXT, "https://example.org/me/copy")
    second = tomllib.loads(fill_address.with_urls(first, "https://example.org/you/copy"))
    urls = second["project"].pop("urls")
    assert {"Source", "Documentation", "Changelog", "Issues"} == urls.keys()
    assert all(url.startswith("https://example.org/you/copy") for url in urls.values())
    rest = tomllib.loads(TEXT)
    rest["project"].pop("urls", None)
    assert rest == second
