"""The command line: words in, stages called, text and an exit status out."""

import os
import signal
import sys
from types import FrameType

from bakeoff.cli.app import app
from bakeoff.cli.console import err
from bakeoff.model.errors import BakeoffError

__all__ = ["main"]


def main() -> None:
    """The whole program. Status: 0 well, 1 the run says no, 2 usage, 3 missing, 130 cut off."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _interrupt)
    try:
        app(prog_name="bakeoff")
    except BakeoffError as error:
        err.print(f"bakeoff: {error}", markup=False, highlight=False, soft_wrap=True)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has had enough; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
