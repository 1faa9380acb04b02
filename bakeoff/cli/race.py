"""`bakeoff race`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from bakeoff.cli import grid as grid_command
from bakeoff.cli.asked import (
    RUNS,
    CantTellPolicy,
    Gates,
    OutDir,
    Seed,
    command_line,
    drawn,
    duration_s,
    share,
    stamp,
)
from bakeoff.cli.console import err
from bakeoff.cli.result import Json, check_json, conclude
from bakeoff.cli.stages import real_stages
from bakeoff.cli.watch import watch
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Plan
from bakeoff.plan import (
    Axes,
    Catalogue,
    Options,
    available_cores,
    confirming,
    decide,
    decide_grid,
    default_cores,
    name_contenders,
    parse_connection,
    parse_cores,
    parse_counts,
)
from bakeoff.race import Finished
from bakeoff.race import race as run_race
from bakeoff.report import standings
from bakeoff.report.figures import plural

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
        str | None,
        typer.Option(
            "-c",
            "--connections",
            metavar="NUMBER,…",
            help="Connections per contender. Several numbers make a grid: 1,64,512.",
        ),
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
        bool,
        typer.Option(
            "--close",
            help="One connection per request instead of keep-alive. With --keep-alive: both.",
        ),
    ] = False,
    keep_alive: Annotated[
        bool, typer.Option("--keep-alive", help="Connections are kept. (the default)")
    ] = False,
    pipeline: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER,…",
            help="Requests under way at a time on a connection, several numbers for a grid. "
            "(default: 1)",
        ),
    ] = None,
    boots: Annotated[
        int | None,
        typer.Option(min=1, help="How often all servers restart. (default: 3)"),
    ] = None,
    warm_up: Annotated[
        float | None,
        typer.Option(
            "--warm-up",
            parser=duration_s,
            metavar="TIME",
            help="The longest warm-up of each contender, in each boot. (default: 20s; 3 s do where "
            "its throughput is level)",
        ),
    ] = None,
    workers: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER,…",
            help="Workers or threads per server, several numbers for a grid. (default: its cores)",
        ),
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
    rate: Annotated[
        float | None,
        typer.Option(
            help="Open loop: offer each this many requests per second, and rank by p99 latency."
        ),
    ] = None,
    load: Annotated[
        float | None,
        typer.Option(
            parser=share,
            metavar="SHARE",
            help="Open loop, at this share (70%) of each one's own peak, which its warm-up finds.",
        ),
    ] = None,
    arrivals: Annotated[
        Literal["poisson", "uniform"],
        typer.Option(help="Open loop: at random, as independent users come, or evenly spaced."),
    ] = "poisson",
    precision: Annotated[
        float | None,
        typer.Option(
            parser=share,
            metavar="SHARE",
            help="End once the interval between any two neighbours in the standings is ±this "
            "(1%), or --budget is spent; never for being significant.",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            parser=duration_s,
            metavar="TIME",
            help="The most measured time that --precision may take. (default: that of --duration)",
        ),
    ] = None,
    confirm: Annotated[
        bool,
        typer.Option(
            "--confirm",
            help="After the race, measure each contender alone for a third of the time on top, in "
            "10 rounds or more, each with its start and warm-up: do short turns and --solo agree?",
        ),
    ] = False,
    gate: Gates = None,
    cant_tell: CantTellPolicy = "pass",
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
    bakeoff race ./old ./new --precision 1% --budget 2m
    bakeoff race nginx go-nethttp --load 70%       latency, each at 70 % of its peak
    bakeoff race ./old ./new --gate 'new >= 0.98 * old'   exit 1 if slower
    bakeoff race nginx hyper -c 1,64 --pipeline 1,16    a grid: 4 races

    A setting with several values makes a grid: every combination is raced,
    and has a verdict of its own. -d is then the time of all of them.
    """
    if words and everything:
        raise BadUsage("race: takes contenders or --all, not both")
    if budget and (duration or not precision):
        raise BadUsage(
            "--budget: bounds what --precision may take, in place of --duration; "
            "for a race of fixed length give --duration alone"
        )
    catalogue = Catalogue.shipped()
    available = available_cores()
    chosen = words or (whole_catalogue(catalogue) if everything else catalogue.default_line_up())
    named = name_contenders(chosen, catalogue, Path.cwd(), port or (), pid or ())
    options = Options(
        seed=drawn(seed),
        cores=parse_cores(cpus, available) if cpus else default_cores(available),
        duration_s=budget or duration,
        workload=workload,
        boots=boots,
        reference=reference,
        solo=solo,
        twin=twin,
        rate=rate,
        load=load,
        arrivals=arrivals,
        precision=precision,
        warm_up_s=warm_up,
        confirm=confirm,
        gates=tuple(gate or ()),
        cant_tell=cant_tell,
    )
    cells = Axes(
        connections=parse_counts("--connections", connections)
        if connections is not None
        else (None,),
        workers=parse_counts("--workers", workers) if workers is not None else (None,),
        pipeline=parse_counts("--pipeline", pipeline) if pipeline is not None else (1,),
        connection=parse_connection(close=close, keep_alive=keep_alive),
    ).combined(options)
    if len(cells) > 1:
        asked = decide_grid(named, catalogue, cells, stamp=stamp(), command_line=command_line())
        check_json(json)
        grid_command.race(asked, out_dir, real_stages(), json)
        return
    plan = decide(named, catalogue, cells[0], stamp=stamp(), command_line=command_line())
    check_json(json)
    if everything or confirm:
        err.print(_outlook(plan), markup=False, soft_wrap=True)
    stages = real_stages()
    with watch() as progress:
        finished = run_race(plan, out_dir, stages, progress)
    show(finished, json)


def _outlook(plan: Plan) -> str:
    """What a long race is going to do, before it does it."""
    said = (
        f"{len(plan.entries)} servers, {plan.duration_s:.0f} s of measuring in "
        f"{plural(plan.boots, 'boot')}; before each boot all are started, and warmed up for 1 to "
        "20 s each"
    )
    if not plan.confirm:
        return said
    solo = confirming(plan)
    return (
        f"{said}. Then {solo.duration_s:.0f} s more in {solo.boots} rounds, "
        f"each of {len(solo.entries)} started, warmed up and measured alone"
    )


def whole_catalogue(catalogue: Catalogue) -> list[str]:
    """All names, the default line-up first: with its first as the reference, races compare."""
    return list(dict.fromkeys([*catalogue.default_line_up(), *catalogue.names()]))


def show(finished: Finished, json: str | None) -> None:
    """Print the standings and where the report is; ends the program where it must."""
    verdict = finished.verdict
    succeeded = any(e.valid for e in verdict.entries) and all(g.passes for g in verdict.gates)
    conclude(finished, standings(verdict), verdict, json, succeeded)
