"""The whole program, with a world of known speeds behind its effects: in well under a second."""

from typing import Any

import pytest

from bakeoff.model.audit import Conduct, Crew, Written
from bakeoff.model.contender import Contender
from bakeoff.model.errors import ContenderOut, MissingPiece, NoVerdict, Status
from bakeoff.model.machine import Machine
from bakeoff.model.receipt import Receipt
from bakeoff.runs import report, resume
from bakeoff.runs.kinds.race import RaceRun
from bakeoff.runs.measuring.boot import measured_s
from tests.judge.facts import SOUND_AUDIT
from tests.ratios import known
from tests.runs.conftest import Measure
from tests.runs.world import World, cut_off

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0, "same": 100_000.0}


def test_the_faster_one_is_called_faster(measure: Measure) -> None:
    world = World(SPEEDS)
    verdict = measure.race(world, "slow", "fast").result
    slow, fast = (next(e for e in verdict.entries if e.name == n) for n in ("slow", "fast"))
    low, high = known(fast.ratio).ends
    assert low < 2.0 < high
    assert (fast.rank, slow.rank) == ((1, 1), (2, 2))
    assert verdict.noise_floor is not None
    assert verdict.noise_floor.low < 1 < verdict.noise_floor.high
    assert verdict.complete and verdict.valid
    assert not world.up, "every server was stopped"


def test_two_of_the_same_cannot_be_told_apart(measure: Measure) -> None:
    verdict = measure.race(World(SPEEDS), "fast", "same").result
    assert {entry.letters for entry in verdict.entries} == {"a"}
    assert verdict.pairs[0].finding == "can't tell"


def test_a_run_is_a_folder_that_says_all(measure: Measure) -> None:
    world = World(SPEEDS)
    finished = measure.race(world, "fast", "slow")
    there = {path.name for path in finished.path.iterdir()}
    assert {"plan.json", "receipts.json", "machine.json", "samples.jsonl", "verdict.json"} <= there
    assert finished.path.name == "t-fast-vs-slow"
    assert (measure.parent / "latest").resolve() == finished.path
    assert measured_s(finished.records()) == pytest.approx(12.0, rel=0.2)
    boots = [record for record in finished.records() if record.type == "boot"]
    assert [(boot.io, boot.threads) for boot in boots] == [("epoll", 1)]
    (finished.path / "verdict.json").unlink()
    assert report(finished.path, world).result == finished.result


def test_two_runs_of_one_name_in_one_second_have_folders_of_their_own(measure: Measure) -> None:
    runs = [measure.race(World(SPEEDS), "fast", "slow") for _ in range(2)]
    assert [run.path.name for run in runs] == ["t-fast-vs-slow", "t-fast-vs-slow-2"]
    assert [run.result.run for run in runs] == [run.path.name for run in runs]


def test_a_run_that_begins_while_another_builds_has_a_folder_of_its_own(measure: Measure) -> None:
    class Building(World):
        def build_one(self, contender: Contender) -> Receipt | ContenderOut:
            if not others:
                others.append(measure.race(World(SPEEDS), "fast", "slow"))
            return super().build_one(contender)

    others: list[RaceRun] = []
    run = measure.race(Building(SPEEDS), "fast", "slow")
    assert (run.path.name, others[0].path.name) == ("t-fast-vs-slow", "t-fast-vs-slow-2")
    assert run.result.valid and others[0].result.valid


def test_what_is_not_begun_leaves_no_folder(measure: Measure) -> None:
    world = World(SPEEDS, unbuildable={"fast": "no", "slow": "no"})
    with pytest.raises(NoVerdict):
        measure.race(world, "fast", "slow")
    assert not measure.parent.exists()
    measure.parent.mkdir()
    with pytest.raises(NoVerdict):
        measure.race(world, "fast", "slow")
    assert not list(measure.parent.iterdir())


def test_without_an_engine_that_fits_nobody_waits_for_builds(measure: Measure) -> None:
    class Bare(World):
        def machine(self) -> Machine:
            raise MissingPiece("the load engine is another's")

        def build_one(self, contender: Contender) -> Receipt | ContenderOut:
            pytest.fail(f"{contender.name} was built")

    with pytest.raises(MissingPiece, match="another's"):
        measure.race(Bare(SPEEDS), "fast", "slow")


def test_one_that_cannot_be_built_is_out_and_the_rest_goes_on(measure: Measure) -> None:
    world = World(SPEEDS, unbuildable={"fast": "its build failed"})
    verdict = measure.race(world, "fast", "slow", "same").result
    assert {entry.name for entry in verdict.entries} == {"slow", "same"}
    assert verdict.skipped[0].reason == "its build failed"
    assert verdict.reference == "slow"
    assert verdict.noise_floor is not None and verdict.noise_floor.name == "slow (twin)"


def dying(at_slice: int) -> World:
    """A world in which `slow` dies at a slice, and does not come up again."""

    def die(world: World, count: int) -> None:
        if count == at_slice:
            world.dead["slow"] = "was killed by signal SIGSEGV"
            world.unstartable_again["slow"] = "exited with status 1"

    return World(SPEEDS, on_slice=die)


def test_one_that_dies_is_invalid_and_the_rest_goes_on(measure: Measure) -> None:
    run = measure.race(dying(300), "fast", "slow", "same", duration=30.0)
    verdict = run.result
    slow = next(entry for entry in verdict.entries if entry.name == "slow")
    assert not slow.valid and slow.ratio is None and slow.rank is None
    assert [reason.code for reason in slow.reasons] == ["died"]
    assert slow.until_end and slow.until_end.low is not None and slow.until_end.high is not None
    assert slow.until_end.ratio == pytest.approx(0.5, rel=0.05), "what it answered is compared"
    assert "SIGSEGV" in str(slow.reasons[0].values["how"]), "the first reason, not the last"
    assert slow.error_kinds == {}, "its last slice is no figure of it"
    assert verdict.complete and verdict.valid
    assert run.status == Status.CONTENDER_OUT


def test_where_one_of_two_dies_the_race_ends_and_it_is_judged(measure: Measure) -> None:
    world = dying(300)
    run = measure.race(world, "fast", "slow", duration=30.0)
    assert measured_s(run.records()) < 25, "the other one is not measured alone"
    slow = run.result.entry("slow")
    assert slow and slow.until_end and slow.reasons[0].code == "died"
    assert run.status == Status.CONTENDER_OUT
    assert not world.up


def test_the_rest_goes_on_alone_where_that_is_asked_for(measure: Measure) -> None:
    run = measure.race(dying(300), "fast", "slow", duration=30.0, keep_going=True)
    assert measured_s(run.records()) == pytest.approx(30.0, rel=0.1)
    assert run.result.complete and run.status == Status.CONTENDER_OUT


def test_an_interrupted_race_is_judged_by_what_there_is_and_goes_on_later(measure: Measure) -> None:
    world = World(SPEEDS, on_slice=cut_off(200))
    finished = measure.race(world, "fast", "slow")
    assert finished.interrupted
    assert not finished.result.complete
    assert not world.up
    before = finished.records()

    again = resume(finished.path, World(SPEEDS).stages(), world)
    assert again.result.complete
    records = again.records()
    assert records[: len(before)] == before, "nothing measured is measured again"
    assert measured_s(records) == pytest.approx(12.0, rel=0.2)
    first, *others = [record.lengths for record in records if record.type == "warmup"]
    assert all(lengths == first for lengths in others), "slices are as long after the cut"


def test_an_interrupt_before_the_first_block_leaves_nothing_to_judge(measure: Measure) -> None:
    world = World(SPEEDS, on_slice=cut_off())
    with pytest.raises(KeyboardInterrupt):
        measure.race(world, "fast", "slow")
    assert not world.up


def test_a_solo_race_has_one_contender_up_at_a_time(measure: Measure) -> None:
    most = 0

    def count_up(world: World, _count: int) -> None:
        nonlocal most
        most = max(most, len(world.up))

    world = World(SPEEDS, on_slice=count_up)
    finished = measure.race(world, "slow", "fast", solo=True, duration=60.0)
    fast = next(entry for entry in finished.result.entries if entry.name == "fast")
    assert most == 1
    assert finished.result.boots == 10
    assert known(known(fast.ratio).low) > 1.5


def test_all_are_audited_once_and_together(measure: Measure) -> None:
    world = World(SPEEDS)
    finished = measure.race(world, "fast", "slow", boots=3)
    assert world.audited == [{"fast", "slow", "fast (twin)"}]
    boots = [record for record in finished.records() if record.type == "boot"]
    assert [all(one.audit for one in boot.started) for boot in boots] == [True, False, False]


def test_a_solo_race_audits_each_while_it_is_up(measure: Measure) -> None:
    world = World(SPEEDS)
    measure.race(world, "fast", "slow", solo=True, twin=False, duration=20.0)
    assert sorted(map(sorted, world.audited)) == [["fast"], ["slow"]]


@pytest.mark.parametrize("options", [{}, {"solo": True, "duration": 20.0}])
def test_a_boot_says_who_worked_and_what_was_written_while_blocks_were_measured(
    measure: Measure, options: dict[str, Any]
) -> None:
    world = World(SPEEDS, threads={"slow": 3}, log_bytes_per_request={"slow": 10.0})
    finished = measure.race(world, "fast", "slow", **options)
    records = finished.records()
    answered = sum(
        one.event.requests_all
        for record in records
        if record.type == "block"
        for one in record.slices
        if one.entry == "slow"
    )
    ends = [record for record in records if record.type == "boot-end"]
    for end in ends:
        assert end.crews["fast"] == Crew(
            processes=1, threads=2, processes_at_work=1, threads_at_work=1
        )
        assert (end.crews["slow"].threads, end.crews["slow"].threads_at_work) == (4, 3)
        assert end.written["fast"] == Written(log_bytes=0, scratch_bytes=0)
    log_bytes = sum(end.written["slow"].log_bytes for end in ends)
    assert log_bytes == pytest.approx(10 * answered)


@pytest.mark.parametrize("options", [{}, {"solo": True, "duration": 20.0}])
def test_a_boot_says_what_became_of_processes_memory_and_tcp_while_blocks_were_measured(
    measure: Measure, options: dict[str, Any]
) -> None:
    world = World(SPEEDS)
    finished = measure.race(world, "fast", "slow", **options)
    records = finished.records()
    for end in (record for record in records if record.type == "boot-end"):
        blocks = [one for one in records if one.type == "block" and one.boot == end.boot]
        slices = [piece for block in blocks for piece in block.slices]
        assert set(end.conducts) == set(end.warmed) == set(end.loaded) == {p.entry for p in slices}
        assert end.conducts["fast"] == Conduct()
        assert end.tcp and end.tcp.retransmits == len(slices), "the warm-up's are left out"
        window_s = sum(one.event.end_ns - one.event.start_ns for one in slices) / 1e9
        assert end.lasted_s >= window_s / len(end.loaded)


@pytest.mark.parametrize(
    ("options", "weighed"),
    [
        ({"connections": 1000}, True),
        ({"connections": 999}, False),
        ({"connections": 1000, "connection": "close"}, False),
    ],
)
def test_many_connections_are_weighed_at_rest(
    measure: Measure, options: dict[str, Any], weighed: bool
) -> None:
    finished = measure.race(World(SPEEDS), "fast", "slow", boots=2, **options)
    starts = [record for record in finished.records() if record.type == "boot"]
    assert len(starts) == 2
    assert {bool(entry.holding) for start in starts for entry in start.started} == {weighed}
    held = [entry.memory_kib_per_connection for entry in finished.result.entries]
    assert held == [0.0 if weighed else None] * len(held)


def test_the_verdict_says_where_work_is_unequal(measure: Measure) -> None:
    world = World(
        SPEEDS,
        audits={"slow": SOUND_AUDIT.model_copy(update={"segments": 2, "date": "frozen"})},
        threads={"fast": 2},
        log_bytes_per_request={"same": 34.0},
    )
    finished = measure.race(world, "fast", "slow", "same", workers=2)
    assert [(each.code, each.values["names"]) for each in finished.result.fairness] == [
        ("few_at_work", ["slow", "same"]),
        ("logs", ["same"]),
        ("segments_differ", ["fast", "slow", "same"]),
        ("date_frozen", ["slow"]),
    ]
    assert report(finished.path, world).result.fairness == finished.result.fairness
