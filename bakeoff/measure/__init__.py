"""Measure: what contenders cost in CPU and memory, and what the machine is and does."""

from bakeoff.measure.cpu import CpuReader, counted_pids, process_tree, read_cpu
from bakeoff.measure.energy import read_energy_uj
from bakeoff.measure.hindrances import hindrances
from bakeoff.measure.kernel import read_cores, read_tcp, read_used_ns
from bakeoff.measure.listening import read_listen_queue
from bakeoff.measure.machine import machine
from bakeoff.measure.network import read_link_bytes_per_s, read_network
from bakeoff.measure.processes import (
    Placement,
    ThreadTimes,
    process_changes,
    read_memory,
    read_placement,
    read_thread_times,
    read_written,
    threads_at_work,
)
from bakeoff.measure.room import read_free_files, read_free_memory_mib

__all__ = [
    "CpuReader",
    "Placement",
    "ThreadTimes",
    "counted_pids",
    "hindrances",
    "machine",
    "process_changes",
    "process_tree",
    "read_cores",
    "read_cpu",
    "read_energy_uj",
    "read_free_files",
    "read_free_memory_mib",
    "read_link_bytes_per_s",
    "read_listen_queue",
    "read_memory",
    "read_network",
    "read_placement",
    "read_tcp",
    "read_thread_times",
    "read_used_ns",
    "read_written",
    "threads_at_work",
]
