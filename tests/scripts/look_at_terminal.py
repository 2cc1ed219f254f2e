"""Shows the last screen of a command in a terminal of a given size: `python look_at_terminal.py 80x24 run -w tiny -e quick`."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import sys
import termios

PARTS = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)|\x1b.")


def output(columns: int, lines: int, command: list[str]) -> str:
    """Everything that the command writes into a terminal of that size."""
    child, end = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(columns), LINES=str(lines))
        os.execv(sys.executable, [sys.executable, "-m", "serbench", *command])
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    taken = b""
    while True:
        try:
            part = os.read(end, 1 << 16)
        except OSError:  # Linux says so at the end
            break
        if not part:
            break
        taken += part
    os.waitpid(child, 0)
    return taken.decode(errors="replace")


def screen(text: str, columns: int) -> list[str]:
    """The lines of the terminal after that output, with all that has scrolled away; colours are left out."""
    shown, row, column = [""], 0, 0
    for number, kind, back, new, plain in PARTS.findall(text):
        if kind == "A":
            row = max(row - int(number or 1), 0)
        elif kind == "K":
            shown[row] = "" if number == "2" else shown[row][:column]
        elif back:
            column = 0
        elif new:
            row, column = row + 1, 0
            shown += [""] * (row + 1 - len(shown))
        for sign in plain:
            if column == columns:
                row, column = row + 1, 0
                shown += [""] * (row + 1 - len(shown))
            shown[row] = shown[row].ljust(column)[:column] + sign + shown[row][column + 1 :]
            column += 1
    return [line.rstrip() for line in shown]


if __name__ == "__main__":
    size, *given = sys.argv[1:]
    wide, high = map(int, size.split("x"))
    last = screen(output(wide, high, given), wide)[-high:]
    print("\n".join(["-" * wide, *(line.ljust(wide) + "|" for line in last), "-" * wide]))
