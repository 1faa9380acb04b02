"""What a contender holds in memory."""

from collections.abc import Iterable
from pathlib import Path

from bakeoff.measure.proc import parse_kib
from bakeoff.model.samples import Memory


def read_memory(pids: Iterable[int]) -> Memory | None:
    """The sum of Pss over `pids`, MiB; None where none of them can be seen.

    Pss divides a shared page among those who share it, so forked workers don't count it twice.
    It walks page tables: not for inside a slice.
    """
    held = [kib for pid in pids if (kib := _pss_kib(pid)) is not None]
    return Memory(pss_mib=sum(held) / 1024, processes=len(held)) if held else None


def _pss_kib(pid: int) -> int | None:
    try:
        return parse_kib(Path(f"/proc/{pid}/smaps_rollup").read_text(), "Pss")
    except OSError:
        return None
