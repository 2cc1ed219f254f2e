"""The address at which Binder opens the explorer, or the notebooks, from a public copy of this repository."""

from __future__ import annotations

import re
from urllib.parse import quote

from serbench.ask.notebook.lab import FIRST
from serbench.errors import PlanError

SERVICE = "https://mybinder.org/v2"
_ADDRESS = re.compile(r"(?:https://|ssh://git@|git@)(?P<host>[\w.-]+)[/:](?P<path>[\w./-]+?)(?:\.git)?/?")


def binder_link(address: str, *, lab: bool = False) -> str:
    """A link for a copy's address, as git or a browser has it; it opens the explorer as an app, or with `lab` JupyterLab.

    Raises:
        PlanError: it is no address of a repository.
    """
    match = _ADDRESS.fullmatch(address.strip())
    if match is None or "/" not in match["path"] or ".." in match["path"]:
        raise PlanError(f"{address!r} is not the address of a copy, such as https://github.com/you/serbench")
    host, path = match["host"], match["path"]
    if host == "github.com":
        copy = f"gh/{path}"
    elif host == "gitlab.com":
        copy = f"gl/{quote(path, safe='')}"
    else:
        copy = f"git/{quote(f'https://{host}/{path}', safe='')}"
    opened = f"lab/tree/notebooks/{FIRST}" if lab else f"voila/render/notebooks/{FIRST}"
    return f"{SERVICE}/{copy}/HEAD?urlpath={quote(opened, safe='')}"
