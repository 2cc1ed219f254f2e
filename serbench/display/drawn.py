"""Figures as Plotly's objects, with what they show in words for those who cannot see them."""

from __future__ import annotations

from html import escape, unescape
from typing import TYPE_CHECKING, Any

from serbench.display.style import Figure

if TYPE_CHECKING:
    import plotly.graph_objects as go


def finding_of(figure: Figure) -> str:
    """What a figure shows, in a sentence, and what it is of."""
    told = figure["layout"]["meta"]
    return ". ".join(unescape(told[name]) for name in ("finding", "below") if told.get(name))


def drawn(figure: Figure) -> go.Figure:
    """The figure as an object of Plotly, which shows itself with its finding as a text alternative."""
    import plotly.graph_objects as go

    class Drawn(go.Figure):  # type: ignore[misc]  # Plotly is untyped
        """A figure whose text is its finding."""

        _ipython_display_ = None  # Plotly's own would show it without this bundle

        def _repr_mimebundle_(self, *positional: Any, **named: Any) -> dict[str, Any]:
            """Plotly's own bundle; text/html is a labelled figure, text/plain its finding."""
            bundle = dict(super()._repr_mimebundle_(*positional, **named))
            text = finding_of(self.to_plotly_json())
            if "text/html" in bundle:
                bundle["text/html"] = f'<div role="figure" aria-label="{escape(text)}">{bundle["text/html"]}</div>'
            return {**bundle, "text/plain": text}

    return Drawn(figure)
