"""One rendered case: its source, its operations, what it lacks, and the independent readers of its bytes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from serbench.render.codec import Codec
from serbench.render.environments.environment import Environment, main_environment, normalised
from serbench.render.format import format_of
from serbench.render.library import Library

REJECTS = {"reject": -1, "reject_first": 0}
"""Operation → which record of the document is wrong."""


@dataclass(frozen=True)
class Case:
    """One rendered case, in the environment where it runs.

    `source` is the module's text and `operations` the functions it has; or `reason` says why the
    library cannot do it, and `source` is empty. If a module cannot encode, `writer` is a case that makes the bytes for
    it to decode. `schema_text` is the schema in the format's own language, if it has one, as the file `schema_file`;
    `own` is what a worker makes the objects of a user's class of. `root` is the key of the document in the bytes, if the format has only records at the root.
    `calls` is how many calls a batch makes for each one that it counts: other than 1 only if the self-check plants a
    known difference.
    """

    library: Library
    variant: str
    codec: Codec
    source: str
    operations: tuple[str, ...] = ()
    reason: str | None = None
    environment: Environment = field(default_factory=main_environment)
    writer: Case | None = None
    schema_text: str = ""
    schema_file: str = ""
    root: str = ""
    calls: float = 1.0
    user_facts: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    @property
    def cannot(self) -> dict[str, str]:
        """Operation → the reason why the library or the codec does not have it."""
        return {**self.codec.limits.cannot, **self.library.cannot}

    @property
    def may_leave_out(self) -> bool:
        """True if its documents may lack keys: what it decodes from them proves that nothing is lost, or it only writes.

        A class that only writes the document may leave out nulls, and nothing else.
        """
        if self.user_facts is not None and self.user_facts["writes"]:
            return True
        return "decode" in self.operations and (bool(self.library.user_class) or self.variant in self.library.omits)

    @property
    def absent(self) -> str | None:
        """The requirement that its environment lacks, and what to do about it; None if nothing is missing."""
        where, codec = self.environment, self.codec.distribution
        if where.reason is not None:
            return where.reason
        missing = next((d for d in (*self.library.distributions, codec) if d and where.installed(d) is None), None)
        if missing is None:
            return None
        if where.name == "main":
            return f"{missing} is not installed: pip install {missing}"
        if missing == codec and not where.satisfies(self.codec.marker):
            return f"{missing} is not made for {where.runs_on}"
        why = where.missing.get(normalised(missing), "not part of it")
        return f"{missing} is not in the environment {where.name}: {why}"

    def readers(self, spec: dict[str, Any]) -> dict[str, Callable[[bytes], Any]]:
        """The readers of the document that are independent of its codec, by name; `spec` is `Schema.as_data()`."""
        format_ = format_of(self.codec)

        def reader(read: Callable[..., Any]) -> Callable[[bytes], Any]:
            def document(blob: bytes) -> Any:
                value = read(blob, spec, self.schema_text) if format_.typed else read(blob)
                value = value[self.root] if self.root else value
                return _with_nulls(value, self.codec.limits.null) if self.codec.limits.null else value

            return document

        return {name: reader(read) for name, read in format_.independent_readers(self.codec).items()}

    @property
    def module_name(self) -> str:
        """A flat module name, one for each case; pickle refuses a dotted one."""
        parts = [self.library.name, self.variant, self.codec.name, self.codec.format, "models"]
        if self.variant == "default":
            parts.remove("default")
        if self.codec.name == self.codec.format:
            parts.remove(self.codec.name)
        if self.environment.name != "main":
            parts.append(self.environment.name)
        return "_".join(re.findall(r"[A-Za-z0-9]+", "_".join(parts)))

    @property
    def source_sha256(self) -> str:
        """The hash of the text that is measured."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The source: plain for logs, highlighted for notebooks."""
        return {"text/plain": self.source, "text/markdown": f"```python\n{self.source}```"}


def _with_nulls(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_nulls(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_nulls(item, text) for item in value]
    return None if value == text else value
