"""Stage 4, verify: does a server give the right answer, before anyone measures how fast."""

from bakeoff.verify.asking import answers, rendered
from bakeoff.verify.at_a_time import connections_at_a_time
from bakeoff.verify.audit import audit, probe
from bakeoff.verify.hold import Looked, look
from bakeoff.verify.mix import opening
from bakeoff.verify.unlike import differences
from bakeoff.verify.verify import verify

__all__ = [
    "Looked",
    "answers",
    "audit",
    "connections_at_a_time",
    "differences",
    "look",
    "opening",
    "probe",
    "rendered",
    "verify",
]
