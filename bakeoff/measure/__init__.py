"""Measure: what contenders cost in CPU and memory, and what the machine is and does."""

from bakeoff.measure.conduct import Places, conduct, read_places
from bakeoff.measure.cores import read_cores, read_pressure_cpu_us
from bakeoff.measure.cpu import CpuReader, read_cpu
from bakeoff.measure.crew import Tasks, crew, read_tasks
from bakeoff.measure.hindrances import hindrances
from bakeoff.measure.machine import machine
from bakeoff.measure.memory import read_memory
from bakeoff.measure.tcp import read_tcp
from bakeoff.measure.tree import process_tree
from bakeoff.measure.written import read_written

__all__ = [
    "CpuReader",
    "Places",
    "Tasks",
    "conduct",
    "crew",
    "hindrances",
    "machine",
    "process_tree",
    "read_cores",
    "read_cpu",
    "read_memory",
    "read_places",
    "read_pressure_cpu_us",
    "read_tasks",
    "read_tcp",
    "read_written",
]
