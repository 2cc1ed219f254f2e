"""Reads YAML as the JSON that it stands for: texts that look like dates, or like yes and no, stay texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from serbench.errors import WorkloadError

_MOST_VALUES, _MOST_PER_BYTE = 100_000, 10  # whichever is more: without aliases, a byte holds at most one
_SCALARS = {
    "null": (r"~|null|Null|NULL|", "~nN\0"),
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": (r"[-+]?\d+", "-+0123456789"),
    "float": (r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?", "-+.0123456789"),
    "merge": (r"<<", "<"),
}
"""Tag → the form of its scalars, and their first characters: the core schema of YAML 1.2, and merged keys."""


def parse_yaml(path: Path, blob: bytes) -> Any:
    """Parse a YAML document.

    Raises:
        WorkloadError: it is no YAML, or no JSON stands for it; PyYAML is not installed.
    """
    try:
        import yaml
    except ImportError:
        raise WorkloadError(f"{path}: reading YAML needs PyYAML: pip install pyyaml") from None

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  # PyYAML's own name

    for tag, (form, firsts) in _SCALARS.items():
        pattern = re.compile(rf"(?:{form})\Z")
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", pattern, ["" if c == "\0" else c for c in firsts])
    Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(loader.construct_scalar(node)))
    try:
        return _Plain(path, max(_MOST_VALUES, _MOST_PER_BYTE * len(blob))).of(yaml.load(blob, Loader))  # noqa: S506  # a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise WorkloadError(f"{path}: not YAML that stands for JSON ({reason}); write it as JSON") from None


class _Plain:
    """Copies what PyYAML returns; an alias becomes what it stands for, so that no value contains itself."""

    def __init__(self, path: Path, most: int) -> None:
        self.path, self.most, self.made = path, most, 0

    def of(self, value: Any) -> Any:
        self.made += 1
        if self.made > self.most:
            raise WorkloadError(f"{self.path}: its aliases stand for more than {self.most:,} values; write it as JSON")
        if isinstance(value, dict):
            return {_key(key): self.of(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.of(item) for item in value]
        if value is None or isinstance(value, str | int | float):
            return value
        raise ValueError(f"a {type(value).__name__}")


def _key(key: Any) -> str:
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    return str(key)
