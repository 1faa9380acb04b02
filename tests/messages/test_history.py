"""The history, the explorer and sites."""

import shutil
import socket
import sqlite3

from tests.e2e.conftest import Place
from tests.messages.case import Case, Scene, Section, Situation
from tests.messages.page import check
from tests.messages.test_runs import GRID, QUICK, RACED, without
from tests.messages.worlds import away, both, ran
from tests.repositories import WHO, commit, git


def url(value: str) -> Situation:
    """BAKEOFF_HISTORY has this value."""
    return lambda scene: scene.patch.setenv("BAKEOFF_HISTORY", value)


def _taken(scene: Scene) -> None:
    bound = scene.until_end.enter_context(socket.create_server(("127.0.0.1", 0)))
    scene.stands_for["PORT"] = str(bound.getsockname()[1])


def _of_schema(scene: Scene, schema: str) -> None:
    scene.patch.setenv("BAKEOFF_HISTORY", f"sqlite:///{scene.folder}/history.sqlite")
    database = sqlite3.connect(scene.folder / "history.sqlite")
    with database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        database.execute("INSERT INTO alembic_version VALUES (?)", [schema])
    database.close()


def _newer(scene: Scene) -> None:
    _of_schema(scene, "9999")


def _unreleased(scene: Scene) -> None:
    _of_schema(scene, "0001")


def _indexed(scene: Scene) -> None:
    Place(scene.folder).bakeoff_here("history", "rebuild", "runs")


def _repository(scene: Scene) -> None:
    for name, value in WHO.items():
        scene.patch.setenv(name, value)
    git(scene.folder, "init", "--quiet", "--initial-branch", "main")
    commit(scene.folder, {"readme": ""}, "first")


def _empty_repository(scene: Scene) -> None:
    git(scene.folder, "init", "--quiet", "--initial-branch", "main")


def _alone(scene: Scene) -> None:
    runs = scene.folder / "runs"
    verdict = next(runs.glob("*Z-*/verdict.json")).read_bytes()
    shutil.rmtree(runs)
    scene.write("runs/verdict.json", verdict)


def removed(scene: Scene) -> None:
    """Once the index is made, the runs are removed."""
    scene.until_asked.append(lambda: shutil.rmtree(scene.folder / "runs"))


def became(text: str) -> Situation:
    """Once the index is made, verdict.json is written again."""

    def situation(scene: Scene) -> None:
        scene.until_asked.append(lambda: scene.write("runs/verdict.json", text))

    return situation


ALONE = both(RACED, _alone)
MORE = ran("race", "a=sleep 1", "b=sleep 2", *QUICK, to="runs/more")
OWN = url("sqlite:///history.sqlite")
SECTION = Section(
    "History, explorer and sites",
    (
        Case("history", "BAKEOFF_HISTORY is empty"),
        Case("history nginx", "nothing was raced yet", OWN),
        Case("history", "BAKEOFF_HISTORY=nonsense", url("nonsense")),
        Case("history", "BAKEOFF_HISTORY=mysql://localhost/x", url("mysql://localhost/x")),
        Case(
            "history",
            "BAKEOFF_HISTORY=sqlite:///file/history.sqlite, and `file` is a file",
            url("sqlite:///file/history.sqlite"),
        ),
        Case(
            "history",
            "the history is text",
            both(OWN, lambda scene: scene.write("history.sqlite", "x" * 5000)),
        ),
        Case("history", "a newer bakeoff has written to the history", _newer),
        Case("history", "a bakeoff before the first release has written to it", _unreleased),
        Case(
            "history",
            "nobody listens at BAKEOFF_HISTORY=postgresql://127.0.0.1:1/x",
            url("postgresql://127.0.0.1:1/x"),
        ),
        Case(
            "history",
            "BAKEOFF_HISTORY=postgresql://localhost/x without psycopg",
            both(away("psycopg"), url("postgresql://localhost/x")),
        ),
        Case(
            "history",
            "history.sqlite.lock is a folder",
            both(OWN, lambda scene: scene.write("history.sqlite.lock/x", "")),
        ),
        Case("history a --against c", "a raced b", both(OWN, RACED, _indexed)),
        Case("history rebuild none", "", OWN),
        Case(
            "history rebuild runs",
            "runs has a folder that can't be read",
            both(OWN, RACED, without("verdict.json")),
        ),
        Case("explore", "BAKEOFF_HISTORY is empty"),
        Case("explore none"),
        Case("explore .", "FOLDER has no runs"),
        Case("explore runs --listen 0.0.0.0", "", RACED),
        Case("explore runs --port PORT", "another process listens there", both(RACED, _taken)),
        Case(
            "explore runs --listen 192.0.2.1 --allow-others",
            "192.0.2.1 is another machine's",
            RACED,
        ),
        Case("explore runs --port 99999"),
        Case("explore runs --export site --url shop", "", RACED),
        Case("explore runs --export file", "", RACED),
        Case("explore runs --export full", "", RACED),
        Case("explore runs --export file/site", "", RACED),
        Case("explore", "starlette is not installed", away("starlette")),
        Case("publish nowhere --to site"),
        Case("publish runs/latest", "", RACED),
        Case(
            "publish runs/latest --to site",
            "it was never judged",
            both(RACED, without("verdict.json")),
        ),
        Case("publish runs/latest --to git:gh-pages", "FOLDER is in no git repository", RACED),
        Case(
            "publish runs/latest --to git:a..b", "FOLDER is a repository", both(RACED, _repository)
        ),
        Case(
            "publish runs/latest --to git:gh-pages",
            "FOLDER is a repository without a commit",
            both(RACED, _empty_repository),
        ),
        Case(
            "publish runs/latest --to site",
            "site/runs is a file",
            both(RACED, lambda scene: scene.write("site/runs", "")),
        ),
        *(
            Case(asked, given, made)
            for asked, given, made in (
                ("GET /nowhere", "", RACED),
                ("GET /run/RUN", "its folder was removed since", both(RACED, removed)),
                ("GET /run/RUN?of=0", "runs has its verdict.json alone", ALONE),
                ("GET /run/RUN?part=c9", "runs has its verdict.json alone", ALONE),
                (
                    "GET /run/RUN",
                    "runs has its verdict.json alone, which became text since",
                    both(ALONE, became("text")),
                ),
                (
                    "GET /run/RUN",
                    "runs has its verdict.json alone, which became something else",
                    both(ALONE, became("{}")),
                ),
                ("GET /run/RUN?of=a", "", RACED),
                ("GET /run/RUN/chart/none.gif", "", RACED),
                (
                    "GET /run/RUN/data.parquet",
                    "pyarrow is not installed",
                    both(RACED, away("pyarrow")),
                ),
                ("GET /two/RUN/OTHER", "RUN is a grid, OTHER a race", both(GRID, MORE)),
                ("GET /run/000000000000", "", RACED),
                ("GET /run/RUN?part=c9", "the run is a grid", GRID),
                ("GET /run/RUN?of=0", "the run is a grid", GRID),
                ("GET /run/RUN?of=9", "the run is a race of a and b", RACED),
                ("GET /run/RUN?of=0&against=1", "the run is a race of a and b", RACED),
                ("GET /run/RUN/chart/none.svg", "", RACED),
                ("GET /run/RUN/embed/none.html", "", RACED),
                ("GET /run/RUN/badge/none.svg", "", RACED),
                ("GET /run/RUN/data.xlsx", "", RACED),
                ("GET /words/more", "", RACED),
                ("GET /two/RUN", "", RACED),
                ("GET /two/RUN/RUN", "", RACED),
                ("GET /contender/c", "", RACED),
                ("GET /contender/a?series=none", "", RACED),
                ("GET /contender/a/b", "", RACED),
                ("GET /matrix/a", "", RACED),
                ("GET /matrix?workload=none", "", RACED),
                ("GET /article/none", "", RACED),
            )
        ),
    ),
    files={"file": "", "full/file": ""},
)


def test_messages_about_history() -> None:
    check(SECTION)
