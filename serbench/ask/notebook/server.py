"""The server of the explorer as an app: it asks for a token, as JupyterLab does, and knows no name but this machine's own.

Its first screen is drawn from stored and published results before there is a kernel, which takes over when it is ready.
"""

from __future__ import annotations

import threading
import webbrowser
from functools import lru_cache
from pathlib import Path
from typing import Any

from tornado.ioloop import IOLoop
from tornado.web import authenticated
from voila.app import Voila
from voila.tornado.handler import TornadoVoilaHandler

from serbench.ask.notebook.explorer import HERE, Explorer, front_end, style
from serbench.ask.notebook.views import state_of
from serbench.ask.reports.page import as_json
from serbench.display.escapes import html
from serbench.errors import SerbenchError
from serbench.keep.opening import default_path
from serbench.render.environments.files import write_file

MAKING = threading.Lock()
SHARED = ("options", "settings", "shown", "progress", "state", "content", "live", "further")
TITLE = "Which library and format for data like yours?"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>serbench</title>
<link rel="icon" href="data:,">
<style>
{style}
body {{ margin: 0; }}
#serbench-app {{ max-width: 1240px; margin: 0 auto; padding: 12px; }}
#serbench-app .serbench-explorer {{ padding: 10px 0; }}
#serbench-app h1 {{ font: 600 22px system-ui, sans-serif; margin: 4px 0; color: CanvasText; }}
#serbench-skip:not(:focus) {{ position: absolute; left: -9999px; }}
#loading {{ display: none !important; }}
#rendered_cells, body > .jp-LabShell {{ visibility: hidden; position: fixed; }} /* the notebook, from which the explorer came */
</style>
</head>
<body>
<a id="serbench-skip" href="#serbench-results">Skip to the results</a>
<div id="serbench-app"><h1>{title}</h1><div id="serbench-first"></div></div>
<script type="application/json" id="serbench-values">{values}</script>
<script>(() => {{
{script}
}})();</script>
"""


class _Still(Explorer):
    """An explorer of an address that shows what is stored, and measures nothing."""

    def __init__(self, address: str | None) -> None:
        self._asked_for = address
        super().__init__()

    def _address(self) -> str | None:
        return self._asked_for

    def _is_new(self) -> bool:
        return False

    def _read_rest(self) -> None:
        return None


def first_screen(address: str | None = None) -> str:
    """Return the first part of the app's page, which draws the state of an address, or the usual one if it may not be shown."""
    with MAKING:
        return _made(address, state_of(default_path()))


@lru_cache(8)
def _made(address: str | None, _changed: tuple[int, ...]) -> str:
    try:
        explorer = _Still(address)
    except SerbenchError:
        explorer = _Still(None)
    values = {name: getattr(explorer, name) for name in SHARED}
    values["options"] = {**values["options"], "app": True}
    script = f"{front_end()}\n{(HERE / 'first.js').read_text(encoding='utf-8')}"
    return PAGE.format(style=style(), title=TITLE, values=as_json(values), script=script)


class FirstScreen(TornadoVoilaHandler):  # type: ignore[misc]  # Voila has no types
    """The page of the notebook, after a first screen that needs no kernel."""

    @authenticated
    async def get(self, path: str | None = None) -> None:
        """Send the first screen at once, then what Voila makes of the notebook."""
        if not path:
            page = await IOLoop.current().run_in_executor(None, first_screen, self.get_argument("state", None))
            self.set_header("Content-Type", "text/html; charset=UTF-8")
            self.set_header("Cache-Control", "no-store")
            _ = self.xsrf_token  # sets the cookie with which the page ends its kernel, while headers can be sent
            self.write(page)
            await self.flush()
        await super().get(path)


class AppServer(Voila):  # type: ignore[misc]  # Voila has no types
    """Voila behind a token that is new each time: other users of this machine, and pages of other sites, get nothing.

    A page that reaches it under another host's name, as by DNS that is bound anew, is refused whatever it sends.
    """

    def init_settings(self) -> dict[str, Any]:
        """Return Voila's settings, with the check of the Host header that it leaves out."""
        return {**super().init_settings(), "allow_remote_access": False}

    def init_handlers(self) -> list[Any]:
        """Return Voila's handlers, of which that of the notebook begins with the first screen, which is made meanwhile."""
        threading.Thread(target=first_screen, daemon=True, name="serbench-first").start()
        handlers = super().init_handlers()
        return [(one[0], FirstScreen, *one[2:]) if one[1] is TornadoVoilaHandler else one for one in handlers]

    def launch_browser(self) -> None:
        """Open the page with the token through a file that only this user can read, as all users see what a program is called with."""
        try:
            browser = webbrowser.get(self.browser or None)
        except webbrowser.Error:
            return  # the address is printed
        way = Path(self.connection_dir, "open.html")
        write_file(way, f'<!doctype html><meta http-equiv="refresh" content="0; url={html(self.display_url)}">')
        threading.Thread(target=browser.open, args=(way.as_uri(),), daemon=True).start()
