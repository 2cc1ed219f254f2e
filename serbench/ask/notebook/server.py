"""The server of the explorer as an app: it asks for a token, as JupyterLab does, and knows no name but this machine's own."""

from __future__ import annotations

import threading
import webbrowser
from typing import Any

from voila.app import Voila


class AppServer(Voila):  # type: ignore[misc]  # Voila has no types
    """Voila behind a token that is new each time: other users of this machine, and pages of other sites, get nothing.

    A page that reaches it under another host's name, as by DNS that is bound anew, is refused whatever it sends.
    """

    def init_settings(self) -> dict[str, Any]:
        """Return Voila's settings, with the check of the Host header that it leaves out."""
        return {**super().init_settings(), "allow_remote_access": False}

    def launch_browser(self) -> None:
        """Open the page with the token, which Voila's own way leaves out."""
        try:
            browser = webbrowser.get(self.browser or None)
        except webbrowser.Error:
            return  # the address is printed
        threading.Thread(target=browser.open, args=(self.display_url,), daemon=True).start()
