"""The whole program, with a world of known speeds behind its effects: in well under a second."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.judge import judge
from bakeoff.model.audit import Conduct, Crew, Written
from bakeoff.model.errors import BadUsage, NoVerdict
from bakeoff.model.plan import Cores, Plan
from bakeoff.model.verdict import Verdict
from bakeoff.plan import Catalogue, Options, decide, name_contenders
from bakeoff.race import Finished, race, rejudge, resume
from bakeoff.race.folder import RunFolder, measured_s
from tests.judge.races import SOUND_AUDIT
from tests.race.world import World, entry_names

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0, "same": 100_000.0}


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """A catalogue of this test's own."""
    root = tmp_path / "a catalogue"
    for name in SPEEDS:
        folder = root / "contenders" / name
        folder.mkdir(parents=True)
        (folder / "contender.toml").write_text(
            f'name = "{name}"\ntitle = "{name}"\nlanguage = "C"\nkind = "server"\n'
            '[run]\ncommand = "./x"\n[serves]\nhello = "/"\n'
        )
    (root / "workloads").mkdir()
    (root / "workloads" / "hello.toml").write_text('name = "hello"\ntitle = "Hello"\n')
    return Catalogue(root)


def planned(catalogue: Catalogue, *words: str, **options: Any) -> Plan:
    named = name_contenders(words, catalogue, Path("/"))
    asked = {"seed": 1, "cores": Cores(server=(0,), client=(1,)), "duration_s": 6.0, **options}
    return decide(named, catalogue, Options(**asked), stamp="t", command_line=["bakeoff", "race"])


def raced(catalogue: Catalogue, world: World, tmp_path: Path, *words: str, **more: Any) -> Finished:
    return race(planned(catalogue, *words, **more), tmp_path / "runs", world.stages(), world)


def test_the_faster_one_is_called_faster(catalogue: Catalogue, tmp_path: Path) -> None:
    world = World(SPEEDS)
    verdict = raced(catalogue, world, tmp_path, "slow", "fast").verdict
    slow, fast = (next(e for e in verdict.entries if e.name == n) for n in ("slow", "fast"))
    assert fast.low is not None and fast.high is not None
    assert fast.low < 2.0 < fast.high
    assert (fast.rank, slow.rank) == ((1, 1), (2, 2))
    assert verdict.noise_floor is not None
    assert verdict.noise_floor.low < 1 < verdict.noise_floor.high
    assert verdict.complete and verdict.valid
    assert not world.up, "every server was stopped"


def test_two_of_the_same_cannot_be_told_apart(catalogue: Catalogue, tmp_path: Path) -> None:
    verdict = raced(catalogue, World(SPEEDS), tmp_path, "fast", "same").verdict
    assert {entry.letters for entry in verdict.entries} == {"a"}
    assert verdict.pairs[0].finding == "can't tell"


def test_a_run_is_a_folder_that_says_all(catalogue: Catalogue, tmp_path: Path) -> None:
    finished = raced(catalogue, World(SPEEDS), tmp_path, "fast", "slow")
    there = {path.name for path in finished.folder.iterdir()}
    assert {"plan.json", "receipts.json", "machine.json", "samples.jsonl", "verdict.json"} <= there
    assert finished.folder.name == "t-fast-vs-slow"
    assert (tmp_path / "runs" / "latest").resolve() == finished.folder
    folder = RunFolder(finished.folder)
    assert folder.verdict() == finished.verdict
    assert measured_s(folder.records()) == pytest.approx(6.0, rel=0.2)
    boots = [record for record in folder.records() if record.type == "boot"]
    assert [(boot.io, boot.threads) for boot in boots] == [("epoll", 1)] * 3


def test_judging_again_gives_the_same_verdict(catalogue: Catalogue, tmp_path: Path) -> None:
    world = World(SPEEDS)
    finished = raced(catalogue, world, tmp_path, "fast", "slow")
    assert rejudge(finished.folder, world.stages()).verdict == finished.verdict


def test_one_that_cannot_be_built_is_out_and_the_rest_goes_on(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    world = World(SPEEDS, unbuildable={"fast": "its build failed"})
    verdict = raced(catalogue, world, tmp_path, "fast", "slow", "same").verdict
    assert {entry.name for entry in verdict.entries} == {"slow", "same"}
    assert verdict.skipped[0].reason == "its build failed"
    assert verdict.reference == "slow"
    assert verdict.noise_floor is not None and verdict.noise_floor.name == "slow (twin)"


@pytest.mark.parametrize(
    "world",
    [
        World(SPEEDS, unstartable={"fast": "is ill"}),
        World(SPEEDS, wrong={"fast": "is ill"}),
    ],
    ids=["cannot start", "answers wrongly"],
)
def test_one_that_cannot_take_part_is_out_before_anything_is_measured(
    catalogue: Catalogue, tmp_path: Path, world: World
) -> None:
    finished = raced(catalogue, world, tmp_path, "fast", "slow", "same")
    assert [skipped.name for skipped in finished.verdict.skipped] == ["fast"]
    assert entry_names(RunFolder(finished.folder).records()) == {"slow", "same", "slow (twin)"}
    assert "fast is out: is ill" in world.seen


def test_where_nobody_is_left_there_is_no_verdict(catalogue: Catalogue, tmp_path: Path) -> None:
    world = World(SPEEDS, wrong={"fast": "is ill", "slow": "is ill too"})
    with pytest.raises(NoVerdict, match="slow: is ill too"):
        raced(catalogue, world, tmp_path, "fast", "slow")
    assert not world.up


def test_one_that_dies_is_invalid_and_the_rest_goes_on(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    def die(world: World, count: int) -> None:
        if count == 150:
            world.dead["slow"] = "was killed by signal SIGSEGV"

    world = World(SPEEDS, on_slice=die)
    verdict = raced(catalogue, world, tmp_path, "fast", "slow").verdict
    slow = next(entry for entry in verdict.entries if entry.name == "slow")
    assert not slow.valid
    assert "SIGSEGV" in " ".join(slow.reasons)
    assert verdict.complete


def interrupt(world: World, count: int) -> None:
    """As Ctrl-C in the middle of a race."""
    if count == 200:
        raise KeyboardInterrupt


def test_an_interrupted_race_is_judged_by_what_there_is_and_goes_on_later(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    world = World(SPEEDS, on_slice=interrupt)
    finished = raced(catalogue, world, tmp_path, "fast", "slow")
    assert finished.interrupted
    assert not finished.verdict.complete
    assert not world.up
    before = RunFolder(finished.folder).records()

    again = resume(finished.folder, World(SPEEDS).stages(), world)
    assert again.verdict.complete
    records = RunFolder(again.folder).records()
    assert records[: len(before)] == before, "nothing measured is measured again"
    assert measured_s(records) == pytest.approx(6.0, rel=0.2)
    first, *others = [record.lengths for record in records if record.type == "warmup"]
    assert all(lengths == first for lengths in others), "slices are as long after the cut"


def test_an_interrupt_before_the_first_block_leaves_nothing_to_judge(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    def at_once(_world: World, _count: int) -> None:
        raise KeyboardInterrupt

    world = World(SPEEDS, on_slice=at_once)
    with pytest.raises(KeyboardInterrupt):
        raced(catalogue, world, tmp_path, "fast", "slow")
    assert not world.up


def test_a_line_that_a_kill_tore_is_dropped(catalogue: Catalogue, tmp_path: Path) -> None:
    world = World(SPEEDS, on_slice=interrupt)
    finished = raced(catalogue, world, tmp_path, "fast", "slow")
    samples = finished.folder / "samples.jsonl"
    whole = samples.read_bytes()
    samples.write_bytes(whole + b'{"type":"block","bo')
    again = resume(finished.folder, World(SPEEDS).stages(), world)
    assert again.verdict.complete
    assert samples.read_bytes().startswith(whole + b'{"type":"boot"')


def test_a_solo_race_has_one_contender_up_at_a_time(catalogue: Catalogue, tmp_path: Path) -> None:
    most = 0

    def count_up(world: World, _count: int) -> None:
        nonlocal most
        most = max(most, len(world.up))

    world = World(SPEEDS, on_slice=count_up)
    finished = raced(catalogue, world, tmp_path, "slow", "fast", solo=True, duration_s=60.0)
    fast = next(entry for entry in finished.verdict.entries if entry.name == "fast")
    assert most == 1
    assert finished.verdict.boots == 10
    assert fast.low is not None and fast.low > 1.5


def test_all_are_audited_once_and_together(catalogue: Catalogue, tmp_path: Path) -> None:
    world = World(SPEEDS)
    finished = raced(catalogue, world, tmp_path, "fast", "slow")
    assert world.audited == [{"fast", "slow", "fast (twin)"}]
    boots = [record for record in RunFolder(finished.folder).records() if record.type == "boot"]
    assert [all(one.audit for one in boot.started) for boot in boots] == [True, False, False]


def test_a_solo_race_audits_each_while_it_is_up(catalogue: Catalogue, tmp_path: Path) -> None:
    world = World(SPEEDS)
    raced(catalogue, world, tmp_path, "fast", "slow", solo=True, twin=False, duration_s=20.0)
    assert sorted(map(sorted, world.audited)) == [["fast"], ["slow"]]


@pytest.mark.parametrize("options", [{}, {"solo": True, "duration_s": 20.0}])
def test_a_boot_says_who_worked_and_what_was_written_while_blocks_were_measured(
    catalogue: Catalogue, tmp_path: Path, options: dict[str, Any]
) -> None:
    world = World(SPEEDS, threads={"slow": 3}, log_bytes_per_request={"slow": 10.0})
    finished = raced(catalogue, world, tmp_path, "fast", "slow", **options)
    records = RunFolder(finished.folder).records()
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


@pytest.mark.parametrize("options", [{}, {"solo": True, "duration_s": 20.0}])
def test_a_boot_says_what_became_of_processes_memory_and_tcp_while_blocks_were_measured(
    catalogue: Catalogue, tmp_path: Path, options: dict[str, Any]
) -> None:
    world = World(SPEEDS)
    finished = raced(catalogue, world, tmp_path, "fast", "slow", **options)
    records = RunFolder(finished.folder).records()
    for end in (record for record in records if record.type == "boot-end"):
        blocks = [one for one in records if one.type == "block" and one.boot == end.boot]
        slices = [piece for block in blocks for piece in block.slices]
        assert set(end.conducts) == set(end.warmed) == set(end.loaded) == {p.entry for p in slices}
        assert end.conducts["fast"] == Conduct()
        assert end.tcp and end.tcp.retransmits == len(slices), "the warm-up's are left out"
        window_s = sum(one.event.end_ns - one.event.start_ns for one in slices) / 1e9
        assert end.lasted_s >= window_s / len(end.loaded)


def test_the_verdict_says_where_work_is_unequal(catalogue: Catalogue, tmp_path: Path) -> None:
    world = World(
        SPEEDS,
        audits={"slow": SOUND_AUDIT.model_copy(update={"segments": 2, "date": "frozen"})},
        threads={"fast": 2},
        log_bytes_per_request={"same": 34.0},
    )
    finished = raced(catalogue, world, tmp_path, "fast", "slow", "same", workers=2)
    assert finished.verdict.fairness == (
        "slow and same ran 1 process with 1 thread at work where 2 workers were asked for",
        "same wrote 34 bytes of log per request",
        "slow answers in 2 writes, the others in one",
        "the Date of slow does not move",
    )
    assert rejudge(finished.folder, world.stages()).verdict.fairness == finished.verdict.fairness


def test_a_complete_run_has_nothing_to_resume(catalogue: Catalogue, tmp_path: Path) -> None:
    world = World(SPEEDS)
    finished = raced(catalogue, world, tmp_path, "fast")
    with pytest.raises(BadUsage, match="is complete"):
        resume(finished.folder, world.stages(), world)


def test_a_folder_that_another_bakeoff_fills_is_left_alone(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    world = World(SPEEDS, on_slice=interrupt)
    finished = raced(catalogue, world, tmp_path, "fast", "slow")
    other = RunFolder(finished.folder)
    other.lock()
    with pytest.raises(BadUsage, match="another bakeoff is still racing there"):
        resume(finished.folder, World(SPEEDS).stages(), world)
    other.close()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda run: (run / "plan.json").unlink(), "has no plan.json"),
        (lambda run: (run / "plan.json").write_text("{"), "is not JSON"),
        (lambda run: (run / "machine.json").unlink(), "machine.json: cannot be read"),
        (lambda run: (run / "receipts.json").unlink(), "receipts.json: cannot be read"),
        (lambda run: (run / "samples.jsonl").write_text('{"type":"x"}\n'), "samples.jsonl:1"),
        (
            lambda run: (run / "plan.json").write_text(
                (run / "plan.json").read_text().replace("bakeoff.plan/1", "bakeoff.plan/9")
            ),
            "`schema` is wrong: input should be 'bakeoff.plan/1'",
        ),
    ],
)
def test_a_broken_run_folder_is_named(
    catalogue: Catalogue, tmp_path: Path, spoil: Any, says: str
) -> None:
    world = World(SPEEDS)
    finished = raced(catalogue, world, tmp_path, "fast", duration_s=1.0)
    spoil(finished.folder)
    with pytest.raises(BadUsage) as caught:
        rejudge(finished.folder, world.stages())
    assert says in str(caught.value)


def test_an_output_folder_that_cannot_be_made_is_named(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(BadUsage, match=r"--out .*runs: .* can't be made"):
        raced(catalogue, World(SPEEDS), tmp_path, "fast")


def test_a_race_for_a_precision_ends_with_the_boot_that_reaches_it(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    asked = {"precision": 0.05, "duration_s": 30.0}
    finished = raced(catalogue, World(SPEEDS), tmp_path, "fast", "slow", **asked)
    found = finished.verdict.precision
    assert found and found.met and finished.verdict.complete
    assert finished.verdict.boots == 3
    assert measured_s(RunFolder(finished.folder).records()) == pytest.approx(15, rel=0.1)
    with pytest.raises(BadUsage, match="is complete"):
        resume(finished.folder, World(SPEEDS).stages(), World(SPEEDS))


def test_the_judge_is_asked_once_where_a_precision_is_reached_with_the_planned_boots(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def judged(plan: Plan, receipts: Any, records: Any, *more: Any) -> Verdict:
        seen.append(len(records))
        return judge(plan, receipts, records, *more)

    monkeypatch.setattr("bakeoff.judge.judge", judged)
    asked = {"precision": 0.05, "duration_s": 30.0}
    finished = raced(catalogue, World(SPEEDS), tmp_path, "fast", "slow", **asked)
    assert seen == [len(RunFolder(finished.folder).records())]


def test_a_precision_out_of_reach_takes_the_whole_budget(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    asked = {"precision": 0.0001, "duration_s": 6.0}
    verdict = raced(catalogue, World(SPEEDS), tmp_path, "fast", "slow", **asked).verdict
    assert verdict.precision and not verdict.precision.met and verdict.precision.more_s
    assert verdict.complete and verdict.boots == 6
    assert verdict.measured_s == pytest.approx(6, rel=0.2)
