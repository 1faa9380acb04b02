"""What the whole machine did."""

from pathlib import Path

from bakeoff.measure.proc import parse_cores, parse_pressure_us
from bakeoff.model.samples import CoreTime


def read_cores() -> tuple[CoreTime, ...]:
    """What each processor did since the machine started."""
    return parse_cores(Path("/proc/stat").read_text())


def read_pressure_cpu_us() -> int | None:
    """How long something waited for a processor since the machine started, µs; None if unknown."""
    try:
        return parse_pressure_us(Path("/proc/pressure/cpu").read_text())
    except OSError:
        return None
