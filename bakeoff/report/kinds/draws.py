"""Draws: how much two runs of the same server differ, level by level."""

from collections.abc import Callable, Iterator, Sequence
from math import sqrt

from bakeoff.model.draws import ContenderDraws, Draws, Level, LevelSpread, RequestDraws
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds.shared import again, machine_table, pinning, skipped

_LEVELS: dict[Level, str] = {
    "block": "a block",
    "connections": "a set of connections",
    "process": "a process",
    "boot": "a boot",
}
Z = 1.96
BUSY = 0.9
_READING = (
    "Each spread is the standard deviation of ln throughput over draws of that level, with its 95 %"
    " interval and the number of draws: 1 % means that two of them differ by 1.4 % typically. "
    "Blocks are short slices beside each other, so a longer run averages them away. A set of "
    "connections and a process last for a whole run: measuring longer measures that draw better, "
    "and the server no better."
)
_ERRORS = (
    "The error of a run is the standard deviation of its throughput over runs of 20 s. wrk, ab, oha"
    " and hey load one process over one set of connections: one draw. Twenty draws are 20 s in"
    " pieces of a second, each with a new process and new connections. The machine's drift from run"
    " to run comes on top of both. The last column is how far apart two runs of one draw each are"
    " in 95 % of cases though nothing has changed."
)
_BOOTS = "Boots are compared with nothing beside them: the machine's drift is in their spread."
_REQUESTS = (
    "Requests/s are those of one process at a time. Spreads are those of ln latency, of which a"
    " slice has the geometric mean: at full load a request waits for others, too."
)
_FEW = "too few rounds to tell a spread; give it more time with --duration"


def document(result: Draws) -> doc.Document:
    told = [contender for contender in result.contenders if contender.spreads]
    levels = [level for level in _LEVELS if any(contender.spread(level) for contender in told)]
    return doc.Document(
        title="Draws: what makes two runs of a server differ",
        headline=headline(result),
        context=("draws", result.machine.taken_at),
        facts=_facts(result),
        alarm="" if result.complete else "The measurement was ended before its time.",
        summary=(
            doc.tabulated(
                "Spread per level",
                told,
                [
                    ("contender", lambda contender: contender.name),
                    *(
                        (_LEVELS[level], lambda contender, level=level: _spread(contender, level))
                        for level in levels
                    ),
                ],
            ),
            doc.Text(_READING + (f" {_BOOTS}" if "boot" in levels else ""), quiet=True),
            doc.tabulated(
                "The error of a run of 20 s",
                told,
                [
                    ("contender", lambda contender: contender.name),
                    ("requests/s", lambda contender: figures.rate(contender.requests_per_s)),
                    ("one draw", lambda contender: _share(contender.one_draw_error)),
                    ("twenty draws", lambda contender: _share(contender.twenty_draws_error)),
                    ("two runs of one draw", lambda contender: _apart(contender)),
                ],
            ),
            doc.Text(_ERRORS, quiet=True),
            _requests(told, levels),
            doc.List("What to know", tuple(_notes(result))),
            skipped(result.skipped),
        ),
        detail=(machine_table(result.machine), again(result.plan.command_line, result.plan.run)),
        data=tuple(row for contender in result.contenders for row in _rows(contender)),
    )


def _requests(told: Sequence[ContenderDraws], levels: Sequence[Level]) -> doc.Table:
    rows = [(contender, request) for contender in told for request in contender.by_request]
    columns: list[tuple[str, Callable[[tuple[ContenderDraws, RequestDraws]], str]]] = [
        ("request", lambda row: row[1].name),
        ("contender", lambda row: row[0].name),
        ("requests/s", lambda row: figures.rate(row[1].requests_per_s)),
        ("p50", lambda row: figures.duration(row[1].p50_us)),
        ("p99", lambda row: figures.duration(row[1].p99_us)),
        *((_LEVELS[level], lambda row, level=level: _spread(row[1], level)) for level in levels),
    ]
    return doc.tabulated("Request by request", rows, columns, _REQUESTS, text=("contender",))


def headline(result: Draws) -> str:
    told = [contender for contender in result.contenders if contender.one_draw_error]
    if not told:
        return "No spread could be told: too few rounds were measured."
    least, most = (
        pick(told, key=lambda contender: contender.one_draw_error or 0) for pick in (min, max)
    )
    if least is most:
        said = f"Two runs of {least.name} over one draw each differ by up to {_apart(least)}"
    else:
        said = (
            f"Two runs of one server over one draw each differ by up to {_apart(least)} "
            f"({least.name}) to {_apart(most)} ({most.name})"
        )
    said += " though nothing has changed."
    return said if result.complete else f"{said} It was ended before its time."


def _facts(result: Draws) -> tuple[str, ...]:
    first, plan = result.plan.plans[0], result.plan
    return (
        f"{len(first.entries)} processes of each",
        f"{plan.sets} sets of {figures.plural(first.connections, 'connection')} to each process",
        f"{first.duration_s:.3g} s for each contender in {figures.plural(first.boots, 'boot')}",
        f"workload {first.workload.name}",
        *pinning(first.cores),
    )


def _spread(of: ContenderDraws | RequestDraws, level: Level) -> str:
    spread = of.spread(level)
    if spread is None:
        return MISSING
    low, high = figures.percent(spread.low).removesuffix(" %"), figures.percent(spread.high)
    return f"{figures.percent(spread.sd)} ({low} to {high}), n = {figures.count(spread.n)}"


def _share(error: float | None) -> str:
    return f"±{figures.percent(error)}" if error else MISSING


def _apart(contender: ContenderDraws) -> str:
    """How far apart two runs of one draw are in 95 % of cases."""
    return (
        figures.percent(Z * sqrt(2) * contender.one_draw_error)
        if contender.one_draw_error
        else MISSING
    )


def _notes(result: Draws) -> Iterator[doc.Item]:
    for contender in result.contenders:
        if not contender.spreads:
            yield doc.Item(
                f"{figures.plural(contender.rounds, 'round')}: {_FEW}", "!", contender.name
            )
        elif contender.spread("process") is None:
            text = "it can't be started again: only its connections were drawn"
            yield doc.Item(text, "·", contender.name)
        if contender.generator_busy > BUSY:
            busy = figures.percent(contender.generator_busy)
            text = f"the generator was busy {busy}: part of the spread may be its own"
            yield doc.Item(text, "!", contender.name)


def _rows(contender: ContenderDraws) -> Iterator[doc.DataRow]:
    for request in contender.by_request:
        for spread in request.spreads:
            yield {
                "contender": contender.name,
                "request": request.name,
                **_row(spread),
                "requests_per_s": request.requests_per_s,
                "p50_us": request.p50_us,
                "p99_us": request.p99_us,
            }
    for spread in contender.spreads:
        yield {
            "contender": contender.name,
            **_row(spread),
            "requests_per_s": contender.requests_per_s,
            "one_draw_error": contender.one_draw_error,
            "twenty_draws_error": contender.twenty_draws_error,
            "slice_ms": contender.slice_ms,
            "generator_busy": contender.generator_busy,
        }


def _row(spread: LevelSpread) -> doc.DataRow:
    return {
        "level": spread.level,
        "sd": spread.sd,
        "sd_low_95": spread.low,
        "sd_high_95": spread.high,
        "n": spread.n,
        "degrees": spread.degrees,
    }
