"""A look for causes of two servers, one with a deep stack, the other with many small functions."""

from bakeoff.judge import flames
from bakeoff.model.why import Flames, Why
from tests.judge.test_why import SEND, WAIT, judged, records

DEEP = ";".join(f"deep<{depth}>" for depth in range(40))
MANY = {f"main;many;f{n}": 0.02 for n in range(900)}
COSTS = {
    "a": {"main;handle": 5.0, SEND: 8.0, WAIT: 2.0, DEEP: 1.0},
    "b": {"main;handle": 5.0, "main;handle;parse & copy": 3.0, SEND: 10.0, WAIT: 2.0, **MANY},
}
RECORDS = records(COSTS)


def why() -> Why:
    return judged(RECORDS)


def trees() -> tuple[Flames, ...]:
    return flames(RECORDS, why())
