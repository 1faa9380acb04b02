"""What a replay says in plain English. Every sentence of its report is made here."""

from collections.abc import Iterator

from bakeoff.model.article import Row, Setting, Shape
from bakeoff.model.replay import Agreement, ClaimResult, ComparisonResult, Replay
from bakeoff.report import figures
from bakeoff.report.words import listed, said_once

METRICS = {
    "requests_per_s": "requests per second",
    "bytes_per_s": "bytes per second",
    "latency_p50": "median latency",
    "latency_p99": "p99 latency",
    "latency_stdev": "standard deviation of latency",
    "latency_p99_over_p50": "p99 over median latency",
    "memory": "memory",
    "cpu": "CPU use",
}
MARKS = {"holds": "✓", "does not hold": "✗", "can't tell": "?"}
NOT_REACHED = "the replay ended before it was measured"
CLAIMS_NOTE = (
    "A claim is a range for the ratio of two rows. It holds where the whole 95 % interval lies in"
    " the range, does not where none of it does, and else nobody can tell."
)
BARS_NOTE = (
    "Each axis starts at zero and has its own length: compare the shapes. The machines differ, so"
    " the figures do too."
)
ROWS_NOTE = "After the dot stands what the article calls the row, where it differs."
FOREST_NOTE = (
    "Each line is a measured 95 % interval, its sign the ratio and the finding. The shaded range is"
    " what was claimed, the ring what was published; dashed, both rows level. Claims that could not"
    " be measured are in the list alone."
)
MEMORY_NOTE = (
    "The article's figures are resident sets, added up; ours are Pss, which counts shared memory"
    " once."
)


def headline(replay: Replay) -> str:
    """How many of the claims hold, in a sentence or two."""
    holds, fails, open_ones = (
        sum(one.finding == found for one in replay.claims)
        for found in ("holds", "does not hold", "can't tell")
    )
    verb = "holds" if holds <= 1 else "hold"
    counted = [f"{holds or 'none'} {verb} here"]
    counted += [f"{fails} {'does' if fails == 1 else 'do'} not"] if fails else []
    counted += [f"{open_ones} can't be told"] if open_ones else []
    of = figures.plural(len(replay.claims), "claim")
    said = f"Of {of} of {replay.article.name}, {listed(counted)}."
    if replay.complete:
        return said
    return f"{said} The replay ended early: what was not measured can't be told."


def mode(replay: Replay) -> str:
    """How it was replayed, in one line."""
    return f"{driver(replay)}, {scale(replay)}"


def driver(replay: Replay) -> str:
    """Who made the load."""
    said = {
        "engine": "load by our engine in the article's shape",
        "both": "load by our engine, and by the article's own tool to compare",
    }
    return said.get(replay.driver, f"load by the real {replay.driver}")


def scale(replay: Replay) -> str:
    """How long it was measured, against the article."""
    return f"at scale {figures.given(replay.scale)}"


def claim(one: ClaimResult) -> str:
    """What the finding rests on: the interval, what the article had and what it claimed."""
    return "; ".join((f"{of_over(one)}: {measured(one)}", *against(one)))


def of_over(one: ClaimResult) -> str:
    """Which two rows a claim is about, and in what."""
    return f"{one.of} over {one.over} in {METRICS[one.metric]}"


def measured(one: ClaimResult) -> str:
    """The measured ratio with its interval and its n."""
    found = one.measured
    if found is None:
        return "not measured"
    return (
        f"{figures.ratio_times(found.ratio, found.low, found.high)}, n = {figures.count(found.n)}"
    )


def against(one: ClaimResult) -> list[str]:
    """What the measured ratio is held against."""
    published = [] if one.published is None else [f"published {figures.times(one.published)}"]
    return [*published, f"claimed {claimed(one)}"]


def claimed(one: ClaimResult) -> str:
    """The range that a claim gives."""
    if one.above and one.below:
        return f"{figures.given(one.above)} to {figures.given(one.below)}×"
    if one.above:
        return f"over {figures.given(one.above)}×"
    return f"under {figures.given(one.below)}×" if one.below else figures.MISSING


def load(shape: Shape, one: ComparisonResult | None) -> str:
    """The article's command, and who made the load here."""
    if one is None or one.loader == "engine":
        return shape.command
    return f"{shape.command}, by the real {one.loader}"


def label(row: Row) -> str:
    """Our name of a row with the article's, where they differ."""
    return row.name if row.label.lower() == row.name else f"{row.name} · {row.label}"


def warnings(one: ComparisonResult) -> list[str]:
    """All warnings: of the comparison, then of the rows, which are named; each is said once."""
    return [*one.warnings, *said_once({row.name: row.warnings for row in one.rows})]


def agreement(one: Agreement) -> str:
    """Whether engine and tool agree on a row."""
    found = one.engine_over_tool
    return "agree within noise" if found.low <= 1 <= found.high else "differ"


def machine(setting: Setting) -> Iterator[tuple[str, str]]:
    """The article's machine and versions, as far as they are told."""
    yield "processor", setting.cpu
    if setting.cores:
        threads = f", {figures.plural(setting.threads, 'thread')}" if setting.threads else ""
        yield "cores", f"{setting.cores}{threads}"
    if setting.memory:
        yield "memory", setting.memory
    if setting.system:
        yield "system", setting.system
    if setting.versions:
        yield "versions", ", ".join(f"{name} {told}" for name, told in setting.versions.items())


def shape(one: Shape) -> str:
    """What a load of the article does, beyond its command."""
    told = [
        f"{figures.count(one.requests)} requests"
        if one.requests
        else f"{figures.given(one.duration_s or 0)} s",
        figures.plural(one.connections, "connection"),
        "keep-alive" if one.connection == "keep-alive" else "a connection per request",
        f"HTTP/{one.http}",
        figures.plural(one.threads, "thread"),
        "once" if one.repeats == 1 else f"{one.repeats} times",
    ]
    return ", ".join(told)


def bars(several: bool, in_a_row: bool) -> str:
    """How to read the article's bars beside ours."""
    said = [BARS_NOTE]
    if several:
        said.append("A published bar is the mean of the article's runs; its line, least to most.")
    if in_a_row:
        said.append("A line on a bar of ours is the least to the most of our runs in a row.")
    return " ".join(said)
