"""`bakeoff compare`: two runs that are there already."""

from pathlib import Path
from typing import Annotated

import typer

from bakeoff.cli.asked import CantTellPolicy, Gates
from bakeoff.cli.console import err, out
from bakeoff.cli.result import Json, check_json, write_json
from bakeoff.model.errors import BadUsage
from bakeoff.plan import runs_gate
from bakeoff.race import is_replay, run_verdict
from bakeoff.report import Compared

_Run = typer.Argument(metavar="RUN", help="A run folder, or its verdict.json.")


def compare(
    before: Annotated[Path, _Run],
    after: Annotated[Path, _Run],
    reference: Annotated[
        str | None,
        typer.Option(
            help="The contender of both runs against which the others are held. "
            "(default: the later run's reference, where it is in both)"
        ),
    ] = None,
    unlike_machines: Annotated[
        bool,
        typer.Option("--unlike-machines", help="Compare runs of unlike machines all the same."),
    ] = False,
    gate: Gates = None,
    cant_tell: CantTellPolicy = "pass",
    json: Json = None,
) -> None:
    """Compare two runs, the earlier first: what became faster, what slower?

    Two runs don't share the weather, so each contender is compared by its
    ratio to a reference that is in both. Runs that were not measured alike
    are refused.

    bakeoff compare runs/A runs/B
    bakeoff compare before/verdict.json runs/latest --reference nginx
    bakeoff compare runs/A runs/B --gate 'go-nethttp >= 98%'
    """
    check_json(json)
    # Statistics libraries take a second to import: whoever doesn't judge doesn't wait for them.
    from bakeoff.judge import Run, compare_runs

    for path in (before, after):
        if is_replay(path):
            raise BadUsage(f"{path}: is a replay; compare takes races, such as {path}/NAME")
    runs = [Run(*run_verdict(path)) for path in (before, after)]
    names = {
        one.name
        for run in runs
        for group in (run.verdict.entries, run.verdict.skipped)
        for one in group
    }
    found = compare_runs(
        *runs,
        reference=reference,
        unlike_machines=unlike_machines,
        gates=[runs_gate(text, sorted(names)) for text in gate or ()],
        cant_tell=cant_tell,
    )
    (err if json == "-" else out).print(Compared(found))
    write_json(json, found)
    if not all(each.passes for each in found.gates):
        raise typer.Exit(1)
