"""What can be asked of the index, in both databases."""

import multiprocessing
import os
import signal
import time
from datetime import timedelta
from pathlib import Path

import pytest

from bakeoff.history import open_index
from bakeoff.history.index import Index
from bakeoff.history.place import HistoryAway, sqlite_url
from bakeoff.model.history import IndexedClaim, machine_class
from bakeoff.simulate.race import MACHINE
from tests.history.indexed import BEGAN_AT, DAY, run
from tests.ratios import interval, known

PROCESSES = multiprocessing.get_context("forkserver")
"""What this file imports takes a second: once for all."""
PROCESSES.set_forkserver_preload([__name__])
OTHER_MACHINE = MACHINE.model_copy(update={"cpu_model": "another", "cpus": 8})


def test_a_run_comes_back_as_it_was_added(index: Index) -> None:
    added = run(1, {"a": 100.0, "b": 50.0})
    index.add(added)
    assert index.run(added.id) == added
    assert index.run("0" * 12) is None


def test_a_run_that_is_added_again_is_there_once(index: Index) -> None:
    added = run(1, {"a": 100.0, "b": 50.0})
    index.add(added)
    index.add(added.model_copy(update={"headline": "judged again"}))
    assert [line.headline for line in index.runs().runs] == ["judged again"]
    assert index.contenders()[0].races == 1


def test_pages_have_every_run_once_and_the_newest_first(index: Index) -> None:
    index.add(*(run(number, {"a": 100.0}) for number in range(7)))
    seen, before = [], None
    while True:
        page = index.runs(before=before, limit=3)
        assert page.total == 7
        seen += [line.name for line in page.runs]
        if (before := page.before) is None:
            break
    assert seen == [f"race-{number}" for number in reversed(range(7))]


def test_steady_pages_stay_as_they_are_when_a_run_is_added(index: Index) -> None:
    def pages() -> list[list[str]]:
        found, before = [], None
        while True:
            page = index.runs(before=before, limit=3, steady=True)
            found.append([line.name for line in page.runs])
            if (before := page.before) is None:
                return found

    index.add(*(run(number, {"a": 100.0}) for number in range(7)))
    (newest, oldest) = pages()
    assert (len(newest), len(oldest)) == (4, 3)
    index.add(run(7, {"a": 100.0}))
    assert pages() == [["race-7", *newest], oldest]
    index.add(run(8, {"a": 100.0}))
    assert [len(page) for page in pages()] == [3, 3, 3]
    assert pages()[-1] == oldest


def test_runs_are_found_by_what_they_have(index: Index) -> None:
    index.add(
        run(1, {"a": 100.0, "b": 50.0}),
        run(2, {"a": 100.0, "bb": 50.0}, workload="json"),
        run(3, {"c": 1.0}, machine=OTHER_MACHINE),
    )

    def names(**asked: str) -> list[str]:
        return [line.name for line in index.runs(**asked).runs]  # type: ignore[arg-type]

    assert names(contender="b") == ["race-1"]
    assert names(contender="a", workload="json") == ["race-2"]
    assert names(machine=machine_class(OTHER_MACHINE)) == ["race-3"]
    assert names(text="BB race") == ["race-2"]
    assert names(text="100%") == []
    assert names(kind="grid") == []


def test_a_series_has_the_ratio_to_whom_it_is_asked_against(index: Index) -> None:
    index.add(*(run(day, {"a": 100.0, "b": 50.0 + day, "c": 25.0}) for day in range(3)))
    key = index.series_of("b")[0]
    assert (key.points, key.references) == (3, ("a", "c"))
    series = index.series(key)
    assert series.reference == "a"
    ratios = [known(point.ratio).ratio for point in series.points]
    assert ratios == pytest.approx([0.5, 0.51, 0.52])
    assert [point.began_at for point in series.points] == [BEGAN_AT + n * DAY for n in range(3)]
    turned = known(index.series(key, "c").points[0].ratio)
    assert (turned.low, turned.ratio, turned.high) == pytest.approx((2 / 1.01, 2, 2 * 1.01))


def test_unlike_things_are_never_one_line(index: Index) -> None:
    index.add(
        run(1, {"a": 100.0, "b": 50.0}),
        run(2, {"a": 100.0, "b": 50.0}, workload="json"),
        run(3, {"a": 100.0, "b": 50.0}, machine=OTHER_MACHINE),
        run(4, {"a": 100.0, "b": 50.0}, workload="ws-echo", unit="message"),
    )
    keys = index.series_of("b")
    assert [key.points for key in keys] == [1, 1, 1, 1]
    assert len({key.series for key in keys}) == 4
    assert [key.workload for key in keys if key.unit == "message"] == ["ws-echo"]


def test_the_matrix_has_the_newest_comparison_of_each_pair(index: Index) -> None:
    index.add(run(1, {"a": 100.0, "b": 50.0, "c": 10.0}), run(2, {"b": 80.0, "a": 100.0}))
    (asked,) = index.matrices()
    assert asked.pairs == 4
    matrix = index.matrix(asked.workload, asked.protocol, asked.load, asked.machine_class)
    assert matrix is not None and matrix.contenders == ("a", "b", "c")
    ratios = {frozenset((pair.a, pair.b)): pair.ratio.ratio for pair in matrix.pairs}
    assert ratios[frozenset("ab")] == pytest.approx(0.8)
    assert ratios[frozenset("ac")] == pytest.approx(10)
    assert index.matrix("none", "h1", asked.load, asked.machine_class) is None


def test_claims_are_listed_replay_by_replay(index: Index) -> None:
    claim = IndexedClaim(
        article="an-article",
        number=1,
        text="a beats b",
        finding="holds",
        ratio=interval(2),
    )
    index.add(run(2, {"a": 2.0}, claims=(claim,)), run(1, {"a": 2.0}, claims=(claim,)))
    assert index.articles() == ("an-article",)
    assert [point.run_name for point in index.claims("an-article")] == ["race-1", "race-2"]


def test_a_rebuild_forgets_what_is_in_no_folder_or_changes_nothing(index: Index) -> None:
    index.add(run(1, {"a": 1.0}))
    assert index.rebuild(run(number, {"b": 1.0}) for number in (2, 3)) == 2
    assert [line.name for line in index.runs().runs] == ["race-3", "race-2"]

    def breaks_off() -> object:
        yield run(4, {"c": 1.0})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.rebuild(breaks_off())  # type: ignore[arg-type]
    assert [line.name for line in index.runs().runs] == ["race-3", "race-2"]


def add_many(url: str, first: int, count: int) -> None:
    """What one process adds, run by run, in an index that it opens itself."""
    index = open_index(url)
    for number in range(first, first + count):
        index.add(run(number, {"a": 100.0, "b": 50.0}))


def test_processes_that_end_races_at_the_same_moment_all_add_theirs(url: str) -> None:
    writers = [PROCESSES.Process(target=add_many, args=(url, 10 * n, 10)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert open_index(url).runs().total == 30


def test_a_writer_that_is_killed_leaves_whole_runs_only(url: str) -> None:
    open_index(url).add(run(0, {"a": 100.0, "b": 50.0}))
    writer = PROCESSES.Process(target=add_many, args=(url, 1, 100_000))
    writer.start()
    index = open_index(url)
    while index.runs().total < 5:
        time.sleep(0.02)
    assert writer.pid
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    index.add(run(-1, {"a": 100.0, "b": 50.0}))
    total = index.runs().total
    assert {line.contender: line.races for line in index.contenders()} == {"a": total, "b": total}


def test_a_writer_that_is_killed_takes_nothing_from_one_beside_it(url: str) -> None:
    open_index(url).close()
    killed, other = (
        PROCESSES.Process(target=add_many, args=(url, first, count))
        for first, count in ((1000, 100_000), (0, 30))
    )
    killed.start()
    other.start()
    index = open_index(url)
    while index.runs(text="race-1000").total == 0:
        time.sleep(0.02)
    assert killed.pid
    os.kill(killed.pid, signal.SIGKILL)
    killed.join()
    other.join()
    assert other.exitcode == 0
    names = {line.name for line in index.runs(limit=100_000).runs}
    assert {f"race-{number}" for number in range(30)} <= names
    races = {line.contender: line.races for line in index.contenders()}
    assert races == dict.fromkeys("ab", len(names)), "every run is there whole"


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    path.write_text("not a database, and long enough that SQLite looks at it" * 20)
    with pytest.raises(HistoryAway, match=r"history.sqlite"):
        open_index(sqlite_url(path))
    renewed = open_index(sqlite_url(path), renew=True)
    assert renewed.runs().total == 0
    assert (tmp_path / "history.sqlite.damaged").read_text().startswith("not a database")


def test_a_file_that_is_damaged_in_the_middle_is_renewed_too(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    index = open_index(sqlite_url(path))
    index.add(*(run(number, {"a": 100.0, "b": 50.0}) for number in range(100)))
    index.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + b"\xff" * 8192 + whole[len(whole) // 2 + 8192 :])
    for beside in ("-wal", "-shm"):
        Path(f"{path}{beside}").unlink(missing_ok=True)
    open_index(sqlite_url(path)).close()
    renewed = open_index(sqlite_url(path), renew=True)
    assert renewed.rebuild([run(1, {"a": 1.0})]) == 1
    assert (tmp_path / "history.sqlite.damaged").exists()


def test_times_are_kept_to_the_microsecond(index: Index) -> None:
    at = BEGAN_AT + timedelta(microseconds=123456)
    index.add(run(1, {"a": 1.0}).model_copy(update={"began_at": at}))
    assert index.runs().runs[0].began_at == at
