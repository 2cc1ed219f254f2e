"""What machine this is: one function per source of facts, each giving nothing where it has none."""

from __future__ import annotations

import os
import platform
import re
import sys
from pathlib import Path


def machine() -> dict[str, str | int | float]:
    """The facts that decide whether two runs may be compared, and those that explain a noisy one."""
    facts: dict[str, str | int | float] = {
        "system": platform.system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    for collect in (collect_cpu, collect_memory, collect_governor, collect_affinity):
        facts.update(collect())
    return facts


def collect_cpu() -> dict[str, str | int]:
    """The processor's name and how many there are."""
    name = platform.processor()
    text = _read("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return {"cpu": found[1].strip() if found else name or platform.machine(), "cores": os.cpu_count() or 1}


def collect_memory() -> dict[str, int]:
    """Physical memory in bytes."""
    try:
        return {"memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")}
    except (AttributeError, ValueError, OSError):
        return {}


def collect_governor() -> dict[str, str]:
    """The frequency governor of the first core."""
    text = _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip()
    return {"governor": text} if text else {}


def collect_affinity() -> dict[str, int]:
    """How many cores this process may use; absent where the platform cannot pin a process."""
    return {"usable_cores": len(os.sched_getaffinity(0))} if hasattr(os, "sched_getaffinity") else {}


def is_running(pid: int) -> bool:
    """Whether there is a process of that number; on Windows nobody can ask without harm, and the answer is no."""
    if sys.platform == "win32":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def is_stopped(pid: int) -> bool:
    """Whether that process has been stopped by a signal; no where nobody tells."""
    return _stat(pid)[:1] == ["T"]


def runs(pid: int, program: str) -> bool:
    """Whether a process was started with that file among its arguments; no where nobody tells."""
    return program in _read(f"/proc/{pid}/cmdline").split("\0")


def began(pid: int) -> str | None:
    """When a process began, in the system's own count: a later one of the same number has another; None where nobody tells."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else None


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the process's state on; the name before it may hold anything."""
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def steal_ticks() -> int:
    """Clock ticks that the hypervisor has taken since boot; 0 where nobody counts."""
    fields = _read("/proc/stat").partition("\n")[0].split()
    return int(fields[8]) if len(fields) > 8 else 0


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
