"""The output of perf and strace: stacks, tables of system calls, and counters of cores."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from bakeoff.model.why import COMPILED_AT_RUN_TIME, COUNTERS
from bakeoff.why.names import is_map, readable

KERNEL_FROM = 1 << 63
"""The start of the kernel's half of the addresses, on every architecture of 64 bits."""
UNKNOWN = "[unknown]"


class Sample(NamedTuple):
    """A thread of `pid` was at work at `at_ns`, CLOCK_MONOTONIC; its stack as in `WhyStacks`."""

    pid: int
    at_ns: int
    stack: str


def samples(lines: Iterable[str]) -> Iterator[Sample]:
    """The samples in the output of `perf script -F pid,time,ip,sym,dso --ns`.

    Each has a line with a pid and a time, then a line for each frame, the innermost first, then an
    empty line; other lines don't count. Stacks without a frame are left out, and so are outermost
    callers at addresses without code: other data was taken for them.
    """
    pid = at_ns = 0
    frames: list[str] = []
    for line in (*lines, ""):
        if head := _HEAD.fullmatch(line.strip()):
            pid, at_ns, frames = int(head[1]), int(head[2]) * 10**9 + int(head[3]), []
        elif not line.strip():
            while len(frames) > 1 and frames[-1].startswith(UNKNOWN):
                frames.pop()
            if frames:
                yield Sample(pid, at_ns, ";".join(reversed(frames)))
            frames = []
        elif frame := _frame(line.strip()):
            frames.append(frame)


_HEAD = re.compile(r"(\d+)\s+(\d+)\.(\d{9}):")
_FRAME = re.compile(r"([0-9a-f]+) (?:(.*) )?\(([/\[].*)\)")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")


def _frame(line: str) -> str:
    """`ffffffff81d35f9f read_zero ([kernel.kallsyms])`; symbols and files may have blanks and
    brackets.

    A frame without a symbol has the name of its file, in brackets. Code compiled at run time has no
    file: perf names the map that was never written, whose name differs between processes.
    """
    read = _FRAME.fullmatch(line)
    if not read:
        return ""
    symbol = _OFFSET.sub("", read[2] or "").strip()
    if symbol in ("", UNKNOWN):
        file = read[3].rpartition("/")[2].strip("[]") or "unknown"
        symbol = f"[{COMPILED_AT_RUN_TIME if is_map(read[3]) else file}]"
    symbol = readable(symbol, read[3]).replace(";", ":")
    return f"{symbol}_[k]" if int(read[1], 16) >= KERNEL_FROM else symbol


_FORK = re.compile(r".* PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)")


def family(lines: Iterable[str], pids: Collection[int]) -> set[int]:
    """`pids` and the processes that they started, by the output of `perf script
    --show-task-events`."""
    found = {*pids}
    for line in lines:
        fork = _FORK.fullmatch(line) if "_FORK(" in line else None
        if fork and int(fork[2]) in found:
            found.add(int(fork[1]))
    return found


_CALL = re.compile(r"\s+([a-z]\w*)\s+(\d+)\s+\d+(?:\s+[\d.]+%?)+\s*")


def calls_of_perf(text: str) -> Counter[str]:
    """System calls by name in the tables of `perf trace -s`, which has one for each thread."""
    found: Counter[str] = Counter()
    for line in text.splitlines():
        if row := _CALL.fullmatch(line):
            found[row[1]] += int(row[2])
    return found


def calls_of_strace(text: str) -> Counter[str]:
    """System calls by name in the table of `strace -c`: the last column is the name, the fourth the
    number of calls."""
    found: Counter[str] = Counter()
    for line in text.splitlines():
        words = line.split()
        if len(words) in (5, 6) and words[3].isdigit() and words[-1] != "total":
            found[words[-1]] += int(words[3])
    return found


def counters_of_perf(text: str) -> Counter[str]:
    """The counts of `COUNTERS` in the output of `perf stat -x ;`, without those that it lacks.

    A line is `count;unit;event;…`. An event of user time alone ends with `u`. Processors with cores
    of two kinds have a line for each (`cpu_core/cycles/u`), which are added up.
    """
    found: Counter[str] = Counter()
    for line in text.splitlines():
        count, _, event, *_ = (*line.split(";"), "", "", "")
        name = next((name for name in COUNTERS if name in event), "")
        if name and count.isdigit():
            found[f"{name}:u" if event.endswith((":u", "/u")) else name] += int(count)
    return found
