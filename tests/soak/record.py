"""The record of a soak: what was run, how it ended, how long it took of what was announced."""

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

import bakeoff
from bakeoff.installation import engine_version
from bakeoff.measure import machine
from tests.soak.trial import Outcome


def record(seed: str, outcomes: Sequence[Outcome], lasted_s: float) -> dict[str, Any]:
    shares = sorted(each.first.took_s / each.announced_s for each in outcomes if each.announced_s)
    return {
        "schema": "bakeoff.soak/1",
        "machine": machine(engine=engine_version(), bakeoff=bakeoff.__version__).model_dump(
            mode="json"
        ),
        "seed": seed,
        "lasted_s": round(lasted_s),
        "runs": len(outcomes),
        "failed": sum(bool(each.problems) for each in outcomes),
        "statuses": _counted(str(each.first.status) for each in outcomes),
        "kinds": _counted(each.case.kind for each in outcomes),
        "cut": _counted(each.case.cut for each in outcomes if each.first.cut),
        "faults": _counted(_faults(outcomes)),
        "moments": _counted(
            server.fault.at for each in outcomes for server in each.case.servers if server.fault
        ),
        "took_of_announced": {
            "n": len(shares),
            "median": round(median(shares), 3) if shares else None,
            "most": round(shares[-1], 3) if shares else None,
        },
        "failures": [failure(seed, each) for each in outcomes if each.problems],
        "all": [_line(each) for each in outcomes],
    }


def failure(seed: str, outcome: Outcome) -> dict[str, Any]:
    """What failed, and how it is repeated."""
    return {
        "again": again(seed, outcome),
        "typed": [_typed(each.words) for each in outcome.typed],
        "problems": outcome.problems,
    }


def again(seed: str, outcome: Outcome) -> str:
    """The command that repeats it."""
    return f".venv/bin/python -m tests.soak --seed {seed} --only {outcome.case.number}"


def _typed(words: Sequence[str]) -> str:
    return shlex.join(("bakeoff", *words))


def _line(outcome: Outcome) -> dict[str, Any]:
    return {
        "number": outcome.case.number,
        "case": str(outcome.case),
        "struck": list(outcome.struck),
        "statuses": [each.status for each in outcome.typed],
        "took_s": round(outcome.first.took_s, 1),
        "announced_s": outcome.announced_s,
        "problems": len(outcome.problems),
    }


def _faults(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for each in outcomes:
        faults = [server.fault.name for server in each.case.servers if server.fault]
        yield from faults or ["none"]


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
