"""`bakeoff resume`, `report` and `compare`: runs that are there already, of any kind."""

from pathlib import Path
from typing import Annotated, get_args

import typer

import bakeoff
import bakeoff.plan.options as shared
from bakeoff import runs
from bakeoff.cli.options import RUNS, OutDir, Run, environment, option
from bakeoff.cli.output import (
    Json,
    Quiet,
    Wide,
    check_json,
    conclude,
    err,
    out,
    say,
    show,
    show_run,
)
from bakeoff.model.ci import Ci
from bakeoff.model.errors import BadUsage, Status
from bakeoff.model.gate import CantTell
from bakeoff.progress import terminal_watch
from bakeoff.report.export import FORMATS, Format
from bakeoff.runs.kinds.ci import CiRun
from bakeoff.satellites import place

_RUN_OR_VERDICT = typer.Argument(metavar="RUN", help="A run folder, or its verdict.json.")


def resume(
    run: Run,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS|auto",
            help="Connect to the run's cluster at this address, if it has moved. (default: its "
            "address in the run)",
        ),
    ] = None,
    json: Json = None,
    wide: Wide = False,
    _quiet: Quiet = False,
) -> None:
    """Resume a run that was cut off, after its last finished block."""
    check_json(json)
    before = runs.open_run(run).cluster
    if cluster and not before:
        raise BadUsage(f"--cluster: {run} was begun on one machine, and goes on there")
    address = cluster or (before.address if before else None)
    may_load, nodes = (before.may_load, len(before.servers)) if before else ((), 1)
    with (
        place(address, may_load, environment(), say, nodes) as (_, stages),
        terminal_watch(err, lambda run: show_run(run, json, wide)) as watch,
    ):
        resumed = runs.resume(run, stages, watch)
    conclude(resumed, json)


def report(
    run: Annotated[
        Path | None,
        typer.Argument(
            metavar="RUN", help="A run folder, such as runs/latest. (default: list the runs)"
        ),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option(
            metavar="|".join(get_args(Format)),
            help="Print the result of a run or of a result's file, as it was judged last, for "
            "another tool: Bencher (JSON), Otava (CSV), OpenMetrics, or as a comment on a pull "
            "request (Markdown, of a ci.json). Nothing is written. (default: judge again)",
            show_default=False,
        ),
    ] = None,
    json: Json = None,
    wide: Wide = False,
    out_dir: OutDir = RUNS,
) -> None:
    """Judge a run's samples again and write its reports.

    Without a run, list those in --out, the earliest first.

    bakeoff report runs/latest
    bakeoff report runs/latest --format bencher
    """
    if format:
        if run is None:
            raise BadUsage("--format takes a RUN, such as runs/latest")
        typer.echo(_formatted(run, format), nl=False)
        return
    if run is None:
        _list(out_dir)
        return
    check_json(json)
    judged = runs.report(run)
    show_run(judged, json, wide)
    conclude(judged, json)


def _formatted(path: Path, format: Format) -> str:
    from bakeoff.history.results import indexed_path
    from bakeoff.report.kinds.ci import comment

    file = path / CiRun.result_file if path.is_dir() else path
    if format == "comment":
        return comment(Ci.read_json(file))
    run = indexed_path(path)
    commit = Ci.read_json(file).head.commit if run.kind == CiRun.kind else ""
    return FORMATS[format](run, commit)


def _list(parent: Path) -> None:
    listed = runs.listed(parent)
    for run in listed:
        state = "judged" if run.is_judged else "not judged"
        say(f"{run.kind:10}  {state:10}  {parent / run.path.name}", out)
    if not listed:
        say(f"There are no runs in {parent}. Make one with: bakeoff race", out)


def compare(
    before: Annotated[Path, _RUN_OR_VERDICT],
    after: Annotated[Path, _RUN_OR_VERDICT],
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="CONTENDER",
            help="Compare the others with this contender, which is in both runs. (default: the "
            "later run's reference, if it is in both)",
        ),
    ] = None,
    allow_different_machines: Annotated[
        bool,
        typer.Option(
            "--allow-different-machines",
            "--unlike-machines",
            help="Compare runs of different machines as well.",
        ),
    ] = False,
    gates: Annotated[list[str] | None, option("gates", shared.GATES)] = None,
    cant_tell: Annotated[
        CantTell, option("cant_tell", shared.CANT_TELL, get_args(CantTell))
    ] = "pass",
    json: Json = None,
    wide: Wide = False,
) -> None:
    """Compare two runs, the earlier first: show what became faster or slower.

    The machine was not the same on both days, so each contender is compared by
    its ratio to a reference that is in both. Runs that were not measured in the same way
    are refused.

    bakeoff compare runs/A runs/B
    bakeoff compare before/verdict.json runs/latest --reference nginx
    bakeoff compare runs/A runs/B --gate 'go-nethttp >= 98%'
    """
    check_json(json)
    from bakeoff.report import render

    comparison = bakeoff.compare(
        before,
        after,
        reference=reference,
        allow_different_machines=allow_different_machines,
        gates=gates or (),
        cant_tell=cant_tell,
    )
    show(render.terminal(comparison.document(), wide), comparison.result, json)
    if not comparison.passes:
        raise typer.Exit(Status.GATE_FAILED)
