"""A PostgreSQL of one's own: its data and its socket are in a new folder, and it ends with whoever started it."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

SERVER = """
(
    "$1/initdb" --pgdata="$2/data" --username=bench --auth=trust --no-sync >"$2/log" 2>&1 || kill $$
    [ -e "$2/stop" ] || exec "$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off >>"$2/log" 2>&1
) &
cat >/dev/null
touch "$2/stop"
kill -QUIT $! 2>/dev/null
wait
rm -r "$2"
"""
WAIT_S = 60


class Unavailable(Exception):
    """What a row needs is not on this machine."""


def programs():
    """The folder of PostgreSQL's programs, where distributions have them."""
    onpath = shutil.which("initdb")
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    known += [Path(onpath)] if onpath else []
    if not known:
        raise Unavailable("PostgreSQL is not installed: apt-get install postgresql")
    return known[-1].parent


def started():
    """The folder of a new server's socket, and the pipe that ends it: it is closed when this process ends, however it does."""
    home = programs()
    folder, users = Path(tempfile.mkdtemp(prefix="serbench-pg-", dir="/tmp")), {}  # which every user may enter
    if os.geteuid() == 0:  # as which PostgreSQL does not run
        names = {one.pw_name: one for one in pwd.getpwall()}
        user = names.get("postgres") or names.get("nobody")
        if user is None:
            raise Unavailable("PostgreSQL does not run as root, and there is no user postgres or nobody")
        os.chown(folder, user.pw_uid, user.pw_gid)
        users = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    command = ["sh", "-c", SERVER, "server", str(home), str(folder)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, cwd=folder, **users)
    end = time.monotonic() + WAIT_S
    while not list(folder.glob(".s.PGSQL.*[0-9]")):
        if time.monotonic() > end or server.poll() is not None:
            text = (folder / "log").read_text(errors="replace") if (folder / "log").exists() else ""
            server.stdin.close()
            server.wait()
            shutil.rmtree(folder, ignore_errors=True)
            raise Unavailable(f"PostgreSQL does not start: {text[-200:]}")
        time.sleep(0.05)
    return folder, server
