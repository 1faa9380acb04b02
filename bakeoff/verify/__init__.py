"""Stage 4, verify: does a server give the right answer, before anyone measures how fast."""

from bakeoff.verify.asking import answers, rendered
from bakeoff.verify.at_a_time import connections_at_a_time
from bakeoff.verify.audit import audit, probe
from bakeoff.verify.differences import differences
from bakeoff.verify.mix import opening
from bakeoff.verify.sampling import AnswerSample, sample_answers
from bakeoff.verify.verify import verify

__all__ = [
    "AnswerSample",
    "answers",
    "audit",
    "connections_at_a_time",
    "differences",
    "opening",
    "probe",
    "rendered",
    "sample_answers",
    "verify",
]
