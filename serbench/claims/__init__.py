"""Published claims about Python serialization, as data, and what becomes of them when they are measured anew."""

from serbench.claims.entry import Claim, Figure, Row, Source, Versions
from serbench.claims.figure import against_published, summary
from serbench.claims.ledger import Ledger, ledger, list_claims, measure_claims
from serbench.claims.outcome import Judged, Measured, Outcome
from serbench.claims.reading import claims

__all__ = [
    "Claim",
    "Figure",
    "Judged",
    "Ledger",
    "Measured",
    "Outcome",
    "Row",
    "Source",
    "Versions",
    "against_published",
    "claims",
    "ledger",
    "list_claims",
    "measure_claims",
    "summary",
]
