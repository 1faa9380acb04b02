"""What a page of a site is made of: the same while nothing that it shows changed."""

from datetime import timedelta
from pathlib import Path
from shutil import copytree

import pytest

from bakeoff.explore import address as to
from bakeoff.explore.unchanged import Grounds, maker
from bakeoff.history import open_index
from bakeoff.history.index import Index
from bakeoff.model.history import IndexedRun
from tests.explore.conftest import Shelves


@pytest.fixture
def runs(shelves: Shelves, tmp_path: Path) -> list[IndexedRun]:
    copytree(shelves.race.path, tmp_path / "run")
    first = shelves.runs[0].model_copy(update={"path": str(tmp_path / "run")})
    return [
        first.model_copy(update={"id": f"{n:012x}", "began_at": first.began_at + timedelta(n)})
        for n in range(3)
    ]


def index_of(*runs: IndexedRun) -> Index:
    index = open_index("sqlite://")
    index.add(*runs)
    return index


def test_a_run_s_page_changes_with_the_run_before_it_and_with_no_other(
    runs: list[IndexedRun],
) -> None:
    first, middle, last = runs
    address = to.run(last.id)
    alone = Grounds(index_of(last)).of(address)
    assert alone and alone == Grounds(index_of(last)).of(address)
    after_first = Grounds(index_of(first, last)).of(address)
    after_both = Grounds(index_of(first, middle, last)).of(address)
    assert after_both == Grounds(index_of(middle, last)).of(address)
    assert len({alone, after_first, after_both}) == 3
    assert Grounds(index_of(*runs)).of(to.run(last.id, part="c1")) not in {alone, after_both}


@pytest.mark.parametrize("file", ["verdict.json", "samples.jsonl"])
def test_a_run_s_files_are_what_its_pages_are_made_of(runs: list[IndexedRun], file: str) -> None:
    def grounds() -> tuple[str, str]:
        made = Grounds(index)
        return made.of(to.run(runs[1].id)), made.of(to.two(runs[0].id, runs[1].id))

    index = index_of(*runs)
    before = grounds()
    assert grounds() == before
    path = Path(runs[0].path) / file
    path.write_text(path.read_text() + "\n")
    after = grounds()
    assert all(before) and all(one != other for one, other in zip(before, after, strict=True))


def test_pages_of_what_is_newest_are_made_each_time(shelves: Shelves) -> None:
    grounds = Grounds(shelves.index)
    for address in (to.shelf(), to.contender("fast"), to.matrix(), to.article()):
        assert grounds.of(address) == ""


def test_another_address_of_the_site_or_other_code_is_another_maker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert maker("") == maker("") != maker("https://example.org/")
    monkeypatch.setattr("bakeoff.explore.unchanged.files", lambda _: tmp_path)
    (tmp_path / "page.html").write_text("one")
    before = maker("")
    (tmp_path / "page.html").write_text("another")
    assert maker("") != before
