"""One case, typed as a user types it, and all that is wrong with how it ended."""

import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak import expected
from tests.soak.cases import FILES, RESULT, SERVER, Case
from tests.soak.footprint import Footprint

ROOT = Path(__file__).parents[2]
LOOK_EVERY_S = 0.5
HUNG_AFTER_S = 60.0
"""A run that is late is left alone so long, then its stacks are read and it is ended."""
TIDY_WITHIN_S = 2.0
TIDY_AFTER_KILL_S = 20.0
"""A keeper gives contenders its grace; the next command ends the rest."""
INTERRUPTED_WITHIN_S = 45.0
"""A run that was interrupted ends its servers, judges what is there and draws its report."""
STACKS_WITHIN_S = 5.0
IMPORTING_S = 2.0
"""Ctrl-C ends Python itself before there is a bakeoff that could say anything."""


@dataclass
class Typed:
    """A command and how it ended; its status is None where it had to be ended."""

    words: tuple[str, ...]
    status: int | None
    took_s: float
    said: str
    cut: bool = False


@dataclass
class Outcome:
    """How a case ended, and all `problems` with it; `said` is the end of its last output."""

    case: Case
    typed: list[Typed] = field(default_factory=list)
    struck: tuple[str, ...] = ()
    announced_s: float | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def first(self) -> Typed:
        return self.typed[0]


class Trial:
    """A case in a folder of its own, which is made."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case, self.folder = case, folder
        self.outcome = Outcome(case)
        self.footprint = Footprint(folder)
        for name in ("tmp", "state", "data", "cache"):
            (folder / name).mkdir(parents=True)
        shutil.copy(ROOT / "tests" / "misbehaving" / "server.py", folder / SERVER)
        for name, text in FILES.items():
            (folder / name).write_text(text)

    def run(self) -> Outcome:
        """Type the command, then what a user types afterwards, and look at it all."""
        case = self.case
        try:
            first = self._type(*case.words, may_be_cut=True)
            self._judge_first(first)
            self._look_for_leftovers("the run", first)
            if case.kind != "audit":
                self._go_on(first)
        except BaseException:
            self.footprint.kill()
            raise
        return self.outcome

    def struck(self) -> set[str]:
        """The contenders of which a process has written that its fault struck."""
        return {
            server.name
            for server in self.case.servers
            if any(file.stat().st_size for file in (self.folder / server.state).glob("*"))
        }

    # What is typed.

    def _type(self, *words: str, may_be_cut: bool = False, within_s: float | None = None) -> Typed:
        """Run bakeoff to its end, or until it is found to hang.

        `within_s` is the bound of a command that announces no time.
        """
        output = self.folder / f"said-{len(self.outcome.typed)}"
        typed = Typed(words, None, 0.0, "")
        self.outcome.typed.append(typed)
        process = self._begin(words, output)
        began_s = time.monotonic()
        try:
            bound_s = self._wait(process, typed, output, may_be_cut, within_s)
        except BaseException:
            _end(process)
            raise
        typed.took_s = time.monotonic() - began_s
        typed.said = _text(output)
        if typed.status is not None and typed.took_s > bound_s:
            self._problem(f"`{words[0]}` took {typed.took_s:.0f} s; {bound_s:.0f} s were its bound")
        for blemish in expected.blemishes(typed.said):
            self._problem(f"`{words[0]}`: {blemish}")
        return typed

    def _begin(self, words: tuple[str, ...], output: Path) -> "subprocess.Popen[bytes]":
        with output.open("wb") as file:
            return subprocess.Popen(
                [sys.executable, "-m", "bakeoff", *words],
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _wait(
        self,
        process: "subprocess.Popen[bytes]",
        typed: Typed,
        output: Path,
        may_be_cut: bool,
        within_s: float | None,
    ) -> float:
        """Wait for its end, cut it at its moment; the time by which it had to end."""
        began_s = time.monotonic()
        cut_at_s = self.case.cut_after_s if may_be_cut and self.case.cut else math.inf
        cut_bound_s: float | None = None
        while True:
            lasts_s = time.monotonic() - began_s
            self.footprint.look(process.pid)
            if lasts_s >= cut_at_s:
                typed.cut, cut_at_s, cut_bound_s = True, math.inf, lasts_s + INTERRUPTED_WITHIN_S
                self._cut(process.pid)
            bound_s = cut_bound_s or within_s or expected.bound_s(self.case, _text(output))
            if lasts_s > bound_s + HUNG_AFTER_S:
                self._give_up(process, output)
                return bound_s
            with suppress(subprocess.TimeoutExpired):
                typed.status = process.wait(max(0.01, min(LOOK_EVERY_S, cut_at_s - lasts_s)))
                return bound_s

    def _environment(self) -> dict[str, str]:
        here = self.folder
        inherited = {k: v for k, v in os.environ.items() if k != "BAKEOFF_HISTORY"}
        return {
            **inherited,
            "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}",
            "COLUMNS": "100",
            "PYTHONFAULTHANDLER": "1",
            "TMPDIR": str(here / "tmp"),
            **{f"XDG_{key.upper()}_HOME": str(here / key) for key in ("state", "data", "cache")},
        }

    def _cut(self, pid: int) -> None:
        with suppress(ProcessLookupError):
            if self.case.cut == "interrupted":
                os.killpg(pid, signal.SIGINT)
            else:
                os.kill(pid, signal.SIGKILL)

    def _give_up(self, process: "subprocess.Popen[bytes]", output: Path) -> None:
        """It hangs: keep what it does now, then end it."""
        evidence = self.footprint.evidence(process.pid)
        with suppress(subprocess.TimeoutExpired):
            process.wait(STACKS_WITHIN_S)
        _end(process)
        self.footprint.kill()
        (self.folder / "evidence").write_text(f"{evidence}\n\n{_text(output)}")
        self._problem(f"it hung and was ended; its stacks:\n{evidence}\n{_text(output)[-4000:]}")

    # What is wrong with it.

    def _problem(self, text: str) -> None:
        self.outcome.problems.append(
            text.replace(str(self.folder), "FOLDER").replace(f"{ROOT}/", "")
        )

    def _judge_first(self, first: Typed) -> None:
        """Its status, words and result, where it was left to end by itself."""
        case, outcome = self.case, self.outcome
        struck = self.struck()
        outcome.struck = tuple(sorted(struck))
        outcome.announced_s = expected.announced_s(first.said)
        if first.status is None:
            return
        right = expected.statuses(case, struck, first.said) | self._statuses_of_a_cut(first)
        if first.status not in right:
            self._problem(f"its status is {first.status}; right is {_listed(right)}")
        if not first.cut and first.status >= 0:
            for problem in self._unexplained(first, struck):
                self._problem(problem)

    def _unexplained(self, first: Typed, struck: Collection[str]) -> Iterator[str]:
        yield from expected.unnamed(self.case, struck, first.said)
        assert first.status is not None
        result = self.folder / RESULT
        yield from expected.unexplained(self.case, struck, result, first.status)

    def _statuses_of_a_cut(self, first: Typed) -> set[int]:
        if not first.cut:
            return set()
        if self.case.cut == "killed":
            return {-signal.SIGKILL}
        importing = {-signal.SIGINT} if self.case.cut_after_s < IMPORTING_S else set()
        return {expected.INTERRUPTED, *importing}

    def _go_on(self, first: Typed) -> None:
        """`bakeoff report`; after a cut `bakeoff resume`, too."""
        there = (self.folder / "runs" / "latest").exists()
        reported = self._type("report", "runs/latest", within_s=expected.REPORT_WITHIN_S)
        self._check("report", reported, self._right_of_report(first, there))
        self._look_for_leftovers("report", first)
        if first.cut and there:
            within_s = expected.bound_s(self.case, first.said)
            resumed = self._type("resume", "runs/latest", within_s=within_s)
            # What was complete when it was cut can't be resumed.
            right = expected.statuses(self.case, self.struck(), resumed.said)
            right |= {expected.BAD_USAGE}
            self._check("resume", resumed, right)
            self._look_for_leftovers("resume", resumed)

    def _right_of_report(self, first: Typed, there: bool) -> set[int]:
        """That of the run; after a cut, too little may have been measured, or be wrong yet."""
        if not there:
            return {expected.BAD_USAGE}
        if first.cut or first.status is None:
            cut_short = {expected.DONE, expected.NO_VERDICT, expected.CONTENDER_OUT}
            return expected.statuses(self.case, self.struck()) | cut_short
        return {first.status}

    def _check(self, what: str, typed: Typed, right: set[int]) -> None:
        if typed.status is not None and typed.status not in right:
            last = " / ".join(typed.said.strip().splitlines()[-2:])
            self._problem(
                f"the status of `{what}` is {typed.status}; right is {_listed(right)}: {last}"
            )

    def _look_for_leftovers(self, after: str, typed: Typed) -> None:
        killed = typed.cut and self.case.cut == "killed"
        if killed and after == "the run":
            return  # The next command sees to what nobody was left to end.
        within_s = TIDY_AFTER_KILL_S if killed else TIDY_WITHIN_S
        for left in self.footprint.left_after(within_s):
            self._problem(f"after {after} there is {left}")


def _listed(statuses: Collection[int]) -> str:
    return " or ".join(map(str, sorted(statuses)))


def _text(path: Path) -> str:
    return path.read_text(errors="replace")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """SIGTERM, on which it tidies up; SIGKILL where that takes too long."""
    process.terminate()
    try:
        process.wait(INTERRUPTED_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
