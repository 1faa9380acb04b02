"""A board's life: what is due, what is raced, what becomes old, and what is out."""

from pathlib import Path

import pytest

from bakeoff.model.board import Board
from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadUsage, ContenderOut, Status
from bakeoff.model.receipt import Receipt
from tests.board.conftest import Boards
from tests.cli.conftest import bakeoff
from tests.judge.facts import MACHINE
from tests.runs.world import World, cut_off


def test_it_races_what_is_due_once(boards: Boards) -> None:
    assert boards().exit_code == Status.DONE
    assert len(boards.runs()) == 2
    hello = boards.hello()
    assert hello.state == "current" and hello.waiting == ()
    assert [row.name for row in hello.rows[2:]] == ["c", "d", "e"]
    assert {row.name for row in hello.rows[:2]} == {"a", "b"}
    by = {row.name: row.by["throughput"] for row in hello.rows}
    assert by["a"].letters == by["b"].letters != by["c"].letters
    assert by["a"].rank == by["b"].rank == (1, 2)
    assert by["e"].rank == (5, 5)
    assert len(hello.pairs) == 10
    assert {row.name for row in boards.board().cell("json/h1").rows} == {*"abcd"}
    assert boards("--plan").exit_code == Status.DONE
    assert boards().exit_code == Status.DONE
    assert len(boards.runs()) == 2


def test_a_plan_measures_nothing(boards: Boards) -> None:
    planned = boards("--plan")
    assert planned.exit_code == Status.DONE
    assert "hello/h1" in planned.stdout and "json/h1" in planned.stdout
    assert not (boards.here / "board").exists()


def test_many_contenders_are_raced_in_several_races_with_common_ones(boards: Boards) -> None:
    boards("--only", "hello", most=4)
    entries = [{*run.contenders} for run in boards.runs()]
    assert all({"c", "d"} <= names for names in entries) and len(entries) == 2
    hello = boards.hello()
    assert hello.waiting == () and len(hello.pairs) == 10
    across = [pair for pair in hello.pairs if pair.links]
    assert across and all(pair.links == ("c", "d") for pair in across)
    assert {check.agrees for check in hello.checks} == {True}
    by = {row.name: row.by["throughput"] for row in hello.rows}
    assert by["e"].rank == (5, 5)
    assert by["e"].ratio and by["e"].ratio.ratio == pytest.approx(0.4, rel=0.05)


def test_only_named_cells_are_raced(boards: Boards) -> None:
    boards("--only", "json/h1")
    assert [run.workload.name for run in boards.runs()] == ["json"]
    assert boards.hello().state == "empty" and boards.hello().waiting == tuple("abcde")


def test_within_a_budget_it_begins_what_fits_and_goes_on_later(boards: Boards) -> None:
    went = boards("--budget", "60s", "--only", "hello", "--only", "json", "--out", "board")
    assert "bakeoff board --only hello --only json --out board" in went.output
    assert len(boards.runs()) == 1
    boards()
    assert len(boards.runs()) == 2


def test_a_budget_that_no_race_fits_in_is_refused(boards: Boards) -> None:
    refused = boards("--budget", "5s").exception
    assert isinstance(refused, BadUsage)
    assert "json/h1 with 4 contenders" in str(refused)


class Changing(World):
    """Contenders of which some have new sources, or another version."""

    sources: dict[str, str]
    versions: dict[str, str]

    def build_one(self, contender: Contender) -> Receipt | ContenderOut:
        built = super().build_one(contender)
        if isinstance(built, ContenderOut):
            return built
        name = contender.name
        return built.model_copy(
            update={
                "source_sha256": self.sources.get(name, built.source_sha256),
                "version": self.versions.get(name, built.version),
            }
        )


@pytest.fixture
def changing(boards: Boards, monkeypatch: pytest.MonkeyPatch) -> Changing:
    world = Changing(dict(boards.world.requests_per_s))
    world.sources, world.versions = {}, {}
    monkeypatch.setattr("bakeoff.satellites.real_stages", world.stages)
    boards.world = world
    return world


@pytest.mark.parametrize("what", ["sources", "versions"])
def test_a_contender_that_changed_is_old_and_is_raced_with_the_links(
    boards: Boards, changing: Changing, what: str
) -> None:
    boards("--only", "hello")
    setattr(changing, what, {"e": "new"})
    boards("--only", "json")
    assert boards.hello().state == "old" and boards.hello().waiting == ("e",)
    changed = {row.name: row.changed for row in boards.hello().rows if row.changed}
    assert changed == {"e": (what.removesuffix("s") if what == "versions" else what,)}
    boards("--only", "hello")
    assert boards.hello().state == "current"
    assert {frozenset(race.contenders) for race in boards.hello().races} == {
        frozenset("cde"),
        frozenset("abcde"),
    }
    # Its build has a past; what the links are raced with anew has none.
    past = {each.name: [race.cell for race in each.earlier] for each in boards.board().contenders}
    assert past == {"a": [], "b": [], "c": [], "d": [], "e": ["hello/h1"]}


def test_a_contender_that_changed_and_now_answers_wrongly_has_no_pairs(
    boards: Boards, changing: Changing
) -> None:
    boards("--only", "hello")
    changing.sources, changing.wrong = {"e": "new"}, {"e": "another body"}
    assert boards("--only", "hello").exit_code == Status.DONE
    assert [(row.name, row.out) for row in boards.hello().rows if row.is_out] == [
        ("e", "another body")
    ]
    assert {name for pair in boards.hello().pairs for name in (pair.a, pair.b)} == set("abcd")


def test_another_version_of_bakeoff_or_kernel_makes_all_old(boards: Boards) -> None:
    boards("--only", "hello")
    boards.world.on_machine = MACHINE.model_copy(update={"bakeoff": "9.0.0", "kernel": "7.0"})
    boards("--only", "json")
    assert boards.hello().state == "old"
    assert boards.hello().changed == ("method", "machine")
    assert boards.hello().waiting == tuple("abcde")
    boards()
    assert boards.hello().state == "current" and len(boards.hello().races) == 1
    assert all(each.earlier for each in boards.board().contenders)
    assert 'id="earlier"' in (boards.here / "board/site/contender/a.html").read_text()


def test_machines_are_never_mixed(boards: Boards) -> None:
    boards("--only", "hello")
    boards.world.on_machine = MACHINE.model_copy(update={"cpu_model": "another"})
    refused = boards().exception
    assert isinstance(refused, BadUsage)
    assert "(a processor" in str(refused)
    assert boards("--out", "other", "--only", "hello").exit_code == Status.DONE


def test_who_cannot_be_built_is_out_of_all_cells_and_the_others_race(boards: Boards) -> None:
    boards.world.unbuildable = {"b": "no compiler"}
    went = boards()
    assert went.exit_code == Status.DONE
    assert "hello/h1: b: no compiler" in went.output
    for cell in boards.board().cells:
        assert [(row.name, row.out) for row in cell.rows if row.is_out] == [("b", "no compiler")]
        assert cell.waiting == ()
    boards.world.unbuildable = {}
    boards()
    assert not any(row.is_out for cell in boards.board().cells for row in cell.rows)


def test_a_failed_build_has_its_first_error_instead_of_the_logs_end(boards: Boards) -> None:
    boards.world.unbuildable = {"b": "`make` failed\n  cc b.c\n  b.c:1: error: no `;`\n  Error 1"}
    boards("--only", "hello")
    row = next(row for row in boards.hello().rows if row.name == "b")
    assert row.out == "`make` failed: b.c:1: error: no `;`"


def test_who_answers_wrongly_is_out_of_the_cell_with_the_reason(boards: Boards) -> None:
    boards.world.wrong = {"b": "another body"}
    boards("--only", "hello")
    assert [(row.name, row.out) for row in boards.hello().rows if row.is_out] == [
        ("b", "another body")
    ]
    assert boards.hello().waiting == (), "it is raced again when it has changed"


def test_a_race_that_was_cut_off_goes_on(boards: Boards) -> None:
    boards.world.on_slice = cut_off(150)
    assert boards("--only", "hello").exit_code == Status.INTERRUPTED
    assert boards.hello().state == "empty", "half a race is not shown"
    boards.world.on_slice = lambda _world, _count: None
    assert boards("--only", "hello").exit_code == Status.DONE
    assert len(boards.runs()) == 1 and boards.hello().state == "current"


def test_what_was_measured_until_a_races_time_was_up_is_shown_until_the_rest_is(
    boards: Boards,
) -> None:
    boards.world.drains_s = {"e": 3.0}
    cut = boards("--only", "hello")
    assert cut.exit_code == Status.DONE
    hello = boards.hello()
    assert hello.state == "current" and [race.cut_short for race in hello.races] == [True]
    assert len(hello.pairs) == 10 and all("throughput" in row.by for row in hello.rows)
    assert hello.waiting == tuple("abcde")
    said = "its intervals are wider until the next `bakeoff board` has measured the rest"
    assert said in " ".join(cut.output.split())
    page = (boards.here / "board/site/cell/hello/h1.html").read_text()
    assert said.replace("`bakeoff board`", "<code>bakeoff board</code>") in page
    planned = " ".join(boards("--plan", "--only", "hello").stdout.split())
    assert "was cut off, and goes on" in planned
    boards.world.drains_s = {}
    boards("--only", "hello")
    assert len(boards.runs()) == 1 and boards.hello().waiting == ()
    assert not any(race.cut_short for race in boards.hello().races)


def test_of_a_race_that_was_cut_short_before_it_compared_any_each_has_a_reason(
    boards: Boards,
) -> None:
    boards.world.drains_s = {"e": 20.0}
    cut = " ".join(boards("--only", "hello").output.split())
    assert boards.hello().waiting == tuple("abcde") and not boards.hello().pairs
    assert not any(by.ratio for row in boards.hello().rows for by in row.by.values())
    said = "it can’t be compared until the next `bakeoff board` has measured the rest"
    assert f"a, b, c, d, e: its race was cut short by its time limit; {said}" in cut


def test_beside_a_race_that_goes_on_only_the_others_are_raced_anew(boards: Boards) -> None:
    boards.world.unbuildable = {"b": "no compiler"}
    boards.world.on_slice = cut_off(150)
    boards("--only", "hello")
    boards.world.unbuildable, boards.world.on_slice = {}, lambda _world, _count: None
    boards("--only", "hello")
    assert [plan.contenders for plan in boards.runs()] == [("a", "c", "d", "e"), ("b", "c", "d")]


def test_a_cell_that_is_not_there_is_named(boards: Boards) -> None:
    refused = boards("--only", "helo/h1").exception
    assert isinstance(refused, BadUsage)
    assert "did you mean hello/h1" in str(refused)


def test_everything_is_there_as_json_and_csv(boards: Boards) -> None:
    boards("--only", "hello", "--json", "here.json")
    assert Board.read_json(boards.here / "here.json") == boards.board()
    rows = (boards.here / "board" / "contenders.csv").read_text().splitlines()
    assert len(rows) == 1 + 5
    assert {"cell", "contender", "language", "requests_per_s", "throughput_ratio"} <= {
        *rows[0].split(",")
    }
    pairs = (boards.here / "board" / "pairs.csv").read_text().splitlines()
    assert len(pairs) == 1 + 10


def test_a_file_of_ones_own_has_cells_and_contenders_of_its_own(boards: Boards) -> None:
    (boards.here / "mine.toml").write_text(
        'contenders = ["a", "./catalogue/contenders/e"]\n[cells]\nhello = ["h1"]\n'
        "[races]\nper_contender_s = 2\n"
    )
    assert boards("mine.toml").exit_code == Status.DONE
    assert [row.name for row in boards.hello().rows] == ["a", "e"]


def test_a_file_with_a_command_is_refused(boards: Boards, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('contenders = ["sleep 1"]\n[cells]\nhello = ["h1"]\n')
    refused = bakeoff("board", "mine.toml").exception
    assert isinstance(refused, BadUsage)
    assert "`contenders` has sleep 1" in str(refused)
