"""A run's folder: read once, whole after a kill, and on the disk after a power cut."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.model.samples import Record
from bakeoff.runs.store import Store
from tests.judge.facts import MACHINE
from tests.judge.races import Race
from tests.runs.conftest import Measure
from tests.runs.test_race import SPEEDS
from tests.runs.world import World

ROOT = Path(__file__).parents[2]
RECORDS = Race({"a": 1, "b": 1}, boots=1, blocks=3).records()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "run", "{}", MACHINE, None)


def append(store: Store, records: list[Record]) -> None:
    with store.locked():
        for record in records:
            store.append(record)


def test_what_was_appended_is_what_the_file_has(store: Store) -> None:
    assert store.records() == []
    append(store, RECORDS)
    assert store.records() == Store(store.path).records() == RECORDS


def test_what_a_reader_holds_does_not_grow(store: Store) -> None:
    append(store, RECORDS[:2])
    held = store.records()
    append(store, RECORDS[2:])
    assert held == RECORDS[:2] and store.records() == RECORDS


def test_what_another_appended_before_the_lock_is_seen(store: Store) -> None:
    assert store.records() == []
    append(Store(store.path), RECORDS[:2])
    append(store, RECORDS[2:])
    assert store.records() == RECORDS


def test_an_interrupt_after_a_record_was_written_does_not_lose_it(store: Store) -> None:
    class Interrupted(list[Record]):
        def append(self, _record: Record) -> None:
            raise KeyboardInterrupt

    with store.locked():
        for record in RECORDS[:2]:
            store.append(record)
        store._records = Interrupted(store.records())
        with pytest.raises(KeyboardInterrupt):
            store.append(RECORDS[2])
        assert store.records() == RECORDS[:3]


FILLS = """
import resource, sys
from pathlib import Path
from bakeoff.runs.store import Store
from tests.judge.facts import MACHINE
from tests.runs.test_store import RECORDS
store = Store.create(Path(sys.argv[1]), "{}", MACHINE, None)
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, most))
try:
    with store.locked():
        while True:
            store.append(RECORDS[0])
except OSError as error:
    # As a notebook does; and a lock goes with what its exception refers to.
    kept = error
whole = len(Store(store.path).records())
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
with store.locked():
    store.append(RECORDS[0])
print(kept.errno, len(Store(store.path).records()) - whole)
"""


def test_where_the_log_can_t_grow_the_lock_is_released_and_the_log_goes_on(tmp_path: Path) -> None:
    """By a limit of the kernel's, as a full disk has room again when another file goes."""
    words = [sys.executable, "-c", FILLS, str(tmp_path / "run")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout.split() == [str(errno.EFBIG), "1"], done.stderr


def test_a_folder_that_a_kill_left_without_a_plan_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    Store.create(tmp_path / "run", "{}", MACHINE, None)
    with pytest.raises(BadUsage, match="File exists"):
        Store.create(tmp_path / "run", "{}", MACHINE, None)


class Disk:
    """Notes what is synced: of the log its size and the world's time, of whole files the name."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.log: list[tuple[int, int]] = []
        self.whole: list[str] = []
        self._world = world
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fdatasync", self._log_synced)
        monkeypatch.setattr(os, "fsync", self._whole_synced)

    def _log_synced(self, descriptor: int) -> None:
        self.log.append((os.fstat(descriptor).st_size, self._world.time_ns))

    def _whole_synced(self, descriptor: int) -> None:
        self.whole.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        self._fsync(descriptor)

    def synced_ns(self, size: int) -> int:
        """When the first `size` bytes of the log were on the disk."""
        return next(at_ns for synced, at_ns in self.log if synced >= size)


def test_a_power_cut_costs_a_second_of_a_boot_under_way_and_no_boot_that_has_ended(
    measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(world := World(SPEEDS), monkeypatch)
    began_ns = world.time_ns
    run = measure.race(world, "fast", "slow", duration=12.0)
    size, late_s, block_s, ends = 0, [0.0], [0.0], []
    for record in run.records():
        size += len(record.to_json()) + 1
        if record.type == "block":
            late_s.append((disk.synced_ns(size) - record.at_ns) / 1e9)
            block_s.append(sum(each.event.window_ns for each in record.slices) / 1e9)
        if record.type == "boot-end":
            ends.append(size)
    assert 0 < max(late_s) < 1 + 1.5 * max(block_s)
    assert set(ends) <= {synced for synced, _ in disk.log}
    lasted_s = (world.time_ns - began_ns) / 1e9
    assert len(disk.log) <= lasted_s + len(ends) + 1, "once a second, the measurement feels nothing"


def test_whole_files_and_names_sync(measure: Measure, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(world := World(SPEEDS), monkeypatch)
    run = measure.race(world, "fast", duration=1.0)
    made = ["receipts.json", "machine.json", "plan.json"]
    files = [each for name in made for each in (f".{name}.tmp", run.path.name)]
    assert disk.whole[: len(files) + 1] == [*files, "runs"]
    assert disk.whole[-2:] == [".verdict.json.tmp", run.path.name]
