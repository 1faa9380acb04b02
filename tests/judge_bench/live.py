"""One real race, through the command line that people use, and what the bench keeps of it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from bakeoff.model.verdict import Verdict, VerdictEntry

BAKEOFF = Path(sys.executable).parent / "bakeoff"


@dataclass(frozen=True)
class Live:
    """A race of two: the second over the first, its reference. `effect`: by what share a request
    of the second was meant to take longer; `loops`, by how many loops it did. `valid` and
    `why_not`: whether the verdict has a ratio, and if not, why. Figures in pairs are the
    reference's and the other's."""

    contender: str
    effect: float
    loops: int
    duration_s: float
    valid: bool
    why_not: tuple[str, ...]
    ratio: float
    low: float
    high: float
    finding: str
    blocks: int
    boot_ratios: tuple[float, ...]
    requests_per_s: tuple[float, float]
    server_us: tuple[float, float]
    server_busy: tuple[float, float]
    client_busy: tuple[float, float]
    steal_share: float
    load_average: float
    warnings: tuple[str, ...]


_LIVE = TypeAdapter(Live)


def race(words: Sequence[str], duration_s: float, boots: int, here: Path) -> Verdict:
    """The verdict on the contenders `words`, typed in the folder `here`, where the run is kept.

    Ends the program where there is none.
    """
    said = here / "verdict.json"
    said.unlink(missing_ok=True)
    # These servers are native: after a second nothing is left to warm.
    command = [
        *(str(BAKEOFF), "race", *words, "--no-twin", "--boots", str(boots), "--warm-up", "1s"),
        *("-d", f"{duration_s:g}", "--json", said.name),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=here)
    if done.returncode == 130:
        raise KeyboardInterrupt
    if not said.exists():
        sys.exit(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return Verdict.read_json(said)


def kept(verdict: Verdict, contender: str, effect: float, loops: int, duration_s: float) -> Live:
    """What the bench keeps of a race of two."""
    reference = next(each for each in verdict.entries if each.name == verdict.reference)
    other = next(each for each in verdict.entries if each.name != verdict.reference)
    pair = verdict.pair(other.name, reference.name)
    both = (reference, other)
    return Live(
        contender=contender,
        effect=effect,
        loops=loops,
        duration_s=duration_s,
        valid=pair is not None,
        why_not=tuple(reason for each in both for reason in each.reasons),
        ratio=pair.ratio if pair else 1,
        low=pair.low if pair else 1,
        high=pair.high if pair else 1,
        finding=pair.finding if pair else "can't tell",
        blocks=pair.n if pair else 0,
        boot_ratios=tuple(each.ratio for each in other.boots),
        requests_per_s=_both(both, lambda each: each.requests_per_s),
        server_us=_both(both, lambda each: each.cpu_us_per_request.server or 0),
        server_busy=_both(both, lambda each: each.server_busy or 0),
        client_busy=_both(both, lambda each: each.client_busy),
        steal_share=verdict.steal_share or 0,
        load_average=os.getloadavg()[0],
        warnings=(*verdict.warnings, *(word for each in both for word in each.warnings)),
    )


def _both(
    both: tuple[VerdictEntry, VerdictEntry], figure: Callable[[VerdictEntry], float]
) -> tuple[float, float]:
    return figure(both[0]), figure(both[1])


def add(path: Path, line: object) -> None:
    """Append one line of JSON, whole and on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
        file.flush()
        os.fsync(file.fileno())


def add_race(path: Path, race: Live) -> None:
    """Keep a finished race."""
    add(path, asdict(race))


def races(path: Path) -> list[Live]:
    """The races that are kept there; none where there is no file."""
    if not path.exists():
        return []
    return [_LIVE.validate_json(line) for line in path.read_text().splitlines()]
