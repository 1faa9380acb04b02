"""`bakeoff simulate`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BeforeValidator, Field
from rich.console import Group, RenderableType
from rich.progress import Progress
from rich.table import Table

import bakeoff.plan.options as shared
from bakeoff import __version__, measure, runs
from bakeoff.cli.options import contender_names, takes
from bakeoff.cli.output import OUTPUT, Json, check_json, err, out, say, show
from bakeoff.history import open_index
from bakeoff.history.place import default_url
from bakeoff.model.errors import BadFile, BadUsage, Status
from bakeoff.model.history import machine_class
from bakeoff.model.simulation import Conditions, Rate, Rates, Simulation
from bakeoff.model.verdict import Verdict
from bakeoff.plan import Flag, Options
from bakeoff.plan.values import Count, Seconds
from bakeoff.progress import terminal_watch
from bakeoff.report import figures
from bakeoff.workers import pool

if TYPE_CHECKING:
    from bakeoff.simulate import Size

AS_GIVEN = "as in the conditions"
DURATION_PER_CONTENDER_S = 20.0
RACES_READ = 50
"""So many of the newest races of a history tell what this machine is like."""
_PERCENT = re.compile(r"([+-]?(?:\d+(?:\.\d+)?|\.\d+))\s*%")
Whole = Annotated[int, Field(ge=1)]


def _percent(low: float, high: float) -> BeforeValidator:
    def parse(text: str) -> float:
        match = _PERCENT.fullmatch(text.strip())
        if not match:
            raise ValueError(f"is {text!r}; it takes a percentage, as in 3% or 0.5%")
        share = float(match[1]) / 100
        if not low <= share <= high:
            raise ValueError(f"is {100 * share:g}%; it takes {100 * low:g}% to {100 * high:g}%")
        return share

    return BeforeValidator(parse)


def _flag(help_: str, usual: str = "", metavar: str = "NUMBER", panel: str = "Simulation") -> Flag:
    return Flag(panel, help_, usual, metavar)


class SimulateOptions(Options):
    """What is simulated."""

    effect: Annotated[
        float,
        _percent(-0.9, 9),
        _flag(
            "Make one server this much faster than the others, which are equal.", "0%", "PERCENT"
        ),
    ] = 0.0
    power: Annotated[
        Annotated[float, _percent(0.001, 0.999)] | None,
        _flag(
            "Search for the shortest race that finds the --effect this often, or for the smallest "
            "effect that a race of --duration finds.",
            metavar="PERCENT",
        ),
    ] = None
    requests_per_s: Annotated[
        Annotated[float, Field(gt=0)] | None,
        _flag("Set the throughput of the simulated servers, in requests per second.", AS_GIVEN),
    ] = None
    weather: Annotated[
        Annotated[float, _percent(0, 1)] | None,
        _flag(
            "Vary the machine's speed by this standard deviation: 13% on a noisy virtual machine, "
            "1% on a quiet one.",
            AS_GIVEN,
            "PERCENT",
        ),
    ] = None
    felt: Annotated[
        float,
        Field(ge=0, le=10),
        _flag(
            "Set how strongly --weather acts on one server; it acts with 1 on the others. "
            "Recorded servers had 0.7 to 1.5 times nginx's.",
            "1",
        ),
    ] = 1.0
    bursts: Annotated[
        Annotated[float, Field(ge=0)] | None,
        _flag(
            "Take a core away this often per second for about 10 ms, as a host does, which slows "
            "single slices.",
            AS_GIVEN,
        ),
    ] = None
    contenders: Annotated[int, Field(ge=2, le=40), _flag("Race this many servers.", "2")] = 2
    races: Annotated[int, Field(ge=2), _flag("Simulate this many races of each size.", "200")] = 200
    like: Annotated[
        Path | None,
        _flag(
            "Take noise, drift, steal and spreads from a run's samples, such as runs/latest.",
            "with --power this machine's history, else a shared virtual machine with two cores",
            "RUN",
        ),
    ] = None
    connections: Annotated[
        Whole | None, shared.CONNECTIONS.but(help="Open this many connections.", usual=AS_GIVEN)
    ] = None
    duration: Annotated[
        Seconds | None,
        shared.DURATION.but(
            help="Measure for this long in all, in each race.", usual="20 s per contender"
        ),
    ] = None
    boots: Annotated[Count | None, shared.BOOTS] = None
    runs: Annotated[
        Whole | None,
        _flag(
            "Write this many simulated runs as folders to --out, one a day; halfway one server "
            "gets the --effect.",
            panel=OUTPUT,
        ),
    ] = None
    out: Annotated[
        Path | None, _flag("Write the runs of --runs to this folder.", "", "DIR", panel=OUTPUT)
    ] = None

    def model_post_init(self, _context: Any) -> None:
        if self.power is not None and bool(self.effect) == (self.duration is not None):
            raise BadUsage(
                "--power: takes either an --effect, such as --effect 1%, to search how long a race "
                "must be, or a --duration, such as -d 20, to search what it finds"
            )
        if (self.runs is None) != (self.out is None):
            raise BadUsage("--runs and --out: go together, as in --runs 60 --out DIR")
        if self.runs and self.power is not None:
            raise BadUsage("--runs: leaves runs, and --power searches; leave out one")


@takes(SimulateOptions)
def simulate(
    options: SimulateOptions,
    pair: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONTENDER",
            help="With --power, two contenders whose races in this machine's history say how much "
            "they vary. (default: all races of this machine)",
            autocompletion=contender_names,
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Simulate races: how sure is a verdict, how long must a race be?

    Servers are simulated as queues on a machine that drifts and is taken away
    by its host; the schedule and the judge are those of real races. So the truth
    is known: how often does the judge find a difference that is there, or one
    that isn't? No server is started.

    bakeoff simulate                             equal servers: false alarms
    bakeoff simulate --effect 3% -d 30s          is 3 % found in 30 s?
    bakeoff simulate --effect 1% --power 80%     how long must a race be, here?
    bakeoff simulate -d 20s --power 80%          what does a race of 20 s find?
    bakeoff simulate -d 20s --power 80% nginx brick              of these two?
    bakeoff simulate --effect 1% --power 80% --like runs/latest
    bakeoff simulate --weather 13% --felt 1.4    one server feels the machine more
    bakeoff simulate --effect -5% --runs 60 --out DIR    a history with a step
    """
    # The statistics take a second to import: other commands don't wait for them.
    from bakeoff.simulate import DURATIONS_S, EFFECTS, USUAL, Size, conditions_of, search, study

    check_json(json)
    names = pair or []
    if names and (len(set(names)) != 2 or options.power is None or options.like):
        raise BadUsage(
            f"{' '.join(names)}: simulate takes two contenders, with --power and without --like"
        )
    given = USUAL
    if options.like:
        run = runs.open_run(options.like)
        if run.kind != "race":
            raise BadUsage(f"--like {options.like}: is a {run.kind}; it takes a race")
        given = conditions_of(run.plan, run.records())
    elif options.power is not None:
        given = _conditions_here(names)
    changed = {
        "connections": options.connections,
        "requests_per_s": options.requests_per_s,
        "drift_sd": options.weather,
        "steals_per_s": options.bursts,
        "felt": options.felt,
    }
    update = {key: value for key, value in changed.items() if value is not None}
    conditions = given.model_copy(update=update)
    if options.felt != 1 and not conditions.drift_sd:
        raise BadUsage(
            f"--felt {options.felt:g}: acts on --weather, which is 0% here (a history can't tell "
            "it from noise); take --like RUN, or --weather 3%"
        )
    size = Size(
        effect=options.effect,
        contenders=options.contenders,
        duration_s=options.duration or DURATION_PER_CONTENDER_S * options.contenders,
        boots=options.boots or 1,
    )
    if options.runs and options.out:
        _leave(options.out, options.runs, size, conditions, options.seed)
        return
    shown = err.is_terminal
    bars = Progress(console=err, transient=True, disable=not shown, auto_refresh=False)
    with study(options.seed) as simulated, bars:

        def rates(size: Size) -> Rates:
            """The rates of one size, with a bar over its races."""
            task = bars.add_task(f"{size.effect:.2%} in {size.duration_s:g} s", total=options.races)

            def done() -> None:
                bars.advance(task)
                bars.refresh()

            return simulated.rates(size, conditions, options.races, done)

        if options.power is None:
            tried: tuple[Rates, ...] = (rates(size),)
            chosen: Rates | None = tried[0]
        elif options.effect:
            sizes = [replace(size, duration_s=each) for each in DURATIONS_S]
            tried, chosen = search(sizes, options.power, rates)
        else:
            sizes = [replace(size, effect=each) for each in EFFECTS]
            tried, chosen = search(sizes, options.power, rates)
    result = Simulation(
        contenders=options.contenders,
        seed=options.seed,
        conditions=conditions,
        power_asked=options.power,
        tried=tried,
        chosen=chosen,
    )
    show(_rendered(result), result, json)
    if chosen is None:
        raise typer.Exit(Status.NO_VERDICT)


def _leave(to: Path, wanted: int, size: "Size", conditions: Conditions, seed: int) -> None:
    """Write `wanted` simulated runs as folders of `to`, by as many processes as there are cores."""
    from bakeoff.simulate import leave_run

    if to.exists() and any(to.iterdir()):
        raise BadUsage(f"--out {to}: is not empty; simulated runs take a folder of their own")
    with terminal_watch(err) as watch, pool() as workers:
        each = partial(leave_run, to, size, conditions, seed, wanted // 2)
        for done, _ in enumerate(workers.map(each, range(wanted), chunksize=4), start=1):
            if done % 20 == 0:
                watch.measured(done, wanted, f"{done:,} of {wanted:,} runs")
    say(f"{figures.plural(wanted, 'simulated run')} in {to}", out)


def _conditions_here(names: Sequence[str]) -> Conditions:
    """What the history has of this machine's races: of those that compared the two of `names`, else
    of all, else the usual conditions."""
    from bakeoff.simulate import USUAL, conditions_of_past

    if names and (found := conditions_of_past(_verdicts_here(names[0]), names)):
        return found
    return conditions_of_past(_verdicts_here()) or USUAL


def _verdicts_here(contender: str = "") -> Iterator[Verdict]:
    """The newest races of this machine that are in the history and still in their folders."""
    if not (url := default_url()):
        return
    machine = measure.machine(engine="", bakeoff=__version__)
    index = open_index(url)
    page = index.runs(
        machine=machine_class(machine), kind="race", contender=contender, limit=RACES_READ
    )
    for line in page.runs:
        try:
            yield runs.open_run(Path(line.path)).result
        except (BadFile, BadUsage):
            continue


def _rendered(result: Simulation) -> RenderableType:
    about = f"{result.contenders} simulated servers, seed {result.seed}"
    given = f"Conditions: {result.conditions.source}"
    if result.power_asked is None:
        (rates,) = result.tried
        return Group(f"{about}, {_effect(rates)}\n{given}", _figures(rates))
    return Group(f"{about}\n{given}", _sizes(result.tried), _advice(result))


def _effect(rates: Rates) -> str:
    if not rates.effect:
        return "all equal"
    direction = "faster" if rates.effect > 0 else "slower"
    return f"one {100 * abs(rates.effect):g} % {direction} than the others"


def _figures(rates: Rates) -> Table:
    table = Table(
        title=f"{rates.races} races of {rates.duration_s:g} s in "
        f"{figures.plural(rates.boots, 'boot')}, {rates.lasts_s:.0f} s each with warm-ups",
        title_justify="left",
        box=None,
        show_header=False,
    )
    if rates.power:
        table.add_row("the difference was found", *_rate(rates.power))
    table.add_row("a wrong finding", *_rate(rates.false_positives))
    table.add_row("all intervals held the truth", *_rate(rates.coverage))
    if width := rates.half_width:
        table.add_row(
            "half-width of the interval",
            f"±{width.median:.2%}",
            f"{width.low:.2%} to {width.high:.2%} in four of five races",
        )
    else:
        table.add_row("half-width of the interval", "none", "too few blocks for a ratio")
    return table


def _rate(rate: Rate) -> tuple[str, str]:
    return f"{rate.share:.1%}", f"{rate.low:.1%} to {rate.high:.1%}; {rate.count} of {rate.n}"


def _sizes(tried: tuple[Rates, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for head in ("effect", "boots", "measured", "in all", "found", "95 % interval", "half-width"):
        table.add_column(head, justify="right")
    for rates in sorted(tried, key=lambda each: (each.duration_s, each.effect)):
        assert rates.power
        table.add_row(
            f"{100 * rates.effect:g} %",
            str(rates.boots),
            f"{rates.duration_s:g} s",
            f"{rates.lasts_s:.0f} s",
            f"{rates.power.share:.0%}",
            f"{rates.power.low:.0%} to {rates.power.high:.0%}",
            f"±{rates.half_width.median:.2%}" if rates.half_width else "none",
        )
    return table


def _advice(result: Simulation) -> str:
    power, chosen, tried = result.power_asked, result.chosen, result.tried
    if chosen is None or chosen.power is None:
        last = max(tried, key=lambda each: (each.duration_s, each.effect))
        assert last.power
        return (
            f"No race of {last.duration_s:g} s or less finds {100 * last.effect:g} % in "
            f"{power:.0%}; the longest found it in {last.power.share:.0%}. A quieter machine may "
            "help."
        )
    found = f"in {power:.0%} of {chosen.races} races"
    command = f"bakeoff race … -d {chosen.duration_s:g} --boots {chosen.boots}"
    if len({each.duration_s for each in tried}) > 1:
        return f"The shortest that found {100 * chosen.effect:g} % {found}: {command}"
    return f"The smallest effect found {found}: {100 * chosen.effect:g} %, by {command}"
