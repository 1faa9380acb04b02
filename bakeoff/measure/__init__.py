"""Measure: the contenders' use of CPU and memory, and the state and activity of the machine."""

from bakeoff.measure.cpu import CpuReader, counted_pids, process_tree
from bakeoff.measure.hindrances import hindrances
from bakeoff.measure.kernel import (
    read_cores,
    read_energy_uj,
    read_free_files,
    read_free_memory_mib,
    read_link_bytes_per_s,
    read_listen_queue,
    read_network,
    read_received,
    read_tcp,
    read_udp_drops,
    read_used_ns,
)
from bakeoff.measure.machine import machine
from bakeoff.measure.processes import (
    Placement,
    ThreadTimes,
    process_changes,
    read_memory,
    read_placement,
    read_thread_times,
    read_usage,
    read_written,
    threads_at_work,
)
