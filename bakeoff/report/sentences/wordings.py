"""Sentences that a template can't say: their words depend on their values.

Each function is that of the finding of its name, and takes its values.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bakeoff.report import figures
from bakeoff.report.sentences.template import (
    MOST_NAMED,
    each_or_range,
    filled,
    form,
    grouped,
    listed,
    who,
)

MOST_GROUPS = 5
SLOWER = 1.1
"""By so much longer the fixed work takes, where it is told what that does to a ratio."""


def segments_resent(sides: list[str], shares: list[float], **_: Any) -> str:
    of = {"server": "server node's", "load": "load node's"}
    each = [f"{share:.2%} of the {of[side]}" for side, share in zip(sides, shares, strict=True)]
    return (
        f"the network lost segments: {' and '.join(each)} were sent again, which delays a request "
        "by 200 ms or more"
    )


def network_full(
    names: list[str], shares: list[float], carried_bytes_per_s: float, **_: Any
) -> str:
    return (
        f"the network may be the limit of {listed(names)}: in one direction they took "
        f"{max(shares):.0%} of the {carried_bytes_per_s * 8e-6:,.0f} Mbit/s that one connection "
        "carried before"
    )


def unanswered(
    kinds: list[str],
    counts: list[int],
    missing: int,
    attempts: int,
    limit_share: float | None = None,
    **values: Any,
) -> str:
    failures = (f"{count:,} {kind}" for count, kind in zip(counts, kinds, strict=True))
    return filled(
        "{missing:,} of {attempts:,} requests got no answer ({share:.2%}; {failures})"
        "[; {broken_off}][; its listen queue was full ({dropped})]"
        "[; {limit_share:.1%} is the limit]",
        {
            "missing": missing,
            "attempts": attempts,
            "share": missing / attempts,
            "failures": ", ".join(failures).replace("_", " "),
            "broken_off": "an answer stopped in the middle" if values["broken_off"] else "",
            "dropped": filled(DROPPED, values) if values["dropped"] else "",
            "limit_share": limit_share,
        },
    )


DROPPED = "the kernel dropped {dropped:,} connections, over all servers of this machine"


def generator_slow(pipeline: int, **values: Any) -> str:
    return filled(
        "{in_flight:.1f} requests were in flight on average, with {connections} connections"
        "[ of {depth} requests each], so {share:.0%} of the time was spent in the load generator, "
        "and {limit_share:.0%} is the limit: it is at least this fast",
        values | {"depth": pipeline if pipeline > 1 else None},
    )


def generator_near_limit(client_busy: float, client_core: int | None, server_busy: float) -> str:
    return filled(
        "the load generator was busy {client_busy:.0%} of the time[ on its core {client_core}] "
        "and the server {server_busy:.0%}: at moments the generator was the limit, and the "
        "server may be up to {faster:.0%} faster than measured",
        {
            "client_busy": client_busy,
            "client_core": client_core,
            "server_busy": server_busy,
            "faster": max(0.0, 1 / server_busy - 1),
        },
    )


def workers_restarted(ended: int, began: int) -> str:
    went = f"{ended:,} of its working processes ended while it was measured"
    return f"{went} and {began:,} took over: it restarts its workers" if began else went


def workers_crowded(workers: int, cores: int) -> str:
    had = "one server core" if cores == 1 else f"{cores} server cores"
    return f"{workers} workers were asked for on {had}: they take turns"


def blocks_left_out(
    names: list[str], ratios: list[float], lows: list[float], highs: list[float], **values: Any
) -> str:
    each = [
        f"{name} {ratio:.3g} ({low:.3g} to {high:.3g})"
        for name, ratio, low, high in zip(names, ratios, lows, highs, strict=True)
    ]
    with_them = "; ".join(each) if len(each) <= MOST_NAMED else ""
    return filled(
        "{n:,} of {blocks:,} blocks are left out, as a whole or in part, since the host or other "
        "processes had the cores for a while[; with them the ratios are: {with_them}]",
        values | {"with_them": with_them},
    )


def fewer_connections(connections: int, names: list[str], places: list[int]) -> str:
    queues = ", ".join(f"{name} ({n})" for name, n in zip(names, places, strict=True))
    return (
        f"the race had {figures.plural(connections, 'connection')}, fewer than usual: with more of "
        f"them listen queues overflow, which have room for few: {queues}"
    )


def fewer_served(connections: int, names: list[str], served: list[int]) -> str:
    each = ", ".join(f"{name} ({n})" for name, n in zip(names, served, strict=True))
    return (
        f"the race had {figures.plural(connections, 'connection')}, fewer than usual: some servers "
        f"serve few at a time, and the others wait until one of these is closed: {each}"
    )


def cpu_sources_differ(names: list[str], sources: list[str]) -> str:
    each = ", ".join(f"{name}: {source}" for name, source in zip(names, sources, strict=True))
    return f"CPU time was not read in the same way for all ({each})"


def request_differs(
    request: str,
    name: str,
    other: str,
    ratio: float,
    low: float,
    high: float,
    whole_ratio: float | None,
    singly: bool,
) -> str:
    middle, lower, upper = figures.interval(ratio, low, high)
    alone = ", one request under way at a time" if singly else ""
    whole = f"; over all requests, {figures.times(whole_ratio)}" if whole_ratio else ""
    return (
        f"in {request} {name} has {middle}× the speed of {other} ({lower} to {upper}){alone}{whole}"
    )


def feels_machine(slope: float, slope_low: float, slope_high: float, **values: Any) -> str:
    changes = sorted(abs(SLOWER**each - 1) for each in (slope_low, slope_high))
    return filled(
        "{name} feels a slow machine {more} than {other} does: where a fixed piece of work takes "
        "{slower} longer, its ratio by server CPU is {change} {higher} ({least} to {most}); in the "
        "quietest quarter of the draws, where that took {work_us:.0f} µs, it was {quiet:.3g} "
        "({quiet_low:.3g} to {quiet_high:.3g})",
        values
        | {
            "more": "more" if slope < 0 else "less",
            "higher": "lower" if slope < 0 else "higher",
            "slower": figures.percent(SLOWER - 1),
            "change": figures.percent(abs(SLOWER**slope - 1)),
            "least": figures.percent(changes[0]),
            "most": figures.percent(changes[1]),
        },
    )


COMPARED_BY: Mapping[str, str] = {
    "requests_per_s": "throughput",
    "p99": "p99",
    "requests_per_cpu_s": "server CPU",
}


def cpu_differs(
    name: str,
    other: str,
    finding: str,
    cpu_finding: str,
    ratio: float,
    low: float,
    high: float,
    because: str = "",
) -> str:
    by = figures.ratio_times(ratio, low, high)
    if cpu_finding == "can't tell":
        said = f"{name} and {other} can't be told apart, {by}"
    elif cpu_finding == "within":
        said = f"{name} and {other} are within the margin, {by}"
    else:
        ties = {"can't tell": "can't tell", "within": "have both within the margin"}
        behind = (
            f"where the standings {ties[finding]}" if finding in ties else "though it is behind"
        )
        said = f"{name} is ahead of {other}, by {by}, {behind}"
    return f"by server CPU per request {said}: {because}"


def limit_hides(names: list[str], limit: str) -> str:
    whose = who(names)
    if limit == "both":
        return f"{whose} and the load generator were both at their limit"
    what = {"client": "load generator", "rate": "offered rate"}.get(limit, limit)
    return f"the {what} was the limit of {whose}"


def calls_differ(name: str, other: str, ratio: float, low: float, high: float) -> str:
    by = figures.ratio_times(ratio, low, high)
    return (
        f"the two make unlike calls: the kernel's time per request of {name} is {by} that of "
        f"{other}"
    )


def kernel_bills(names: list[str], shares: list[float]) -> str:
    parts = (f"{share_of(each)} of {name}'s" for name, each in zip(names, shares, strict=True))
    return f"{listed(parts)} CPU time is the kernel's, which bills work of one side to the other"


def twin_differs(low: float, high: float, **values: Any) -> str:
    return filled(
        "two copies of {name} differ: ratio {ratio:.4f} ({low:.4f} to {high:.4f}); a difference "
        "smaller than {doubt} is in doubt",
        values | {"low": low, "high": high, "doubt": figures.percent(figures.doubt(low, high))},
    )


def few_at_work(names: list[str], processes: list[int], threads: list[int], workers: int) -> str:
    groups = grouped(zip(zip(processes, threads, strict=True), names, strict=True))
    parts = [
        filled(
            "{names:who} {ran}{processes:,} {processes:process|processes} with "
            "{threads:# thread} at work",
            {
                "names": groups[counts],
                "ran": "" if place else "ran ",
                "processes": counts[0],
                "threads": counts[1],
            },
        )
        for place, counts in enumerate(sorted(groups))
    ]
    comma = "," if len(parts) > 1 else ""
    asked = filled("{workers:# worker}", {"workers": workers})
    return f"{', '.join(parts)}{comma} where {asked} were asked for"


def many_at_work(names: list[str], threads: list[int], workers: int, cores: int) -> str:
    asked = f"{workers} {form(workers, 'that was', 'that were')} asked for"
    return (
        f"{who(names)} kept more threads at work ({each_or_range(threads)}) than the {asked}, and "
        f"had {cores} cores for them"
    )


def logs(names: list[str], bytes_per_request: list[float]) -> str:
    figures = each_or_range([round(each) for each in bytes_per_request])
    return f"{who(names)} wrote {figures} bytes of log per request"


def segments_differ(names: list[str], segments: list[int]) -> str:
    counted = Counter(segments)
    usual = min(counted, key=lambda count: (-counted[count], count))
    groups = grouped(zip(segments, names, strict=True))
    parts = [
        f"{who(members)} {form(members, 'answers', 'answer')} in "
        f"{f'{count} writes' if count > 1 else 'one write'}"
        for count, members in sorted(groups.items())
        if count != usual
    ]
    rest = form(counted[usual], "the other", "the others")
    return f"{', '.join(parts)}, {rest} in {usual if usual > 1 else 'one'}"


def closes_soon(names: list[str], requests: list[int]) -> str:
    closes = form(names, "closes", "close")
    return f"{who(names)} {closes} a connection after {each_or_range(requests)} requests"


def sizes_differ(what: str) -> Callable[..., str]:
    def worded(least: str, least_bytes: int, most: str, most_bytes: int) -> str:
        apart = filled("{apart:# byte}", {"apart": most_bytes - least_bytes})
        sizes = f"({least} {least_bytes}, {most} {most_bytes})"
        return f"the answers' {what} differ by {apart} {sizes}"

    return worded


def unlike(what: str, key: str) -> Callable[..., str]:
    """`nginx and h2o agreed on TLS 1.3, the other on TLS 1.2`, whatever it is that differs."""

    def worded(names: list[str], **values: Any) -> str:
        said = filled(what, values)
        groups = grouped(zip(values[key], names, strict=True))
        parts = (f"{value} with {who(members)}" for value, members in groups.items())
        return f"{said}: {'; '.join(parts)}"

    return worded


def hpack_differs(names: list[str], head_bytes: list[int], packed_bytes: list[int]) -> str:
    groups = grouped(zip(zip(head_bytes, packed_bytes, strict=True), names, strict=True))
    parts = (
        f"{who(members)} {before:,} → {after:,} bytes"
        for (before, after), members in groups.items()
    )
    return f"HPACK makes unlike sizes of the answers' heads: {', '.join(parts)}"


def headers_missing(names: list[str], headers: list[str], others: int) -> str:
    lacks = listed(f"no {header_line(header)}" for header in headers)
    rest = form(others, "the other does", "the others do")
    return f"{who(names)} {form(names, 'sends', 'send')} {lacks} header, {rest}"


def headers_further(names: list[str], headers: list[str]) -> str:
    """One sentence for all contenders; where there are many groups, those that send most."""
    groups = grouped(zip(headers, names, strict=True))
    sent = {own: [header_line(header) for header in own.split(",")] for own in groups}
    if len(groups) == 1:
        ((own, members),) = groups.items()
        return f"{who(members)} also {form(members, 'sends', 'send')} {listed(sent[own])}"
    most = sorted(groups, key=lambda own: -len(sent[own]))
    parts = [f"{who(groups[own])} {listed(sent[own])}" for own in most[:MOST_GROUPS]]
    if left := sum(len(groups[own]) for own in most[MOST_GROUPS:]):
        parts.append(f"and {left} more")
    return f"some also send what most don't: {'; '.join(parts)}"


def header_line(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


FEW = {
    "long blocks": "blocks of long slices, which latencies are taken from,",
    "boots": "boots",
    "rounds": "rounds",
    "rounds with the figure": "rounds with that figure",
}


def few_pairs(what: str, **values: Any) -> str:
    return filled(
        "{n} {what}[ ({failure})] have both, and {least} are the least; a larger --scale helps",
        values | {"what": FEW[what]},
    )


PHASES: Mapping[str, str] = {
    "start": "cold starts",
    "first": "the first 1,000 requests",
    "rest": "the rest",
    "peak": "the peak",
    "load_10": "10 % of its peak",
    "load_70": "70 % of its peak",
    "load_100": "100 % of its peak",
    "load_150": "150 % of its peak",
    "load_300": "300 % of its peak",
    "equal": "the equal rate",
    "recovery": "the recovery",
    "storm": "the connection storm",
    "slow": "slow clients",
    "after": "memory after it all",
}
"""The phases of a day, as they are named in a sentence."""


def share_of(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def kinds_with_shares(kinds: Sequence[str], shares: Sequence[float]) -> str:
    said = zip(kinds, shares, strict=True)
    return listed(f"{kind.replace('_', ' ')} {figures.percent(each)}" for kind, each in said)


def answers_late(level: float, held: float, p50_us: float | None) -> str:
    return f"at {share_of(level)} of its peak it queues and answers late: {_waits(held, p50_us)}"


def queues_in_memory(
    level: float, held: float, p50_us: float | None, mib: float, mib_at_peak: float
) -> str:
    return (
        f"at {share_of(level)} of its peak it queues, and those who wait fill its memory: "
        f"{figures.mib(mib)} in place of {figures.mib(mib_at_peak)}; {_waits(held, p50_us)}"
    )


def _waits(held: float, p50_us: float | None) -> str:
    waits = f"waits for {figures.duration(p50_us)} or longer" if p50_us else "gives up"
    return f"it answers {share_of(held)} of its peak, and half of what is asked {waits}"


def sheds(level: float, held: float, kinds: Sequence[str], shares: Sequence[float]) -> str:
    return _failing("it says no", level, held, kinds, shares)


def refuses(level: float, held: float, kinds: Sequence[str], shares: Sequence[float]) -> str:
    return _failing("it refuses connections", level, held, kinds, shares)


def drops(level: float, held: float, kinds: Sequence[str], shares: Sequence[float]) -> str:
    return _failing("it drops connections", level, held, kinds, shares)


def _failing(
    what: str, level: float, held: float, kinds: Sequence[str], shares: Sequence[float]
) -> str:
    return (
        f"at {share_of(level)} of its peak {what}: {kinds_with_shares(kinds, shares)} of the "
        f"requests; it answers {share_of(held)} of its peak"
    )


def collapses(level: float, held: float, kinds: Sequence[str], shares: Sequence[float]) -> str:
    errors = f" ({kinds_with_shares(kinds, shares)})" if kinds else ""
    return (
        f"at {share_of(level)} of its peak it collapses: it answers {share_of(held)} of it{errors}"
    )
