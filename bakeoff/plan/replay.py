"""From an article to the plan of its replay, and from each of its comparisons to a race here.

This machine never is the article's: each race says what had to change.
"""

from collections.abc import Sequence
from statistics import mean
from typing import Annotated, Any

import bakeoff.plan.options as shared
from bakeoff.model.article import Article, Comparison, Row, Shape
from bakeoff.model.errors import BadFile, BadUsage, nearest
from bakeoff.model.plan import LATENCY_LONG_SHARE, LONG_SHARE, Cores, Entry, Plan, Skipped
from bakeoff.model.protocol import WITH_STREAMS
from bakeoff.model.replay import Driver, PlannedComparison, ReplayPlan
from bakeoff.plan.catalogue import Catalogue, read_contender
from bakeoff.plan.entries import twin
from bakeoff.plan.environment import Environment
from bakeoff.plan.options import Options
from bakeoff.plan.race import BOOTS
from bakeoff.plan.values import OneProtocol, default_cores, spare_cpus

ROW_S_MIN = 3.0
"""The least time for a row: about six long slices, the fewest for comparing latencies."""
MEMORY_BOOTS = 3
"""Memory is read once in each boot."""
ROUNDS = 10
TOOL_RUN_S_MIN = 1.0
REQUESTS_PER_CONNECTION_MIN = 10
SCALE_MAX = 100.0


class ReplayOptions(Options):
    """The options of a replay."""

    driver: Annotated[
        Driver,
        shared.Flag(
            shared.LOAD,
            "Make the load with our engine, with a real tool (the article's own or another), or "
            "with both our engine and the article's tool, which are then compared.",
            "engine",
        ),
    ] = "engine"
    protocol: Annotated[OneProtocol | None, shared.PROTOCOL] = None
    scale: Annotated[
        float,
        shared.Flag(
            shared.TIME,
            "Scale the time of every load of the article: 0.05 is quick.",
            "1",
            "NUMBER",
        ),
    ] = 1.0
    faithful: Annotated[
        bool,
        shared.Flag(
            shared.TIME,
            "Repeat the article's method as well: one server at a time, five runs in a row, the "
            "mean.",
        ),
    ] = False

    def model_post_init(self, _context: Any) -> None:
        if self.protocol not in (None, "h1") and (self.driver != "engine" or self.faithful):
            raise BadUsage(
                f"--protocol {self.protocol}: the articles' tools speak HTTP/1 in cleartext; the "
                "engine alone loads other protocols: leave out --driver and --faithful"
            )
        if not 0 < self.scale <= SCALE_MAX:
            raise BadUsage(
                f"--scale: is {self.scale:g}; it takes a number above 0, {SCALE_MAX:g} at most"
            )


def plan_replay(article: Article, options: ReplayOptions, environment: Environment) -> ReplayPlan:
    """The plan of a replay, with every comparison as it can be measured here.

    Raises `BadUsage`, `BadFile`.
    """
    plan = ReplayPlan(
        run=f"{environment.time}-replay-{article.name}",
        command_line=environment.command_line,
        article=article,
        scale=options.scale,
        driver=options.driver,
        faithful=options.faithful,
        protocol=options.protocol or "h1",
        seed=options.seed,
    )
    comparisons = (
        adapt(plan, comparison, environment.catalogue, environment.cores)
        for comparison in article.comparisons
    )
    return plan.model_copy(update={"comparisons": tuple(comparisons)})


def adapt(
    replay: ReplayPlan, comparison: Comparison, catalogue: Catalogue, available: Sequence[int]
) -> PlannedComparison:
    article = replay.article
    shape = article.loads[comparison.load]
    workload = catalogue.workload(comparison.workload)
    if comparison.cpus == "one" or len(available) < 2:
        cores = default_cores(available, upstream=workload.has_upstream)
    else:
        cores = Cores(server=tuple(available[:-1]), client=(available[-1],))
    workers = {row.name: row.workers or len(cores.server) for row in comparison.rows}
    rows: list[Entry] = []
    skipped: dict[str, str] = {}
    for row in comparison.rows:
        try:
            rows.append(_entry(row, comparison.workload, catalogue, workers[row.name], replay))
        except (BadUsage, BadFile) as error:
            skipped[row.name] = str(error)
    row_s = max(ROW_S_MIN, _article_s(comparison, shape) * replay.scale)
    plan = None
    if rows:
        entries = [*rows, *twin(rows, rows[0].name)]
        metrics = {claim.metric for claim in article.claims if claim.comparison == comparison.name}
        from_latency = any(metric.startswith("latency") for metric in metrics)
        plan = Plan(
            run=comparison.name,
            command_line=replay.command_line,
            entries=tuple(entries),
            skipped=tuple(Skipped(name=name, reason=reason) for name, reason in skipped.items()),
            workload=workload,
            upstream=catalogue.upstream(workload),
            upstream_cpus=spare_cpus(available, cores),
            connection=shape.connection,
            http="1.1" if replay.protocol in WITH_STREAMS else shape.http,
            protocol=replay.protocol,
            connections=shape.connections,
            duration_s=row_s * len(entries),
            long_share=LATENCY_LONG_SHARE if from_latency else LONG_SHARE,
            boots=MEMORY_BOOTS if "memory" in metrics else BOOTS,
            workers=len(cores.server),
            cores=cores,
            reference=rows[0].name,
            solo=False,
            keep_going=True,
            seed=replay.seed,
        )
    return PlannedComparison(
        name=comparison.name,
        plan=plan,
        cores=cores,
        workers=workers,
        skipped=skipped,
        changes=_changes(replay, comparison, cores, row_s),
    )


def run_size(shape: Shape, scale: float, runs: int) -> tuple[int | None, float | None]:
    """Requests or seconds of one of `runs` runs of a tool, which share the article's load."""
    if shape.requests is None:
        assert shape.duration_s
        return None, max(TOOL_RUN_S_MIN, shape.duration_s * shape.repeats * scale / runs)
    requests = round(shape.requests * shape.repeats * scale / runs)
    return max(requests, REQUESTS_PER_CONNECTION_MIN * shape.connections), None


def _entry(
    row: Row, workload: str, catalogue: Catalogue, workers: int, replay: ReplayPlan
) -> Entry:
    """Raise `BadUsage` if no contender of the catalogue serves the row as `replay` needs."""
    names = catalogue.names()
    if row.contender not in names:
        hint = nearest(row.contender, names, "") if row.contender else ""
        raise BadUsage(f"there is no contender called {row.contender} in the catalogue yet{hint}")
    folder = catalogue.folder(row.contender)
    contender = read_contender(folder)
    if workload not in contender.serves:
        raise BadUsage(f"{row.contender} doesn't serve the workload {workload}")
    if replay.protocol not in contender.protocols:
        speaks = ", ".join(contender.protocols)
        raise BadUsage(f"{contender.name} doesn't speak {replay.protocol}; it speaks {speaks}")
    return Entry(
        name=row.name,
        title=row.label,
        origin="catalogue",
        contender=contender,
        folder=str(folder),
        path=contender.serves[workload],
        workers=workers,
    )


def _article_s(comparison: Comparison, shape: Shape) -> float:
    """How long the article loaded a row in all its repeats, as the mean over its rows."""
    if shape.duration_s is not None:
        return shape.duration_s * shape.repeats
    assert shape.requests is not None
    rates = [rate for row in comparison.rows if (rate := row.published.value("requests_per_s"))]
    return shape.requests * shape.repeats / mean(rates) if rates else 0.0


def _changes(
    replay: ReplayPlan, comparison: Comparison, cores: Cores, row_s: float
) -> tuple[str, ...]:
    article, protocol = replay.article, replay.protocol
    shape = article.loads[comparison.load]
    ours, threads = len(cores.server), article.setting.threads
    if comparison.cpus == "one":
        theirs: int | None = 1
    elif threads and comparison.cpus != "all":
        theirs = max(1, threads - 1)
    else:
        theirs = threads
    changes = [
        f"{shape.tool} loaded each server for {_article_s(comparison, shape):.3g} s in all; here "
        f"each is measured for {row_s:.3g} s, in turn with the others"
    ]
    if theirs is None:
        changes.append("the article does not say how many processors its machine had")
    elif theirs != ours:
        changes.append(
            f"the servers had {_processors(theirs)} there and have {_processors(ours)} here"
        )
    if cores.shared:
        changes.append("server and generator share the only processor")
    else:
        changes.append(
            "server and generator have processors of their own here; there they shared them"
        )
    if shape.threads > len(cores.client):
        changes.append(
            f"{shape.tool} ran {shape.threads} threads; our generator has {len(cores.client)}"
        )
    if protocol != "h1":
        changes.append(
            f"{shape.tool} spoke HTTP/{shape.http} in cleartext; here the servers speak {protocol}"
        )
    return tuple(changes)


def _processors(count: int) -> str:
    return "one processor" if count == 1 else f"{count} processors"
