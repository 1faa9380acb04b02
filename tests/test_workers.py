"""Processes that share work end with the process that they work for, however that ends."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from bakeoff.workers import pool

PROGRAM = """
import os, sys
from bakeoff.workers import pool
with pool(1) as workers:
    print(workers.submit(os.getpid).result(), flush=True)
    sys.stdin.read()
"""


def test_work_that_breaks_off_ends_its_own_workers_and_no_other_child() -> None:
    child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    child.start()
    try:
        with pool(1) as others:
            kept = others.submit(os.getpid).result()
            with pytest.raises(ZeroDivisionError), pool(1) as workers:
                worker = psutil.Process(workers.submit(os.getpid).result())
                workers.submit(time.sleep, 60)
                raise ZeroDivisionError
            assert worker.wait(30) in (None, -signal.SIGTERM)
            assert others.submit(os.getpid).result() == kept
        assert child.is_alive()
    finally:
        child.kill()
        child.join()


def test_a_worker_ends_with_a_process_that_was_killed() -> None:
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout
        worker = psutil.Process(int(program.stdout.readline()))
        every = psutil.Process(program.pid).children(recursive=True)
        assert worker in every
        program.kill()
    _, alive = psutil.wait_procs(every, timeout=30)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
