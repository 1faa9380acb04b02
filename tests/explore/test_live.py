"""A run that goes on: its standings by the real judge, its events, and the form that ends it."""

import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.explore import address as to
from bakeoff.explore.drawing.narrowing import said_of
from bakeoff.explore.live import judge as judging_process
from bakeoff.explore.live import routes
from bakeoff.explore.live.judge import MOST_S, Judge, LiveState, Stood
from bakeoff.explore.live.judging import judged
from bakeoff.explore.live.routes import _deed, _event
from bakeoff.explore.live.watched import SHARE, SHARE_SHARED, Live, is_news, pause_s
from bakeoff.explore.page import fragment
from bakeoff.history.index import Index
from bakeoff.history.results import id_of
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.document import Table
from bakeoff.report.kinds.race_headline import headline
from bakeoff.report.kinds.standings import standings
from bakeoff.runs import AnyRun, open_run
from bakeoff.runs.holder import FILE, Holder
from tests.explore.conftest import Shelves
from tests.explore.visitor import BASE, Elements, Visitor
from tests.ratios import interval, known
from tests.runs.test_holder import held

NAME = "a-run-that-goes-on"


@dataclass
class GoingOn:
    """A race of which half is measured, and somebody who watches it."""

    folder: Path
    live: Live
    visitor: Visitor

    @property
    def page(self) -> str:
        return to.live(to.running(NAME))

    def run(self) -> AnyRun:
        return open_run(self.folder)

    @contextmanager
    def measuring(self) -> Iterator[None]:
        with self.run().store.locked():
            yield

    def end(self, seal: str, origin: str | None = BASE) -> int:
        """The status of the answer to the form that ends it."""
        headers = {"origin": origin} if origin else {}
        form = {"seal": seal}
        path = f"{self.page}/end"
        return self.visitor.ask(path, method="POST", headers=headers, form=form).status_code

    def seal(self) -> str:
        """What the form on its page carries."""
        fields = Elements.of(self.visitor.page(self.page)).all("input")
        return next(str(field["value"]) for field in fields if field.get("name") == "seal")


@pytest.fixture
def going_on(
    tmp_path: Path, shelves: Shelves, no_index: Index, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GoingOn]:
    # No page waits for the judge, who takes seconds to begin: tests that need him wait themselves.
    monkeypatch.setattr(routes, "FIRST_S", 0)
    folder = tmp_path / "runs" / NAME
    shutil.copytree(shelves.race.path, folder)
    (folder / "verdict.json").unlink()
    log = (folder / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "samples.jsonl").write_bytes(b"".join(log[: len(log) // 2]))
    with Live([tmp_path], no_index, adds=True) as live:
        yield GoingOn(folder, live, Visitor.let_in(no_index, live))


def test_it_is_on_the_shelf_while_it_is_measured(going_on: GoingOn) -> None:
    assert going_on.page not in Elements.of(going_on.visitor.page("/")).links()
    with going_on.measuring():
        assert going_on.page in Elements.of(going_on.visitor.page("/")).links()
    assert going_on.page not in Elements.of(going_on.visitor.page("/")).links()


def test_its_standings_are_those_of_the_judge(going_on: GoingOn) -> None:
    with going_on.measuring():
        text = until_judged(going_on)
    table = standings(going_on.run().judged_so_far().result)
    assert isinstance(table, Table) and len(table.rows) == 4
    for row in table.rows:
        assert re.search(r"\s*".join(re.escape(cell) for cell in row.cells), text), row.cells
    assert "ended early" not in text and "cut short" not in text
    assert not (going_on.folder / "verdict.json").exists(), "who watches writes nothing"


def test_its_picture_has_the_moments_that_were_kept_and_what_the_judge_says_now(
    going_on: GoingOn,
) -> None:
    run = going_on.run()
    before = judged(run)
    assert [stood.name for stood in before.now] == ["middle", "slow"]
    assert "How the intervals narrow" not in before.standings, "there is one moment only"
    earlier = [
        stood.model_copy(
            update={"measured_s": stood.measured_s / 2, "ratio": interval(stood.ratio.ratio * 1.1)}
        )
        for stood in before.now
    ]
    page = Elements.of(judged(run, earlier).standings)
    said = {str(group.get("aria-label")) for group in page.all("g")}
    verdict = run.judged_so_far().result
    assert isinstance(verdict, Verdict)
    for then, now in zip(earlier, before.now, strict=True):
        assert said_of(then.name, then) in said
        entry = verdict.entry(now.name)
        ratio = known(known(entry).ratio)
        assert f"{figures.ratio_of(ratio)}, {ratio.n} paired blocks" in said_of(now.name, now)
        assert said_of(now.name, now) in said


def test_a_moment_is_kept_when_enough_more_was_measured() -> None:
    def at(measured_s: float) -> list[Stood]:
        return [Stood(name="a", measured_s=measured_s, ratio=interval(1))]

    past = list[Stood]()
    for second in range(1, 24 * 3600, 3):
        past += at(second) if is_news(past, at(second)) else []
    assert [stood.measured_s for stood in past[:4]] == [1, 4, 7, 10]
    assert len(past) < 80


def test_who_has_no_script_reads_it_and_finds_a_link_to_read_it_again(going_on: GoingOn) -> None:
    with going_on.measuring():
        until_judged(going_on)
        page = Elements.of(going_on.visitor.page(going_on.page))
    assert page.links().count(going_on.page) == 1
    assert {group.get("role") for group in page.all("g")} == {"img"}
    assert "±" in page.text and "by now" in page.text


def test_what_follows_a_run_says_when_it_is_over_and_where_it_is_now(going_on: GoingOn) -> None:
    def conclude() -> None:
        measuring.__exit__(None, None, None)
        going_on.run().judged_so_far()
        shutil.copy(verdict, going_on.folder)

    verdict = going_on.folder.parent / "verdict.json"
    result = going_on.run().judge()
    verdict.write_text(result.to_json())
    measuring = going_on.measuring()
    measuring.__enter__()
    Timer(2.0, conclude).start()
    answer = going_on.visitor.ask(f"{going_on.page}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    names = re.findall(r"^event: (.*)$", answer.text, re.M)
    assert names[0] == "standing" and names.index("over") == len(names) - 1
    page = f"/run/{id_of(going_on.folder)}"
    assert f'href="{page}"' in answer.text and headline(result) in answer.text
    assert going_on.visitor.ask(page).status_code == 200
    assert "data-events" not in going_on.visitor.page(going_on.page)


def test_one_that_was_killed_says_how_to_go_on(going_on: GoingOn) -> None:
    with held(going_on.folder) as process:
        going_on.visitor.page("/")
        process.kill()
        process.wait()
        text = Elements.of(going_on.visitor.page(going_on.page)).text
    assert "bakeoff resume" in text and "bakeoff report" in text


def test_one_that_ended_before_anything_was_measured_says_so(going_on: GoingOn) -> None:
    (going_on.folder / "samples.jsonl").write_bytes(b"")
    with going_on.measuring():
        assert "No standings yet" in going_on.visitor.page(going_on.page)
    assert "nothing is kept" in going_on.visitor.page(going_on.page)


def test_the_form_ends_it_as_ctrl_c_does(going_on: GoingOn) -> None:
    with held(going_on.folder) as process:
        assert going_on.end(going_on.seal()) == 303
        assert process.wait(20) == 0
    assert (going_on.folder / "interrupted").exists()


def test_asked_twice_it_is_ended_once(going_on: GoingOn, monkeypatch: pytest.MonkeyPatch) -> None:
    signalled = list[Holder]()
    monkeypatch.setattr(Holder, "interrupt", lambda holder: signalled.append(holder))
    with going_on.measuring():
        seal = going_on.seal()
        assert [going_on.end(seal), going_on.end(seal)] == [303, 303]
        page = going_on.visitor.page(going_on.page)
    assert len(signalled) == 1
    assert "ending" in page and "<form" not in page


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1:8321"])
def test_no_page_but_ours_ends_it(
    going_on: GoingOn, monkeypatch: pytest.MonkeyPatch, origin: str | None
) -> None:
    monkeypatch.setattr(Holder, "interrupt", lambda _: pytest.fail("it was ended"))
    with going_on.measuring():
        assert going_on.end(going_on.seal(), origin) == 403


def test_only_its_own_form_ends_it(going_on: GoingOn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Holder, "interrupt", lambda _: pytest.fail("it was ended"))
    with going_on.measuring():
        seal = going_on.seal()
        token = going_on.visitor.guard.token
        for wrong in ("", "0" * 64, token, seal[:-1], "ä", seal * 20):
            assert going_on.end(wrong) == 403
        assert going_on.visitor.ask(f"{going_on.page}/end").status_code in (404, 405)
    with held(going_on.folder) as process:
        assert going_on.end(seal) == 403, "a form of an earlier process ends no later one"
        assert process.poll() is None


@pytest.mark.parametrize("rest", ["", "/events"])
@pytest.mark.parametrize("name", ["nothing", "%2e%2e", "..%2f..%2fetc", NAME])
def test_what_does_not_go_on_is_not_there(going_on: GoingOn, name: str, rest: str) -> None:
    assert going_on.visitor.ask(f"/live/{name}{rest}").status_code == 404


def test_nobody_watches_without_the_token(going_on: GoingOn) -> None:
    going_on.visitor.cookies.clear()
    with going_on.measuring():
        for path in (going_on.page, f"{going_on.page}/events"):
            assert going_on.visitor.ask(path).status_code == 403


def test_a_link_to_a_folder_and_a_run_s_parts_are_no_runs_of_their_own(going_on: GoingOn) -> None:
    (going_on.folder.parent / "latest").symlink_to(going_on.folder)
    shutil.copytree(going_on.folder, going_on.folder / "confirm")
    with going_on.measuring():
        shutil.copy(going_on.folder / FILE, going_on.folder / "confirm")
        assert [run.name for run in going_on.live.running()] == [NAME]


Judges = Callable[[], list[psutil.Process]]


@pytest.fixture
def judges() -> Judges:
    """Those that a test began: explorers of other tests may still have theirs."""
    known = psutil.Process().children()
    return lambda: [
        process
        for process in psutil.Process().children()
        if process not in known and process.nice() == 19
    ]


def test_the_judge_yields_to_all_else_and_ends_with_the_explorer(
    judges: Judges, going_on: GoingOn
) -> None:
    with Judge() as judge:
        assert judge.ask(going_on.folder).standings
        ours = judges()
        assert len(ours) == 1
        ours[0].kill()
        ours[0].wait()
        with (going_on.folder / "samples.jsonl").open("a") as log:
            log.write('{"type":"nothing"}\n')
        said = judge.ask(going_on.folder).trouble
        assert "samples.jsonl" in said, "one that was killed is begun again, and says what is wrong"
        ours = judges()
    assert ours and not any(process.is_running() for process in ours)
    assert judge.ask(going_on.folder).trouble


def judged_with_a_hung_judge(judges: Judges, ask: Callable[[], object]) -> None:
    """`ask`, while the judge's process stands still and has little time."""
    [hung] = judges()
    hung.suspend()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(judging_process, "LEAST_S", 0.2)
        ask()
    assert not hung.is_running()


def test_a_judge_that_hangs_is_ended_and_another_judges(judges: Judges, going_on: GoingOn) -> None:
    states: list[LiveState] = []
    with Judge() as judge:
        assert judge.ask(going_on.folder).standings
        judge.took_s.clear()
        judged_with_a_hung_judge(judges, lambda: states.append(judge.ask(going_on.folder)))
        assert "was ended" in states[0].trouble and not states[0].standings
        assert judge.ask(going_on.folder).standings


def test_a_hung_judge_costs_one_run_an_update_and_the_others_nothing(
    judges: Judges, going_on: GoingOn
) -> None:
    other = going_on.folder.with_name("another-run")
    shutil.copytree(going_on.folder, other)

    def judged_again() -> None:
        run.due_s = 0
        going_on.live.look(run)
        assert run.judging
        run.judging.result(60)

    with going_on.measuring(), held(other):
        until_judged(going_on)
        run = next(run for run in going_on.live.running() if run.name == NAME)
        assert run.state
        before = run.state.standings
        going_on.live._judge.took_s.clear()
        judged_with_a_hung_judge(judges, judged_again)
        assert run.state.standings == before and "was ended" in run.state.trouble
        assert run.state.trouble in Elements.of(going_on.visitor.page(going_on.page)).text
        waits_s = run.due_s - time.monotonic()
        assert waits_s <= pause_s(MOST_S, False)
        until_judged(going_on, "another-run")


@given(st.floats(0, 1e4), st.booleans())
def test_the_judge_takes_no_more_than_its_share_of_a_core(cpu_s: float, shares: bool) -> None:
    share = SHARE_SHARED if shares else SHARE
    assert cpu_s <= share * pause_s(cpu_s, shares) * (1 + 1e-9)
    assert pause_s(cpu_s, True) >= pause_s(cpu_s, False) > 1


def test_what_came_from_outside_is_text(going_on: GoingOn) -> None:
    evil = "<script>alert(1)</script>"
    state = LiveState(finding=evil, trouble=evil, steps=3)
    with going_on.measuring():
        run = going_on.live.running()[0]
        run.judged_at = run.began_at
        html = fragment(
            "live_standing.html",
            run=run,
            stage="measuring",
            state=state,
            standings="",
            page="",
        )
    assert "<script" not in html and "&lt;script" in html


@given(st.text())
def test_no_text_of_an_event_begins_another(text: str) -> None:
    lines = _event("standing", text).split("\n")
    assert lines[0] == "event: standing" and lines[-2:] == ["", ""]
    assert all(line.startswith("data: ") for line in lines[1:-2])


def test_a_deed_is_of_one_run_and_one_process(going_on: GoingOn) -> None:
    with going_on.measuring():
        run = going_on.live.running()[0]
        before = _deed(run)
        run.holder = Holder(run.holder.pid, run.holder.started + 1)
        assert _deed(run) != before


def until_judged(going_on: GoingOn, name: str = NAME) -> str:
    """The text of its page, once there are standings on it."""
    until = time.monotonic() + 60
    page = to.live(to.running(name))
    while "Standings" not in (text := Elements.of(going_on.visitor.page(page)).text):
        assert time.monotonic() < until, text
        time.sleep(0.2)
    return text
