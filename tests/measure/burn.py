"""Uses CPU time of a known amount, a third in a child and a third in a thread that ends.

Waits for a line, burns, prints the ns that it used by its own account, waits for another line.
The child ends and is waited for before the figure is printed.
"""

import os
import resource
import sys
import threading
import time

SECONDS_EACH = 0.1


def burn() -> None:
    until = time.thread_time() + SECONDS_EACH
    while time.thread_time() < until:
        pass


sys.stdin.readline()
child = os.fork()
if child == 0:
    burn()
    os._exit(0)
os.waitpid(child, 0)
thread = threading.Thread(target=burn)
thread.start()
thread.join()
burn()
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(int(sum(each.ru_utime + each.ru_stime for each in used) * 1e9), flush=True)
sys.stdin.readline()
