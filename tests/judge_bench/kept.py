"""What the judge's bench keeps of a race, and the races that it has kept."""

import base64
import gzip
import hashlib
import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from bakeoff.judge import judge
from bakeoff.judge.calm import calm, one_distance, one_speed
from bakeoff.judge.state import AT_WORK, STATE_SD, Core
from bakeoff.model.cut import Draw
from bakeoff.model.ratio import Ratio
from bakeoff.model.samples import Block, Record
from bakeoff.model.verdict import Verdict
from bakeoff.simulate.conditions import USUAL
from bakeoff.simulate.race import MACHINE, Size, plan_of, records_of

FELT = USUAL.model_copy(update={"felt": 1.4, "apart_share": 0.3})
SIMULATED = ((Size(0.0, 2, 20.0, 1), USUAL), (Size(-0.05, 5, 20.0, 2), FELT))
"""Two equals, and five of which one is slower and feels the machine more, whose cores the host
moves."""
METHODS_OF_SOURCES = {"9c925439273e": "8f3c6e1d0de8"}
"""The first 49 races were kept with a name of the sources: what `method` gave at their commit."""
SAME_VERDICTS = {"579bb8856581": "f08ec035699a"}
"""The later method has wider intervals of unlike servers where the core was restless. The first
one's races without blocks were beside others in which it wasn't."""
State = tuple[float | None, float | None]
"""How long a line of the cache took between the cores, ns, and the fixed work, µs."""
T = TypeVar("T")
OF_NO_USE = {"processes", "equivalent", "cpu_finding", "more_s"}


def of_race(verdict: Verdict, records: Sequence[Record]) -> dict[str, Any]:
    """Figures by entry and pair, and each short block."""
    return {
        "measured_s": round(verdict.measured_s, 1),
        "blocks": verdict.blocks,
        "disturbed_blocks": verdict.disturbed_blocks,
        "stopping": verdict.stopping,
        "entries": [of_entry(verdict, each.name) for each in verdict.entries],
        "pairs": [each.model_dump(mode="json", exclude=OF_NO_USE) for each in verdict.pairs],
        "warnings": [each.code for each in verdict.warnings],
        "samples": packed(records, verdict),
    }


def of_entry(verdict: Verdict, name: str) -> dict[str, Any]:
    entry = verdict.entry(name)
    assert entry
    keys = {"name", "valid", "ratio", "cpu_ratio", "warmth", "letters"}
    keys |= {"cpu_letters", "requests_per_s", "server_busy", "client_busy", "limited_by"}
    return {
        **entry.model_dump(mode="json", include=keys),
        "cpu_us": entry.cpu_us_per_request.server,
        "reasons": [each.code for each in entry.reasons],
        "warnings": [each.code for each in entry.warnings],
    }


def packed(records: Sequence[Record], verdict: Verdict) -> str:
    """Draw, whether it counts, and for each entry [requests/s, CPU ns per request, number of its
    process, ns of a trip between the cores, ns of the fixed work] of the short blocks: JSON,
    compressed, as text."""
    processes = {
        (each.boot, each.draw): each.processes for each in records if isinstance(each, Draw)
    }
    blocks = [each for each in records if isinstance(each, Block) and each.kind == "short"]
    counted = {(each.boot, each.block) for each in calm(blocks, verdict.cores.here)}
    rows = [
        {
            "draw": each.draw,
            "counts": (each.boot, each.block) in counted,
            **{
                slice_.entry: [
                    round(slice_.event.requests_per_s),
                    round(1000 * (slice_.server_cpu_us_per_request or 0)),
                    processes.get((each.boot, each.draw), {}).get(slice_.entry, 0),
                    slice_.event.core_trip_ns,
                    slice_.event.fixed_work_ns,
                ]
                for slice_ in each.slices
            },
        }
        for each in blocks
    ]
    return encoded(rows)


def encoded(rows: Sequence[Mapping[str, Any]]) -> str:
    return base64.b64encode(gzip.compress(json.dumps(rows).encode())).decode()


def fixed_work_us(race: Mapping[str, Any]) -> float | None:
    """How long the fixed work took in most slices of a recorded race; None: it kept none."""
    times_ns = [slice_[4] for row in unpacked(race) for slice_ in _slices(row)]
    return median(times_ns) / 1000 if times_ns else None


def of_one_state(races: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The races in groups, each of one distance and one speed of the cores, the largest first."""
    left = [(race, state(race)) for race in races]
    found: list[list[Mapping[str, Any]]] = []
    while left:
        usual = most([each for _, each in left], one_state)
        found.append([race for race, each in left if one_state(usual, each)])
        left = [each for each in left if not one_state(usual, each[1])]
    return found


def state(race: Mapping[str, Any]) -> State:
    pairs = race["pairs"]
    return next((pair.get("core_trip_ns") for pair in pairs), None), fixed_work_us(race)


def one_state(one: State, other: State) -> bool:
    return one_distance(one[0], other[0]) and one_speed(one[1], other[1])


def most(values: Sequence[T], alike: Callable[[T, T], bool]) -> T:
    """The first of those that most others are like."""
    return max(values, key=lambda value: sum(alike(value, each) for each in values))


def steady(race: Mapping[str, Any]) -> bool:
    """Whether the core was, as far as a recorded race shows it."""
    slices = [one for row in unpacked(race) if row["counts"] for one in _slices(row)]
    times = [log(one[4]) for one in slices if one[0] * one[1] >= AT_WORK * 1e9]
    return Core({(0, 0): times}).state_sd == STATE_SD


def unpacked(race: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    """The rows of `packed`; none: the race kept none."""
    kept = race.get("samples")
    return json.loads(gzip.decompress(base64.b64decode(kept))) if kept else ()


def _slices(row: Mapping[str, Any]) -> list[Sequence[float]]:
    """Those before which the fixed work was timed."""
    return [one for one in row.values() if isinstance(one, list) and len(one) > 4 and one[4]]


def method() -> str:
    """A short name of how bakeoff measures and judges, made of simulated races: their order, and
    the figures that they get. A change of the code that changes neither has the same method.

    The simulated world has the real schedule, draws and judge, but no engine and no processes.
    """
    named = hashlib.sha256()
    for size, conditions in SIMULATED:
        plan = plan_of(size, conditions, seed=1)
        records = records_of(plan, size, conditions)
        verdict = judge(plan, {}, records, MACHINE, complete=True)
        measured = [
            (block.kind, block.draw, [(one.entry, one.event.requests) for one in block.slices])
            for block in records
            if isinstance(block, Block)
        ]
        judged = [
            (pair.a, pair.b, pair.finding, *map(_rounded, (pair.ratio, pair.cpu_ratio)))
            for pair in verdict.pairs
        ]
        letters = [(entry.letters, entry.cpu_letters) for entry in verdict.entries]
        named.update(repr((measured, judged, letters)).encode())
    return named.hexdigest()[:12]


def method_of(race: Mapping[str, Any]) -> str:
    """The method that a race was measured and judged by, or a later one of the same verdict."""
    method = race.get("method") or METHODS_OF_SOURCES.get(race["sources"], "")
    alike = race.get("part") in ("equal", "ci") or steady(race)
    return SAME_VERDICTS.get(method, method) if alike else method


def _rounded(ratio: Ratio | None) -> list[str]:
    """Nine digits: the sums of another order of the same figures differ in the sixteenth."""
    ends = (ratio.ratio, ratio.low, ratio.high) if ratio else ()
    return [f"{end:.9g}" if end else "" for end in ends]


def commit() -> str:
    """The commit that is checked out, and whether it was changed."""
    described = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    return subprocess.run(described, capture_output=True, text=True, check=True).stdout.strip()


def races(path: Path) -> list[dict[str, Any]]:
    """The races of a file, without a torn last line."""
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def append(path: Path, race: Mapping[str, Any]) -> None:
    whole_line(path, json.dumps(race))


def whole_line(path: Path, text: str) -> None:
    """Append a line, whole and on disk; what a kill left of another one goes."""
    with path.open("a+b") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(text.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
