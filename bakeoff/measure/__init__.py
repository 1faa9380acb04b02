"""Measure: what contenders cost in CPU and memory, and what the machine is and does."""

from bakeoff.measure.cores import read_cores, read_pressure_cpu_us
from bakeoff.measure.cpu import CpuReader, process_tree, read_cpu
from bakeoff.measure.memory import read_memory

__all__ = [
    "CpuReader",
    "process_tree",
    "read_cores",
    "read_cpu",
    "read_memory",
    "read_pressure_cpu_us",
]
