"""Cases: library × variant × codec, rendered for one schema, or the reason why not."""

from serbench.cases.case import REJECTS, Case
from serbench.cases.rendering import combinations, lay_out, render

__all__ = ["REJECTS", "Case", "combinations", "lay_out", "render"]
