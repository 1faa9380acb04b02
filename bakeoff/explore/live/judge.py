"""The judging process, from the explorer's side: it is begun when somebody first watches a run."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Lock

from bakeoff.explore.live.state import LiveState, Stood, Wanted

_ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Linear algebra on several cores would be on those of the run."""


class Judge:
    """A context; within it `ask` judges a run. The process ends with it, however we end."""

    def __init__(self) -> None:
        self._asking = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._closed = False

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, whatever it is at."""
        self._closed = True
        if process := self._process:
            process.kill()
            process.wait()

    def ask(self, folder: Path, past: tuple[Stood, ...] = ()) -> LiveState:
        """The run in `folder`, as it stands, with a picture of how it stood in the `past`.

        It waits its turn, and then for the judge.
        """
        with self._asking:
            if self._closed:
                return LiveState(trouble="the explorer is ending")
            if self._process is None or self._process.poll() is not None:
                self._process = _begun()
            process = self._process
            assert process.stdin and process.stdout
            try:
                process.stdin.write(Wanted(path=str(folder), past=past).to_json() + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = ""
            if not line:
                return LiveState(trouble="the judge ended; it is begun again")
            return LiveState.from_json(line, "the judge")


def _begun() -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "bakeoff.explore.live.judging"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **_ALONE},
        # Ctrl-C is for us: we end it.
        start_new_session=True,
    )
