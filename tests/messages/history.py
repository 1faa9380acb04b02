"""The history, the explorer and sites."""

import shutil
import socket
import sqlite3

from tests.e2e.conftest import Place
from tests.messages.case import Scene, Section, Situation, case, cases
from tests.messages.runs import GRID, QUICK, RACED, without
from tests.messages.worlds import away, both, ran
from tests.repositories import WHO, commit, git


def url(value: str) -> Situation:
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
        case("history", "BAKEOFF_HISTORY is empty"),
        case("history nginx", "nothing was raced yet", OWN),
        *cases(
            "history",
            ("BAKEOFF_HISTORY=nonsense", url("nonsense")),
            ("BAKEOFF_HISTORY=mysql://localhost/x", url("mysql://localhost/x")),
            (
                "BAKEOFF_HISTORY=sqlite:///file/history.sqlite, and `file` is a file",
                url("sqlite:///file/history.sqlite"),
            ),
            ("the history is text", OWN, lambda scene: scene.write("history.sqlite", "x" * 5000)),
            ("a newer bakeoff has written to the history", _newer),
            ("a bakeoff before the first release has written to it", _unreleased),
            (
                "nobody listens at BAKEOFF_HISTORY=postgresql://127.0.0.1:1/x",
                url("postgresql://127.0.0.1:1/x"),
            ),
            (
                "BAKEOFF_HISTORY=postgresql://localhost/x without psycopg",
                away("psycopg"),
                url("postgresql://localhost/x"),
            ),
            (
                "history.sqlite.lock is a folder",
                OWN,
                lambda scene: scene.write("history.sqlite.lock/x", ""),
            ),
        ),
        case("history a --against c", "a raced b", OWN, RACED, _indexed),
        case("history rebuild none", "", OWN),
        case(
            "history rebuild runs",
            "runs has a folder that can't be read",
            OWN,
            RACED,
            without("verdict.json"),
        ),
        case("explore", "BAKEOFF_HISTORY is empty"),
        case("explore none"),
        case("explore .", "FOLDER has no runs"),
        case("explore runs --listen 0.0.0.0", "", RACED),
        case("explore runs --port PORT", "another process listens there", RACED, _taken),
        case(
            "explore runs --listen 192.0.2.1 --allow-others",
            "192.0.2.1 is another machine's",
            RACED,
        ),
        case("explore runs --port 99999"),
        case("explore runs --export site --url shop", "", RACED),
        case("explore runs --export file", "", RACED),
        case("explore runs --export full", "", RACED),
        case("explore runs --export file/site", "", RACED),
        case("explore", "starlette is not installed", away("starlette")),
        case("publish nowhere --to site"),
        case("publish runs/latest", "", RACED),
        case(
            "publish runs/latest --to site", "it was never judged", RACED, without("verdict.json")
        ),
        case("publish runs/latest --to git:gh-pages", "FOLDER is in no git repository", RACED),
        case("publish runs/latest --to git:a..b", "FOLDER is a repository", RACED, _repository),
        case(
            "publish runs/latest --to git:gh-pages",
            "FOLDER is a repository without a commit",
            RACED,
            _empty_repository,
        ),
        case(
            "publish runs/latest --to site",
            "site/runs is a file",
            RACED,
            lambda scene: scene.write("site/runs", ""),
        ),
        *(
            case(asked, given, made)
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
