"""Stage 4, verify: whether a server gives the right answer, before its speed is measured."""

from bakeoff.verify.asking import admits, answers, rendered
from bakeoff.verify.audit import audit, connections_at_a_time, probe
from bakeoff.verify.differences import differences
from bakeoff.verify.mix import opening
from bakeoff.verify.sampling import AnswerSample, sample_answers
from bakeoff.verify.verify import verify
