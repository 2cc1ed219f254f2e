"""Differences between operating systems: cores, other processes, file locks, exit codes, facts of the machine."""

from __future__ import annotations

import os
import platform
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import psutil


def now() -> str:
    """The present time as ISO 8601 in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def usable_cores() -> list[int]:
    """The cores that this thread may use, in ascending order; empty if the platform cannot pin a process."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    process = _process(os.getpid())
    return sorted(process.cpu_affinity()) if process is not None and hasattr(process, "cpu_affinity") else []


def thread_cores() -> list[int]:
    """The cores to which this thread alone can be kept; empty if the platform keeps only whole processes."""
    return usable_cores() if hasattr(os, "sched_setaffinity") else []


def core_count() -> int:
    """The number of cores that this thread may use, at least 1."""
    return len(usable_cores()) or os.cpu_count() or 1


def pin_process(pid: int, core: int) -> None:
    """Keep a process with all its threads on one core; nothing happens if the platform cannot or the process is gone."""
    import psutil

    process = _process(pid)
    if process is None or not hasattr(process, "cpu_affinity"):
        return
    with suppress(OSError, psutil.Error):
        if hasattr(os, "sched_setaffinity"):  # there, an affinity is that of a single thread
            for task in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), {core})
        else:
            process.cpu_affinity([core])


@contextmanager
def pinned(core: int | None) -> Iterator[None]:
    """Keep the calling thread, and what it starts, on one core; None for no change."""
    usable = usable_cores()
    if core is None or not usable:
        yield
        return
    keep_to([core])
    try:
        yield
    finally:
        keep_to(usable)


def keep_to(cores: list[int]) -> None:
    """Keep the calling thread, and what it starts, to some cores; on Windows the whole process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    elif (process := _process(os.getpid())) is not None:
        process.cpu_affinity(cores)


def lock_file(path: Path) -> int | None:
    """Lock a file, which is made if need be, until its descriptor is closed or this process ends.

    Returns:
        The open descriptor; None if another process holds the lock.

    Raises:
        PermissionError: the file is another user's, who lets nobody read it.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:  # another user's, which Linux lets nobody else create in a folder of everybody's
        handle = os.open(path, os.O_RDONLY)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def is_running(pid: int) -> bool:
    """Say if a process of that number runs; one that has ended does not, even if nobody has waited for it."""
    import psutil

    try:
        return bool(psutil.pid_exists(pid)) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


def is_stopped(pid: int) -> bool:
    """Say if a signal has stopped that process; False if that cannot be told."""
    import psutil

    process = _process(pid)
    with suppress(psutil.Error):
        return process is not None and process.status() == psutil.STATUS_STOPPED
    return False


def runs_file(pid: int, program: str) -> bool:
    """Say if a process was started with that file among its arguments; False if that cannot be told."""
    import psutil

    process = _process(pid)
    with suppress(psutil.Error):
        return process is not None and program in process.cmdline()
    return False


def kill_process(pid: int) -> None:
    """End a process at once; nothing happens if it is gone."""
    import psutil

    with suppress(psutil.Error):
        psutil.Process(pid).kill()


Family: TypeAlias = "frozenset[psutil.Process]"


def family(pid: int) -> Family:
    """The process of that number, and all that it has started; empty if it is gone, or the number is 0."""
    import psutil

    with suppress(psutil.Error):
        if pid:
            process = psutil.Process(pid)
            return frozenset((process, *process.children(recursive=True)))
    return frozenset()


def kill_family(processes: Family, wait_s: float = 0) -> None:
    """End these processes, of which none is another that has got the number since; wait for that, but no longer."""
    import psutil

    for process in processes:
        with suppress(psutil.Error):
            process.kill()
    if wait_s:
        psutil.wait_procs(processes, timeout=wait_s)


def listens(processes: Family, port: int) -> bool:
    """Say if one of these processes accepts connections at a port."""
    import psutil

    for process in processes:
        with suppress(psutil.Error):
            if (psutil.CONN_LISTEN, port) in [(c.status, c.laddr.port) for c in process.net_connections("tcp")]:
                return True
    return False


def resident_bytes(processes: Family) -> int:
    """The resident memory of these processes together."""
    import psutil

    total = 0
    for process in processes:
        with suppress(psutil.Error):
            total += process.memory_info().rss
    return total


def started_at(pid: int) -> str | None:
    """Process start time, to detect reused PIDs; None if there is no such process, or it is not told."""
    import psutil

    try:
        began = psutil.Process(pid).create_time()
    except psutil.Error:
        return None
    if sys.platform != "linux":
        return str(began)
    # Linux counts from the boot; psutil adds the time of the boot, which moves whenever the clock is set.
    return str(round((began - psutil.boot_time()) * os.sysconf("SC_CLK_TCK")))


def process_space() -> str:
    """Name where a process's number is its own: on Linux this boot and container, elsewhere this machine."""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    return platform.node()


def stolen_seconds() -> float:
    """CPU time in s that the hypervisor has taken since boot, over all cores; 0 if the platform does not count it."""
    import psutil

    return float(getattr(psutil.cpu_times(), "steal", 0.0))


def was_killed(code: int) -> bool:
    """Say if a process with that exit code was ended by SIGKILL, as the system does for want of memory."""
    return hasattr(signal, "SIGKILL") and code == -signal.SIGKILL


def exit_text(code: int) -> str:
    """Describe how a process ended: "killed by SIGSEGV", "exit code 3", "exit code 0xC0000005" for Windows's own."""
    if sys.platform == "win32":
        return f"exit code {code}" if 0 <= code < 1 << 16 else f"exit code 0x{code & 0xFFFFFFFF:08X}"
    return f"killed by {signal_text(-code)}" if code < 0 else f"exit code {code}"


def signal_text(number: int) -> str:
    """Name a signal: "SIGSEGV", or "signal 35" for one that has no name, such as most real-time signals."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def machine() -> dict[str, str | int | float]:
    """The facts that decide if two runs may be compared, and those that explain a noisy one; unknown ones are absent."""
    import psutil

    model = re.search(r"^model name\s*:\s*(.+)$", _read("/proc/cpuinfo"), re.MULTILINE)
    governor = _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip()
    usable = usable_cores()
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    facts = {
        "system": platform.system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "cpu": model[1].strip() if model else platform.processor() or platform.machine(),
        "cores": os.cpu_count() or 1,
        "memory_bytes": psutil.virtual_memory().total,
        "governor": governor or None,
        "usable_cores": len(usable) or None,  # none if the platform cannot pin a process
        "power": "battery" if battery is not None and battery.power_plugged is False else None,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def _process(pid: int) -> psutil.Process | None:
    import psutil

    try:
        return psutil.Process(pid)
    except psutil.Error:
        return None
