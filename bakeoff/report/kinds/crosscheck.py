"""A crosscheck: the figures in which load tools and our engine agree or differ."""

from collections.abc import Callable, Iterator, Sequence

from bakeoff.model.crosscheck import FIGURES, Compared, Crosscheck, Figure, Loading, Outcome
from bakeoff.model.load import Loader
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.flat import flat
from bakeoff.report.kinds.shared import PROTOCOL_NAMES, again, machine_table
from bakeoff.report.sentences import grouped, listed, sentence

_Pair = tuple[Loader, Loader]
_HEADS: dict[Figure, str] = {
    "requests_per_s": "requests/s",
    "p50": "p50",
    "p90": "p90",
    "p99": "p99",
}
_SAID: dict[Outcome, tuple[doc.Sign, str]] = {
    "differs": ("≠", "differ in"),
    "agrees": ("=", "agree in"),
    "can't tell": ("?", "can't be told apart in"),
}
_WRK_CLOSES = (
    "wrk requests a close with a header; if the server keeps the connection anyway, wrk does too"
)
_NOTE = (
    "Medians of the rounds; ratios with 95 % intervals that hold for all of them at once. A figure"
    " differs (≠) where its interval leaves out 1, and agrees (=) where all of it is within 10 % of"
    " 1; otherwise it can't be told (?)."
)


def document(result: Crosscheck) -> doc.Document:
    return doc.Document(
        title=f"Crosscheck of load tools on {result.plan.url}",
        headline=headline(result),
        context=("a crosscheck", result.machine.taken_at),
        facts=_facts(result),
        alarm="" if result.complete else "The crosscheck was ended before its time.",
        summary=(
            doc.List("Each pair", tuple(_pair(result, *pair) for pair in _pairs(result)), True),
            _figures(result),
            _ratios(result),
            doc.Text(_NOTE, quiet=True),
            doc.List("What to know", tuple(_notes(result))),
            doc.List("Did not run", tuple(_skipped(result))),
        ),
        detail=(machine_table(result.machine), again(result.plan.command_line)),
        data=tuple(flat(comparison, without={"why"}) for comparison in result.compared),
    )


def headline(result: Crosscheck) -> str:
    pairs = _pairs(result)
    findings = [{comparison.finding for comparison in _of_pair(result, pair)} for pair in pairs]
    agree = sum(finding == {"agrees"} for finding in findings)
    differ = sum("differs" in found for found in findings)
    if not pairs:
        return "Nothing to compare: fewer than two tools gave figures."
    said = (
        f"Of {figures.plural(len(pairs), 'pair')} of load tools, {agree or 'none'}"
        f" {'agrees' if agree <= 1 else 'agree'} in every figure, {differ or 'none'}"
        f" {'differs' if differ <= 1 else 'differ'} in some."
    )
    return said if result.complete else f"{said} It was ended before its time."


def name(loader: Loader) -> str:
    return "volley load" if loader == "engine" else _spaced(loader)


def _spaced(name: str) -> str:
    """The engine in place of a program has the name that its users know."""
    return name.replace("volley-", "volley ")


def _facts(result: Crosscheck) -> tuple[str, ...]:
    plan = result.plan
    cores = f"core{'s' * (len(plan.cpus) > 1)} {listed([str(cpu) for cpu in plan.cpus])}"
    return (
        f"{figures.plural(plan.rounds, 'round')} of {plan.duration_s} s each in random order",
        figures.plural(plan.connections, "connection"),
        plan.connection,
        *([f"{plan.streams} streams on each"] if plan.streams > 1 else []),
        *([PROTOCOL_NAMES[plan.protocol]] if plan.protocol != "h1" else []),
        f"at {plan.rate:,} requests/s" if plan.rate else "as fast as it goes",
        f"each on {cores}",
    )


def _pairs(result: Crosscheck) -> tuple[_Pair, ...]:
    return tuple(dict.fromkeys((comparison.of, comparison.over) for comparison in result.compared))


def _of_pair(result: Crosscheck, pair: _Pair) -> list[Compared]:
    return [
        comparison for comparison in result.compared if (comparison.of, comparison.over) == pair
    ]


def _pair(result: Crosscheck, of: Loader, over: Loader) -> doc.Item:
    compared = _of_pair(result, (of, over))
    said = {
        finding: listed(heads)
        for finding in _SAID
        if (
            heads := [
                _HEADS[comparison.figure]
                for comparison in compared
                if comparison.finding == finding
            ]
        )
    }
    text = "; ".join(f"{_SAID[finding][1]} {heads}" for finding, heads in said.items())
    return doc.Item(f"{name(of)} and {name(over)} {text}", _SAID[next(iter(said))][0])


def _figures(result: Crosscheck) -> doc.Table:
    def latency(figure: Figure) -> tuple[str, Callable[[Loading], str]]:
        return _HEADS[figure], lambda tool: figures.duration(tool.figures.get(figure))

    return doc.tabulated(
        "Figures",
        result.loadings,
        [
            ("tool", lambda tool: name(tool.loader)),
            ("runs", lambda tool: figures.count(tool.n)),
            ("requests/s", lambda tool: figures.rate(tool.figures.get("requests_per_s"))),
            *map(latency, FIGURES[1:]),
            ("core busy", lambda tool: figures.percent(tool.busy)),
            ("packets per answer", lambda tool: _packets(tool.packets_per_answer)),
        ],
    )


def _packets(per_answer: float | None) -> str:
    return MISSING if per_answer is None else figures.significant(per_answer, 3)


def _ratios(result: Crosscheck) -> doc.Table:
    def ratio(figure: Figure) -> tuple[str, Callable[[_Pair], str]]:
        return _HEADS[figure], lambda pair: next(
            f"{_SAID[comparison.finding][0]} {_ratio(comparison)}"
            for comparison in _of_pair(result, pair)
            if comparison.figure == figure
        )

    pair: tuple[str, Callable[[_Pair], str]] = (
        "of / over",
        lambda pair: f"{name(pair[0])} / {name(pair[1])}",
    )
    return doc.tabulated("Ratios", _pairs(result), [pair, *map(ratio, FIGURES)])


def _ratio(compared: Compared) -> str:
    ratio = compared.ratio
    if ratio is None or (ratio.low and ratio.high is not None):
        return figures.ratio_of(ratio)
    bounds = [f"above {figures.times(ratio.low)}"] if ratio.low else []
    bounds += [f"below {figures.times(ratio.high)}"] if ratio.high is not None else []
    return listed(bounds) if bounds else MISSING


def _notes(result: Crosscheck) -> Iterator[doc.Item]:
    older = [name(tool.loader) for tool in result.loadings if tool.http != "1.1"]
    if older:
        speak = "speaks" if len(older) == 1 else "speak"
        yield doc.Item(f"{listed(older)} {speak} HTTP/1.0, the others HTTP/1.1: unequal work", "≠")
    if result.plan.connection == "close" and any(t.loader == "wrk" for t in result.loadings):
        yield doc.Item(_WRK_CLOSES, "·")
    for tool in result.loadings:
        yield from (doc.Item(failure, "!", name(tool.loader)) for failure in tool.failures)
        if tool.errors:
            kinds = [f"{n:,} {kind.replace('_', ' ')}" for kind, n in tool.errors.items()]
            yield doc.Item(f"errors in its runs: {listed(kinds)}", "!", name(tool.loader))
        if tool.dropped:
            lost = f"{figures.plural(tool.dropped, 'datagram')} in its runs had no room in a socket"
            yield doc.Item(lost, "!", name(tool.loader))
    for pair in _pairs(result):
        told = [
            (sentence(comparison.why), comparison.figure)
            for comparison in _of_pair(result, pair)
            if comparison.why
        ]
        for why, heads in grouped((why, _HEADS[figure]) for why, figure in told).items():
            yield doc.Item(f"{name(pair[0])} / {name(pair[1])}, {listed(heads)}: {why}", "·")


def _skipped(result: Crosscheck) -> Sequence[doc.Item]:
    """The names that share a reason."""
    reasons = grouped((skip.reason, _spaced(skip.name)) for skip in result.skipped)
    return doc.items("–", [f"{listed(names)}: {reason}" for reason, names in reasons.items()])
