"""What stands in the way of a good measurement on this machine. Looks, and changes nothing."""

import os
import resource

from bakeoff.measure import facts, rules
from bakeoff.measure.machine import machine
from bakeoff.measure.proc import parse_kib
from bakeoff.measure.watch import watch
from bakeoff.model.machine import Hindrance

_WATCH_S = 1.0


def hindrances() -> tuple[Hindrance, ...]:
    """All that was looked at, good or bad, the worst first. Takes a second."""
    watched = watch(_WATCH_S)
    seen = machine(engine="", bakeoff="")
    meminfo = facts.text("/proc/meminfo") or ""
    swap = [parse_kib(meminfo, key) or 0 for key in ("SwapTotal", "SwapFree")]
    found = (
        rules.cores(seen.cpus, len(os.sched_getaffinity(0))),
        rules.quota(seen.cpu_quota),
        rules.threads(facts.siblings()),
        rules.governor(seen.governor),
        rules.turbo(seen.turbo),
        rules.virtualisation(seen.virtualisation),
        rules.steal(watched.steal_share),
        rules.clock_source(seen.clock_source),
        rules.load(seen.load_average, seen.cpus),
        rules.busiest(watched.busiest),
        rules.memory(seen.memory_mib, (swap[0] - swap[1]) // 1024),
        rules.open_files(*resource.getrlimit(resource.RLIMIT_NOFILE)),
        rules.somaxconn(seen.somaxconn),
        rules.ports(seen.port_range, seen.tcp_tw_reuse),
        rules.counting(seen.cgroup),
    )
    order = ("warning", "note", "ok")
    return tuple(sorted((one for one in found if one), key=lambda one: order.index(one.level)))
