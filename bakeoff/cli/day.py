"""`bakeoff day`: options, a plan, what it is going to take, and what comes of it."""

from typing import Annotated

from bakeoff.cli.options import CONTENDER, RUNS, OutDir, environment, takes
from bakeoff.cli.output import Json, Wide, check_json, measure, say
from bakeoff.model.day import DayPlan
from bakeoff.plan import DayOptions, plan_day
from bakeoff.report import figures
from bakeoff.satellites import place


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
    """What it is going to do, before it does it."""
    assert plan.expected
    about, at_most = map(figures.time_to_wait, (plan.expected.about_s, plan.expected.at_most_s))
    return (
        f"about {about} besides builds, {at_most} at most: {plan.rounds} rounds of 14 phases, "
        f"{figures.plural(len(plan.race.entries), 'server')}, windows of {plan.window_ms} ms"
    )
