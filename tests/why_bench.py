"""How often `why` names a planted cause: `python -m tests.why_bench --out FILE`.

brick-yardstick against itself with one cause planted, whose name and size the look for causes does
not know, at random on either side. A cause is named right if one of the system calls, functions or
kinds of work that it consists of is named; each other name that is said is wrong. Its size is right
if what its lines leave of the measured difference can't be told from nothing.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import NonNegativeFloat, NonNegativeInt

from bakeoff.measure import machine
from bakeoff.model.base import Contract
from bakeoff.model.plan import Plan
from bakeoff.model.why import Why, WhyPair
from bakeoff.plan import Environment, RaceOptions, explaining, plan_race
from bakeoff.report.sentences import sentence
from bakeoff.runs import execute
from bakeoff.runs.stages import Stages

YARDSTICK = Path("build/brick/brick-yardstick").absolute()
CAUSES: Mapping[str, Sequence[str]] = {
    "calls": ("1", "10", "30"),
    "pieces": ("100", "60", "20"),
    "copy": ("16KiB", "64KiB", "256KiB"),
    "allocations": ("20", "50", "200"),
    "header": ("500", "2000", "8000"),
    "line": ("100", "1000", "4000"),
    "fault": ("8KiB", "32KiB", "128KiB"),
    "loops": ("500", "2000", "10000"),
    "sleep": ("1us", "20us", "50us"),
    "lock": ("100us", "300us", "1ms"),
}
CONSISTS_OF: Mapping[str, Sequence[str]] = {
    "calls": ("getppid", "syscall", "::call", "entering"),
    "pieces": (
        "segments_differ",
        "send",
        "write",
        "net::",
        "scheduling",
        "epoll_ctl",
        "epoll_wait",
        "entering",
    ),
    "copy": ("copy", "mem"),
    "allocations": ("alloc", "free", "chunk"),
    "header": ("heads_differ", "headers", "header_", "send", "mem", "Response", "field"),
    "line": ("logs", "write", "entering"),
    "fault": ("page_faults", "mmap", "munmap", "madvise", "::fault"),
    "loops": ("arithmetic",),
    "sleep": ("nanosleep", "scheduling", "entering"),
    "lock": ("futex", "scheduling", "nanosleep", "lock", "entering"),
}
"""Parts of the names by which a finding may name each cause."""
HANDLER = ("Behaviour::answer", "Planted::pass")
"""What calls all causes may be named with any of them."""


class Try(Contract):
    """One cause, and what was said of it."""

    cause: str
    size: str
    planted_us: float
    low_us: float
    high_us: float
    named: tuple[str, ...]
    right: bool
    wrong: NonNegativeInt
    left_us: float
    size_right: bool
    profiling: float
    lasted_s: NonNegativeFloat
    said: str


def plan_of(cause: str, size: str, *, first: bool, environment: Environment, log: Path) -> Plan:
    """A race of the bare yardstick and of the one with a cause, which comes `first` or second."""
    bare = f"{YARDSTICK} --quiet --io epoll --port {{port}} --allocations 1"
    planted = f"{bare} --{cause} {size}" + (f" --to {log}" if cause == "line" else "")
    if cause == "allocations":
        planted = planted.replace("--allocations 1 ", "")
    pair = [f"planted={planted}", f"bare={bare}"]
    plan = plan_race(
        pair if first else pair[::-1],
        RaceOptions(twin=False, seed=random.randrange(10**6), probes=False, reference="bare"),
        environment,
    )
    assert isinstance(plan, Plan)
    return plan


def named(result: Why, pair: WhyPair) -> list[str]:
    """What is named: unequal work first, then the causes of the difference."""
    found = [finding.code for finding in result.unequal]
    for cause in pair.finding.because:
        values = cause.values
        name = values.get("call") or values.get("function") or values.get("work")
        if cause.code != "in_nothing_seen":
            found.append(str(name or cause.code.removeprefix("in_")))
    return found


def tried(cause: str, size: str, result: Why) -> Try:
    """What became of one cause."""
    (pair,) = result.pairs
    parts = (*CONSISTS_OF[cause], *HANDLER)

    def belongs(name: str) -> bool:
        return any(part in name for part in parts)

    names = named(result, pair)
    told = [line for line in pair.lines if line.part not in ("user", "kernel", "unexplained")]
    own = [line for line in told if belongs(line.name)]
    left_us = pair.cpu.more - sum(line.difference.more for line in own)
    halves = [pair.cpu, *(line.difference for line in own)]
    width_us = sum(((each.high - each.low) / 2) ** 2 for each in halves) ** 0.5
    return Try(
        cause=cause,
        size=size,
        planted_us=pair.cpu.more,
        low_us=pair.cpu.low,
        high_us=pair.cpu.high,
        named=tuple(names),
        right=any(belongs(name) and name not in HANDLER for name in names),
        wrong=sum(not belongs(name) for name in names),
        left_us=left_us,
        size_right=abs(left_us) <= width_us,
        profiling=max(result.profiling.values(), default=1.0),
        lasted_s=result.lasted_s,
        said=sentence(pair.finding),
    )


class _Quiet:
    live = False

    def __getattr__(self, _name: str) -> object:
        return lambda *_, **__: None


def main() -> None:
    """Every cause at every size, in random order, so often."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--causes", nargs="*", default=list(CAUSES))
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    tries: list[Try] = []
    todo = [(cause, size) for cause in options.causes for size in CAUSES[cause]] * options.rounds
    random.shuffle(todo)
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment.here(("bakeoff", "why", "bare", "planted"))
        for cause, size in todo:
            first = random.random() < 0.5
            log = Path(folder) / "access.log"
            plan = plan_of(cause, size, first=first, environment=environment, log=log)
            run = execute(explaining(plan), Path(folder), Stages(), _Quiet())  # type: ignore[arg-type]
            if not run.result.pairs:
                print(f"{cause} {size}: {run.result.given_up}", file=sys.stderr)
                continue
            tries.append(tried(cause, size, run.result))
            print(f"{cause} {size}: {tries[-1].to_json()}", file=sys.stderr)
            log.unlink(missing_ok=True)
            write(tries, options.out)
    print(write(tries, options.out))


def write(tries: Sequence[Try], out: Path) -> str:
    """The record so far, and what it comes to."""
    record: dict[str, object] = {
        "tries": len(tries),
        "named_right": sum(each.right for each in tries),
        "wrong_names": sum(each.wrong for each in tries),
        "sizes_right": sum(each.size_right for each in tries),
        "machine": machine(engine="", bakeoff="").model_dump(mode="json"),
        "every": [each.model_dump(mode="json") for each in tries],
    }
    out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    return ", ".join(f"{key}: {value}" for key, value in record.items() if isinstance(value, int))


if __name__ == "__main__":
    main()
