"""`bakeoff simulate`."""

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.progress import Progress
from rich.table import Table

from bakeoff.cli.asked import Boots, Seed, drawn, timed
from bakeoff.cli.console import err, out
from bakeoff.cli.result import Json, check_json, write_json
from bakeoff.model.errors import BadUsage
from bakeoff.model.simulation import Conditions, Rate, Rates, Simulation
from bakeoff.race.folder import RunFolder
from bakeoff.simulate import BOOTS, USUAL, Size, Study, conditions_of, search, study

DURATION_PER_CONTENDER_S = 20.0
_PERCENT = re.compile(r"([+-]?(?:\d+(?:\.\d+)?|\.\d+))\s*%")


def _percent(text: str) -> float:
    match = _PERCENT.fullmatch(text.strip())
    if not match:
        raise typer.BadParameter(f"is {text!r}; it takes a percentage, as in 3% or 0.5%")
    return float(match[1]) / 100


def simulate(
    effect: Annotated[
        float | None,
        typer.Option(
            parser=_percent,
            metavar="PERCENT",
            help="By how much one server is faster than the others, which are equal. (default: "
            "0%: all equal)",
        ),
    ] = None,
    power: Annotated[
        float | None,
        typer.Option(
            parser=_percent,
            metavar="PERCENT",
            help="Search the shortest race that finds the effect so often.",
        ),
    ] = None,
    duration: Annotated[
        float | None,
        timed(
            "-d",
            "--duration",
            help="Measured time of one race in all. (default: 20 s per contender)",
        ),
    ] = None,
    contenders: Annotated[int, typer.Option(min=2, max=40, help="How many servers race.")] = 2,
    boots: Boots = None,
    races: Annotated[
        int, typer.Option(min=2, help="How many races of each size are simulated.")
    ] = 200,
    like: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Take slices, noise, drift, steal and boots from a run's samples: runs/latest, "
            "say. (default: a shared virtual machine with two cores)",
        ),
    ] = None,
    seed: Seed = None,
    json: Json = None,
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
    """
    effect = effect or 0.0
    _check(effect, power, duration)
    check_json(json)
    conditions = _like(like) if like else USUAL
    chosen_seed = drawn(seed)
    size = Size(
        effect=effect,
        contenders=contenders,
        duration_s=duration or DURATION_PER_CONTENDER_S * contenders,
        boots=boots or BOOTS[0],
    )
    with study(chosen_seed) as asked, _progress() as progress:

        def rates(of: Size) -> Rates:
            return _watched(asked, of, conditions, races, progress)

        if power is None:
            tried: tuple[Rates, ...] = (rates(size),)
            chosen: Rates | None = tried[0]
        else:
            tried, chosen = search(size, power, (boots,) if boots else BOOTS, rates)
    result = Simulation(
        effect=effect,
        contenders=contenders,
        seed=chosen_seed,
        conditions=conditions,
        power_asked=power,
        tried=tried,
        chosen=chosen,
    )
    (err if json == "-" else out).print(shown(result))
    write_json(json, result)
    if chosen is None:
        raise typer.Exit(1)


def _check(effect: float, power: float | None, duration: float | None) -> None:
    if not -0.9 <= effect <= 9:
        raise BadUsage(f"--effect: is {effect:.0%}; it takes -90% to 900%")
    if power is None:
        return
    if not 0 < power < 1:
        raise BadUsage(f"--power: is {power:.0%}; it takes more than 0% and less than 100%")
    if effect == 0:
        raise BadUsage("--power: needs an --effect to find, such as --effect 1%")
    if duration is not None:
        raise BadUsage("--power: searches the duration; leave out --duration")


def _like(run: Path) -> Conditions:
    folder = RunFolder.open(run)
    return conditions_of(folder.plan(), folder.records())


def _progress() -> Progress:
    return Progress(console=err, transient=True, disable=not err.is_terminal, auto_refresh=False)


def _watched(
    asked: Study, size: Size, conditions: Conditions, races: int, progress: Progress
) -> Rates:
    """The rates of one size, with a bar over its races."""
    task = progress.add_task(f"{size.duration_s:g} s in {size.boots} boots", total=races)

    def done() -> None:
        progress.advance(task)
        progress.refresh()

    return asked.rates(size, conditions, races, done)


def shown(result: Simulation) -> RenderableType:
    """What a terminal shows of it."""
    about = (
        f"{result.contenders} simulated servers, {_effect(result.effect)}; seed {result.seed}\n"
        f"Conditions: {result.conditions.source}"
    )
    if result.power_asked is None:
        return Group(about, _figures(result.tried[0]))
    return Group(about, _sizes(result.tried), _advice(result))


def _effect(effect: float) -> str:
    if not effect:
        return "all equal"
    return f"one {100 * abs(effect):g} % {'faster' if effect > 0 else 'slower'} than the others"


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
    return table


def _rate(rate: Rate) -> tuple[str, str]:
    return f"{rate.share:.1%}", f"{rate.low:.1%} to {rate.high:.1%}; {rate.count} of {rate.n}"


def _sizes(tried: tuple[Rates, ...]) -> Table:
    """All sizes that were tried, a line for each."""
    table = Table(box=None, pad_edge=False)
    for head in ("boots", "measured", "in all", "found", "95 % interval", "half-width"):
        table.add_column(head, justify="right")
    for rates in sorted(tried, key=lambda each: (each.boots, each.duration_s)):
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
    asked, chosen = result.power_asked, result.chosen
    if chosen is None or chosen.power is None:
        longest = max(result.tried, key=lambda each: each.power.share if each.power else 0)
        assert longest.power
        return (
            f"No race of {longest.duration_s:g} s or less does it in {asked:.0%}; the best found "
            f"it in {longest.power.share:.0%}. More --boots may help, or a quieter machine."
        )
    words = f"-d {chosen.duration_s:g} --boots {chosen.boots}"
    return (
        f"The shortest that found it in {asked:.0%} of {chosen.races} races: bakeoff race … {words}"
    )
