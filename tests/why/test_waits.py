"""What threads of real processes are seen to wait for."""

import subprocess
import sys
import time

import pytest

from bakeoff.model.why import Wait
from bakeoff.why.waits import Waits, can_be_seen, wait_in

WORK = "sum(range(20_000))"
PROGRAMS: dict[Wait, str] = {
    "timer": f"import time\nwhile True: {WORK}; time.sleep(0.01)",
    "running": f"while True: {WORK}",
    "requests": (
        f"import select, time\npoll = select.epoll()\nwhile True: {WORK}; poll.poll(0.01)"
    ),
    "thread": (
        "import threading, time\nlock = threading.Lock()\n"
        "def hold():\n"
        "    while True:\n"
        "        with lock: time.sleep(0.02)\n"
        "        time.sleep(0.001)\n"
        "threading.Thread(target=hold, daemon=True).start()\n"
        f"while True:\n    with lock: {WORK}"
    ),
    "socket": (
        "import socket\na, b = socket.socketpair()\na.settimeout(None)\n"
        "import threading, time\n"
        "def send():\n"
        "    while True: time.sleep(0.01); b.send(b'x')\n"
        "threading.Thread(target=send, daemon=True).start()\n"
        f"while True: a.recv(1); {WORK}"
    ),
}


@pytest.mark.parametrize("wait", PROGRAMS)
def test_a_thread_at_work_is_seen_in_what_it_waits_for(wait: Wait) -> None:
    if not can_be_seen():
        pytest.skip("this kernel doesn't say what threads wait for")
    with subprocess.Popen([sys.executable, "-c", PROGRAMS[wait]]) as process:
        try:
            time.sleep(0.3)
            with Waits([process.pid]) as waits:
                time.sleep(0.4)
        finally:
            process.kill()
    times = waits.times
    assert times["running"] > 0 and "unseen" not in times
    waited = {kind: ns for kind, ns in times.items() if kind not in ("running", "ready")}
    # The thread that wakes it up is asleep as long.
    assert wait == "running" or waited[wait] > 0.3 * sum(waited.values()), times


def test_processes_that_are_gone_have_no_threads() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    with Waits([ended.pid]) as waits:
        pass
    assert not waits.times


@pytest.mark.parametrize(
    ("function", "state", "wait"),
    [
        ("ep_poll", "S", "requests"),
        ("do_epoll_wait", "S", "requests"),
        ("io_cqring_wait", "S", "requests"),
        ("inet_csk_accept", "S", "requests"),
        ("futex_wait_queue_me", "S", "thread"),
        ("futex_do_wait", "S", "thread"),
        ("hrtimer_nanosleep", "S", "timer"),
        ("wait_woken", "S", "socket"),
        ("folio_wait_bit_common", "D", "disk"),
        ("pipe_read", "S", "other"),
        ("0", "S", "unseen"),
        ("", "D", "unseen"),
    ],
)
def test_the_kernels_functions_are_kinds_of_waits(function: str, state: str, wait: Wait) -> None:
    assert wait_in(function, state) == wait
