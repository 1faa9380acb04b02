"""`bakeoff draws` and `crosscheck`, which judge bakeoff itself: options, a plan, and its result."""

from typing import Annotated

import typer

from bakeoff.cli.options import CONTENDER_HELP, RUNS, OutDir, environment, takes
from bakeoff.cli.output import Json, Wide, check_json, measure, say
from bakeoff.model.draws import DrawsPlan
from bakeoff.plan.crosscheck import CrosscheckOptions, plan_crosscheck
from bakeoff.plan.draws import DrawsOptions, plan_draws
from bakeoff.report.figures import plural


@takes(CrosscheckOptions)
def crosscheck(
    options: CrosscheckOptions,
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The URL to load, http://host:port/path.")
    ],
    json: Json = None,
    wide: Wide = False,
    out_dir: OutDir = RUNS,
) -> None:
    """Compare our engine's figures with those of other load tools.

    The tools that are installed (wrk, ab, oha, hey, h2load, quic-go-load, …), our
    engine, and our engine in place of them load the URL in turn, in rounds of
    random order. Per figure (requests/s, p50, p90, p99) a ratio with its
    interval, and one of: agrees, differs, can't tell.

    bakeoff crosscheck http://localhost:8080/
    bakeoff crosscheck http://localhost:8080/ --tools wrk,volley-wrk -c 100
    bakeoff crosscheck http://localhost:8080/ --close --json crosscheck.json
    bakeoff crosscheck https://localhost:8443/ --ca ca.pem --http2 --tools h2load,oha
    bakeoff crosscheck https://localhost:8443/ --ca ca.pem --protocol h3
    """
    measure(plan_crosscheck(url, options, environment()), out_dir, json, wide)


@takes(DrawsOptions)
def draws(
    options: DrawsOptions,
    contenders: Annotated[
        list[str] | None, typer.Argument(metavar="CONTENDER", help=CONTENDER_HELP)
    ] = None,
    json: Json = None,
    wide: Wide = False,
    out_dir: OutDir = RUNS,
) -> None:
    """Measure why two runs of the same server differ.

    Several processes of one program run at once, each with several sets of
    connections, and are loaded in turn, one short slice each in random order.
    Nothing differs between them but what was drawn when they started and
    connected. The result is the spread of each level (block, connections,
    process, and boot with --boots), and the error of a tool that draws once.

    bakeoff draws go-nethttp node-http
    bakeoff draws "node app.js" --per-contender 1m --boots 3
    bakeoff draws http://127.0.0.1:8080/      connections only: it can't be restarted
    bakeoff draws --all --quick               the whole catalogue, in a quarter of an hour
    """
    check_json(json)
    plan = plan_draws(contenders or (), options, environment())
    say(_draws_outlook(plan))
    measure(plan, out_dir, json, wide)


def _draws_outlook(plan: DrawsPlan) -> str:
    first, contenders = plan.plans[0], len(plan.plans)
    processes = len(first.entries)
    longest_s = first.duration_s + first.boots * processes * first.warm_up_s
    return (
        f"{plural(contenders, 'contender')}, {processes} processes of each with {plan.sets} sets "
        f"of connections: {first.duration_s:.3g} s of measuring and up to "
        f"{first.boots * processes * first.warm_up_s:.3g} s of warm-up each, "
        f"{contenders * longest_s:.4g} s in all besides builds and starts"
    )
