"""Three processes with two threads at work, and three that only stand by.

Prints a line once all are there, works when it reads a line, and prints another when it has done
so. Whoever worked stays until the end of the input.
"""

import os
import sys
import threading
import time

SECONDS_EACH = 0.1


def work() -> None:
    until = time.thread_time() + SECONDS_EACH
    while time.thread_time() < until:
        pass


def child(works: bool) -> int:
    """Forks one that waits until `go` is closed; it works, or not, and stays."""
    pid = os.fork()
    if pid:
        return pid
    os.close(go_write)
    os.read(go_read, 1)
    if works:
        work()
    os.write(done_write, b"d")
    time.sleep(600)
    os._exit(0)


go_read, go_write = os.pipe()
done_read, done_write = os.pipe()
children = [child(works=True), child(works=False)]
go, stay = threading.Event(), threading.Event()


def busy() -> None:
    go.wait()
    work()
    os.write(done_write, b"d")
    stay.wait()


for each in (busy, stay.wait):
    threading.Thread(target=each, daemon=True).start()
print("ready", flush=True)
sys.stdin.readline()
os.close(go_write)
go.set()
for _ in range(3):
    os.read(done_read, 1)
print("done", flush=True)
sys.stdin.readline()
for pid in children:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
