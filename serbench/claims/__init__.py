"""Published claims about Python serialization as data, their measurement, and the rule of their verdicts."""

from serbench.claims.figure import against_published as against_published
from serbench.claims.figure import is_ratio as is_ratio
from serbench.claims.ledger import Ledger as Ledger
from serbench.claims.ledger import ledger as ledger
from serbench.claims.ledger import list_claims as list_claims
from serbench.claims.ledger import measure_claims as measure_claims
from serbench.claims.outcome import Judged as Judged
from serbench.claims.outcome import Outcome as Outcome
from serbench.claims.reading import claims as claims
from serbench.claims.scoreboard import summary as summary
