"""Obstacles to a good measurement on this machine. Reads, and changes nothing."""

import contextlib
import os
import resource
from collections.abc import Callable
from typing import TypeVar

import psutil

from bakeoff.measure import rules
from bakeoff.measure.kernel import read_tracking
from bakeoff.measure.machine import machine, siblings
from bakeoff.measure.rules import Busiest
from bakeoff.model.machine import Hindrance

_WATCH_S = 1.0
_Fact = TypeVar("_Fact")


def hindrances() -> tuple[Hindrance, ...]:
    """All checks, good or bad, the worst first. Takes a second."""
    steal_share, busiest = watch(_WATCH_S)
    facts = machine(engine="", bakeoff="")
    checked = (
        rules.cores(facts.cpus, len(os.sched_getaffinity(0))),
        _known(rules.quota, facts.cpu_quota),
        _known(rules.threads, siblings() or None),
        _known(rules.governor, facts.governor),
        _known(rules.turbo, facts.turbo),
        _known(rules.virtualisation, facts.virtualisation),
        rules.steal(steal_share),
        _known(rules.clock_source, facts.clock_source),
        rules.load(facts.load_average, facts.cpus),
        rules.busiest(busiest),
        rules.memory(facts.memory_mib, psutil.swap_memory().used // 2**20),
        rules.open_files(*resource.getrlimit(resource.RLIMIT_NOFILE)),
        _known(rules.somaxconn, facts.somaxconn),
        _known(lambda ports: rules.ports(ports, facts.tcp_tw_reuse), facts.port_range),
        _known(lambda places: rules.tracking(*places), read_tracking()),
        rules.counting(facts.cgroup),
    )
    order = ("warning", "note", "ok")
    return tuple(sorted(filter(None, checked), key=lambda each: order.index(each.level)))


def _known(rule: Callable[[_Fact], Hindrance], fact: _Fact | None) -> Hindrance | None:
    return None if fact is None else rule(fact)


def watch(seconds: float) -> tuple[float, Busiest | None]:
    """The share of all CPU time that the hypervisor kept, 0 to 1, and the busiest other process."""
    others = [process for process in psutil.process_iter() if process.pid != os.getpid()]
    for process in others:
        _processors(process)  # psutil measures from one call to the next
    steal_share = psutil.cpu_times_percent(seconds).steal / 100
    used = {process: _processors(process) for process in others}
    with contextlib.suppress(ValueError, psutil.Error):
        top = max(used, key=used.__getitem__)
        return steal_share, Busiest(top.pid, top.name(), used[top])
    return steal_share, None


def _processors(process: psutil.Process) -> float:
    """How many processors it has used since the last call; 0 if it has ended."""
    with contextlib.suppress(psutil.Error):
        return process.cpu_percent() / 100
    return 0.0
