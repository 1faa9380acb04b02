"""What processes did: each sentence from the smallest race that has it."""

import pytest

from bakeoff.judge import judge
from bakeoff.model.audit import Conduct
from bakeoff.model.receipt import Stopped
from bakeoff.model.samples import Memory
from bakeoff.model.verdict import VerdictEntry
from tests.judge.races import MACHINE, Race

REFUSED = {"requests": 0, "requests_all": 0, "errors": {"connect_refused": 8}, "latency_count": 0}


def judged(**end: object) -> VerdictEntry:
    """The entry b of a race whose two boots end so."""
    return of(Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6, end=end))


def of(race: Race) -> VerdictEntry:
    found = judge(race.plan(), race.receipts(), race.records(), MACHINE, True)
    return next(each for each in found.entries if each.name == "b")


def conducts(**what: object) -> dict[str, object]:
    return {"conducts": {"a": Conduct(), "b": Conduct.model_validate(what)}}


def held(warmed_mib: float, loaded_mib: float, lasted_s: float) -> dict[str, object]:
    return {
        "warmed": {"b": Memory(pss_mib=warmed_mib, processes=1)},
        "loaded": {"b": Memory(pss_mib=loaded_mib, processes=1)},
        "lasted_s": lasted_s,
    }


@pytest.mark.parametrize(
    ("end", "warning"),
    [
        (
            conducts(escaped=1),
            "it started 1 process that left its process group; bakeoff ended it",
        ),
        (conducts(escaped=3), "it started 3 processes that left its process group; bakeoff ended"),
        (conducts(ended=1), "2 of its working processes ended while it was measured"),
        (
            conducts(ended=2, began=1),
            "4 of its working processes ended while it was measured and 2 took over: it restarts",
        ),
        (
            {"stopped": (Stopped(name="b", how="SIGKILL"), Stopped(name="a", how="SIGTERM"))},
            "it did not end when asked to (SIGTERM) and was killed, in 2 of 2 boots",
        ),
        (
            {"stopped": (Stopped(name="b", how="SIGKILL", survivors=(7, 9)),)},
            "even SIGKILL did not end its processes 7 and 9",
        ),
        (held(10, 20, 10.0), "its memory grew by 1.0 MiB a second while it was measured"),
    ],
)
def test_warnings(end: dict[str, object], warning: str) -> None:
    b = judged(**end)
    assert b.valid
    assert any(each.startswith(warning) for each in b.warnings), b.warnings


@pytest.mark.parametrize(
    "end",
    [
        conducts(),
        conducts(began=2),
        {"stopped": (Stopped(name="b", how="SIGTERM"), Stopped(name="a", how="SIGKILL"))},
        held(227, 248, 36.0),
        held(10, 14, 10.0),
        held(10, 9, 10.0),
        {"loaded": {"b": Memory(pss_mib=99, processes=1)}, "lasted_s": 9.0},
    ],
)
def test_nothing_to_warn_of(end: dict[str, object]) -> None:
    b = judged(**end)
    assert not b.warnings and not b.reasons


def test_a_heap_that_grew_in_one_boot_alone_is_no_leak() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6, end=held(10, 20, 10.0))
    records = race.records()
    records[-1] = records[-1].model_copy(update=held(20, 20, 10.0))
    found = judge(race.plan(), {}, records, MACHINE, True)
    assert not any("memory" in warning for each in found.entries for warning in each.warnings)


def test_one_that_left_its_cores_is_invalid() -> None:
    b = judged(**conducts(strayed=(1,)))
    assert b.reasons == ("it left its cores: it was given core 0 and let itself run on core 1 too",)
    several = judged(**conducts(strayed=(1, 3, 2)))
    assert several.reasons[0].endswith("run on cores 1, 2 and 3 too")


def test_one_that_moved_is_invalid_though_its_process_lives() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6, events={"b": REFUSED})
    assert "it no longer listens on port 8080, though its process lives" in of(race).reasons
    race.died = {"b": "signal 9"}
    assert not any("listens" in reason for reason in of(race).reasons)


def test_one_that_was_away_for_a_moment_has_not_moved() -> None:
    race = Race({"a": 1.0, "b": 1.0}, events={"b": {"errors": {"connect_refused": 1}}})
    assert of(race).reasons == ()
