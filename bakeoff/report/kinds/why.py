"""The causes of the difference: one table for each contender, whose lines add up."""

from collections.abc import Callable, Mapping, Sequence

from bakeoff.model.ratio import Difference
from bakeoff.model.why import BLOCKED, Flames, Layer, Wait, Why, WhyCount, WhyLine, WhyPair, WhyWait
from bakeoff.report import figures
from bakeoff.report.charts.flames import flame_graph
from bakeoff.report.document import (
    Block,
    Charts,
    Column,
    DataRow,
    Document,
    Item,
    List,
    Row,
    Section,
    Table,
    Text,
    items,
)
from bakeoff.report.kinds.shared import again, machine_table
from bakeoff.report.sentences import CALLED, listed, sentence, sentences

TITLE = "Where the difference comes from"
LAYERS: Mapping[Layer, str] = {
    "stacks": "user time by function",
    "kernel": "kernel time by system call",
    "calls": "system calls by number",
    "counters": "instructions, cycles, cache and branch misses",
    "waits": "what threads wait for",
}
_COUNTS: Mapping[str, str] = {
    "voluntary_switches": "context switches, waiting",
    "involuntary_switches": "context switches, taken off the core",
    "page_faults": "page faults",
    "delay_us": "waiting for a core, µs",
    "segments": "TCP segments, both sides",
    "data_segments": "segments with data, both sides",
    "acknowledgements": "acknowledgements without data, both sides",
    "accepted": "connections accepted",
    "bytes": "bytes of the answer",
    "head_bytes": "bytes of its head",
    "writes": "segments that an answer comes in, when idle",
    "threads_at_work": "threads at work",
}
_COUNTERS: Mapping[str, str] = {
    "instructions": "instructions",
    "cycles": "cycles",
    "cache-misses": "cache misses",
    "branch-misses": "branch misses",
    "instructions_per_cycle": "instructions per cycle",
}
_WAITS: Mapping[Wait, str] = {
    "running": "running",
    "ready": "ready, waiting for a core",
    "requests": "waiting for requests (epoll, io_uring, poll, accept)",
    **{wait: CALLED[wait] for wait in BLOCKED},
    "other": "waiting for something else",
    "unseen": "waiting, and not ours to see",
}
_WAITING = (
    "Shares of the time of threads at work, while stacks were sampled; they are no part of the sum "
    "above. A thread that waits for an upstream in an event loop is waiting for requests."
)
_READING = (
    "CPU time at one rate, µs. Indented lines add up to the sum above them, and user, "
    "kernel and unexplained time to all. Intervals are of the difference, 95 % for all lines "
    "together; a star: it excludes 0. A function's time is its own, without those that it called. "
    "Scheduling, page faults and interrupts are apart from the system calls in which they happen."
)
_COUNTED = (
    "In plain blocks; system calls in one slice, all of them. Without an interval it "
    "was counted once."
)


def document(result: Why, flames: Callable[[], Sequence[Flames]] = tuple) -> Document:
    """The report of a look for causes; its stacks are read when a picture is drawn."""
    return Document(
        title=f"{result.workload}: where the difference comes from",
        headline=headline(result),
        context=("causes", result.machine.taken_at),
        facts=facts(result),
        alarm="" if result.complete else "The look for causes was cut off.",
        summary=blocks(result, flames),
        detail=(machine_table(result.machine), again(result.command_line, result.run)),
        data=tuple(
            row
            for at, pairs in (("equal", result.pairs), ("peak", result.at_peak))
            for pair in pairs
            for row in _data(result, pair, at)
        ),
    )


def headline(result: Why) -> str:
    if result.given_up:
        return f"No causes: {result.given_up}."
    if not result.pairs:
        return "No causes: too few blocks were measured."
    found = (each for pair in result.pairs for each in (pair.held_up, pair.finding) if each)
    return " ".join(f"{sentence(each)}." for each in found)


def facts(result: Why) -> tuple[str, ...]:
    if not result.rate_per_s:
        return ()
    return (
        f"{figures.rate(result.rate_per_s)} {result.unit}s/s for each",
        f"{figures.plural(result.blocks, 'block')} without and as many with the profiler",
        f"{result.lasted_s:.0f} s",
    )


def blocks(result: Why, flames: Callable[[], Sequence[Flames]]) -> tuple[Block, ...]:
    """The page without its headline, as a part of a race's report."""
    return (
        List("Unequal work comes first", items("≠", sentences(result.unequal))),
        *(
            block
            for pair in result.pairs
            for block in (_lines(result, pair), _counts(result, pair), _waits(pair))
        ),
        *([Text(_READING, quiet=True)] if result.pairs else []),
        *(
            _lines(result, pair, f", each at its own peak ({_peaks(result, pair)})")
            for pair in result.at_peak
        ),
        Charts(lambda: [flame_graph(of, number) for number, of in enumerate(flames(), start=1)]),
        *([Text(_cost(result), "Profiling")] if result.profiling else []),
        List("What stacks lack", items("!", sentences(result.unseen))),
        List(
            "Not available here",
            tuple(
                Item(sentence(reason), "–", LAYERS[layer])
                for layer, reason in result.missing.items()
            ),
        ),
    )


def brief(result: Why) -> Section:
    return Section(
        TITLE, (Text(headline(result)), *(_lines(result, pair) for pair in result.pairs))
    )


def section(result: Why, flames: Callable[[], Sequence[Flames]] = tuple) -> Section:
    said = (Text(headline(result)), *blocks(result, flames))
    return Section(TITLE, said)


def _peaks(result: Why, pair: WhyPair) -> str:
    peaks = (figures.rate(result.peaks_per_s.get(name)) for name in (pair.name, pair.other))
    return f"{' and '.join(peaks)} {result.unit}s/s"


def _lines(result: Why, pair: WhyPair, at: str = "") -> Table:
    whole = WhyLine(
        part="user", name="", its_us=pair.its_us, other_us=pair.other_us, difference=pair.cpu
    )
    return Table(
        f"{pair.name} against {pair.other}: CPU time per {result.unit}{at}",
        _columns(f"µs per {result.unit}", pair),
        (_row("all", whole), *(_row(_label(line), line) for line in pair.lines)),
    )


def _columns(what: str, pair: WhyPair) -> tuple[Column, ...]:
    heads = (pair.name, pair.other, "difference", "95 % interval")
    return (Column(what, "text"), *map(Column, heads))


def _label(line: WhyLine) -> str:
    match line.part, line.name:
        case "function", "others":
            return "   other functions"
        case "package", name:
            return f"   small functions of {name}"
        case "function" | "call", name:
            return f"   {name}"
        case "work", name:
            return f"   {CALLED[name]}"
    return f" {line.part}"


def _row(label: str, line: WhyLine) -> Row:
    return Row((label, f"{line.its_us:.2f}", f"{line.other_us:.2f}", *_difference(line.difference)))


def _difference(of: Difference) -> tuple[str, str]:
    mark = " *" if of.is_told else ""
    return f"{of.more:+.2f}{mark}", f"{of.low:+.2f} to {of.high:+.2f}"


def _counts(result: Why, pair: WhyPair) -> Table:
    return Table(
        f"{pair.name} against {pair.other}: what happens per {result.unit}",
        _columns(f"per {result.unit}", pair),
        tuple(_count(count) for count in pair.counts),
        _COUNTED,
        wide=True,
    )


def _count(count: WhyCount) -> Row:
    kind, _, name = count.what.partition(":")
    counter, _, mode = name.partition(":")
    match kind:
        case "call":
            label = f"calls of {name}"
        case "counter":
            label = f"{_COUNTERS[counter]}{', user time only' if mode else ''}"
        case _:
            label = _COUNTS[kind]
    if count.its is None or count.other is None:
        return Row((label, figures.MISSING, figures.MISSING, "not available here", ""))
    more = count.its - count.other
    told = _difference(count.difference) if count.difference else (f"{more:+.2f}", "")
    return Row((label, f"{count.its:.2f}", f"{count.other:.2f}", *told))


def _waits(pair: WhyPair) -> Table:
    def row(of: WhyWait) -> Row:
        ends = of.difference
        mark = " *" if ends.is_told else ""
        between = f"{100 * ends.low:+.1f} to {100 * ends.high:+.1f}"
        more = f"{100 * ends.more:+.1f}{mark}"
        shares = (f"{100 * share:.1f} %" for share in (of.its, of.other))
        return Row((_WAITS[of.wait], *shares, more, between))

    return Table(
        f"{pair.name} against {pair.other}: what threads do",
        _columns("share of their time", pair),
        tuple(map(row, pair.waits)),
        _WAITING,
        wide=True,
    )


def _cost(result: Why) -> str:
    return listed(
        f"{name} takes {figures.percent(abs(cost - 1))} {'less' if cost < 1 else 'more'} CPU time "
        f"per {result.unit} while it is sampled"
        for name, cost in result.profiling.items()
    )


def _data(result: Why, pair: WhyPair, at: str) -> Sequence[DataRow]:
    whose: DataRow = {"run": result.run, "at": at, "name": pair.name, "other": pair.other}
    rows: list[DataRow] = [
        {
            **whose,
            "part": "all",
            "line": "",
            "its_us": pair.its_us,
            "other_us": pair.other_us,
            **_ends(pair.cpu),
        }
    ]
    rows += [
        {
            **whose,
            "part": line.part,
            "line": line.name,
            "its_us": line.its_us,
            "other_us": line.other_us,
            **_ends(line.difference),
        }
        for line in pair.lines
    ]
    return rows


def _ends(of: Difference) -> DataRow:
    return {"more_us": of.more, "low_us": of.low, "high_us": of.high}
