"""Processes that share one kind of work, and end with us, however we end."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from threading import Thread

from bakeoff.keeper.spawn import PR_SET_PDEATHSIG, prctl


@contextmanager
def pool(
    jobs: int | None = None,
    begin: Callable[..., None] | None = None,
    given: tuple[object, ...] = (),
    apart: Sequence[str] = (),
) -> Iterator[ProcessPoolExecutor]:
    """`jobs` processes, by default one for each processor that we may use; each calls `begin` once.

    They leave Ctrl-C to us, and what is not done then is not begun. `apart`: they are no copies of
    this process but of one that has only imported these modules, for work with libraries whose
    threads a copy lacks. It is begun once: later calls find it as it is.
    """
    context = multiprocessing.get_context("forkserver" if apart else "fork")
    if apart:
        context.set_forkserver_preload([*apart])
    workers = ProcessPoolExecutor(
        jobs or len(os.sched_getaffinity(0)),
        context,
        initializer=_begun,
        initargs=(begin, given, bool(apart)),
    )
    with workers:
        try:
            yield workers
        except BaseException:
            # From Python 3.14 on `terminate_workers` does this. `shutdown` forgets who they are.
            own = list((workers._processes or {}).values())
            workers.shutdown(wait=False, cancel_futures=True)
            for worker in own:
                worker.terminate()
            raise


def _begun(begin: Callable[..., None] | None, given: tuple[object, ...], apart: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_DFL)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if apart:
        # Whom the kernel takes for our parent ends only when all of us have.
        Thread(target=_end_with_whom_we_work_for, daemon=True).start()
    if begin:
        begin(*given)


def _end_with_whom_we_work_for() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
    os.kill(os.getpid(), signal.SIGKILL)
