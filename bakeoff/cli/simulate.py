"""`bakeoff simulate`."""

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BeforeValidator, Field
from rich.console import Group, RenderableType
from rich.progress import Progress
from rich.table import Table

from bakeoff import runs
from bakeoff.cli.options import takes
from bakeoff.cli.output import Json, check_json, err, out, say, show
from bakeoff.model.errors import BadUsage, Status
from bakeoff.model.simulation import Conditions, Rate, Rates, Simulation
from bakeoff.plan import Flag, Options
from bakeoff.plan.options import BootsOption
from bakeoff.plan.values import Seconds
from bakeoff.progress import terminal_watch
from bakeoff.report import figures
from bakeoff.runs.store import Store
from bakeoff.workers import pool

if TYPE_CHECKING:
    from bakeoff.simulate import Size

DURATION_PER_CONTENDER_S = 20.0
_PERCENT = re.compile(r"([+-]?(?:\d+(?:\.\d+)?|\.\d+))\s*%")


def _percent(option: str) -> BeforeValidator:
    def parse(text: str) -> float:
        match = _PERCENT.fullmatch(text.strip())
        if not match:
            raise BadUsage(f"{option}: is {text!r}; it takes a percentage, as in 3% or 0.5%")
        return float(match[1]) / 100

    return BeforeValidator(parse)


class SimulateOptions(Options):
    """What is simulated."""

    effect: Annotated[
        float,
        _percent("--effect"),
        Flag(
            "By how much one server is faster than the others, which are equal. (default: 0%: all "
            "equal)",
            metavar="PERCENT",
        ),
    ] = 0.0
    power: Annotated[
        Annotated[float, _percent("--power")] | None,
        Flag("Search for the shortest race that finds the effect this often.", metavar="PERCENT"),
    ] = None
    duration: Annotated[
        Seconds | None,
        Flag(
            "Measured time of one race in all. (default: 20 s per contender)",
            metavar="TIME",
            letter="-d",
        ),
    ] = None
    boots: BootsOption = None
    connections: Annotated[
        Annotated[int, Field(ge=1)] | None,
        Flag("How many connections load. (default: as in the conditions)", letter="-c"),
    ] = None
    requests_per_s: Annotated[
        Annotated[float, Field(gt=0)] | None,
        Flag("What the servers do. (default: as in the conditions)", metavar="N"),
    ] = None
    loaders: Annotated[
        int,
        Field(ge=1, le=1000),
        Flag("How many load generators share the load, over a network. (default: 1)"),
    ] = 1
    clock_error: Annotated[
        Seconds,
        Flag("How far off their clocks may be. (default: 100us)", metavar="TIME"),
    ] = 100e-6
    late: Annotated[
        float,
        _percent("--late"),
        Flag("In how many of its slices each begins late. (default: 0%)", metavar="PERCENT"),
    ] = 0.0
    losses: Annotated[
        float,
        Field(ge=0),
        Flag("How many of them are lost in an hour, of all together. (default: 0)", metavar="N"),
    ] = 0.0

    def model_post_init(self, _context: Any) -> None:
        """Refuse what can't be simulated, or can't be had together."""
        if not -0.9 <= self.effect <= 9:
            raise BadUsage(f"--effect: is {self.effect:.0%}; it takes -90% to 900%")
        if self.loaders == 1 and (self.late or self.losses):
            raise BadUsage("--late and --losses: need several load generators; give --loaders")
        if not 0 <= self.late <= 1:
            raise BadUsage(f"--late: is {self.late:.0%}; it takes 0% to 100%")
        if self.power is None:
            return
        if not 0 < self.power < 1:
            raise BadUsage(
                f"--power: is {self.power:.0%}; it takes more than 0% and less than 100%"
            )
        if self.effect == 0:
            raise BadUsage("--power: needs an --effect to find, such as --effect 1%")
        if self.duration is not None:
            raise BadUsage("--power: searches the duration; leave out --duration")


@takes(SimulateOptions)
def simulate(
    options: SimulateOptions,
    contenders: Annotated[int, typer.Option(min=2, max=40, help="How many servers race.")] = 2,
    races: Annotated[
        int, typer.Option(min=2, help="How many races of each size are simulated.")
    ] = 200,
    like: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Take slices, noise, drift, steal and draws from a run's samples: runs/latest, "
            "say. (default: a shared virtual machine with two cores)",
        ),
    ] = None,
    json: Json = None,
    runs_wanted: Annotated[
        int | None,
        typer.Option(
            "--runs",
            metavar="N",
            min=1,
            help="Leave N simulated runs as folders in --out, one a day; halfway one server gets "
            "the --effect.",
        ),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where those runs are left.")
    ] = None,
) -> None:
    """Race servers that don't exist: how sure is a verdict, and how long must a race be?

    Servers are simulated as queues on a machine that drifts, is taken away
    by its host, and finds caches cold. So the truth is known, and the judge
    that judges real races can be judged: how often does it find a difference
    that is there, or one that isn't? No server is started.

    bakeoff simulate                             equal servers: false alarms
    bakeoff simulate --effect 3% -d 30s          is 3 % found in 30 s?
    bakeoff simulate --effect 1% --power 80%     how long must a race be?
    bakeoff simulate --effect 1% --power 80% --like runs/latest    on this machine
    bakeoff simulate --loaders 64 -c 1000000 --requests-per-s 1000000 --late 0.1%
    bakeoff simulate --effect -5% --runs 60 --out DIR    a history with a step
    """
    # Statistics libraries take a second to import: other commands don't wait for them.
    from bakeoff.simulate import USUAL, Size, search, study

    check_json(json)
    conditions = _conditions(options, _conditions_like(like) if like else USUAL)
    size = Size(
        effect=options.effect,
        contenders=contenders,
        duration_s=options.duration or DURATION_PER_CONTENDER_S * contenders,
        boots=options.boots or 1,
    )
    if (runs_wanted is None) != (to is None):
        raise BadUsage("--runs and --out: go together, as in --runs 60 --out DIR")
    if runs_wanted and to:
        if options.power is not None:
            raise BadUsage("--runs: leaves runs, and --power searches a duration; leave out one")
        _leave(to, runs_wanted, size, conditions, options.seed)
        return
    shown = err.is_terminal
    bars = Progress(console=err, transient=True, disable=not shown, auto_refresh=False)
    with study(options.seed) as simulated, bars:

        def rates(size: Size) -> Rates:
            """The rates of one size, with a bar over its races."""
            task = bars.add_task(f"{size.duration_s:g} s in {size.boots} boots", total=races)

            def done() -> None:
                bars.advance(task)
                bars.refresh()

            return simulated.rates(size, conditions, races, done)

        if options.power is None:
            tried: tuple[Rates, ...] = (rates(size),)
            chosen: Rates | None = tried[0]
        else:
            tried, chosen = search(size, options.power, rates)
    result = Simulation(
        effect=options.effect,
        contenders=contenders,
        seed=options.seed,
        conditions=conditions,
        power_asked=options.power,
        tried=tried,
        chosen=chosen,
    )
    show(_rendered(result), result, json)
    if chosen is None:
        raise typer.Exit(Status.NO_VERDICT)


def _conditions(options: SimulateOptions, given: Conditions) -> Conditions:
    """Those given, with what the options say of load and generators."""
    from bakeoff.simulate import over_a_network

    asked = {"connections": options.connections, "requests_per_s": options.requests_per_s}
    changed = {key: value for key, value in asked.items() if value is not None}
    if options.loaders == 1:
        return given.model_copy(update=changed)
    return over_a_network(
        given,
        **changed,
        loaders=options.loaders,
        clock_error_us=options.clock_error * 1e6,
        late_share=options.late,
        losses_per_hour=options.losses,
    )


def _leave(to: Path, wanted: int, size: "Size", conditions: Conditions, seed: int) -> None:
    """Write `wanted` simulated runs as folders of `to`, by as many processes as there are cores."""
    if to.exists() and any(to.iterdir()):
        raise BadUsage(f"--out {to}: is not empty; simulated runs take a folder of their own")
    with terminal_watch(err) as watch, pool() as workers:
        each = partial(_left, to, size, conditions, seed, wanted // 2)
        for done, _ in enumerate(workers.map(each, range(wanted), chunksize=4), start=1):
            if done % 20 == 0:
                watch.measured(done, wanted, f"{done:,} of {wanted:,} runs")
    say(f"{figures.plural(wanted, 'simulated run')} in {to}", out)


def _left(
    to: Path, size: "Size", conditions: Conditions, seed: int, changed: int, day: int
) -> None:
    from bakeoff.simulate import simulated_run

    run = simulated_run(size, conditions, seed, day, changed)
    store = Store.create(to / run.plan.run, run.plan.to_json(), run.machine, run.receipts)
    with store.locked():
        for record in run.records:
            store.append(record)
    store.keep("verdict.json", run.verdict)


def _conditions_like(path: Path) -> Conditions:
    from bakeoff.simulate import conditions_of

    run = runs.open_run(path)
    if run.kind != "race":
        raise BadUsage(f"--like {path}: is a {run.kind}; it takes a race")
    return conditions_of(run.plan, run.records())


def _rendered(result: Simulation) -> RenderableType:
    effect = "all equal"
    if result.effect:
        direction = "faster" if result.effect > 0 else "slower"
        effect = f"one {100 * abs(result.effect):g} % {direction} than the others"
    about = (
        f"{result.contenders} simulated servers, {effect}; seed {result.seed}\n"
        f"Conditions: {result.conditions.source}"
    )
    if result.power_asked is None:
        return Group(about, _figures(result.tried[0]))
    return Group(about, _sizes(result.tried), _advice(result))


def _figures(rates: Rates) -> Table:
    """One size, a line for each rate."""
    table = Table(
        title=f"{rates.races} races of {rates.duration_s:g} s in {rates.boots} boots, "
        f"{rates.lasts_s:.0f} s each with warm-ups",
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
    if scale := rates.scale:
        table.add_row("blocks left out", f"{scale.left_out:.1%}", f"{scale.lost:.1f} loaders lost")
        table.add_row("merging a slice", f"{scale.merge_ms:.2f} ms")
        table.add_row("judging a race", f"{scale.judge_s:.1f} s", f"{scale.memory_mib:,.0f} MiB")
        table.add_row("samples of a race", f"{scale.samples_mib:,.1f} MiB")
    return table


def _rate(rate: Rate) -> tuple[str, str]:
    return f"{rate.share:.1%}", f"{rate.low:.1%} to {rate.high:.1%}; {rate.count} of {rate.n}"


def _sizes(tried: tuple[Rates, ...]) -> Table:
    """All sizes that were tried, a line for each."""
    table = Table(box=None, pad_edge=False)
    for head in ("boots", "measured", "in all", "found", "95 % interval", "half-width"):
        table.add_column(head, justify="right")
    for rates in sorted(tried, key=lambda each: each.duration_s):
        assert rates.power
        table.add_row(
            str(rates.boots),
            f"{rates.duration_s:g} s",
            f"{rates.lasts_s:.0f} s",
            f"{rates.power.share:.0%}",
            f"{rates.power.low:.0%} to {rates.power.high:.0%}",
            f"±{rates.half_width.median:.2%}" if rates.half_width else "none",
        )
    return table


def _advice(result: Simulation) -> str:
    power, chosen = result.power_asked, result.chosen
    if chosen is None or chosen.power is None:
        longest = max(result.tried, key=lambda each: each.power.share if each.power else 0)
        assert longest.power
        return (
            f"No race of {longest.duration_s:g} s or less does it in {power:.0%}; the best found "
            f"it in {longest.power.share:.0%}. A quieter machine may help."
        )
    flags = f"-d {chosen.duration_s:g} --boots {chosen.boots}"
    return (
        f"The shortest that found it in {power:.0%} of {chosen.races} races: bakeoff race … {flags}"
    )
