"""The judging process, from the explorer's side: it begins when a run is first viewed.

The two exchange lines: `Wanted`, `LiveState`.
"""

import os
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock, Timer

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat

from bakeoff.model.base import Contract
from bakeoff.model.ratio import Ratio


class Stood(Contract):
    """A contender's ratio to the reference, judged after `measured_s` of measuring."""

    name: str
    measured_s: PositiveFloat
    ratio: Ratio


class Wanted(Contract):
    """A request to judge the run in the folder `path`. `past` has its earlier ratios, for its
    picture."""

    path: str
    past: tuple[Stood, ...] = ()


class LiveState(Contract):
    """The answer: the current state of a run. `standings` is HTML; `trouble` is why there are none
    yet, or why they are not newer. `now` has a race's ratios, for the `past` of later requests.

    `half_width` is that of the widest interval to a race's reference, as a share; None: one has no
    end. `steps` counts blocks, turns or runs of a tool. `cpu_s` is the CPU time of judging it, and
    `shares` says that this was on cores on which the run is measured.
    """

    finding: str = ""
    standings: str = ""
    now: tuple[Stood, ...] = ()
    half_width: NonNegativeFloat | None = None
    trouble: str = ""
    measured_s: NonNegativeFloat = 0
    planned_s: NonNegativeFloat | None = None
    steps: NonNegativeInt = 0
    cpu_s: NonNegativeFloat = 0
    shares: bool = True


_ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Linear algebra on several cores would take those of the run."""
LEAST_S, MOST_S = 300.0, 1200.0
"""A judging that takes longer hangs. If the run takes all cores, the judge has 1.5 % of one."""
TIMES = 4
"""Judging a run may take this many times as long as before, within these limits."""


class Judge(AbstractContextManager["Judge"]):
    """A context; within it `ask` judges a run. The process ends with it, whatever ends us.

    `took_s` is how long each run's last judging took.
    """

    def __init__(self) -> None:
        self._asking = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        self.took_s: dict[Path, float] = {}

    def __exit__(self, *_: object) -> None:
        self._closed = True
        self._end()

    def ask(self, folder: Path, past: tuple[Stood, ...] = ()) -> LiveState:
        """The current state of the run in `folder`, with a picture of its ratios in the `past`.

        It waits its turn, and then for the judge, which it ends if it hangs.
        """
        with self._asking:
            if self._closed:
                return LiveState(trouble="the explorer is ending")
            if self._process is None or self._process.poll() is not None:
                self._process = _begun()
            limit_s = min(MOST_S, max(LEAST_S, TIMES * self.took_s.get(folder, 0.0)))
            began_s = time.monotonic()
            line = _answered(self._process, Wanted(path=str(folder), past=past), limit_s)
            self.took_s[folder] = took_s = time.monotonic() - began_s
            if line:
                return LiveState.from_json(line, "the judge")
            self._end()
            if took_s < limit_s:
                return LiveState(trouble="the judge ended; it is begun again")
            # All of that may have been work: others have their turn for four times as long.
            hung = f"judging it took over {limit_s:.0f} s and was ended; it is tried again later"
            return LiveState(trouble=hung, cpu_s=took_s, shares=False)

    def _end(self) -> None:
        if process := self._process:
            process.kill()
            process.wait()


def _answered(process: "subprocess.Popen[str]", wanted: Wanted, limit_s: float) -> str:
    """The judge's line; empty: it ended, or was ended after `limit_s`."""
    assert process.stdin and process.stdout
    limit = Timer(limit_s, process.kill)
    limit.start()
    try:
        process.stdin.write(wanted.to_json() + "\n")
        process.stdin.flush()
        return process.stdout.readline()
    except OSError:
        return ""
    finally:
        limit.cancel()


def _begun() -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "bakeoff.explore.live.judging"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **_ALONE},
        # Ctrl-C is for the explorer, which then ends it.
        start_new_session=True,
    )
