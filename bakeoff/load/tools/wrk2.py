"""wrk2, which is wrk at a constant rate: its arguments, and what it prints."""

import re

from bakeoff.load.tools.asked import Asked
from bakeoff.load.tools.output import COUNT, DECIMAL, Unreadable, find
from bakeoff.load.tools.wrk import TIME, load_words, totals, url_words, us
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult
from bakeoff.model.verdict import Latency


def words(asked: Asked) -> tuple[str, ...]:
    """The command. Raises `BadUsage` for what wrk2 can't do."""
    if asked.rate is None:
        raise BadUsage("wrk2 needs a rate: as many requests as there can be takes wrk")
    load = load_words("wrk2", asked)
    # --u_latency prints what --latency does, and the latencies since each sending.
    return ("wrk2", *load, "-R", str(asked.rate), "--u_latency", *url_words(asked))


def parse(output: str, asked: Asked) -> LoadResult:
    """What wrk2 says of a run that came to its end. Raises `Unreadable`.

    Its recorded latency runs from the moment when a request was due; the uncorrected one, which it
    prints for -U alone, is `service_us`. Without -L there are no percentiles. Kinds of errors are
    wrk's, but a `timeout` is a request that was not answered yet when wrk2 looked.
    """
    recorded, uncorrected = _block(output, "Recorded"), _block(output, "Uncorrected")
    return totals(
        "wrk2",
        output,
        asked,
        _latency(recorded) if recorded else _spread(output),
        _latency(uncorrected) if uncorrected else None,
    )


def _block(output: str, kind: str) -> str:
    """The lines from a distribution's head to the next rule; empty without that head."""
    head = rf"^\s*Latency Distribution \(HdrHistogram - {kind} Latency.*$"
    found = re.search(head + r"(?P<block>(?s:.*?))^\s*-{58}$", output, re.MULTILINE)
    if found is None and re.search(head, output, re.MULTILINE):
        raise Unreadable("wrk2", output)
    return found["block"] if found else ""


def _latency(block: str) -> Latency | None:
    """None where nothing was measured: a run that ends before its calibration does."""
    figures = rf"^\s*#\[Max\s+=\s+{DECIMAL},\s+Total count\s+=\s+{COUNT}\]$"
    longest_ms, total = find("wrk2", figures, block)
    if not int(total):
        return None
    moments = rf"^\s*#\[Mean\s+=\s+{DECIMAL},\s+StdDeviation\s+=\s+{DECIMAL}\]$"
    mean_ms, stdev_ms = find("wrk2", moments, block)
    rows = re.findall(rf"^\s*([0-9]{{2}}\.[0-9]{{3}})%\s+{TIME}\s*$", block, re.MULTILINE)
    percentiles = {rank: us(*time) for rank, *time in rows}
    return Latency(
        mean=1e3 * float(mean_ms),
        p50=percentiles.get("50.000"),
        p75=percentiles.get("75.000"),
        p90=percentiles.get("90.000"),
        p99=percentiles.get("99.000"),
        p99_9=percentiles.get("99.900"),
        max=1e3 * float(longest_ms),
        stdev=1e3 * float(stdev_ms),
    )


def _spread(output: str) -> Latency | None:
    """What wrk2 says of latencies without -L; None where nothing was measured."""
    if re.search(r"^\s*Latency\s+-?nan", output, re.MULTILINE):
        return None
    times = find("wrk2", rf"^\s*Latency\s+{TIME}\s+{TIME}\s+{TIME}\s+[0-9.]+%$", output)
    mean, stdev, longest = (us(*times[at : at + 2]) for at in (0, 2, 4))
    return Latency(
        mean=mean, p50=None, p75=None, p90=None, p99=None, p99_9=None, max=longest, stdev=stdev
    )
