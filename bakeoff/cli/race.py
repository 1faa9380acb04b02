"""`bakeoff race`."""

from pathlib import Path
from typing import Annotated

import typer

from bakeoff.cli.asked import RUNS, OutDir, Seed, command_line, drawn, duration_s, stamp
from bakeoff.cli.console import err
from bakeoff.cli.result import Json, check_json, conclude
from bakeoff.cli.stages import real_stages
from bakeoff.cli.watch import watch
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Plan
from bakeoff.plan import (
    Catalogue,
    Options,
    available_cores,
    decide,
    default_cores,
    name_contenders,
    parse_cores,
)
from bakeoff.race import Finished
from bakeoff.race import race as run_race
from bakeoff.report import standings

_Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CONTENDER",
        help="A catalogue name, a folder with contender.toml, a quoted command, or a URL. "
        "None: the default line-up.",
        show_default=False,
    ),
]


def race(
    words: _Words = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="The whole catalogue, as far as it serves the workload and can be built. All are "
            "up at once: give them 2 GiB of memory, and half an hour.",
        ),
    ] = False,
    connections: Annotated[
        int | None, typer.Option("-c", "--connections", min=1, help="Connections per contender.")
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(
            "-d",
            "--duration",
            parser=duration_s,
            metavar="TIME",
            help="Measured time in all, such as 20, 90s or 2m. (default: 20 s per contender and "
            "twin, 10 minutes at most: more is more certain, and to be asked for)",
        ),
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(
            help="What is asked: hello, empty, or get (GET /, any answer that stays the same). "
            "(default: hello; get where all contenders are commands or URLs)"
        ),
    ] = None,
    close: Annotated[
        bool, typer.Option("--close", help="One connection per request instead of keep-alive.")
    ] = False,
    boots: Annotated[
        int | None,
        typer.Option(min=1, help="How often all servers restart. (default: 3)"),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Workers or threads per server. (default: its cores)"),
    ] = None,
    cpus: Annotated[
        str | None,
        typer.Option(
            metavar="server=0,client=1",
            help="Cores of the servers and of the generator. (default: the first and the last)",
        ),
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="Whom the others are compared with. (default: the first)")
    ] = None,
    port: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            max=65535,
            help="The port that a command listens on, if it doesn't take {port} or $PORT; "
            "once for each command.",
        ),
    ] = None,
    pid: Annotated[
        list[int] | None,
        typer.Option(min=1, help="The process behind a URL, for its CPU and memory."),
    ] = None,
    solo: Annotated[
        bool,
        typer.Option("--solo", help="One contender up at a time, in long windows."),
    ] = False,
    json: Json = None,
    out_dir: OutDir = RUNS,
    seed: Seed = None,
    twin: Annotated[
        bool,
        typer.Option("--twin/--no-twin", help="Race a second copy of the reference: noise floor."),
    ] = True,
) -> None:
    """Race HTTP servers: which is faster, by how much, how sure, at what cost.

    All contenders are up at once. The engine loads them in turn, one short
    slice each in random order, and the judge compares them block by block,
    so that the machine's drift cancels.

    bakeoff race                                   the default line-up
    bakeoff race nginx go-nethttp -c 256           two of the catalogue
    bakeoff race --all                             all of it
    bakeoff race "node a.js" "node b.js" -d 1m     commands; $PORT is theirs
    bakeoff race ./old ./new --close               folders, no keep-alive
    bakeoff race http://127.0.0.1:8080/ --pid 47   something already up
    """
    if words and everything:
        raise BadUsage("race: takes contenders or --all, not both")
    catalogue = Catalogue.shipped()
    available = available_cores()
    chosen = words or (whole_catalogue(catalogue) if everything else catalogue.default_line_up())
    named = name_contenders(chosen, catalogue, Path.cwd(), port or (), pid or ())
    options = Options(
        seed=drawn(seed),
        cores=parse_cores(cpus, available) if cpus else default_cores(available),
        connections=connections,
        duration_s=duration,
        workload=workload,
        connection="close" if close else "keep-alive",
        boots=boots,
        workers=workers,
        reference=reference,
        solo=solo,
        twin=twin,
    )
    plan = decide(
        named,
        catalogue,
        options,
        stamp=stamp(),
        command_line=command_line(),
    )
    check_json(json)
    if everything:
        err.print(_outlook(plan), markup=False, soft_wrap=True)
    stages = real_stages()
    with watch() as progress:
        finished = run_race(plan, out_dir, stages, progress)
    show(finished, json)


def _outlook(plan: Plan) -> str:
    """What a long race is going to do, before it does it."""
    return (
        f"{len(plan.entries)} servers, {plan.duration_s:.0f} s of measuring in "
        f"{plan.boots} boots; before each boot all are started, and warmed up for 2 to 8 s each"
    )


def whole_catalogue(catalogue: Catalogue) -> list[str]:
    """All names, the default line-up first: with its first as the reference, races compare."""
    return list(dict.fromkeys([*catalogue.default_line_up(), *catalogue.names()]))


def show(finished: Finished, json: str | None) -> None:
    """Print the standings and where the report is; ends the program where it must."""
    verdict = finished.verdict
    conclude(finished, standings(verdict), verdict, json, any(e.valid for e in verdict.entries))
