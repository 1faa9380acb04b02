"""From a comparison of an article to a race on this machine, with all that had to change."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from bakeoff.model.article import Article, Comparison, Row, Shape
from bakeoff.model.errors import BadFile, BadUsage, nearest
from bakeoff.model.plan import LONG_SHARE, Cores, Entry, Plan, Skipped
from bakeoff.model.replay import ReplayPlan
from bakeoff.plan.catalogue import Catalogue, read_contender
from bakeoff.plan.decide import twin

ROW_S_MIN = 3.0
"""The least time for a row: some six long slices, the least that latencies are compared by."""
BOOTS_LONG, BOOTS_SHORT = 3, 2
LONG_RACE_ROW_S = 10.0
LATENCY_LONG_SHARE = 0.5
ROUNDS = 10
TOOL_RUN_S_MIN = 1.0
REQUESTS_PER_CONNECTION_MIN = 10


@dataclass(frozen=True)
class Adapted:
    """A comparison as it can be measured here. `plan` is None where no row can take part.

    `changes` has a sentence for each thing that is not as the article had it.
    """

    plan: Plan | None
    cores: Cores
    workers: dict[str, int]
    skipped: dict[str, str]
    changes: tuple[str, ...]


def adapt(
    asked: ReplayPlan, comparison: Comparison, catalogue: Catalogue, available: Sequence[int]
) -> Adapted:
    """The race of one comparison, with its rows as entries. Raises `BadFile`, `BadUsage`."""
    article = asked.article
    shape = article.loads[comparison.load]
    cores = _cores(comparison, available)
    workers = {row.name: row.workers or len(cores.server) for row in comparison.rows}
    entries, skipped = _entries(comparison, catalogue, workers)
    row_s = max(ROW_S_MIN, _article_s(comparison, shape) * asked.scale)
    changes = _changes(article, comparison, cores, row_s)
    if not entries:
        return Adapted(None, cores, workers, skipped, changes)
    entries += twin(entries, entries[0].name)
    plan = Plan(
        run=comparison.name,
        command_line=asked.command_line,
        entries=tuple(entries),
        skipped=tuple(Skipped(name=name, reason=reason) for name, reason in skipped.items()),
        workload=catalogue.workload(comparison.workload),
        connection=shape.connection,
        http=shape.http,
        connections=shape.connections,
        duration_s=row_s * len(entries),
        long_share=LATENCY_LONG_SHARE if _argues_from_latency(article, comparison) else LONG_SHARE,
        boots=BOOTS_LONG if row_s >= LONG_RACE_ROW_S else BOOTS_SHORT,
        workers=len(cores.server),
        cores=cores,
        reference=entries[0].name,
        solo=False,
        seed=asked.seed,
    )
    return Adapted(plan, cores, workers, skipped, changes)


def run_size(shape: Shape, scale: float, runs: int) -> tuple[int | None, float | None]:
    """Requests or seconds of one of `runs` runs of a tool, which share the article's load."""
    if shape.requests is None:
        assert shape.duration_s
        return None, max(TOOL_RUN_S_MIN, shape.duration_s * shape.repeats * scale / runs)
    requests = round(shape.requests * shape.repeats * scale / runs)
    return max(requests, REQUESTS_PER_CONNECTION_MIN * shape.connections), None


def _cores(comparison: Comparison, available: Sequence[int]) -> Cores:
    """The last core is the generator's; the servers have one, or all others."""
    if comparison.cpus == "one" or len(available) < 2:
        return Cores(server=(available[0],), client=(available[-1],))
    return Cores(server=tuple(available[:-1]), client=(available[-1],))


def _entries(
    comparison: Comparison, catalogue: Catalogue, workers: dict[str, int]
) -> tuple[list[Entry], dict[str, str]]:
    entries: list[Entry] = []
    skipped: dict[str, str] = {}
    for row in comparison.rows:
        try:
            entries.append(_entry(row, comparison.workload, catalogue, workers[row.name]))
        except (BadUsage, BadFile) as error:
            skipped[row.name] = str(error)
    return entries, skipped


def _entry(row: Row, workload: str, catalogue: Catalogue, workers: int) -> Entry:
    names = catalogue.names()
    if row.contender not in names:
        hint = nearest(row.contender, names, "") if row.contender else ""
        raise BadUsage(f"there is no contender called {row.contender} in the catalogue yet{hint}")
    folder = catalogue.folder(row.contender)
    contender = read_contender(folder)
    if workload not in contender.serves:
        raise BadUsage(f"{row.contender} doesn't serve the workload {workload}")
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
    """How long the article loaded a row, on average over its rows, all repeats together."""
    if shape.duration_s is not None:
        return shape.duration_s * shape.repeats
    assert shape.requests is not None
    rates = [rate for row in comparison.rows if (rate := row.published.value("requests_per_s"))]
    return shape.requests * shape.repeats / mean(rates) if rates else 0.0


def _argues_from_latency(article: Article, comparison: Comparison) -> bool:
    return any(
        claim.comparison == comparison.name and claim.metric.startswith("latency")
        for claim in article.claims
    )


def _changes(
    article: Article, comparison: Comparison, cores: Cores, row_s: float
) -> tuple[str, ...]:
    shape = article.loads[comparison.load]
    there, here = _article_cpus(article, comparison), len(cores.server)
    said = [
        f"{shape.tool} loaded each server for {_article_s(comparison, shape):.3g} s in all; here "
        f"each is measured for {row_s:.3g} s, in turn with the others"
    ]
    if there is None:
        said.append("the article does not say how many processors its machine had")
    elif there != here:
        said.append(f"the servers had {_processors(there)} there and have {_processors(here)} here")
    if cores.shared:
        said.append("server and generator share the only processor")
    else:
        said.append(
            "server and generator have processors of their own here; there they shared them"
        )
    if shape.threads > len(cores.client):
        said.append(
            f"{shape.tool} ran {shape.threads} threads; our generator has {len(cores.client)}"
        )
    return tuple(said)


def _article_cpus(article: Article, comparison: Comparison) -> int | None:
    threads = article.setting.threads
    if comparison.cpus == "one" or threads is None:
        return 1 if comparison.cpus == "one" else None
    return threads if comparison.cpus == "all" else max(1, threads - 1)


def _processors(count: int) -> str:
    return "one processor" if count == 1 else f"{count} processors"
