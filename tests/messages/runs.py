"""Runs that are there: resume, report, compare, simulate, and what Python asks of them."""

import json
from collections.abc import Callable
from typing import Any

from bakeoff.runs.store import Store
from tests.messages.case import Scene, Section, Situation, case, cases, typed
from tests.messages.worlds import A, away, both, ran, world

QUICK = ("-d", "2", "--warm-up", "1", "--seed", "1")
OTHER = (*QUICK[:-1], "2")
RACED = ran("race", "a=sleep 1", "b=sleep 2", *QUICK)
OTHERS = ran("race", "c=sleep 3", *QUICK, to="others")
SLOWER = ran("race", "a=sleep 1", "b=sleep 2", "-c", "8", *OTHER, to="others")
GRID = ran("race", "a=sleep 1", "b=sleep 2", "-c", "8,64", *QUICK)
OPEN = ran("race", "a=sleep 1", "b=sleep 2", "--rate", "100", *QUICK)
AGAIN = ran("race", "a=sleep 1", "b=sleep 2", *OTHER, to="others")


def edited(
    name: str, change: Callable[[dict[str, Any]], object], run: str = "runs/latest"
) -> Situation:
    def situation(scene: Scene) -> None:
        path = scene.folder / run / name
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))

    return situation


def written(name: str, text: str, run: str = "runs/latest") -> Situation:
    return lambda scene: (scene.folder / run / name).write_text(text)


def without(*names: str) -> Situation:
    def situation(scene: Scene) -> None:
        for name in names:
            (scene.folder / "runs/latest" / name).unlink()

    return situation


def lines(change: Callable[[list[str]], list[str]]) -> Situation:
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
        *cases(
            "report runs/latest",
            ("its plan.json is of an earlier bakeoff", RACED, OLD_SCHEMA),
            ("its plan.json is of a newer bakeoff", RACED, NEW_SCHEMA),
            ("its plan.json is something else", RACED, NO_SCHEMA),
            ("its plan.json is empty", RACED, written("plan.json", "")),
            ("nothing was measured in it", NOTHING),
            (
                "line 2 of its log was changed",
                RACED,
                lines(lambda log: [log[0], log[1][:40], *log[2:]]),
            ),
            (
                "line 2 of its log is of another bakeoff",
                RACED,
                lines(lambda log: [log[0], '{"type":"picnic"}', *log[2:]]),
            ),
            (
                "line 2 of its log lacks its values",
                RACED,
                lines(lambda log: [log[0], '{"type":"block"}', *log[2:]]),
            ),
            ("its machine.json is gone", RACED, without("machine.json")),
            ("its receipts.json is gone", RACED, without("receipts.json")),
            (
                "its receipts.json is of something else",
                RACED,
                written("receipts.json", '{"a": {}}'),
            ),
        ),
        *cases(
            "resume runs/latest",
            ("it was cut off on another machine", CUT_OFF, OTHER_CPU),
            ("another bakeoff measures in it", CUT_OFF, _locked),
            (
                "the sources of nginx were changed since",
                OF_CATALOGUE,
                lines(_cut_off),
                OTHER_SOURCES,
            ),
            ("its log can't be written", CUT_OFF, _log_is_a_folder),
        ),
        case(f"race {A} --out file", "", world()),
        case(
            f"race {A} -d 2",
            "runs/latest is a folder",
            world(),
            lambda scene: scene.write("runs/latest/x", ""),
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
        *cases(
            "compare runs/latest others/latest",
            ("one raced a and b, the other c", RACED, OTHERS),
            ("one had 64 connections, the other 8", RACED, SLOWER),
            ("they are of two machines", RACED, AGAIN, OTHER_VERDICT),
        ),
        case("compare runs/latest others/latest --reference c", "both raced a and b", RACED, AGAIN),
        case(
            "compare runs/latest others/latest --reference b",
            "b was killed in the earlier",
            DIED,
            AGAIN,
        ),
        case("compare runs/latest others/latest --gate 'b >='", "", RACED, AGAIN),
        case("compare runs/latest others/latest --gate 'c >= 98%'", "", RACED, AGAIN),
        case(
            "compare runs/latest others/latest --gate 'a >= 98%'",
            "a is the reference",
            RACED,
            AGAIN,
        ),
        case("compare runs/latest runs/latest", "it is a grid", GRID),
        *(
            case(f"simulate {words}")
            for words in (
                "--effect 3",
                "--effect -95%",
                "--weather 200%",
                "--weather 0% --felt 3",
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
        *cases(
            "simulate --like runs/latest",
            ("it is a grid", GRID),
            ("it was an open loop", OPEN),
            ("its reference was never measured", RACED, lines(_without_warmup)),
            ("too little was measured", RACED, lines(lambda log: log[:8])),
        ),
        *(
            case(
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
        case(">>> bakeoff.open_run('runs/latest').pair('b')", "b was killed in runs/latest", DIED),
        case(
            ">>> bakeoff.open_run('runs/latest').entries()",
            "neither polars nor pandas is installed",
            RACED,
            away("polars", "pandas"),
        ),
        *cases(
            ">>> bakeoff.open_run('runs/latest').verdict",
            ("runs/latest is a grid", GRID),
            ("runs/latest was never judged", RACED, without("verdict.json")),
        ),
    ),
    files={"file": "", "full/file": ""},
)
