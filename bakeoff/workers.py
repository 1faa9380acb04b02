"""Processes that share one kind of work, and end with this process, whatever ends it."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

from bakeoff.keeper.spawn import PR_SET_PDEATHSIG, prctl


@contextmanager
def pool(
    jobs: int | None = None,
    begin: Callable[..., None] | None = None,
    given: tuple[object, ...] = (),
) -> Iterator[ProcessPoolExecutor]:
    """`jobs` processes, by default one for each processor that we may use; each calls `begin` once.

    They leave Ctrl-C to this process, and remaining work is then not begun.
    """
    workers = ProcessPoolExecutor(
        jobs or len(os.sched_getaffinity(0)),
        multiprocessing.get_context("fork"),
        initializer=_begun,
        initargs=(begin, given),
    )
    with workers:
        try:
            yield workers
        except BaseException:
            # From Python 3.14 on `terminate_workers` does this. `shutdown` forgets the processes.
            own = list((workers._processes or {}).values())
            workers.shutdown(wait=False, cancel_futures=True)
            for worker in own:
                worker.terminate()
            raise


def _begun(begin: Callable[..., None] | None, given: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_DFL)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if begin:
        begin(*given)
