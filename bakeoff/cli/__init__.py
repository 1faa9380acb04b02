"""The command line: arguments in, stages called, text and an exit status out."""

import atexit
import gc
import os
import signal
import sys
from threading import Timer
from types import FrameType

if sys.platform != "linux":
    # What is imported below is not there on other systems.
    sys.exit(f"bakeoff runs on Linux only, not on {sys.platform}")

# Ctrl-C during the imports ends us without a word, not with where they were.
_raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _raises:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
# Imports make 100,000 objects that stay: collections would look through them again and again, and
# once more at the end, when everything goes anyway.
gc.set_threshold(200_000)
atexit.register(gc.freeze)
from bakeoff.cli.app import app  # noqa: E402
from bakeoff.cli.output import plain_signs, say  # noqa: E402
from bakeoff.keeper.sweep import sweep  # noqa: E402
from bakeoff.model.errors import NO_ROOM, BakeoffError, Status  # noqa: E402
from bakeoff.satellites import needed  # noqa: E402

if _raises:
    signal.signal(signal.SIGINT, signal.default_int_handler)

COMPLETES = "_BAKEOFF_COMPLETE"
"""Set by a shell that asks how to complete a line; it shows whatever is printed."""
AGAIN_S = 0.01
"""After this time an interrupted callback has returned."""


def main() -> None:
    """The whole program. Its exit status is one of `Status`."""
    for ending in (signal.SIGTERM, signal.SIGHUP, *([signal.SIGINT] if _raises else [])):
        signal.signal(ending, _interrupt)
    sys.unraisablehook = _raise_again
    plain_signs()
    try:
        if COMPLETES not in os.environ:
            for line in sweep():
                say(f"bakeoff: {line}")
        with needed():
            app(prog_name="bakeoff")
    except BakeoffError as error:
        say(f"bakeoff: {error.brief}")
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        sys.exit(Status.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has had enough; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        where = f"{error.filename}: " if error.filename else ""
        say(f"bakeoff: {where}{error.strerror}: make room")
        sys.exit(Status.NO_VERDICT)
    except Exception:
        if not _interrupts:
            raise
        # Some libraries make errors of their own of an interrupt: pydantic-core does.
        say("bakeoff: interrupted; `bakeoff resume` goes on with a run")
        sys.exit(Status.INTERRUPTED)


_interrupts: list[int] = []


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _interrupts.append(number)
    raise KeyboardInterrupt


def _raise_again(lost: "sys.UnraisableHookArgs") -> None:
    """Python drops what is raised in the callback of a weak reference, as an import has one. An
    interrupt comes once more, when that has returned."""
    if isinstance(lost.exc_value, KeyboardInterrupt) and _interrupts:
        again = Timer(AGAIN_S, os.kill, (os.getpid(), _interrupts[-1]))
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(lost)
