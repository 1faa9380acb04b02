"""The formats of /proc and of control groups, on samples of several kernels."""

import pytest

from bakeoff.measure.proc import (
    TICK_NS,
    parse_cores,
    parse_keyed,
    parse_kib,
    parse_pressure_us,
    parse_stat,
)

STAT = (
    "4321 (tmux: (server)) S 17 4321 4300 0 -1 4194560 10 20 30 40 15 6 107 8 20 0 1 0 99887 "
    "1000 100 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n"
)
PROC_STAT = """\
cpu  18236 0 3485 197584 966 0 204 635 0 0
cpu0 5902 10 1478 102701 113 7 90 272 0 0
cpu1 12334 0 2006 94882 852 0 113 363 0 0
intr 299530 0 0
ctxt 5
"""
OLD_PROC_STAT = "cpu 1 2 3 4\ncpu0 100 20 300 4000\n"
SMAPS_ROLLUP = """\
561e10345000-7ffcafbd0000 ---p 00000000 00:00 0                          [rollup]
Rss:                1784 kB
Pss:                 308 kB
Pss_Dirty:           116 kB
"""
CPU_STAT = """\
usage_usec 1234567
user_usec 1000000
system_usec 234567
nice_usec 0
core_sched.force_idle_usec 0
nr_periods 0
"""
PRESSURE = """\
some avg10=32.68 avg60=8.52 avg300=2.30 total=16281190
full avg10=0.00 avg60=0.00 avg300=0.00 total=7
"""


def test_a_process_and_its_reaped_children() -> None:
    stat = parse_stat(STAT)
    assert (stat.name, stat.state, stat.parent) == ("tmux: (server)", "S", 17)
    assert (stat.user_ns, stat.system_ns) == (15 * TICK_NS, 6 * TICK_NS)
    assert (stat.reaped_user_ns, stat.reaped_system_ns) == (107 * TICK_NS, 8 * TICK_NS)


def test_each_core_has_its_line_and_the_sum_is_left_out() -> None:
    first, second = parse_cores(PROC_STAT)
    tick_s = TICK_NS / 1e9
    assert (first.cpu, second.cpu) == (0, 1)
    assert first.user_s == pytest.approx(5912 * tick_s)
    assert first.system_s == pytest.approx(1485 * tick_s)
    assert first.softirq_s == pytest.approx(90 * tick_s)
    assert first.steal_s == pytest.approx(272 * tick_s)
    assert first.idle_s == pytest.approx(102814 * tick_s)


def test_a_kernel_without_steal_has_none() -> None:
    (core,) = parse_cores(OLD_PROC_STAT)
    assert core.steal_s == core.softirq_s == 0
    assert core.idle_s == pytest.approx(4000 * TICK_NS / 1e9)


def test_pss_is_told_apart_from_what_begins_like_it() -> None:
    assert parse_kib(SMAPS_ROLLUP, "Pss") == 308
    assert parse_kib(SMAPS_ROLLUP, "SwapPss") is None


def test_cpu_stat_with_and_without_controllers() -> None:
    assert parse_keyed(CPU_STAT)["usage_usec"] == 1234567
    assert parse_keyed(CPU_STAT.split("nice")[0])["system_usec"] == 234567


def test_pressure_is_the_total_of_some() -> None:
    assert parse_pressure_us(PRESSURE) == 16281190
    assert parse_pressure_us("") is None
