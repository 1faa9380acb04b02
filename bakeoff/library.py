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

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff import runs, satellites
from bakeoff.model.errors import BadUsage
from bakeoff.model.gate import CantTell
from bakeoff.model.plan import Arrivals, Connection, Until
from bakeoff.model.protocol import Protocol
from bakeoff.model.replay import Driver
from bakeoff.model.verdict import Verdict
from bakeoff.plan import (
    CapacityOptions,
    DayOptions,
    Environment,
    Options,
    RaceOptions,
    ReplayOptions,
    plan_capacity,
    plan_day,
    plan_race,
    plan_replay,
    runs_gate,
)
from bakeoff.progress import suitable_watch
from bakeoff.runs import AnyRun as Run
from bakeoff.runs.results import Comparison
from bakeoff.runs.run import RunPlan
from bakeoff.runs.stages import Watch
from bakeoff.satellites import place

if TYPE_CHECKING:
    from bakeoff.judge import Run as JudgedRun

Duration = float | str
Share = float | str
Counts = int | Sequence[int] | str
Place = str | os.PathLike[str]
Asked = str | dict[str, Any]
"""A workload's name, its file, or what such a file has, as a value."""


def race(
    *contenders: Place,
    everything: bool = False,
    connections: Counts | None = None,
    duration: Duration | None = None,
    workload: Asked | None = None,
    request: str | None = None,
    method: str | None = None,
    headers: Sequence[str] = (),
    body: str | None = None,
    body_file: str | None = None,
    cookies: Sequence[str] = (),
    user: str | None = None,
    expect_status: int | None = None,
    expect_length: int | str | None = None,
    expect_body: str | None = None,
    expect_body_file: str | None = None,
    expect_sha256: str | None = None,
    expect_contains: Sequence[str] = (),
    expect_match: str | None = None,
    expect_json: str | None = None,
    expect_headers: Sequence[str] = (),
    connection: Connection | Sequence[Connection] | None = None,
    pipeline: Counts | None = None,
    protocol: Protocol | Sequence[Protocol] | None = None,
    streams: Counts | None = None,
    ca: str | None = None,
    insecure: bool = False,
    boots: int | None = None,
    instances: int | None = None,
    warm_up: Duration | None = None,
    workers: Counts | None = None,
    cpus: str | None = None,
    cluster: str | None = None,
    i_may_load: Sequence[str] = (),
    server_nodes: int = 1,
    reference: str | None = None,
    ports: Sequence[int] = (),
    pids: Sequence[int] = (),
    solo: bool = False,
    rate: float | None = None,
    load: Share | None = None,
    arrivals: Arrivals = "poisson",
    precision: Share | None = None,
    until: Until | None = None,
    budget: Duration | None = None,
    within: Share | None = None,
    confirm: bool = False,
    same_answers: bool = False,
    keep_going: bool = False,
    ready_timeout: Duration | None = None,
    probes: bool = True,
    gates: Sequence[str] = (),
    cant_tell: CantTell = "pass",
    seed: int | None = None,
    twin: bool = True,
    out: Place = "runs",
    watch: Watch | None = None,
) -> Run:
    """Race HTTP servers: which is faster, by how much, how sure, at what cost.

    Without contenders the default line-up races, with `everything` the whole catalogue. Several
    `connections`, `workers`, `pipeline` depths, `streams` or kinds of `connection` make a grid, a
    race for each combination; of several protocols each contender races once in each, all in one
    race. `ca` is a file with the roots that an https:// URL's certificate is believed by. `rate`
    (requests per second for each) or `load` (a share of each one's own peak) make an open loop,
    ranked by p99 latency. With `same_answers` a contender is out whose answers differ from the
    reference's. A race of two or more ends where fewer than two are left, unless it is to
    `keep_going`.
    `within` (0.02) is the difference that doesn't matter. A race ends early for a `precision`, or
    `until` it is "decided", which is the default for two contenders with a `budget`.
    `ports` go to the commands and `pids` to the URLs, in their order. On a `cluster` (its head's
    address, or "auto") servers and generator run on its machines; `i_may_load` has hosts beside
    them that may be loaded, and contenders are rotated over so many `server_nodes`. The run's
    folder is made in `out`.

    Raises `BadUsage` for options that make no sense, `MissingPiece` where a tool is not installed,
    and `NoVerdict` where no contender gave a result.
    """
    options = RaceOptions.among(locals())
    operands = _operands(contenders)
    here = _environment("race", operands, options)
    with (
        _shown(watch) as shown,
        place(cluster, i_may_load, here, shown.step, server_nodes) as (there, stages),
    ):
        return runs.execute(plan_race(operands, options, there), Path(out), stages, shown)


def capacity(
    *contenders: Place,
    slo: str | Sequence[str],
    connections: int | None = None,
    duration: Duration | None = None,
    workload: Asked | None = None,
    request: str | None = None,
    method: str | None = None,
    headers: Sequence[str] = (),
    body: str | None = None,
    body_file: str | None = None,
    cookies: Sequence[str] = (),
    user: str | None = None,
    expect_status: int | None = None,
    expect_length: int | str | None = None,
    expect_body: str | None = None,
    expect_body_file: str | None = None,
    expect_sha256: str | None = None,
    expect_contains: Sequence[str] = (),
    expect_match: str | None = None,
    expect_json: str | None = None,
    expect_headers: Sequence[str] = (),
    protocol: Protocol | None = None,
    streams: int = 1,
    ca: str | None = None,
    insecure: bool = False,
    arrivals: Arrivals = "poisson",
    boots: int | None = None,
    instances: int | None = None,
    workers: int | None = None,
    cpus: str | None = None,
    keep_going: bool = False,
    ready_timeout: Duration | None = None,
    cluster: str | None = None,
    i_may_load: Sequence[str] = (),
    seed: int | None = None,
    out: Place = "runs",
    watch: Watch | None = None,
) -> Run:
    """Find the highest rate (requests per second) at which servers hold an objective.

    `slo` is an objective such as "p99=10ms,p99.9=50ms", or several of them.

    Raises `BadUsage`, `MissingPiece`, and `NoVerdict` where no contender gave a result.
    """
    slo = [slo] if isinstance(slo, str) else slo
    options = CapacityOptions.among(locals())
    operands = _operands(contenders)
    here = _environment("capacity", operands, options)
    with _shown(watch) as shown, place(cluster, i_may_load, here, shown.step) as (there, stages):
        return runs.execute(plan_capacity(operands, options, there), Path(out), stages, shown)


def replay(
    article: Place,
    *,
    scale: float = 1.0,
    driver: Driver = "engine",
    faithful: bool = False,
    protocol: Protocol | None = None,
    seed: int | None = None,
    out: Place = "runs",
    watch: Watch | None = None,
) -> Run:
    """Replay a published test, by its name or from a file: do its claims hold, here and today?

    `scale` shortens every load in proportion. `driver` makes the load: our engine, a load tool, or
    both. `faithful`: also do as the article did, one server at a time.

    Raises `BadUsage`, `MissingPiece`, and `NoVerdict` where nothing could be measured.
    """
    options = ReplayOptions.among(locals())
    name = os.fspath(article)
    here = _environment("replay", [name], options)
    return _measured(plan_replay(here.catalogue.article(name), options, here), out, watch)


def crosscheck(
    url: str,
    *,
    connections: int = 64,
    duration: Duration = 2.0,
    rounds: int = 12,
    connection: Connection = "keep-alive",
    protocol: Protocol | None = None,
    streams: int = 1,
    ca: str | None = None,
    insecure: bool = False,
    rate: int | None = None,
    tools: str | Sequence[str] | None = None,
    seed: int | None = None,
    out: Place = "runs",
    watch: Watch | None = None,
) -> Run:
    """Load one URL with the load tools that are installed and with our engine: do they agree?

    Every tool has its turn of `duration` (whole seconds) in each of `rounds` rounds.

    Raises `BadUsage`, `MissingPiece` without the engine, and `NoVerdict` where nobody answers at
    the URL, or no tool can be held against the engine.
    """
    given = locals()
    with satellites.needed():
        from bakeoff.plan.crosscheck import CrosscheckOptions, plan_crosscheck
    options = CrosscheckOptions.among(given)
    plan = plan_crosscheck(url, options, _environment("crosscheck", [url], options))
    return _measured(plan, out, watch)


def draws(
    *contenders: Place,
    everything: bool = False,
    quick: bool = False,
    processes: int = 6,
    sets: int = 3,
    connections: int | None = None,
    duration: Duration | None = None,
    warm_up: Duration | None = None,
    boots: int = 1,
    workload: Asked | None = None,
    request: str | None = None,
    method: str | None = None,
    headers: Sequence[str] = (),
    body: str | None = None,
    body_file: str | None = None,
    cookies: Sequence[str] = (),
    user: str | None = None,
    expect_status: int | None = None,
    expect_length: int | str | None = None,
    expect_body: str | None = None,
    expect_body_file: str | None = None,
    expect_sha256: str | None = None,
    expect_contains: Sequence[str] = (),
    expect_match: str | None = None,
    expect_json: str | None = None,
    expect_headers: Sequence[str] = (),
    protocol: Protocol | None = None,
    streams: int = 1,
    ca: str | None = None,
    insecure: bool = False,
    cpus: str | None = None,
    ready_timeout: Duration | None = None,
    pids: Sequence[int] = (),
    seed: int | None = None,
    out: Place = "runs",
    watch: Watch | None = None,
) -> Run:
    """Race processes of one program, and sets of connections to each: what makes two runs differ?

    Every contender is measured by itself, with `everything` the whole catalogue.

    Raises `BadUsage`, `MissingPiece`, and `NoVerdict` where no contender gave a result.
    """
    given = locals()
    with satellites.needed():
        from bakeoff.plan.draws import DrawsOptions, plan_draws
    options = DrawsOptions.among(given)
    operands = _operands(contenders)
    return _measured(
        plan_draws(operands, options, _environment("draws", operands, options)), out, watch
    )


def day(
    *contenders: Place,
    connections: int | None = None,
    duration: Duration | None = None,
    storm: int = 1000,
    slow_clients: int = 200,
    workload: Asked | None = None,
    request: str | None = None,
    method: str | None = None,
    headers: Sequence[str] = (),
    body: str | None = None,
    body_file: str | None = None,
    cookies: Sequence[str] = (),
    user: str | None = None,
    expect_status: int | None = None,
    expect_length: int | str | None = None,
    expect_body: str | None = None,
    expect_body_file: str | None = None,
    expect_sha256: str | None = None,
    expect_contains: Sequence[str] = (),
    expect_match: str | None = None,
    expect_json: str | None = None,
    expect_headers: Sequence[str] = (),
    protocol: Protocol | None = None,
    streams: int = 1,
    arrivals: Arrivals = "poisson",
    workers: int | None = None,
    cpus: str | None = None,
    keep_going: bool = False,
    ready_timeout: Duration | None = None,
    cluster: str | None = None,
    i_may_load: Sequence[str] = (),
    seed: int | None = None,
    out: Place = "runs",
    watch: Watch | None = None,
) -> Run:
    """A day in the life of servers, from cold start to memory after it all, phase by phase.

    `duration` bounds the whole of it. `storm` is how many connections come at once, `slow_clients`
    how many clients send a head byte by byte beside the load.

    Raises `BadUsage`, `MissingPiece`, and `NoVerdict` where no contender gave a result.
    """
    options = DayOptions.among(locals())
    operands = _operands(contenders)
    here = _environment("day", operands, options)
    with _shown(watch) as shown, place(cluster, i_may_load, here, shown.step) as (there, stages):
        return runs.execute(plan_day(operands, options, there), Path(out), stages, shown)


def compare(
    before: Run | Place,
    after: Run | Place,
    *,
    reference: str | None = None,
    unlike_machines: bool = False,
    gates: Sequence[str] = (),
    cant_tell: CantTell = "pass",
) -> Comparison:
    """Compare two races, the earlier first: what became faster, what slower?

    Each is a run, its folder, or a verdict.json alone. Contenders are compared by their ratio to
    `reference`, which is in both. `gates` are such as "nginx >= 98%": against itself before.

    Raises `BadUsage` where the two were not measured alike.
    """
    # Statistics libraries take a second to import: who doesn't judge doesn't wait for them.
    from bakeoff.judge import compare_runs

    judged = [_judged(each) for each in (before, after)]
    names = {entry.name for run in judged for entry in run.verdict.entries}
    names |= {skipped.name for run in judged for skipped in run.verdict.skipped}
    return Comparison(
        compare_runs(
            *judged,
            reference=reference,
            unlike_machines=unlike_machines,
            gates=[runs_gate(text, sorted(names)) for text in gates],
            cant_tell=cant_tell,
        )
    )


def open_run(path: Place) -> Run:
    """The run in a folder, such as "runs/latest", as it was judged last.

    Raises `BadUsage` where there is none.
    """
    return runs.open_run(Path(path))


def _operands(contenders: Sequence[Place]) -> list[str]:
    return [os.fspath(contender) for contender in contenders]


def _environment(command: str, operands: Sequence[str], options: Options) -> Environment:
    """This machine and this moment, with the command line that would do the same."""
    return Environment.here(("bakeoff", command, *operands, *options.arguments()))


def _measured(plan: RunPlan, out: Place, watch: Watch | None) -> Run:
    with _shown(watch) as shown:
        return runs.execute(plan, Path(out), satellites.real_stages(), shown)


def _shown(watch: Watch | None) -> AbstractContextManager[Watch]:
    return nullcontext(watch) if watch else suitable_watch()


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
