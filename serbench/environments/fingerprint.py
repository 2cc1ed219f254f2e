"""Describes this machine."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

from serbench.environments.platform import usable_cores


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
