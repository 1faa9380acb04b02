"""`bakeoff race`, `capacity` and `replay`: options, a plan, and what comes of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from bakeoff.cli.options import (
    CONTENDER,
    CONTENDER_HELP,
    RUNS,
    OutDir,
    article_names,
    contender_names,
    environment,
    takes,
)
from bakeoff.cli.output import Json, Wide, check_json, measure, out, say
from bakeoff.cli.reach import say_reach
from bakeoff.model.day import DayPlan
from bakeoff.model.grid import GridPlan
from bakeoff.model.plan import Plan
from bakeoff.plan import (
    CapacityOptions,
    Catalogue,
    DayOptions,
    RaceOptions,
    ReplayOptions,
    WhyOptions,
    confirming,
    plan_capacity,
    plan_day,
    plan_race,
    plan_replay,
)
from bakeoff.report import figures
from bakeoff.report.figures import plural
from bakeoff.satellites import place


@takes(RaceOptions)
def race(
    options: RaceOptions,
    contenders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONTENDER",
            help=f"{CONTENDER_HELP} Without one: the default line-up.",
            autocompletion=contender_names,
        ),
    ] = None,
    json: Json = None,
    wide: Wide = False,
    out_dir: OutDir = RUNS,
) -> None:
    """Race HTTP servers: which is faster, by how much, how sure, at what cost.

    All contenders run at once. The engine loads them in turn, one short slice
    each in random order, and the judge compares them block by block, so that
    the machine's drift cancels.

    bakeoff race "node a.js" "node b.js"           commands; $PORT is set for them
    bakeoff race http://127.0.0.1:8080/ http://127.0.0.1:8081/    servers that run
    bakeoff race ./old ./new --budget 2m           folders, until they are told apart
    bakeoff race ./old ./new --gate 'new >= 0.98 * old'   exit 1 if slower
    bakeoff race ./old ./new --workload ./shop.toml       your own traffic
    bakeoff race                                   the default line-up
    bakeoff race nginx go-nethttp -c 256           two of the catalogue
    bakeoff race --all                             all of it
    bakeoff race old="node a.js" new="node b.js"   and what to call them
    bakeoff race ./old ./new --close               no keep-alive
    bakeoff race http://127.0.0.1:8080/ --pid 47   which process serves it
    bakeoff race ./old ./new --request "POST /orders" -b @order.json
    bakeoff race ./old ./new --budget 2m --within 2%      by more than 2 %?
    bakeoff race ./old ./new --precision 1% --budget 2m
    bakeoff race nginx go-nethttp --load 70%       latency, each at 70 % of its peak
    bakeoff race nginx hyper -c 1,64 --pipeline 1,16      a grid: 4 races
    bakeoff race nginx --protocol h1,h2            what does HTTP/2 cost or gain?
    bakeoff race nginx hyper --http2 -c 8 --streams 8
    bakeoff race https://localhost:8443/ --ca ca.pem --protocol h1-tls,h2
    bakeoff race ws://localhost:8080/ ws://localhost:8081/ --message hello

    A setting with several values makes a grid: every combination is raced and
    has a verdict of its own. -d is then the time of all of them together. With
    several protocols each contender races once in each, all in one race: only
    neighbours in a rotation have a ratio.
    """
    _race(contenders or (), options, json, wide, out_dir)


@takes(WhyOptions)
def why(
    options: WhyOptions,
    contenders: Annotated[list[str], CONTENDER],
    json: Json = None,
    wide: Wide = False,
    out_dir: OutDir = RUNS,
) -> None:
    """Race servers, and find out where the difference comes from.

    After the race each contender is loaded at one rate that all hold, plainly
    and while perf samples its stacks, and its system calls are counted. The
    difference in CPU time per request is taken apart into lines that add up to
    it, each with an interval: functions, system calls, scheduling, page faults,
    and what is unexplained. It needs perf, and for the kernel's lines root;
    bakeoff doctor says what this machine gives.

    bakeoff why nginx go-nethttp
    bakeoff why "node a.js" "node b.js"
    bakeoff why ./old ./new --workload ./shop.toml
    bakeoff race ./old ./new --budget 2m --why     the same, after any race
    """
    _race(contenders, options, json, wide, out_dir)


@takes(CapacityOptions)
def capacity(
    options: CapacityOptions,
    contenders: Annotated[list[str], CONTENDER],
    json: Json = None,
    wide: Wide = False,
    out_dir: OutDir = RUNS,
) -> None:
    """Find the highest rate at which servers keep an objective.

    Requests come by a schedule (open loop), however the server does. Rates lie
    on one grid of 5 % steps for all contenders, and are visited in random
    order, several times and over several boots. The capacity, with its
    interval, is where the latency curve crosses the objective. Besides the
    latency, 99 % of what is offered must be answered in time and 99.9 %
    without an error.

    bakeoff capacity nginx go-nethttp --slo p99=10ms
    bakeoff capacity "node a.js" --slo p99=5ms,p99.9=50ms
    bakeoff capacity ./old ./new --slo p99=2ms --slo p99=20ms -d 3m
    """
    with place(options.cluster, options.allow_hosts, environment(), say) as (here, stages):
        measure(plan_capacity(contenders, options, here), out_dir, json, wide, stages)


@takes(ReplayOptions)
def replay(
    options: ReplayOptions,
    article: Annotated[
        str | None,
        typer.Argument(
            metavar="ARTICLE",
            help="The name of an article, or a file such as ./mine.toml. (default: list the "
            "articles)",
            autocompletion=article_names,
        ),
    ] = None,
    json: Json = None,
    wide: Wide = False,
    out_dir: OutDir = RUNS,
) -> None:
    """Replay a published test: check whether its claims hold on this machine.

    Each comparison of the article is raced with its line-up, workers, HTTP
    version and connections. Per row: published, measured, ratio. Per claim:
    holds, does not hold, or can't tell.

    bakeoff replay                                       list the articles
    bakeoff replay go-vs-node-2012 --scale 0.05          a quick look
    bakeoff replay node-go-spring --driver wrk           with the real wrk
    bakeoff replay hello-world-2013 --faithful           and as it was done there
    """
    here = environment()
    if article is None:
        _list_articles(here.catalogue)
    else:
        measure(plan_replay(here.catalogue.article(article), options, here), out_dir, json, wide)


def _race(
    contenders: Sequence[str], options: RaceOptions, json: str | None, wide: bool, out_dir: Path
) -> None:
    check_json(json)
    on = (options.cluster, options.allow_hosts, environment(), say, options.server_nodes)
    with place(*on) as (here, stages):
        plan = plan_race(contenders, options, here)
        say(_grid_outlook(plan) if isinstance(plan, GridPlan) else _race_outlook(plan))
        say_reach([plan] if isinstance(plan, Plan) else plan.plans, stages)
        measure(plan, out_dir, json, wide, stages)


def _in_boots(plan: Plan) -> str:
    return f" in {plan.boots} boots" if plan.boots > 1 else ""


def _race_outlook(plan: Plan) -> str:
    """What a race is going to do, and how long that takes, before it does it."""
    servers = plural(len(plan.entries), "server")
    at_most = " at most" if plan.may_end_early else ""
    measuring = f"{plan.duration_s:.3g} s of measuring{at_most}{_in_boots(plan)}"
    outlook = f"{_time([plan])}: {servers}, {measuring}"
    if not plan.confirm:
        return outlook
    solo = confirming(plan)
    return (
        f"{_time([plan, solo])}: {servers}, {measuring}, then {solo.duration_s:.3g} s more in "
        f"{solo.boots} rounds, each of {len(solo.entries)} started, warmed up and measured alone"
    )


def _time(plans: Sequence[Plan]) -> str:
    expected = [plan.expected for plan in plans if plan.expected]
    about, at_most = (
        figures.time_to_wait(sum(getattr(each, key) for each in expected))
        for key in ("about_s", "at_most_s")
    )
    return f"about {about} besides builds, {at_most} at most"


def _grid_outlook(grid: GridPlan) -> str:
    plans = grid.plans
    impossible = len(grid.cells) - len(plans)
    return (
        f"{_time(plans)}: {len(plans)} cells of {plans[0].duration_s:.3g} s of measuring"
        f"{_in_boots(plans[0])}"
        + (f" ({impossible} more can't be had)" if impossible else "")
        + f", each with {len(plans[0].entries)} servers that are started and warmed up for it"
    )


def _list_articles(catalogue: Catalogue) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True)
    for column in ("published", "what it compares"):
        table.add_column(column, overflow="fold")
    for name in catalogue.article_names():
        article = catalogue.article(name)
        table.add_row(name, str(article.published), escape(article.title))
    out.print(table)
    say("\nReplay one with: bakeoff replay NAME --scale 0.05", out)


@takes(DayOptions)
def day(
    options: DayOptions,
    contenders: Annotated[list[str], CONTENDER],
    json: Json = None,
    wide: Wide = False,
    out_dir: OutDir = RUNS,
) -> None:
    """Measure a server's whole day: cold start, rest, load, overload, recovery.

    Each round has new processes and these phases, in which all take their turn
    in random order: cold start, the first 1,000 requests, rest, peak, 10, 70,
    100, 150 and 300 % of each one's own peak, the same rate for all (CPU and
    energy per request), recovery after a crowd has left, a storm of new
    connections, slow clients beside the load, memory after it all. The result
    is one page with a line per phase; each has its interval, and its tie where
    it is one.

    bakeoff day nginx go-nethttp                     4 minutes
    bakeoff day "node a.js" "node b.js" --time-limit 2m    fewer, shorter windows
    bakeoff day ./old ./new --storm 5000 --slow-clients 1000
    """
    check_json(json)
    with place(options.cluster, (), environment(), say) as (here, stages):
        plan = plan_day(contenders, options, here)
        say(_outlook(plan))
        measure(plan, out_dir, json, wide, stages)


def _outlook(plan: DayPlan) -> str:
    assert plan.expected
    about, at_most = map(figures.time_to_wait, (plan.expected.about_s, plan.expected.at_most_s))
    return (
        f"about {about} besides builds, {at_most} at most: {plan.rounds} rounds of all phases, "
        f"{figures.plural(len(plan.race.entries), 'server')}, windows of {plan.window_ms} ms"
    )
