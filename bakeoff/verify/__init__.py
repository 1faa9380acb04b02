"""Stage 4, verify: does a server give the right answer, before anyone measures how fast."""

from bakeoff.verify.asking import admits, answers, rendered
from bakeoff.verify.audit import audit, connections_at_a_time, probe
from bakeoff.verify.differences import differences
from bakeoff.verify.mix import opening
from bakeoff.verify.sampling import AnswerSample, sample_answers
from bakeoff.verify.verify import verify
