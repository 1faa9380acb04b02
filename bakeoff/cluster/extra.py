"""The extra `bakeoff[cluster]`: Ray, which is imported where a cluster is asked for."""

import logging
import os
import signal

from bakeoff.model.errors import MissingPiece


def import_ray() -> None:
    """Import it, and keep it from saying what nobody asked. Raises `MissingPiece`.

    It takes a second, in which Ctrl-C waits: some that Ray imports take an interrupt for an error
    of their own, and go on.
    """
    # What Ray has to say of nodes that die it prints to standard output, where results go.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    endings = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, endings)
    try:
        import ray  # noqa: F401
    except ImportError as error:
        raise MissingPiece(
            f"a race on a cluster needs Ray, which is not installed ({error}); "
            "pip install 'bakeoff[cluster]', here and on each node"
        ) from None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    # That it leaves our signals alone, for example.
    logging.getLogger("ray").setLevel(logging.CRITICAL)
