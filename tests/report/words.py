"""What reports say besides findings: verdicts of every shape, each with its words.

`python -m tests.report.sentences` writes them into `sentences.txt`, for people to read.
"""

from collections.abc import Iterator
from typing import Any

from bakeoff.model.compare import RunChange
from bakeoff.model.crosscheck import FIGURES as FIGURES_OF
from bakeoff.model.finding import Finding
from bakeoff.model.gate import Gate, GateResult
from bakeoff.model.grid import Cell, ChangeOfPlaces
from bakeoff.model.pairs import NextRace
from bakeoff.model.plan import Cores
from bakeoff.model.ratio import Interval, Ratio
from bakeoff.model.replay import Agreement
from bakeoff.model.verdict import Precision, Verdict
from bakeoff.report.document import Document, List, Table
from bakeoff.report.kinds import (
    audit,
    capacity,
    comparison,
    crosscheck,
    day,
    draws,
    grid,
    race_method,
    race_trust,
    replay,
    shared,
)
from bakeoff.report.kinds.race_headline import headline
from tests.report import sample
from tests.report.documents import audited
from tests.report.sample import capacity as capacities
from tests.report.sample import comparison as comparisons
from tests.report.sample import crosscheck as crosschecks
from tests.report.sample import day as days
from tests.report.sample import draws as drawn
from tests.report.sample import grid as grids
from tests.report.sample import replay as replays
from tests.runs.test_crosscheck import plan

Case = tuple[str, str]
"""What is shown, and its words."""

GATE = Gate(text="new >= 0.98 * old", left="new", sign=">=", factor=0.98, right="old")
FIGURES = {"ratio": Ratio(ratio=0.971, low=0.962, high=0.979, n=480)}
OPEN: dict[str, Any] = {"mode": "open", "ranked_by": "p99", "rate": 5000.0, "arrivals": "poisson"}


def said(text: str) -> Finding:
    return Finding.of("text", text=text)


def only(verdict: Verdict, *names: str) -> Verdict:
    """The verdict as it would be had these alone been raced."""
    entries = tuple(entry for entry in verdict.entries if entry.name in names)
    pairs = tuple(pair for pair in verdict.pairs if {pair.a, pair.b} <= set(names))
    return verdict.model_copy(update={"entries": entries, "pairs": pairs})


def two(tie: bool = False, pair: dict[str, Any] | None = None, **changed: Any) -> Verdict:
    verdict = only(sample.verdict(), "nginx", "libuv-http-parser" if tie else "go-nethttp")
    pairs = (verdict.pairs[0].model_copy(update=pair or {}),)
    return verdict.model_copy(update={"pairs": pairs, **changed})


def gate(**changed: Any) -> GateResult:
    return GateResult.model_validate(
        {"gate": GATE, "outcome": "fails", "passes": False, "cant_tell": "pass", **changed}
    )


def by_cpu(name: str, other: str, cpu_finding: str, finding: str) -> Finding:
    waited = Finding.of("server_waited", name="go-nethttp", server_busy=0.71)
    figures = {"ratio": 1.25, "low": 1.2, "high": 1.3}
    findings = {"finding": finding, "cpu_finding": cpu_finding}
    return Finding.of("cpu_differs", waited, name=name, other=other, **findings, **figures)


SHOWN = (
    by_cpu("go-nethttp", "nginx", "faster", "slower"),
    by_cpu("nginx", "go-nethttp", "faster", "can't tell"),
    by_cpu("nginx", "go-nethttp", "can't tell", "faster"),
)


def of_races() -> Iterator[Case]:
    whole = sample.verdict()
    yield "one ahead", headline(two())
    yield (
        "one ahead, by another ratio of server CPU",
        headline(two(pair={"ratio": Ratio(ratio=3.0, low=2.9, high=3.1, n=480)})),
    )
    yield (
        "one ahead of three others",
        headline(only(whole, "nginx", "go-nethttp", "node-http", "gunicorn")),
    )
    least = two().pairs[0].ratio.model_copy(update={"high": None})
    yield "one ahead by at least so much", headline(two(pair={"ratio": least}))
    small = {"ratio": Ratio(ratio=1.005, low=1.002, high=1.008, n=480), "equivalent": True}
    yield "one ahead by little", headline(two(pair=small))
    yield "two level", headline(two(tie=True))
    yield "two level, not equivalent", headline(two(tie=True, pair={"equivalent": False}))
    level = tuple(
        pair.model_copy(update={"finding": "can't tell"})
        for pair in only(whole, "nginx", "libuv-http-parser", "go-nethttp").pairs
    )
    three = only(whole, "nginx", "libuv-http-parser", "go-nethttp")
    yield "three level", headline(three.model_copy(update={"pairs": level}))
    yield "two level, then others", headline(whole)
    for mean in (1.1, 0.9):
        ratio = Interval(ratio=mean, low=mean - 0.03, high=mean + 0.03, n=10)
        yield f"mean speeds apart, {mean}", headline(two(tie=True, pair={"mean_ratio": ratio}))
    for finding in ("faster", "within", "can't tell"):
        found = {"finding": finding}
        yield f"with a margin: {finding}", headline(two(tie=True, pair=found, within=0.02))
    for more_s in (41.3, 1e9):
        open_ = {"equivalent": False, "more_s": more_s}
        yield f"level, {more_s:g} s to go", headline(two(tie=True, pair=open_))
    wide = {"minimum_detectable_effect": 15.92}
    yield "level, wide", headline(two(tie=True, pair=wide, warnings=()))
    few = (Finding.of("few_boots", n=3),)
    yield "level, wide for a reason", headline(two(tie=True, pair=wide, warnings=few))
    yield "by server CPU another verdict", headline(two(by_cpu=SHOWN[:1]))
    yield "by server CPU other verdicts", headline(two(by_cpu=SHOWN))
    yield "ranked by p99", headline(two(**OPEN))
    yield (
        "ranked by p99, of three",
        headline(only(whole, "nginx", "go-nethttp", "node-http").model_copy(update=OPEN)),
    )
    yield "one valid of two", headline(only(whole, "go-nethttp", "aiohttp"))
    yield "none valid", headline(only(whole, "aiohttp"))
    yield "one alone", headline(only(whole, "nginx"))
    limit = (said("the generator was the limit"),)
    yield (
        "an invalid verdict",
        headline(whole.model_copy(update={"valid": False, "warnings": limit})),
    )
    yield "ended early", headline(two(complete=False, blocks=37))
    first, second = two().entries
    little = second.model_copy(update={"ratio": None})
    yield (
        "too few blocks",
        headline(two().model_copy(update={"entries": (first, little), "pairs": ()})),
    )


def of_trust() -> Iterator[Case]:
    for decided, complete in ((True, True), (False, True), (None, False), (None, True)):
        how: dict[str, Any] = {"decided": decided, "complete": complete}
        ended = two(measured_s=90.0, stopping="any_time", **how)
        yield f"its end, {decided}, {complete}", race_trust.ending(ended)
    for reached, met, more_s in ((0.008, True, None), (0.02, False, 30.0), (None, False, None)):
        found = Precision(asked=0.01, reached=reached, met=met, more_s=more_s)
        yield f"precision, {reached}", race_trust.precision(two(precision=found))
    floor = sample.verdict().noise_floor
    assert floor
    elsewhere = floor.model_copy(update={"ratio": 1.011, "low": 1.008, "high": 1.014})
    differs = Finding.of("twin_differs", name="nginx", ratio=1.011, low=1.008, high=1.014)
    yield "noise floor", race_trust.noise_floor(two())
    yield "no twin", race_trust.noise_floor(two(noise_floor=None))
    yield "twin differs", race_trust.noise_floor(two(noise_floor=elsewhere, warnings=(differs,)))
    yield "next race, few known", race_trust.next_race(two(earlier_races=3))
    expected = NextRace(ratio=1.7, low=1.61, high=1.79, basis="pair", n=7)
    known = two(pair={"next_race": expected}, earlier_races=7)
    yield "next race", race_trust.next_race(known)
    for agrees in (True, False):
        yield f"solo, {agrees}", race_trust.confirmation(solo(agrees))
    yield "closed loop", race_trust.latency_caution(two())
    yield "open loop", race_trust.latency_caution(two(**OPEN))
    apart = two(pair={"core_trip_ns": 84.6})
    yield "distance of the cores", "; ".join(race_method.distance(apart))
    yield "open loop, its load", race_method.loop(two(**OPEN))
    yield "open loop, load by peaks", race_method.loop(two(**OPEN | {"rate": None, "load": 0.7}))


def solo(agrees: bool) -> Verdict:
    alone = Interval(ratio=0.55, low=0.51, high=0.59, n=10, boots=10)
    changed = {"solo": alone, "solo_agrees": agrees}
    entries = tuple(
        entry.model_copy(update=changed) if entry.name == "go-nethttp" else entry
        for entry in sample.verdict().entries
    )
    return sample.verdict().model_copy(update={"entries": entries})


def of_gates() -> Iterator[Case]:
    differ = Finding.of("calls_differ", name="new", other="old", ratio=1.2, low=1.1, high=1.3)
    cpu = {**FIGURES, "by": "requests_per_cpu_s"}
    for result in (
        gate(**FIGURES),
        gate(reasons=(said("old is not valid: it died"),)),
        gate(**FIGURES, outcome="can't tell", passes=True),
        gate(outcome="can't tell", cant_tell="fail", reasons=(said("too few blocks"),)),
        gate(**cpu),
        gate(**cpu, outcome="doesn't decide", passes=True, reasons=(differ,)),
    ):
        yield result.outcome, shared.gate(result, "requests_per_s").text
    yield "ranked by p99", shared.gate(gate(**FIGURES), "p99").text


def of_cores() -> Iterator[Case]:
    for server, client in (((0,), (1,)), ((0, 1), (2, 3)), ((0,), (0,)), ((), ())):
        cores = Cores(server=server, client=client)
        yield f"{server}, {client}", ", ".join(shared.pinning(cores))


def of_grids() -> Iterator[Case]:
    whole = grids.grid()
    yield "ended early", grid.headline(grids.grid(complete=False))
    for leaders in (
        [("a",)] * 3,
        [("a", "b")] * 2,
        [("a",), (), ("b", "a")],
        [("a",)],
        [(), ()],
    ):
        cells = zip(whole.cells, leaders, strict=False)
        led: list[Cell] = [cell.model_copy(update={"leaders": own}) for cell, own in cells]
        yield f"led by {leaders}", grid.headline(grids.of(led, changes=()))
    for a_ahead, b_ahead in CHANGES:
        found = ChangeOfPlaces(a="a", b="b", a_ahead=a_ahead, b_ahead=b_ahead)
        yield "change of places", grid.change(whole, found)
        yield "where", grid.turning_point(whole, found) or "no one point"
    for place in (0, -1):
        yield "cell", grid.title(whole, whole.cells[place])
    every = list(whole.cells)
    mixed, apart = (
        ChangeOfPlaces(a="a", b="b", a_ahead=CHANGES[n][0], b_ahead=CHANGES[n][1]) for n in (2, 0)
    )
    yield "one pair without one point", grid.headline(grids.of(every, changes=(mixed,)))
    yield "several pairs", grid.headline(grids.of(every, changes=(apart, mixed)))
    yield "workers", grid.at("workers", [1])
    yield "close", grid.at("connection", ["close"])


CHANGES = (
    (("c1-p1", "c64-p1"), ("c512-p1",)),
    (("c64-p16", "c1-p16"), ("c1-p1",)),
    (("c1-p1", "c512-p1"), ("c64-p1",)),
    (("c1-p1", "c64-p16"), ("c64-p1", "c1-p16")),
)


CLAIMED = ((1.18, None), (None, 1.0), (0.9, 1.1), (None, None))


def of_replays() -> Iterator[Case]:
    one = replays.cut_off().claims[1]
    for findings in (
        ["holds"],
        ["holds"] * 3,
        ["does not hold", "can't tell"],
        ["holds", "holds", "does not hold", "does not hold", "can't tell"],
    ):
        claims = tuple(one.model_copy(update={"finding": finding}) for finding in findings)
        yield (
            ", ".join(findings),
            replay.headline(replays.brick().model_copy(update={"claims": claims})),
        )
    bare = {"measured": None, "published": None, "why": None, "unequal": ""}
    several: tuple[tuple[str, dict[str, Any]], ...] = (
        ("a claim, for a reason", {"why": said("because"), "unequal": "bytes differ"}),
        ("a claim without figures", {**bare, "metric": "cpu"}),
        *((f"{low} to {high}", {"above": low, "below": high}) for low, high in CLAIMED),
    )
    for what, changes in several:
        claim = one.model_copy(update=changes)
        document = replay.document(replays.cut_off().model_copy(update={"claims": (claim,)}))
        (listed,) = (block for block in document.summary if isinstance(block, List))
        yield what, "; ".join(listed.items[0].lines)
    yield "ended early", replay.headline(replays.cut_off())
    for driver in ("engine", "both", "wrk"):
        made = replays.brick().model_copy(update={"driver": driver})
        yield driver, ", ".join(replay.document(made).facts)
    for name, load in (("go-vs-node-2012", "ab"), ("cpp-vs-go-frameworks", "wrk")):
        yield load, replay.shape(replays.article(name).loads[load])
    for low, high in ((0.99, 1.03), (1.01, 1.03)):
        ratio = Interval(ratio=1.02, low=low, high=high, n=10)
        agreement = Agreement(row="a", tool="ab", engine_over_tool=ratio)
        yield "engine and tool", replay.agreement(agreement)


def texts(document: Document, title: str) -> str:
    """The entries of one of its lists, or the lines of one of its tables."""
    for block in document.summary:
        if isinstance(block, List) and block.title == title:
            return "; ".join(f"{item.sign} {item.text}" for item in block.items)
        if isinstance(block, Table) and block.title == title:
            return "; ".join(" | ".join(row.cells) for row in block.rows)
    return ""


def of_others() -> Iterator[Case]:
    equal = audited().model_copy(update={"unequal": ()})
    yield "an audit, nothing unequal", audit.document(equal).headline
    nobody = capacity.document(capacities.nobody())
    yield "capacities, nobody", nobody.headline
    yield "what nobody holds", texts(nobody, "Without a plain capacity")
    yield "a day", day.document(days.day()).headline
    yield "a day, ended", day.document(days.day(complete=False)).headline
    few = days.line("peak", "requests_per_s", 1.0, 2.0, 3.0).model_copy(update={"pairs": ()})
    yield "a day, too few rounds", day.headline(days.day(lines=(few,)))
    yield "draws, ended", draws.headline(drawn.draws(complete=False))
    one = drawn.measured("ada", 0.012)
    yield "draws of one", draws.headline(drawn.draws(contenders=(one,)))
    more = one.model_copy(update={"spreads": (*one.spreads, drawn.spread("boot", 0.03, 3))})
    with_boots = draws.document(drawn.draws(contenders=(more,)))
    yield "draws with boots", texts(with_boots, "Spread per level")
    yield "what draws with boots mean", str(getattr(with_boots.summary[1], "text", ""))
    none = tuple(each for each in drawn.draws().contenders if not each.spreads)
    yield "draws, too few", draws.headline(drawn.draws(contenders=none))


def of_two_runs() -> Iterator[Case]:
    keys = ("kernel", "cpus")
    unlike = tuple(Finding.of("machine_differs", key=k, before="1", after="2") for k in keys)
    apart = comparisons.compared(unlike=unlike)
    yield "different machines", comparison.headline(apart)
    for title in ("Changes", "Before and after", "Warnings"):
        yield f"different machines, {title}", texts(comparison.document(apart), title)
    nothing = comparisons.compared(reference=None, changes=())
    yield "nothing in both", comparison.headline(nothing)
    figures = comparisons.figures()
    alone = RunChange(
        name="a", before=figures, after=figures, reason=Finding.of("text", text="only it remains")
    )
    single = comparisons.compared(reference=None, changes=(alone,))
    yield "one in both", comparison.headline(single)
    yield "one in both, changes", texts(comparison.document(single), "Changes")


def of_crosschecks() -> Iterator[Case]:
    failed = crosschecks.loading("engine", n=0, figures={}, failures=("it could not",))
    none = crosschecks.crosscheck(loadings=(failed,), compared=(), complete=False)
    yield "nothing compared, ended", crosscheck.document(none).headline
    yield "nothing compared, what to know", texts(crosscheck.document(none), "What to know")
    close = crosschecks.crosscheck(plan=plan(connection="close"))
    yield "in close mode", texts(crosscheck.document(close), "What to know")
    yield "with a rate", crosscheck.document(crosschecks.crosscheck(plan=plan(rate=1000))).measured
    bound = {"ratio": Ratio(ratio=1.2, low=1.2, high=None, n=10), "finding": "differs"}
    above = tuple(crosschecks.compared("engine", "ab", figure=each, **bound) for each in FIGURES_OF)
    open_ended = crosschecks.crosscheck(compared=above)
    yield "a bound alone", texts(crosscheck.document(open_ended), "Ratios")


WORDS = {
    "What a race says": of_races,
    "How far to trust it": of_trust,
    "Gates": of_gates,
    "Cores": of_cores,
    "Grids": of_grids,
    "Replays": of_replays,
    "Two runs": of_two_runs,
    "Crosschecks": of_crosschecks,
    "Other runs": of_others,
}
