"""One real race, through the command line that people use, and what the bench keeps of it."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

import bakeoff
from bakeoff.judge.spread import trimmed_mean
from bakeoff.model.base import Contract
from bakeoff.model.samples import Block, Record
from bakeoff.model.verdict import Verdict
from bakeoff.report.sentences import sentences
from bakeoff.runs.store import Store
from tests.judge_bench.kept import whole_line

Part = Literal["equal", "planted", "repeat"]
OVER_S = 600.0
"""A race that takes so much longer than its measuring hangs."""
ContractT = TypeVar("ContractT", bound=Contract)


class RaceFailed(Exception):
    """A race without a verdict; `str()` says why."""


class Compared(Contract):
    """`a` over `b`, with its simultaneous interval."""

    a: str
    b: str
    ratio: float
    low: float
    high: float
    finding: str


class Live(Contract):
    """A race that was kept, `at` its run's time in UTC.

    `subject` is the program, or the share by which a request was meant to take longer; `loops`, by
    how many loops it did. `pairs` has every two entries, one where there are two: the second over
    the first, its reference. It is empty where the verdict has no ratio; `why_not` says why.
    Figures are by entry: CPU time for a request over the whole race (`server_us`) and in its
    typical short slice (`typical_us`), and the busy shares of the server and the generator.
    """

    part: Part
    subject: str
    loops: int = 0
    duration_s: float
    took_s: float
    at: str
    pairs: tuple[Compared, ...]
    why_not: tuple[str, ...]
    entries: tuple[str, ...]
    requests_per_s: tuple[float, ...]
    server_us: tuple[float, ...]
    typical_us: tuple[float, ...]
    server_busy: tuple[float, ...]
    client_busy: tuple[float, ...]
    steal_share: float
    load_average: float
    warnings: tuple[str, ...]

    @property
    def ratio(self) -> Compared | None:
        """The ratio of a race of two; None: it has none."""
        return self.pairs[0] if len(self.pairs) == 1 else None


def bakeoff_ran(
    words: Sequence[str], here: Path, over_s: float, within: Sequence[str] = (), history: str = ""
) -> tuple[Path, Path]:
    """A command as people type it in the folder `here`: the folder of its run, and its result.

    bakeoff is called by the command `within`, if there is one. Raises `RaceFailed`.
    """
    said, out = here / "result.json", here / "runs"
    said.unlink(missing_ok=True)
    shutil.rmtree(out, ignore_errors=True)
    command = [*within, sys.executable, "-m", "bakeoff", *words]
    # The package that this bench belongs to, whatever else is installed.
    package = str(Path(bakeoff.__file__).parents[1])
    try:
        done = subprocess.run(
            [*command, "--json", said.name, "--out", out.name],
            capture_output=True,
            text=True,
            check=False,
            cwd=here,
            timeout=over_s,
            env={**os.environ, "PYTHONPATH": package, "BAKEOFF_HISTORY": history},
        )
    except subprocess.TimeoutExpired:
        raise RaceFailed(f"{shlex.join(words)}: did not end in time") from None
    if done.returncode == 130:
        raise KeyboardInterrupt
    if not said.exists():
        last = "\n".join(done.stderr.splitlines()[-5:])
        raise RaceFailed(f"{shlex.join(words)} ended with {done.returncode}:\n{last}")
    (folder,) = (path for path in out.iterdir() if not path.is_symlink())
    return folder, said


def race(
    words: Sequence[str], duration_s: float, here: Path, within: Sequence[str] = ()
) -> tuple[Verdict, Sequence[Record]]:
    """The verdict on the contenders `words`, typed in the folder `here`, and what was measured.

    All options are the defaults, but for those among the words and the twin, which the races
    between equals are themselves. Raises `RaceFailed`.
    """
    command = ["race", *words, "--no-twin", "-d", f"{duration_s:g}"]
    folder, said = bakeoff_ran(command, here, duration_s + OVER_S, within)
    return Verdict.read_json(said), Store(folder).records()


def kept(verdict: Verdict, records: Sequence[Record], **of: object) -> Live:
    # False sorts before True: the reference comes first, the others by name.
    entries = sorted(verdict.entries, key=lambda each: (each.name != verdict.reference, each.name))
    pairs = [
        Compared(
            a=a.name, b=b.name, ratio=pair.ratio.ratio, low=low, high=high, finding=pair.finding
        )
        for place, b in enumerate(entries)
        for a in entries[place + 1 :]
        if (pair := verdict.pair(a.name, b.name))
        # Where the generator was the limit of one, a ratio is a bound: it has one end.
        if (low := pair.ratio.low) and (high := pair.ratio.high)
    ]
    warnings = [*verdict.warnings, *(warning for entry in entries for warning in entry.warnings)]
    return Live.checked(
        {
            "at": verdict.machine.taken_at,
            "pairs": pairs,
            "why_not": [
                f"{entry.name}: {reason}"
                for entry in entries
                for reason in sentences(entry.reasons)
                if not entry.valid
            ],
            "entries": [entry.name for entry in entries],
            "requests_per_s": [entry.requests_per_s for entry in entries],
            "server_us": [entry.cpu_us_per_request.server or 0 for entry in entries],
            "typical_us": [typical_us(records, entry.name) for entry in entries],
            "server_busy": [entry.server_busy or 0 for entry in entries],
            "client_busy": [entry.client_busy or 0 for entry in entries],
            "steal_share": verdict.steal_share or 0,
            "load_average": os.getloadavg()[0],
            "warnings": sentences(warnings),
            **of,
        },
        "the race",
    )


def typical_us(records: Sequence[Record], name: str) -> float:
    """Server CPU time for a request, the trimmed mean over short slices: as ratios are taken.

    Moments in which the host gave the machine less are in a whole race's sum, but not in this. 0
    where the kernel doesn't say.
    """
    costs = [
        log(cost_us)
        for record in records
        if isinstance(record, Block) and record.kind == "short"
        for each in record.slices
        if each.entry == name and (cost_us := each.server_cpu_us_per_request)
    ]
    return exp(trimmed_mean(np.array(costs))) if costs else 0.0


def append(path: Path, line: Contract) -> None:
    """Append one line of JSON, whole and on disk; what a kill left of another one goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole_line(path, line.to_json())


def lines(path: Path, kind: type[ContractT]) -> list[ContractT]:
    """What was appended there; nothing where there is no file. A torn last line is left out."""
    text = path.read_text() if path.exists() else ""
    return [kind.from_json(line, path) for line in text.split("\n")[:-1]]
