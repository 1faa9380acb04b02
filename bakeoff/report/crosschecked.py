"""A crosscheck for a terminal of any width from 60 columns on."""

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from bakeoff.model.crosscheck import FIGURES, Compared, Crosscheck, Figure, Loading
from bakeoff.model.load import Loader
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.fitted import fitted, marked
from bakeoff.report.tables import Table
from bakeoff.report.words import listed

HEADS: dict[Figure, str] = {
    "requests_per_s": "requests/s",
    "p50": "p50",
    "p90": "p90",
    "p99": "p99",
}
MARKS = {
    "agrees": ("=", "bold green"),
    "differs": ("≠", "bold yellow"),
    "can't tell": ("?", "bold"),
}
WRK_CLOSES = (
    "wrk asks for a close by a header; where the server keeps the connection all the same, wrk does"
    " too"
)
NOTE = (
    "Medians of the rounds; ratios with 95 % intervals that hold for all of them at once. A figure"
    " differs (≠) where its interval leaves out 1, and agrees (=) where all of it is within 10 % of"
    " 1; else nobody can tell (?)."
)


class Crosschecked:
    """A rich renderable of a whole crosscheck; it fits itself to the width that it is given."""

    def __init__(self, found: Crosscheck) -> None:
        self.found = found

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A line for each pair, the figures and the ratios, then what must be known."""
        found = self.found
        for of, over in _pairs(found):
            yield marked(*_sentence(found, of, over))
        yield Text()
        for table in (figures_table(found), ratios_table(found)):
            yield from fitted(table, console, options, ())
        yield from _notes(found)
        yield Text(NOTE, style="dim")


def figures_table(found: Crosscheck) -> Table:
    """What each tool says of the server."""
    return Table(
        slug="figures",
        title="Figures",
        note=NOTE,
        heads=("tool", "runs", *(HEADS[figure] for figure in FIGURES)),
        rows=tuple(_figures(one) for one in found.loadings),
    )


def ratios_table(found: Crosscheck) -> Table:
    """Each pair: what is found in each figure, and its ratio."""
    return Table(
        slug="ratios",
        title="Ratios",
        note=NOTE,
        heads=("of / over", *(HEADS[figure] for figure in FIGURES)),
        rows=tuple(_ratios(found, *pair) for pair in _pairs(found)),
    )


def name(loader: Loader) -> str:
    """A tool as its command begins."""
    return "volley load" if loader == "engine" else loader.replace("-", " ")


def _pairs(found: Crosscheck) -> tuple[tuple[Loader, Loader], ...]:
    return tuple(dict.fromkeys((one.of, one.over) for one in found.compared))


def _of_pair(found: Crosscheck, of: Loader, over: Loader) -> list[Compared]:
    return [one for one in found.compared if (one.of, one.over) == (of, over)]


def _sentence(found: Crosscheck, of: Loader, over: Loader) -> tuple[str, str, str]:
    """A mark, its style, and in which figures the two agree, differ, or nobody can tell."""
    said = []
    compared = _of_pair(found, of, over)
    for finding in ("differs", "agrees", "can't tell"):
        names = [HEADS[one.figure] for one in compared if one.finding == finding]
        if names:
            said.append((finding, listed(names)))
    worst = said[0][0] if said else "can't tell"
    text = "; ".join(f"{_WORDS[finding]} {names}" for finding, names in said)
    return (*MARKS[worst], f"{name(of)} and {name(over)} {text}")


_WORDS = {
    "differs": "differ in",
    "agrees": "agree in",
    "can't tell": "can't be told apart in",
}


def _figures(one: Loading) -> tuple[str, ...]:
    latencies = (figures.duration(one.figures.get(figure)) for figure in FIGURES[1:])
    rate = figures.rate(one.figures.get("requests_per_s"))
    return (name(one.loader), str(one.n), rate, *latencies)


def _ratios(found: Crosscheck, of: Loader, over: Loader) -> tuple[str, ...]:
    cells = (f"{MARKS[one.finding][0]} {_ratio(one)}" for one in _of_pair(found, of, over))
    return (f"{name(of)} / {name(over)}", *cells)


def _ratio(one: Compared) -> str:
    if one.high is None and one.low is None:
        return MISSING
    if one.ratio is not None and one.low and one.high is not None:
        return figures.ratio_times(one.ratio, one.low, one.high)
    low, high = (
        f"above {figures.times(one.low)}" if one.low else "",
        f"below {figures.times(one.high)}" if one.high is not None else "",
    )
    return listed([bound for bound in (low, high) if bound]) or MISSING


def _notes(found: Crosscheck) -> Iterator[RenderableType]:
    older = [name(one.loader) for one in found.loadings if one.http != "1.1"]
    if older:
        speak = "speaks" if len(older) == 1 else "speak"
        said = f"{listed(older)} {speak} HTTP/1.0, the others HTTP/1.1: unequal work"
        yield marked("≠", "yellow", said)
    if found.plan.connection == "close" and any(one.loader == "wrk" for one in found.loadings):
        yield marked("·", "bold", WRK_CLOSES)
    for one in found.loadings:
        for trouble in (*one.failures, *_errors(one)):
            yield marked("!", "bold yellow", f"{name(one.loader)}: {trouble}")
    for pair, reasons in _reasons(found.compared).items():
        for why, names in reasons.items():
            said = f"{name(pair[0])} / {name(pair[1])}, {listed(names)}: {why}"
            yield marked("·", "bold", said)
    for reason, names in _skipped(found).items():
        yield marked("–", "yellow", f"{listed(names)} did not run: {reason}")
    plan = found.plan
    cores = f"core{'s' * (len(plan.cpus) > 1)} {listed(map(str, plan.cpus))}"
    load = f"at {plan.rate:,} requests/s" if plan.rate else "as fast as it goes"
    yield Text.assemble(
        ("Measured: ", "bold"),
        f"{figures.plural(plan.rounds, 'round')} of {plan.duration_s} s each in random order,"
        f" {figures.plural(plan.connections, 'connection')}, {plan.connection}, {load}, each on"
        f" {cores}." + ("" if found.complete else " It was ended before its time."),
    )


def _errors(one: Loading) -> Iterator[str]:
    if one.errors:
        kinds = listed(f"{times:,} {kind.replace('_', ' ')}" for kind, times in one.errors.items())
        yield f"errors in its runs: {kinds}"


def _reasons(
    compared: Sequence[Compared],
) -> dict[tuple[Loader, Loader], dict[str, list[str]]]:
    """The figures of each pair that share a reason."""
    reasons: dict[tuple[Loader, Loader], dict[str, list[str]]] = {}
    for one in compared:
        if one.why:
            of_pair = reasons.setdefault((one.of, one.over), {})
            of_pair.setdefault(one.why, []).append(HEADS[one.figure])
    return reasons


def _skipped(found: Crosscheck) -> dict[str, list[str]]:
    """The names that share a reason."""
    reasons: dict[str, list[str]] = {}
    for one in found.skipped:
        reasons.setdefault(one.reason, []).append(one.name.replace("-", " "))
    return reasons
