"""The server of the app: Voila with a token, and a first screen that needs no kernel. Importing it imports Voila, which takes a second."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path
from typing import Any

from tornado.ioloop import IOLoop
from tornado.web import authenticated
from voila.app import Voila
from voila.tornado.handler import TornadoVoilaHandler

from serbench.ask.notebook.app import first_screen
from serbench.display.table import html
from serbench.machine.files import write_file


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
        return [
            (handler[0], FirstScreen, *handler[2:]) if handler[1] is TornadoVoilaHandler else handler
            for handler in handlers
        ]

    def launch_browser(self) -> None:
        """Open the page with the token through a file that only this user can read, as all users see what a program is called with."""
        try:
            browser = webbrowser.get(self.browser or None)
        except webbrowser.Error:
            return  # the address is printed
        way = Path(self.connection_dir, "open.html")
        write_file(way, f'<!doctype html><meta http-equiv="refresh" content="0; url={html(self.display_url)}">')
        threading.Thread(target=browser.open, args=(way.as_uri(),), daemon=True).start()
