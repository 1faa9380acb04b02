"""`bakeoff capacity`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from bakeoff.cli.asked import (
    RUNS,
    Boots,
    Cpus,
    OutDir,
    Seed,
    command_line,
    contender_words,
    cores,
    drawn,
    stamp,
    timed,
)
from bakeoff.cli.result import Json, check_json, conclude
from bakeoff.cli.stages import real_stages
from bakeoff.cli.watch import watch
from bakeoff.plan import (
    Catalogue,
    Options,
    decide_capacity,
    name_contenders,
    parse_slo,
)
from bakeoff.race import Climbed
from bakeoff.race import capacity as run_capacity
from bakeoff.report import capacities


def capacity(
    words: Annotated[list[str], contender_words()],
    slo: Annotated[
        list[str],
        typer.Option(
            "--slo",
            metavar="p99=10ms[,p99.9=50ms]",
            help="What has to hold: the most that quantiles of the latency may be. Given several "
            "times: a capacity for each, and their geometric mean.",
            show_default=False,
        ),
    ],
    connections: Annotated[
        int | None, typer.Option("-c", "--connections", min=1, help="Connections per contender.")
    ] = None,
    duration: Annotated[
        float | None,
        timed("-d", "--duration", help="Measured time in all. (default: 30 s per contender)"),
    ] = None,
    workload: Annotated[
        str | None, typer.Option(help="What is asked: hello, empty, get and such.")
    ] = None,
    arrivals: Annotated[
        Literal["poisson", "uniform"],
        typer.Option(help="At random, as independent users come, or evenly spaced."),
    ] = "poisson",
    boots: Boots = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Workers or threads per server. (default: its cores)"),
    ] = None,
    cpus: Cpus = None,
    json: Json = None,
    out_dir: OutDir = RUNS,
    seed: Seed = None,
) -> None:
    """Find the highest rate at which servers hold a service level objective.

    Requests come by a schedule (open loop), however the server does. Rates lie
    on one grid of 5 % steps for all contenders, are visited in random order,
    several times and over several boots; where the latency curve crosses the
    objective is the capacity, with its interval. Besides the latency, 99 % of
    what is offered must be answered in time and 99.9 % without an error.

    bakeoff capacity nginx go-nethttp --slo p99=10ms
    bakeoff capacity "node a.js" --slo p99=5ms,p99.9=50ms
    bakeoff capacity ./old ./new --slo p99=2ms --slo p99=20ms -d 3m
    """
    objectives = [parse_slo(text) for text in slo]
    catalogue = Catalogue.shipped()
    options = Options(
        seed=drawn(seed),
        cores=cores(cpus),
        connections=connections,
        duration_s=duration,
        workload=workload,
        boots=boots,
        workers=workers,
        arrivals=arrivals,
    )
    asked, plan = decide_capacity(
        name_contenders(words, catalogue, Path.cwd()),
        catalogue,
        options,
        objectives,
        stamp=stamp(),
        command_line=command_line(),
    )
    check_json(json)
    stages = real_stages()
    with watch() as progress:
        climbed = run_capacity(asked, plan, out_dir, stages, progress)
    show(climbed, json)


def show(climbed: Climbed, json: str | None) -> None:
    """Print the capacities and where the report is; ends the program where it must."""
    found = climbed.found
    some = any(
        capacity.requests_per_s is not None
        for entry in found.entries
        if entry.valid
        for capacity in entry.capacities
    )
    conclude(climbed, capacities(found), found, json, some)
