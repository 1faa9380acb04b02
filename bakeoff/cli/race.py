"""`bakeoff race`."""

from pathlib import Path

from bakeoff.cli import grid as grid_command
from bakeoff.cli.asked import (
    RUNS,
    Boots,
    CantTellPolicy,
    Cpus,
    Gates,
    OutDir,
    Seed,
    command_line,
    cores,
    drawn,
    stamp,
)
from bakeoff.cli.console import err
from bakeoff.cli.race_options import (
    Arrivals,
    Budget,
    Close,
    Confirm,
    Connections,
    Duration,
    Everything,
    KeepAlive,
    Load,
    Pids,
    Pipeline,
    Ports,
    Precision,
    Rate,
    Reference,
    Solo,
    Twin,
    WarmUp,
    Words,
    Workers,
    Workload,
)
from bakeoff.cli.result import Json, check_json, conclude
from bakeoff.cli.stages import real_stages
from bakeoff.cli.watch import watch
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Plan
from bakeoff.plan import (
    Axes,
    Catalogue,
    Options,
    confirming,
    decide,
    decide_grid,
    name_contenders,
    parse_connection,
    parse_counts,
)
from bakeoff.race import Finished
from bakeoff.race import race as run_race
from bakeoff.report import standings
from bakeoff.report.figures import plural


def race(
    words: Words = None,
    everything: Everything = False,
    connections: Connections = None,
    duration: Duration = None,
    workload: Workload = None,
    close: Close = False,
    keep_alive: KeepAlive = False,
    pipeline: Pipeline = None,
    boots: Boots = None,
    warm_up: WarmUp = None,
    workers: Workers = None,
    cpus: Cpus = None,
    reference: Reference = None,
    port: Ports = None,
    pid: Pids = None,
    solo: Solo = False,
    rate: Rate = None,
    load: Load = None,
    arrivals: Arrivals = "poisson",
    precision: Precision = None,
    budget: Budget = None,
    confirm: Confirm = False,
    gate: Gates = None,
    cant_tell: CantTellPolicy = "pass",
    json: Json = None,
    out_dir: OutDir = RUNS,
    seed: Seed = None,
    twin: Twin = True,
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
    chosen = words or (whole_catalogue(catalogue) if everything else catalogue.default_line_up())
    named = name_contenders(chosen, catalogue, Path.cwd(), port or (), pid or ())
    options = Options(
        seed=drawn(seed),
        cores=cores(cpus),
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
