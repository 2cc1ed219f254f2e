"""The server of the app: Voila with a token, a first screen that needs no kernel, and kernels that end with their pages.

Importing it imports Voila, which takes a second.
"""

from __future__ import annotations

import threading
import time
import webbrowser
from contextvars import ContextVar
from pathlib import Path
from shlex import quote
from typing import Any

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.ioloop import IOLoop
from traitlets import Integer
from voila.app import Voila
from voila.shutdown_kernel_handler import VoilaShutdownKernelHandler
from voila.tornado.handler import TornadoVoilaHandler

from serbench.api.notebook.app import first_screen
from serbench.display.table import html
from serbench.machine.files import write_file
from serbench.store.active_run import measuring
from serbench.store.opening import default_path

JOINS_S = 120.0
"""How long a page that is loading may take to join its kernel, on a busy machine."""
LOCKED = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>serbench</title><meta name="viewport" content="width=device-width">
<style>body {{ font: 16px system-ui, sans-serif; max-width: 42em; margin: 3em auto; padding: 0 1em; color-scheme: light dark; }}
pre {{ overflow: auto; }}</style></head>
<body><main><h1>This address does not open the app</h1>
<p>It lacks the token that <code>serbench app</code> makes each time it starts, or the app that it came from has ended.
Open the address that <code>serbench app</code> printed in the terminal, or start a new app{view}:</p>
<pre>{command}</pre></main></body></html>
"""


class FirstScreen(TornadoVoilaHandler):  # type: ignore[misc]  # Voila has no types
    """The page of the notebook, after a first screen that needs no kernel; `is_gone` once nobody receives it."""

    is_gone = False

    def on_connection_close(self) -> None:
        """The page was left while it was sent."""
        self.is_gone = True

    @allow_unauthenticated
    async def get(self, path: str | None = None) -> None:
        """Send the first screen at once, then what Voila makes of the notebook; without the token, how to open the app."""
        state = self.get_argument("state", None)
        if not self.current_user:
            self.set_status(403)
            command = f"serbench app {quote(state)}" if state else "serbench app"
            self.finish(LOCKED.format(view=" on this view" if state else "", command=html(command)))
            return
        ASKED_BY.set(self)
        if not path:
            token = self.identity_provider.token
            page = await IOLoop.current().run_in_executor(None, first_screen, state, token)
            self.set_header("Content-Type", "text/html; charset=UTF-8")
            self.set_header("Cache-Control", "no-store")
            _ = self.xsrf_token  # sets the cookie with which the page ends its kernel, while headers can be sent
            self.write(page)
            await self.flush()
        await super().get(path)


ASKED_BY: ContextVar[FirstScreen] = ContextVar("page")
"""What a kernel is started for."""


class Left(VoilaShutdownKernelHandler):  # type: ignore[misc]
    """What a page calls when it is left: its kernel ends, but one that measures stays while the app has a page."""

    async def post(self, kernel_id: str) -> None:
        """End the kernel, or leave that to `Kernels`."""
        if self.kernel_manager.measures(kernel_id):
            self.set_status(204)
        else:
            await super().post(kernel_id)


class Kernels(AsyncMappingKernelManager):
    """Kernels that end some seconds after their page has gone, as when the browser was killed.

    One that measures goes on as long as another page of the app is there, from which its run is seen and cancelled: the
    same page, loaded again.
    """

    cull_idle_timeout = Integer(20, config=True, help="Seconds after which a kernel without a page ends.")
    cull_interval = Integer(5, config=True, help="Seconds between two looks for such kernels.")

    async def start_kernel(self, **options: Any) -> str:  # type: ignore[override]  # its base awaits too
        """Start a kernel, and remember for which page, which has some time to join it."""
        kernel_id = str(await super().start_kernel(**options))
        kernel: Any = self.get_kernel(kernel_id)
        kernel.asked_by, kernel.until = ASKED_BY.get(None), time.monotonic() + JOINS_S
        return kernel_id

    def measures(self, kernel_id: str) -> bool:
        """Whether the kernel has a run that goes on."""
        kernel: Any = self.get_kernel(kernel_id) if kernel_id in self else None
        return kernel is not None and kernel.provisioner.pid in measuring(default_path())

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """End the kernel if it has had no page for too long."""
        ids: Any = self.list_kernel_ids
        have_pages = [one for one in ids() if self._has_page(one)]
        if kernel_id not in have_pages and not (have_pages and self.measures(kernel_id)):
            await self.shutdown_kernel(kernel_id)  # type: ignore[no-untyped-call]

    def _has_page(self, kernel_id: str) -> bool:
        """Whether a page has the kernel, or may have it soon."""
        now = time.monotonic()
        kernel: Any = self.get_kernel(kernel_id)
        model: Any = self.kernel_model  # which has no types
        if model(kernel_id)["connections"]:
            kernel.until = now + self.cull_idle_timeout
        elif kernel.asked_by is not None and kernel.asked_by.is_gone:
            kernel.until = now
        return bool(now < kernel.until)


OURS = {TornadoVoilaHandler: FirstScreen, VoilaShutdownKernelHandler: Left}


class AppServer(Voila):  # type: ignore[misc]  # Voila has no types
    """Voila behind a token that is new each time: other users of this machine, and pages of other sites, get nothing.

    A page that reaches it under another host's name, as by DNS that is bound anew, is refused whatever it sends.
    """

    def init_settings(self) -> dict[str, Any]:
        """Return Voila's settings, with the check of the Host header that it leaves out, and our kernels."""
        self.voila_configuration.multi_kernel_manager_class = Kernels
        return {**super().init_settings(), "allow_remote_access": False}

    def init_handlers(self) -> list[Any]:
        """Return Voila's handlers, or ours in their place; the first screen is made meanwhile."""
        token = self.identity_provider.token
        threading.Thread(target=first_screen, args=(None, token), daemon=True, name="serbench-first").start()
        handlers = super().init_handlers()
        return [(handler[0], OURS.get(handler[1], handler[1]), *handler[2:]) for handler in handlers]

    def launch_browser(self) -> None:
        """Open the page with the token through a file that only this user can read, as all users see what a program is called with."""
        try:
            browser = webbrowser.get(self.browser or None)
        except webbrowser.Error:
            return  # the address is printed
        way = Path(self.connection_dir, "open.html")
        write_file(way, f'<!doctype html><meta http-equiv="refresh" content="0; url={html(self.display_url)}">')
        threading.Thread(target=browser.open, args=(way.as_uri(),), daemon=True).start()
