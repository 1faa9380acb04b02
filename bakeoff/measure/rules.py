"""The effect of each fact on a measurement: pure functions of known facts."""

import resource
from typing import NamedTuple

from bakeoff.model.machine import Hindrance

CONNECTIONS = 4096
"""Open files and backlog that a race with many connections needs."""
PORTS = 20_000
"""Outgoing ports that a race with a connection for each request needs."""
TRACKED = 4_194_304
"""Connections of two minutes, in which each is tracked after its end, at 35,000 a second."""
TRACKING_FULL = 0.8


class Busiest(NamedTuple):
    """The process that used most CPU time, in processors."""

    pid: int
    name: str
    processors: float


def cores(there: int, allowed: int) -> Hindrance:
    """Server and generator need a core each, and the rest of the machine one more."""
    have = f"{allowed} of {there} processors" if allowed < there else f"{there} processors"
    if allowed == 1:
        return _warning(
            "one processor",
            "server and generator take turns on it, so throughput measures both of them",
            "give the machine two processors or more, or don't pin this shell to one (`taskset`)",
        )
    if allowed < 4:
        return _note(
            have,
            "one for the server, one for the generator: whatever else runs disturbs one of them",
            "let nothing else run; four processors or more leave room",
        )
    return _ok(have, "room for server, generator and the rest")


def quota(processors: float) -> Hindrance:
    """A CPU limit stops all threads of the group for the rest of each period."""
    return _warning(
        f"CPU limited to {processors:g} processors by a control group",
        "at the limit everything stops until the next period, tens of ms: it shows in p99",
        "run without the container's CPU limit (`docker run` without `--cpus`)",
    )


def threads(siblings: tuple[tuple[int, ...], ...]) -> Hindrance:
    """Two hardware threads of a core share its units and its caches."""
    shared = [group for group in siblings if len(group) > 1]
    if not shared:
        return _ok("no processors share a core", "server and generator have a core each")
    pairs = ", ".join("+".join(map(str, group)) for group in shared[:4])
    more = ", …" if len(shared) > 4 else ""
    return _note(
        f"processors share cores: {pairs}{more}",
        "a server slows down while its core's other thread, perhaps the generator's, is busy",
        "pick processors of different cores with `--cpus`, "
        "or `echo off | sudo tee /sys/devices/system/cpu/smt/control`",
    )


def governor(name: str) -> Hindrance:
    """Other governors change the frequency with the load."""
    if name == "performance":
        return _ok("governor performance", "the frequency doesn't follow the load")
    return _warning(
        f"governor {name}",
        "the frequency follows the load, so a contender is faster after a busy one",
        "`sudo cpupower frequency-set -g performance`",
    )


def turbo(on: bool) -> Hindrance:
    if not on:
        return _ok("turbo is off", "the frequency doesn't depend on the temperature")
    return _note(
        "turbo is on",
        "the frequency falls as the processor warms up; rotation evens it out, solo runs don't",
        "`echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost`; "
        "on Intel `echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo`",
    )


def virtualisation(kind: str) -> Hindrance:
    """Neighbours on the same hardware come and go."""
    if kind == "none":
        return _ok("no hypervisor", "no other machine shares this hardware")
    return _note(
        kind,
        "neighbours come and go: absolute figures drift by tens of percent, ratios much less",
        "trust ratios; take absolute figures on hardware of your own",
    )


def steal(share: float) -> Hindrance:
    """Time in which we were ready to run and the hypervisor ran another machine."""
    what = f"steal {share:.1%}"
    if share < 0.005:
        return _ok(what, "the hypervisor took no time from us in the last second")
    return _warning(
        what,
        "the hypervisor gives our processors to other machines, which makes slices slower",
        "wait until the neighbours are quiet, or take a machine with dedicated processors",
    )


def clock_source(name: str) -> Hindrance:
    """Reading other clocks takes a system call or an exit to the hypervisor."""
    if name in ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"):
        return _ok(f"clock source {name}", "the clock is read without a system call")
    return _warning(
        f"clock source {name}",
        "each reading is a system call: it slows the generator, and servers that take timestamps",
        "`echo tsc | sudo tee "
        "/sys/devices/system/clocksource/clocksource0/current_clocksource`, if it is offered",
    )


def load(average: float, processors: int) -> Hindrance:
    what = f"load average {average:.1f}"
    if average < 0.3 * processors:
        return _ok(what, "the machine is quiet")
    level = _warning if average >= processors else _note
    return level(what, "something was running in the last minute", "wait until it has ended")


def busiest(process: Busiest | None) -> Hindrance:
    if process is None or process.processors < 0.05:
        return _ok("no process is busy", "none used over 5 % of a processor in the last second")
    level = _warning if process.processors >= 0.2 else _note
    return level(
        f"{process.name} (pid {process.pid}) uses {process.processors:.0%} of a processor",
        "it takes turns with the server or the generator",
        f"end it or wait for it; `ps -p {process.pid} -f` says what it is",
    )


def memory(total_mib: int, swapped_mib: int) -> Hindrance:
    """Swapping waits for a disk."""
    if swapped_mib > 64:
        return _note(
            f"{swapped_mib} MiB are swapped out",
            "reading a page back from disk adds milliseconds of latency",
            "`sudo swapoff -a` where memory suffices",
        )
    if total_mib < 2048:
        return _note(
            f"{total_mib} MiB of memory",
            "all contenders of a race run at the same time",
            "race fewer contenders at once, or use `--solo`",
        )
    return _ok(f"{total_mib} MiB of memory", "next to nothing is swapped out")


def open_files(soft: int, hard: int) -> Hindrance:
    """A connection is an open file, in the server as in the generator."""
    soft, hard = (_unlimited(limit) for limit in (soft, hard))
    if hard < CONNECTIONS:
        return _warning(
            f"at most {hard} open files",
            "servers and generator can't hold more connections than that",
            f"set `nofile` to {CONNECTIONS} or more in /etc/security/limits.conf; log in again",
        )
    if soft < CONNECTIONS:
        return _note(
            f"ulimit -n is {soft}",
            "contenders get the hard limit, but the generator may need it too",
            f"`ulimit -n {min(hard, 65_536)}`",
        )
    return _ok(f"ulimit -n is {soft}", "many connections fit")


def somaxconn(limit: int) -> Hindrance:
    """The kernel limits a server's backlog to this."""
    if limit >= CONNECTIONS:
        return _ok(f"somaxconn {limit}", "many connections can wait to be accepted")
    return _note(
        f"somaxconn {limit}",
        "more connections at once wait whole seconds for SYN retransmits",
        f"`sudo sysctl net.core.somaxconn={CONNECTIONS}`",
    )


def ports(outgoing: tuple[int, int], tw_reuse: int | None) -> Hindrance:
    """With a connection for each request, each holds its port for a minute unless it is reused."""
    count = outgoing[1] - outgoing[0] + 1
    if count < PORTS:
        return _note(
            f"{count} outgoing ports",
            "with a connection per request they run out within seconds",
            '`sudo sysctl net.ipv4.ip_local_port_range="32768 60999"`',
        )
    if tw_reuse == 0:
        return _note(
            "tcp_tw_reuse is off",
            f"with a connection per request the {count} outgoing ports last for a minute",
            "`sudo sysctl net.ipv4.tcp_tw_reuse=2`",
        )
    return _ok(f"{count} outgoing ports", "reused on loopback after a second")


def tracking(tracked: int, room: int) -> Hindrance:
    """A firewall's table has each connection until two minutes after its end."""
    have = f"{tracked:,} of {room:,} places for tracked connections are taken"
    fix = (
        f"`sudo sysctl net.netfilter.nf_conntrack_max={TRACKED}`, or don't track loopback: "
        "`sudo iptables -t raw -A OUTPUT -o lo -j NOTRACK`"
    )
    if tracked > TRACKING_FULL * room:
        return _warning(have, "beyond that the kernel drops packets of new connections", fix)
    if room < TRACKED:
        return _note(have, "with a connection per request they run out within seconds", fix)
    return _ok(have, "room for a connection per request")


def counting(kind: str) -> Hindrance:
    if kind != "tree":
        return _ok(f"{kind} for each contender", "CPU time includes all that a contender forks")
    return _note(
        "no control group can be made",
        "CPU time is summed over the process tree: processes that leave it are missed",
        "run bakeoff in `systemd-run --user --scope -p Delegate=yes $SHELL`",
    )


def _unlimited(limit: int) -> int:
    return 1 << 30 if limit == resource.RLIM_INFINITY else limit


def _ok(what: str, why: str) -> Hindrance:
    return Hindrance(what=what, why=why, level="ok")


def _note(what: str, why: str, fix: str) -> Hindrance:
    return Hindrance(what=what, why=why, fix=fix, level="note")


def _warning(what: str, why: str, fix: str) -> Hindrance:
    return Hindrance(what=what, why=why, fix=fix, level="warning")
