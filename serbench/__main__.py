"""`serbench`, which is also `python -m serbench`: from its first moment an interrupt is one line and exit code 130."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import Any, NoReturn

from serbench.machine.supervisor import COMMANDS, answer, supervise


def main() -> NoReturn:
    """Run the command line; Ctrl-C ends it at once until there is something to keep."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell has its background jobs ignore it
        signal.signal(signal.SIGINT, _end_before_it_began)
    if not COMMANDS.isdisjoint(sys.argv[1:2]):
        supervise()
    code: Any = 4
    try:
        from serbench.api.command_line.program import main as program

        program()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:  # once more, while it was ending
        code = 130
    except Exception:  # of an import: serbench is not installed as it should be
        traceback.print_exc()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer stands
    answer(code or 0)
    sys.exit(code)


def _end_before_it_began(*_: object) -> NoReturn:
    """End without unwinding: what is being imported might swallow an exception."""
    os.write(2, b"serbench: interrupted before it began; give the command again\n")
    answer(130)
    os._exit(130)


if __name__ == "__main__":
    main()
