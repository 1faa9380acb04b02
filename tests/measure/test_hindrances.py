"""What stands in the way of a good measurement, fact by fact."""

import resource
import subprocess
import sys
from importlib import import_module

import pytest

from bakeoff.measure import hindrances, machine, rules
from bakeoff.measure.rules import Busiest
from bakeoff.model.machine import Hindrance

UNSAID = (
    *("cpu_quota", "governor", "turbo", "virtualisation", "clock_source", "somaxconn"),
    *("port_range", "tcp_tw_reuse"),
)
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
    rules.tracking(50, 8_000_000),
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
    (rules.tracking(50, 262_144), "50 of 262,144 places for tracked connections"),
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
    (rules.tracking(250_000, 262_144), "250,000 of 262,144 places for tracked connections"),
]


@pytest.mark.parametrize("hindrance", GOOD)
def test_good_news(hindrance: Hindrance) -> None:
    assert (hindrance.level, hindrance.fix) == ("ok", None)


@pytest.mark.parametrize(
    ("level", "hindrance", "text"),
    [("note", *each) for each in NOTES] + [("warning", *each) for each in WARNINGS],
)
def test_notes_and_warnings_say_how_to_mend(level: str, hindrance: Hindrance, text: str) -> None:
    assert hindrance.level == level
    assert text in hindrance.what
    assert hindrance.fix


def test_what_the_machine_does_not_say_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("bakeoff.measure.hindrances")
    silent = machine("", "").model_copy(update=dict.fromkeys(UNSAID))
    monkeypatch.setattr(module, "machine", lambda engine, bakeoff: silent)
    monkeypatch.setattr(module, "siblings", lambda: ())
    monkeypatch.setattr(module, "watch", lambda _seconds: (0.0, None))
    judged = " ".join(each.what for each in hindrances())
    for word in ("limited", "share", "governor", "turbo", "virtual", "clock", "somaxconn", "ports"):
        assert word not in judged


def test_this_machine_is_looked_at_worst_first_and_its_busiest_process_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(import_module("bakeoff.measure.hindrances"), "_WATCH_S", 0.2)
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"]) as burning:
        checked = hindrances()
        burning.kill()
    levels = [each.level for each in checked]
    assert levels == sorted(levels, key=["warning", "note", "ok"].index)
    assert len(levels) > 5
    assert any("% of a processor" in each.what for each in checked if each.level != "ok")
