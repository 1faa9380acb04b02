"""What stands in the way of a good measurement, fact by fact."""

import resource

import pytest

from bakeoff.measure import hindrances, rules
from bakeoff.measure.watch import Busiest, busiest, steal_share
from bakeoff.model.machine import Hindrance
from bakeoff.model.samples import CoreTime

NODE = Busiest(7, "node", 0.5)
GOOD = [
    rules.cores(8, 8),
    rules.threads(((0,), (1,))),
    rules.governor("performance"),
    rules.turbo(False),
    rules.virtualisation("none"),
    rules.steal(0.0),
    rules.clock_source("tsc"),
    rules.load(0.1, 2),
    rules.busiest(None),
    rules.memory(16_000, 0),
    rules.open_files(20_000, 20_000),
    rules.open_files(resource.RLIM_INFINITY, resource.RLIM_INFINITY),
    rules.somaxconn(4096),
    rules.ports((32768, 60999), 2),
    rules.counting("cgroup-v2"),
]
NOTES = [
    (rules.cores(2, 2), "2 processors"),
    (rules.threads(((0, 4), (1, 5))), "0+4, 1+5"),
    (rules.turbo(True), "turbo is on"),
    (rules.virtualisation("virtual machine (KVM)"), "KVM"),
    (rules.load(1.0, 2), "load average 1.0"),
    (rules.busiest(NODE._replace(processors=0.1)), "10% of a processor"),
    (rules.memory(16_000, 500), "500 MiB are swapped out"),
    (rules.memory(1_000, 0), "1000 MiB of memory"),
    (rules.open_files(1024, 1 << 20), "ulimit -n is 1024"),
    (rules.somaxconn(128), "somaxconn 128"),
    (rules.ports((32768, 40000), 2), "7233 outgoing ports"),
    (rules.ports((32768, 60999), 0), "tcp_tw_reuse is off"),
    (rules.counting("tree"), "no control group can be made"),
]
WARNINGS = [
    (rules.cores(1, 1), "one processor"),
    (rules.cores(8, 1), "one processor"),
    (rules.quota(1.5), "1.5 processors"),
    (rules.governor("powersave"), "governor powersave"),
    (rules.steal(0.02), "steal 2.0%"),
    (rules.clock_source("hpet"), "clock source hpet"),
    (rules.load(3.0, 2), "load average 3.0"),
    (rules.busiest(NODE), "node (pid 7) uses 50% of a processor"),
    (rules.open_files(256, 1024), "at most 1024 open files"),
]


@pytest.mark.parametrize("found", GOOD)
def test_good_news(found: Hindrance) -> None:
    assert (found.level, found.mend) == ("ok", None)


@pytest.mark.parametrize(("found", "words"), NOTES)
def test_notes_say_how_to_mend(found: Hindrance, words: str) -> None:
    assert found.level == "note"
    assert words in found.what
    assert found.mend


@pytest.mark.parametrize(("found", "words"), WARNINGS)
def test_warnings_say_how_to_mend(found: Hindrance, words: str) -> None:
    assert found.level == "warning"
    assert words in found.what
    assert found.mend


def test_what_the_machine_does_not_say_is_not_judged() -> None:
    assert rules.quota(None) is None
    assert rules.threads(()) is None
    assert rules.governor(None) is rules.turbo(None) is rules.virtualisation(None) is None
    assert rules.clock_source(None) is rules.somaxconn(None) is rules.ports(None, None) is None


def core(steal_s: float, idle_s: float) -> CoreTime:
    return CoreTime(cpu=0, user_s=0, system_s=0, softirq_s=0, steal_s=steal_s, idle_s=idle_s)


def test_steal_is_a_share_of_all_time() -> None:
    before, after = (core(1, 10), core(0, 10)), (core(1.5, 10.5), core(0, 11))
    assert steal_share(before, after) == pytest.approx(0.25)
    assert steal_share(before, before) == 0


def test_the_busiest_is_who_used_most_in_between() -> None:
    before = {1: ("init", 9_000_000_000), 2: ("node", 0)}
    after = {1: ("init", 9_100_000_000), 2: ("node", 500_000_000), 3: ("new", 800_000_000)}
    assert busiest(before, after, 2.0) == Busiest(2, "node", 0.25)
    assert busiest(after, after, 2.0) is None


def test_this_machine_is_looked_at_worst_first() -> None:
    levels = [one.level for one in hindrances()]
    assert levels == sorted(levels, key=["warning", "note", "ok"].index)
    assert len(levels) > 5
