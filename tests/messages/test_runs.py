"""Runs that are there: resume, report, compare, simulate, and what Python asks of them."""

import json
from collections.abc import Callable
from typing import Any

from bakeoff.runs.store import Store
from tests.messages.case import Case, Scene, Section, Situation, typed
from tests.messages.page import check
from tests.messages.worlds import A, away, both, ran, world

QUICK = ("-d", "2", "--warm-up", "1", "--seed", "1")
OTHER = (*QUICK[:-1], "2")
RACED = ran("race", "a=sleep 1", "b=sleep 2", *QUICK)
OTHERS = ran("race", "c=sleep 3", *QUICK, to="others")
SLOWER = ran("race", "a=sleep 1", "b=sleep 2", "-c", "8", *OTHER, to="others")
SOLO = ran("race", "a=sleep 1", "--no-twin", *QUICK, to="others")
GRID = ran("race", "a=sleep 1", "b=sleep 2", "-c", "8,64", *QUICK)
OPEN = ran("race", "a=sleep 1", "b=sleep 2", "--rate", "100", *QUICK)
AGAIN = ran("race", "a=sleep 1", "b=sleep 2", *OTHER, to="others")


def edited(
    name: str, change: Callable[[dict[str, Any]], object], run: str = "runs/latest"
) -> Situation:
    """A JSON file of a run is changed."""

    def situation(scene: Scene) -> None:
        path = scene.folder / run / name
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))

    return situation


def written(name: str, text: str, run: str = "runs/latest") -> Situation:
    """A file of a run has another text."""
    return lambda scene: (scene.folder / run / name).write_text(text)


def without(*names: str) -> Situation:
    """Files of a run are gone."""

    def situation(scene: Scene) -> None:
        for name in names:
            (scene.folder / "runs/latest" / name).unlink()

    return situation


def lines(change: Callable[[list[str]], list[str]]) -> Situation:
    """The log of a run has other lines."""

    def situation(scene: Scene) -> None:
        path = scene.folder / "runs/latest/samples.jsonl"
        path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))

    return situation


def _cut_off(log: list[str]) -> list[str]:
    blocks = [n for n, line in enumerate(log) if line.startswith('{"type":"block"')]
    return log[: blocks[3]]


def _without_warmup(log: list[str]) -> list[str]:
    return [line for line in log if not line.startswith('{"type":"warmup"')] * 3


def _locked(scene: Scene) -> None:
    store = Store(scene.folder / "runs/latest")
    scene.until_end.enter_context(store.locked())


def _log_is_a_folder(scene: Scene) -> None:
    """Reading it fails, too, but not before."""
    lock = scene.folder / "runs/latest/.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()


OLD_SCHEMA = edited("plan.json", lambda plan: plan.update(schema="bakeoff.replay-plan/1"))
NEW_SCHEMA = edited("plan.json", lambda plan: plan.update(schema="bakeoff.plan/99"))
NO_SCHEMA = edited("plan.json", lambda plan: plan.update(schema="shop.order/1"))
OTHER_CPU = edited("machine.json", lambda machine: machine.update(cpu_model="another"))
OTHER_VERDICT = edited(
    "verdict.json", lambda verdict: verdict["machine"].update(cpu_model="another")
)
OTHER_SOURCES = edited(
    "receipts.json",
    lambda receipts: [each.update(source_sha256="1" * 64) for each in receipts.values()],
)
CUT_OFF = both(RACED, lines(_cut_off))
DIED = ran("race", "a=sleep 1", "b=sleep 2", "c=sleep 3", *QUICK, killed="b")
OF_CATALOGUE = ran("race", "nginx", "gin", *QUICK)
NOTHING = both(RACED, lines(lambda log: log[:1]), without("verdict.json"))

SECTION = Section(
    "Runs and their reports",
    (
        *typed("""
            report nowhere
            report nowhere --format bencher
            report --format bencher
            report .
            resume file
            resume .
        """),
        *typed(
            """
            resume runs/latest
            resume runs/latest --cluster auto
            report runs/latest --json none/x.json
            report runs/latest --format comment
            report runs/latest/plan.json --format otava
        """,
            "runs/latest is a race that is complete",
            RACED,
        ),
        Case(
            "report runs/latest", "its plan.json is of an earlier bakeoff", both(RACED, OLD_SCHEMA)
        ),
        Case("report runs/latest", "its plan.json is of a newer bakeoff", both(RACED, NEW_SCHEMA)),
        Case("report runs/latest", "its plan.json is something else", both(RACED, NO_SCHEMA)),
        Case("report runs/latest", "its plan.json is empty", both(RACED, written("plan.json", ""))),
        Case("report runs/latest", "nothing was measured in it", NOTHING),
        Case(
            "report runs/latest",
            "line 2 of its log was changed",
            both(RACED, lines(lambda log: [log[0], log[1][:40], *log[2:]])),
        ),
        Case(
            "report runs/latest",
            "line 2 of its log is of another bakeoff",
            both(RACED, lines(lambda log: [log[0], '{"type":"picnic"}', *log[2:]])),
        ),
        Case(
            "report runs/latest",
            "line 2 of its log lacks its values",
            both(RACED, lines(lambda log: [log[0], '{"type":"block"}', *log[2:]])),
        ),
        Case(
            "report runs/latest", "its machine.json is gone", both(RACED, without("machine.json"))
        ),
        Case(
            "report runs/latest", "its receipts.json is gone", both(RACED, without("receipts.json"))
        ),
        Case(
            "report runs/latest",
            "its receipts.json is of something else",
            both(RACED, written("receipts.json", '{"a": {}}')),
        ),
        Case("resume runs/latest", "it was cut off on another machine", both(CUT_OFF, OTHER_CPU)),
        Case("resume runs/latest", "another bakeoff measures in it", both(CUT_OFF, _locked)),
        Case(
            "resume runs/latest",
            "the sources of nginx were changed since",
            both(OF_CATALOGUE, lines(_cut_off), OTHER_SOURCES),
        ),
        Case("resume runs/latest", "its log can't be written", both(CUT_OFF, _log_is_a_folder)),
        Case(f"race {A} --out file", "", world()),
        Case(
            f"race {A} -d 2",
            "runs/latest is a folder",
            both(world(), lambda scene: scene.write("runs/latest/x", "")),
        ),
        *typed(
            """
            compare nowhere runs/latest
            compare runs/latest runs/latest
            compare runs/latest file
            compare runs/latest runs/latest/plan.json
        """,
            "",
            RACED,
        ),
        Case(
            "compare runs/latest others/latest",
            "one raced a and b, the other c",
            both(RACED, OTHERS),
        ),
        Case(
            "compare runs/latest others/latest",
            "one had 64 connections, the other 8",
            both(RACED, SLOWER),
        ),
        Case(
            "compare runs/latest others/latest",
            "they are of two machines",
            both(RACED, AGAIN, OTHER_VERDICT),
        ),
        Case(
            "compare runs/latest others/latest --reference c",
            "both raced a and b",
            both(RACED, AGAIN),
        ),
        Case(
            "compare runs/latest others/latest --reference b",
            "b was killed in the earlier",
            both(DIED, AGAIN),
        ),
        Case("compare runs/latest others/latest --gate 'b >='", "", both(RACED, AGAIN)),
        Case("compare runs/latest others/latest --gate 'c >= 98%'", "", both(RACED, AGAIN)),
        Case(
            "compare runs/latest others/latest --gate 'a >= 98%'",
            "a is the reference",
            both(RACED, AGAIN),
        ),
        Case("compare runs/latest runs/latest", "it is a grid", GRID),
        *(
            Case(f"simulate {words}")
            for words in (
                "--effect 3",
                "--effect -95%",
                "--weather 200%",
                "nginx brick",
                "--power 80%",
                "--effect 1% --power 100%",
                "--effect 1% --power 80% -d 20",
                "--runs 60",
                "--runs 60 --out site --power 80% --effect 1%",
                "--runs 60 --out full",
                "--like nowhere",
                "--json none/x.json",
            )
        ),
        Case("simulate --like runs/latest", "it is a grid", GRID),
        Case("simulate --like runs/latest", "it was an open loop", OPEN),
        Case(
            "simulate --like runs/latest",
            "its reference was never measured",
            both(RACED, lines(_without_warmup)),
        ),
        Case(
            "simulate --like runs/latest",
            "too little was measured",
            both(RACED, lines(lambda log: log[:8])),
        ),
        *(
            Case(
                f">>> run = bakeoff.open_run('runs/latest')\n>>> {asked}",
                "runs/latest raced a and b",
                RACED,
            )
            for asked in (
                "run.pair('c')",
                "run.pair('a')",
                "run.pair('a (twin)')",
                "run.faster('b', by='a lot')",
                "run.gate('b > c')",
                "run.latencies('b').percentile(200)",
            )
        ),
        Case(">>> bakeoff.open_run('runs/latest').pair('b')", "b was killed in runs/latest", DIED),
        Case(
            ">>> bakeoff.open_run('runs/latest').entries()",
            "neither polars nor pandas is installed",
            both(RACED, away("polars", "pandas")),
        ),
        Case(">>> bakeoff.open_run('runs/latest').verdict", "runs/latest is a grid", GRID),
        Case(
            ">>> bakeoff.open_run('runs/latest').verdict",
            "runs/latest was never judged",
            both(RACED, without("verdict.json")),
        ),
    ),
    files={"file": "", "full/file": ""},
)


def test_messages_about_runs() -> None:
    check(SECTION)
