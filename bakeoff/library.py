"""The functions of `import bakeoff`: the same options, plans and runs as the command line's.

Times may be seconds or text (20, "90s", "2m"), shares numbers or text (0.7, "70%"). None stands for
the default that `bakeoff COMMAND --help` gives. A contender is a catalogue name, a folder with
contender.toml, a command, or a URL.

What is asked is a `workload`, by its name, from a file or as a dict with the keys of one, or a
`request` such as "POST /orders", with `headers` ("Name: value"), a `body` or a file of it, and its
right answer (`expect_...`). A mix, and a chain that takes a token, are such dicts:

    {"once": [{"path": "/login", "body": "{}", "take": {"token": "json /token"}}],
     "request": [{"path": "/cart", "headers": {"Authorization": "Bearer {{token}}"}, "weight": 3},
                 {"path": "/items"}]}

Every function raises `BakeoffError` with the message that the command line prints. An interrupt
(Ctrl-C, or a notebook's stop button) ends all servers and keeps every finished block: the run that
is returned is `interrupted`. `KeyboardInterrupt` is raised only where nothing had been measured.
Progress is shown in a notebook and in a terminal; `watch` replaces it.
"""

import inspect
import os
import textwrap
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from bakeoff import keywords, plan, runs, satellites
from bakeoff.model.errors import BadUsage
from bakeoff.model.gate import CantTell
from bakeoff.model.verdict import Verdict
from bakeoff.progress import suitable_watch
from bakeoff.runs import AnyRun as Run
from bakeoff.runs.results import Comparison
from bakeoff.runs.run import RunPlan
from bakeoff.runs.stages import Watch
from bakeoff.satellites import place

if TYPE_CHECKING:
    from bakeoff.judge import Run as JudgedRun

Place = str | os.PathLike[str]

_Takes = TypeVar("_Takes", bound=Callable[..., Run])


def _lists(options: type[plan.Options]) -> Callable[[_Takes], _Takes]:
    """Add to a function's documentation the options that it takes, as the command's help has
    them."""

    def listed(function: _Takes) -> _Takes:
        lines = [inspect.cleandoc(function.__doc__ or ""), "", "Options:"]
        for name, declared in options.flags().items():
            text = declared.text or "; ".join(
                f'"{value}": {help_}' for value, help_ in (declared.switches or {}).values()
            )
            lines.append(textwrap.fill(f"    {name}: {text}", 100, subsequent_indent="        "))
        function.__doc__ = "\n".join(lines)
        return function

    return listed


@_lists(plan.RaceOptions)
def race(
    *contenders: Place,
    out: Place = "runs",
    watch: Watch | None = None,
    **options: Unpack[keywords.Race],
) -> Run:
    """Race HTTP servers: which is faster, by how much, how sure, at what cost.

    Without contenders the default line-up races, with `everything` the whole catalogue. Several
    `connections`, `workers`, `pipeline` depths, `streams` or kinds of `connection` make a grid, a
    race for each combination; with several protocols each contender races once in each, all in one
    race. The run's folder is made in `out`.

    Raises `BadUsage` for options that make no sense, `MissingPiece` where a tool is not installed,
    and `NoVerdict` where no contender gave a result.
    """
    return _measured("race", contenders, plan.RaceOptions(**options), plan.plan_race, out, watch)


@_lists(plan.WhyOptions)
def why(
    *contenders: Place,
    out: Place = "runs",
    watch: Watch | None = None,
    **options: Unpack[keywords.Race],
) -> Run:
    """Race HTTP servers, and find out where the difference comes from: `run.why()` has it.

    Raises as `race`.
    """
    return _measured("why", contenders, plan.WhyOptions(**options), plan.plan_race, out, watch)


@_lists(plan.CapacityOptions)
def capacity(
    *contenders: Place,
    out: Place = "runs",
    watch: Watch | None = None,
    **options: Unpack[keywords.Capacity],
) -> Run:
    """Find the highest rate (requests per second) at which servers hold an objective.

    `slo` is an objective such as "p99=10ms,p99.9=50ms", or several of them.

    Raises `BadUsage`, `MissingPiece`, and `NoVerdict` where no contender gave a result.
    """
    checked = plan.CapacityOptions(**options)
    return _measured("capacity", contenders, checked, plan.plan_capacity, out, watch)


@_lists(plan.ReplayOptions)
def replay(
    article: Place,
    *,
    out: Place = "runs",
    watch: Watch | None = None,
    **options: Unpack[keywords.Replay],
) -> Run:
    """Replay a published test, by its name or its file: check whether its claims hold here.

    Raises `BadUsage`, `BadFile`, `MissingPiece`, and `NoVerdict` where no comparison gave a result.
    """

    def planned(
        operands: list[str], options: plan.ReplayOptions, here: plan.Environment
    ) -> RunPlan:
        return plan.plan_replay(here.catalogue.article(operands[0]), options, here)

    return _measured("replay", [article], plan.ReplayOptions(**options), planned, out, watch)


def crosscheck(
    url: str,
    *,
    out: Place = "runs",
    watch: Watch | None = None,
    **options: Unpack[keywords.Crosscheck],
) -> Run:
    """Compare our engine's figures for one URL with those of other load tools.

    Every tool has its turn of `per_run` (whole seconds) in each of `rounds` rounds.

    Raises `BadUsage`, `MissingPiece` without the engine, and `NoVerdict` where nothing answers at
    the URL, or no tool can be compared with the engine.
    """
    with satellites.needed():
        from bakeoff.plan.crosscheck import CrosscheckOptions, plan_crosscheck

    def planned(operands: list[str], options: CrosscheckOptions, here: plan.Environment) -> RunPlan:
        return plan_crosscheck(operands[0], options, here)

    return _measured("crosscheck", [url], CrosscheckOptions(**options), planned, out, watch)


def draws(
    *contenders: Place,
    out: Place = "runs",
    watch: Watch | None = None,
    **options: Unpack[keywords.Draws],
) -> Run:
    """Race processes of one program, and sets of connections to each: what makes two runs differ?

    Every contender is measured by itself, with `everything` the whole catalogue.

    Raises `BadUsage`, `MissingPiece`, and `NoVerdict` where no contender gave a result.
    """
    with satellites.needed():
        from bakeoff.plan.draws import DrawsOptions, plan_draws
    return _measured("draws", contenders, DrawsOptions(**options), plan_draws, out, watch)


@_lists(plan.DayOptions)
def day(
    *contenders: Place,
    out: Place = "runs",
    watch: Watch | None = None,
    **options: Unpack[keywords.Day],
) -> Run:
    """Measure a server's whole day, from cold start to memory after it all, phase by phase.

    Raises `BadUsage`, `MissingPiece`, and `NoVerdict` where no contender gave a result.
    """
    return _measured("day", contenders, plan.DayOptions(**options), plan.plan_day, out, watch)


def compare(
    before: Run | Place,
    after: Run | Place,
    *,
    reference: str | None = None,
    allow_different_machines: bool = False,
    gates: Sequence[str] = (),
    cant_tell: CantTell = "pass",
) -> Comparison:
    """Compare two races, the earlier first: what became faster, what slower?

    Each is a run, its folder, or a verdict.json alone. Contenders are compared by their ratio to
    `reference`, which is in both. `gates` are such as "nginx >= 98%": against itself before.

    Raises `BadUsage` where the two were not measured alike.
    """
    # Statistics libraries take a second to import, which only a judge needs.
    from bakeoff.judge import compare_runs

    judged = [_judged(each) for each in (before, after)]
    names = {entry.name for run in judged for entry in run.verdict.entries}
    names |= {skipped.name for run in judged for skipped in run.verdict.skipped}
    return Comparison(
        compare_runs(
            *judged,
            reference=reference,
            unlike_machines=allow_different_machines,
            gates=[plan.runs_gate(text, sorted(names)) for text in gates],
            cant_tell=cant_tell,
        )
    )


def open_run(path: Place) -> Run:
    """The run in a folder, such as "runs/latest", as it was judged last.

    Raises `BadUsage` where there is none.
    """
    return runs.open_run(Path(path))


_Options = TypeVar("_Options", bound=plan.Options)


def _measured(
    command: str,
    contenders: Sequence[Place],
    options: _Options,
    planned: Callable[[list[str], _Options, plan.Environment], RunPlan],
    out: Place,
    watch: Watch | None,
) -> Run:
    """Plan a run of what is named, for this machine or the cluster of the options, and measure it.

    The run keeps the command line that would do the same.
    """
    operands = [os.fspath(contender) for contender in contenders]
    here = plan.Environment.here(("bakeoff", command, *operands, *options.arguments()))
    cluster, nodes = getattr(options, "cluster", None), getattr(options, "server_nodes", 1)
    with (
        nullcontext(watch) if watch else suitable_watch() as shown,
        place(cluster, getattr(options, "allow_hosts", ()), here, shown.step, nodes) as (
            there,
            stages,
        ),
    ):
        return runs.execute(planned(operands, options, there), Path(out), stages, shown)


def _judged(run: Run | Place) -> "JudgedRun":
    """Verdict and receipts of a race, of its folder, or of a verdict.json alone."""
    from bakeoff.judge import Run as JudgedRun

    if isinstance(run, str | os.PathLike):
        path = Path(run)
        if path.is_file():
            return JudgedRun(Verdict.read_json(path), {})
        run = runs.open_run(path)
    if run.kind != "race":
        raise BadUsage(f"{run.path}: is a {run.kind}; compare takes races, such as {run.path}/NAME")
    return JudgedRun(run.verdict, run.store.receipts())


with suppress(ModuleNotFoundError):
    # An installation may lack what judges bakeoff itself.
    from bakeoff.plan.crosscheck import CrosscheckOptions as _CrosscheckOptions
    from bakeoff.plan.draws import DrawsOptions as _DrawsOptions

    _lists(_CrosscheckOptions)(crosscheck)
    _lists(_DrawsOptions)(draws)
