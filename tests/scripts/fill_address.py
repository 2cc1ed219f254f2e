"""Write the address of this copy into `[project.urls]` of pyproject.toml: `python3 tests/scripts/fill_address.py [ADDRESS]`.

Without an address it takes that of git's remote `origin`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    "Source": "",
    "Documentation": "/blob/HEAD/docs/index.md",
    "Changelog": "/blob/HEAD/CHANGELOG.md",
    "Issues": "/issues",
}


def address(remote: str) -> str:
    """The address of the copy's page on the web, from what git calls its remote."""
    found = re.fullmatch(
        r"(?:https?://|ssh://)?(?:[^@/]+@)?([A-Za-z0-9][\w.-]*)(?::\d+)?[:/](.+?)(?:\.git)?/?", remote.strip()
    )
    if not found or "." not in found[1]:
        sys.exit(
            f"fill_address: {remote.strip()!r} is no address on the web; name one, such as https://example.org/me/serbench"
        )
    return f"https://{found[1]}/{found[2]}"


def with_urls(text: str, of: str) -> str:
    """The text of pyproject.toml with the pages of that address, in the place of any that it has."""
    bare = re.sub(r"^\[project\.urls\]\n.*?(?=^\[)", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = "".join(f'{name} = "{of}{page}"\n' for name, page in PAGES.items())
    return bare.replace("[project.scripts]\n", f"[project.urls]\n{lines}\n[project.scripts]\n", 1)


def main() -> None:
    """Write the file, and print the address."""
    given = sys.argv[1:]
    if not given:
        asked = subprocess.run(
            ["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if asked.returncode:
            sys.exit("fill_address: git has no remote called origin; name the address: fill_address.py ADDRESS")
        given = [asked.stdout]
    of = address(given[0])
    path = ROOT / "pyproject.toml"
    path.write_text(with_urls(path.read_text(encoding="utf-8"), of), encoding="utf-8")
    print(of)


if __name__ == "__main__":
    main()
