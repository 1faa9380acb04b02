"""A finding as an English sentence. This is the only place where a finding is worded."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from string import Formatter
from typing import Any, TypeVar

from bakeoff.model.finding import Finding
from bakeoff.report import figures

Key = TypeVar("Key")
MOST_NAMED = 4
MOST_GROUPS = 5
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


def sentence(finding: Finding) -> str:
    """What the finding says, without a full stop; it begins in lower case where a name does not.

    A warning ends with what can be done about it.
    """
    code = finding.because[0].code if finding.code == "several" else finding.code
    advice = ADVICE.get(code)
    return f"{_said(finding)}; {advice}" if advice else _said(finding)


def sentences(findings: Iterable[Finding]) -> list[str]:
    """One for each."""
    return [sentence(each) for each in findings]


def joined(findings: Iterable[Finding]) -> str:
    """All of them as one clause, without advice; empty where there are none."""
    return "; ".join(_said(each) for each in findings)


def _said(finding: Finding) -> str:
    if finding.code == "several":
        return _of_several(finding)
    worded, values = SENTENCES[finding.code], dict[str, Any](finding.values)
    because = "" if finding.code in OF_EACH else joined(finding.because)
    if isinstance(worded, str):
        return _filled(worded, values | {"because": because})
    return worded(**values, because=because) if because else worded(**values)


def _of_several(finding: Finding) -> str:
    """One sentence on contenders with the same warning: each value is the list of theirs."""
    names, first = finding.values["names"], finding.because[0]
    values: dict[str, Any] = {
        key: [value for each in finding.because if (value := each.values[key]) is not None]
        for key in first.values
    }
    return _filled(SEVERAL[first.code], values | {"names": names, "because": joined(first.because)})


def who(names: Collection[str]) -> str:
    """`a`, `a and b`, `a, b, c and d`; of five and more the first three, and how many others."""
    given = list(names)
    if len(given) <= MOST_NAMED:
        return listed(given)
    return f"{', '.join(given[: MOST_NAMED - 1])} and {len(given) - MOST_NAMED + 1} others"


def listed(words: Iterable[object]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = map(str, words)
    return f"{', '.join(most)} and {last}" if most else last


class _Template(Formatter):
    """Python's format with a few formats of its own, and optional parts.

    `{names:who}` and `{values:listed}` are those functions, `{boot:nth}` counts from 1 and
    `{value_us:ms}` and
    `{value_us:s}` are times. `{names:does|do}` is the first word for one of them and the
    second for any other number, `{workers:# worker}` a number with its noun. A share has a space
    before its sign: `1.4 %`. `{shares:to .0%}` are the least and the most of several, or the one
    that all are; `{counts:sum}` is their sum, `{texts:one}` the first, where all are the same.
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        match format_spec.partition(" "):
            case "who", *_:
                return who(value)
            case "listed", *_:
                return listed(value)
            case "nth", *_:
                return str(value + 1)
            case "ms", *_:
                return f"{value / 1e3:.0f} ms"
            case "s", *_:
                return f"{value / 1e6:.1f} s"
            case "#", _, noun:
                return f"{value:,} {_s(value, noun, f'{noun}s')}"
            case "to", _, spec:
                least, most = (self.format_field(pick(value), spec) for pick in (min, max))
                return most if least == most else f"{least.removesuffix(' %')} to {most}"
            case "sum", *_:
                return f"{sum(value):,}"
            case "one", *_:
                return str(value[0])
        one, bar, more = format_spec.partition("|")
        if bar:
            return _s(value, one, more)
        text = str(super().format_field(value, format_spec))
        return f"{text[:-1]} %" if format_spec.endswith("%") else text


def _filled(template: str, values: Mapping[str, Any]) -> str:
    """The template with its values; a part in brackets is left out where it lacks a value."""

    def optional(part: re.Match[str]) -> str:
        needed = (values[name] for _, name, _, _ in Formatter().parse(part[1]) if name)
        return part[1] if all(each or (each == 0 and each is not False) for each in needed) else ""

    return _Template().vformat(_OPTIONAL.sub(optional, template), (), values)


def _s(number: Collection[object] | int, one: str, more: str) -> str:
    """The form that fits so many."""
    return one if (number if isinstance(number, int) else len(number)) == 1 else more


def _figures(values: Sequence[int]) -> str:
    """Each, in the order of the names; of many, from the least to the most."""
    if len(set(values)) == 1:
        return f"{min(values):,}"
    if len(values) > MOST_NAMED:
        return f"{min(values):,} to {max(values):,}"
    return listed(f"{value:,}" for value in values)


def grouped(pairs: Iterable[tuple[Key, str]]) -> dict[Key, list[str]]:
    """The names that share a key, by keys in the order in which they come."""
    groups: dict[Key, list[str]] = {}
    for key, name in pairs:
        groups.setdefault(key, []).append(name)
    return groups


def _unanswered(
    kinds: list[str],
    counts: list[int],
    missing: int,
    attempts: int,
    limit_share: float | None = None,
    **values: Any,
) -> str:
    failures = (f"{count:,} {kind}" for count, kind in zip(counts, kinds, strict=True))
    return _filled(
        "{missing:,} of {attempts:,} requests got no answer ({share:.2%}; {failures})"
        "[; {broken_off}][; its listen queue was full ({dropped})]"
        "[; {limit_share:.1%} is the limit]",
        {
            "missing": missing,
            "attempts": attempts,
            "share": missing / attempts,
            "failures": ", ".join(failures).replace("_", " "),
            "broken_off": "an answer stopped in the middle" if values["broken_off"] else "",
            "dropped": _filled(_DROPPED, values) if values["dropped"] else "",
            "limit_share": limit_share,
        },
    )


_DROPPED = "the kernel dropped {dropped:,} connections, over all servers of this machine"


def _generator_slow(pipeline: int, **values: Any) -> str:
    return _filled(
        "{in_flight:.1f} requests were in flight on average, with {connections} connections"
        "[ of {depth} requests each], so {share:.0%} of the time was spent in the load generator, "
        "and {limit_share:.0%} is the limit: it is at least this fast",
        values | {"depth": pipeline if pipeline > 1 else None},
    )


def _generator_near_limit(client_busy: float, server_busy: float) -> str:
    return _filled(
        "the load generator was busy {client_busy:.0%} of the time and the server "
        "{server_busy:.0%}: at moments the generator was the limit, and the server may be up to "
        "{faster:.0%} faster than measured",
        {
            "client_busy": client_busy,
            "server_busy": server_busy,
            "faster": max(0.0, 1 / server_busy - 1),
        },
    )


def _workers_restarted(ended: int, began: int) -> str:
    went = f"{ended:,} of its working processes ended while it was measured"
    return f"{went} and {began:,} took over: it restarts its workers" if began else went


def _workers_crowded(workers: int, cores: int) -> str:
    had = "one server core" if cores == 1 else f"{cores} server cores"
    return f"{workers} workers were asked for on {had}: they take turns"


def _blocks_left_out(
    names: list[str], ratios: list[float], lows: list[float], highs: list[float], **values: Any
) -> str:
    each = [
        f"{name} {ratio:.3g} ({low:.3g} to {high:.3g})"
        for name, ratio, low, high in zip(names, ratios, lows, highs, strict=True)
    ]
    with_them = "; ".join(each) if len(each) <= MOST_NAMED else ""
    return _filled(
        "{n:,} of {blocks:,} blocks are left out: the host took over {limit_share:.0%} of the "
        "cores' time in them, or in nearly all of their boot"
        "[; with them the ratios are: {with_them}]",
        values | {"with_them": with_them},
    )


def _fewer_connections(connections: int, names: list[str], places: list[int]) -> str:
    queues = ", ".join(f"{name} ({n})" for name, n in zip(names, places, strict=True))
    return (
        f"the race had {figures.plural(connections, 'connection')}, fewer than usual: with more of "
        f"them listen queues overflow, which have room for few: {queues}"
    )


def _fewer_served(connections: int, names: list[str], served: list[int]) -> str:
    each = ", ".join(f"{name} ({n})" for name, n in zip(names, served, strict=True))
    return (
        f"the race had {figures.plural(connections, 'connection')}, fewer than usual: some servers "
        f"serve few at a time, and the others wait until one of these is closed: {each}"
    )


def _cpu_sources_differ(names: list[str], sources: list[str]) -> str:
    each = ", ".join(f"{name}: {source}" for name, source in zip(names, sources, strict=True))
    return f"CPU time was not read in the same way for all ({each})"


def _request_differs(
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


def _twin_differs(low: float, high: float, **values: Any) -> str:
    return _filled(
        "two copies of {name} differ: ratio {ratio:.4f} ({low:.4f} to {high:.4f}); a difference "
        "smaller than {doubt} is in doubt",
        values | {"low": low, "high": high, "doubt": figures.percent(figures.doubt(low, high))},
    )


def _few_at_work(names: list[str], processes: list[int], threads: list[int], workers: int) -> str:
    groups = grouped(zip(zip(processes, threads, strict=True), names, strict=True))
    parts = [
        _filled(
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
    asked = _filled("{workers:# worker}", {"workers": workers})
    return f"{', '.join(parts)}{comma} where {asked} were asked for"


def _many_at_work(names: list[str], threads: list[int], workers: int, cores: int) -> str:
    asked = f"{workers} {_s(workers, 'that was', 'that were')} asked for"
    return (
        f"{who(names)} kept more threads at work ({_figures(threads)}) than the {asked}, and had "
        f"{cores} cores for them"
    )


def _logs(names: list[str], bytes_per_request: list[float]) -> str:
    figures = _figures([round(each) for each in bytes_per_request])
    return f"{who(names)} wrote {figures} bytes of log per request"


def _segments_differ(names: list[str], segments: list[int]) -> str:
    counted = Counter(segments)
    usual = min(counted, key=lambda count: (-counted[count], count))
    groups = grouped(zip(segments, names, strict=True))
    parts = [
        f"{who(members)} {_s(members, 'answers', 'answer')} in "
        f"{f'{count} writes' if count > 1 else 'one write'}"
        for count, members in sorted(groups.items())
        if count != usual
    ]
    rest = _s(counted[usual], "the other", "the others")
    return f"{', '.join(parts)}, {rest} in {usual if usual > 1 else 'one'}"


def _closes_soon(names: list[str], requests: list[int]) -> str:
    closes = _s(names, "closes", "close")
    return f"{who(names)} {closes} a connection after {_figures(requests)} requests"


def _sizes_differ(what: str) -> Callable[..., str]:
    def worded(least: str, least_bytes: int, most: str, most_bytes: int) -> str:
        apart = _filled("{apart:# byte}", {"apart": most_bytes - least_bytes})
        sizes = f"({least} {least_bytes}, {most} {most_bytes})"
        return f"the answers' {what} differ by {apart} {sizes}"

    return worded


def _unlike(what: str, key: str) -> Callable[..., str]:
    """`nginx and h2o agreed on TLS 1.3, the other on TLS 1.2`, whatever it is that differs."""

    def worded(names: list[str], **values: Any) -> str:
        said = _filled(what, values)
        groups = grouped(zip(values[key], names, strict=True))
        parts = (f"{value} with {who(members)}" for value, members in groups.items())
        return f"{said}: {'; '.join(parts)}"

    return worded


def _hpack_differs(names: list[str], head_bytes: list[int], packed_bytes: list[int]) -> str:
    groups = grouped(zip(zip(head_bytes, packed_bytes, strict=True), names, strict=True))
    parts = (
        f"{who(members)} {before:,} → {after:,} bytes"
        for (before, after), members in groups.items()
    )
    return f"HPACK makes unlike sizes of the answers' heads: {', '.join(parts)}"


def _headers_missing(names: list[str], headers: list[str], others: int) -> str:
    lacks = listed(f"no {_header(header)}" for header in headers)
    rest = _s(others, "the other does", "the others do")
    return f"{who(names)} {_s(names, 'sends', 'send')} {lacks} header, {rest}"


def _headers_further(names: list[str], headers: list[str]) -> str:
    """One sentence for all contenders; where there are many groups, those that send most."""
    groups = grouped(zip(headers, names, strict=True))
    sent = {own: [_header(header) for header in own.split(",")] for own in groups}
    if len(groups) == 1:
        ((own, members),) = groups.items()
        return f"{who(members)} also {_s(members, 'sends', 'send')} {listed(sent[own])}"
    most = sorted(groups, key=lambda own: -len(sent[own]))
    parts = [f"{who(groups[own])} {listed(sent[own])}" for own in most[:MOST_GROUPS]]
    if left := sum(len(groups[own]) for own in most[MOST_GROUPS:]):
        parts.append(f"and {left} more")
    return f"some also send what most don't: {'; '.join(parts)}"


def _header(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


_FEW = {
    "long blocks": "blocks of long slices, which latencies are taken from,",
    "boots": "boots",
    "rounds": "rounds",
    "rounds with the figure": "rounds with that figure",
}


def _few_pairs(what: str, **values: Any) -> str:
    return _filled(
        "{n} {what}[ ({failure})] have both, and {least} are the least; a larger --scale helps",
        values | {"what": _FEW[what]},
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


def _share(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def _kinds(kinds: Sequence[str], shares: Sequence[float]) -> str:
    said = zip(kinds, shares, strict=True)
    return listed(f"{kind.replace('_', ' ')} {figures.percent(each)}" for kind, each in said)


def _answers_late(level: float, held: float, p50_us: float | None) -> str:
    waits = f"waits for {figures.duration(p50_us)} or longer" if p50_us else "gives up"
    return (
        f"at {_share(level)} of its peak it queues and answers late: it answers {_share(held)} of "
        f"its peak, and half of what is asked {waits}"
    )


def _collapses(level: float, held: float, kinds: Sequence[str], shares: Sequence[float]) -> str:
    errors = f" ({_kinds(kinds, shares)})" if kinds else ""
    return f"at {_share(level)} of its peak it collapses: it answers {_share(held)} of it{errors}"


SENTENCES: Mapping[str, str | Callable[..., str]] = {
    # All but `several`, whose sentence is that of `SEVERAL` for the warning that they share.
    # Why an entry's figures can't stand.
    "not_measured": "none of its slices was measured: the run ended before its turn",
    "died": "it died under load: {how}",
    "no_answers": "it answered no request",
    "few_connections": "only {opened} of {connections} connections could be opened",
    "wrong_answers": "{wrong:,} of {attempts:,} answers were wrong[; the first: {first_bad}]",
    "answered_twice": "it answered twice: {detail}",
    "unanswered": _unanswered,
    "port_closed": "it no longer listens on port {port}, though its process lives",
    "left_cores": "it left its cores: it was given {cpus:core|cores} {cpus:listed} and let itself "
    "run on {strayed:core|cores} {strayed:listed} too",
    "rate_not_answered": "it answered {answered_share:.1%} of the {rate:,.0f} requests per second "
    "that it was offered; {least:.0%} is the least",
    # Why an entry did at least what was measured.
    "generator_limit": "the load generator was the limit, busy {client_busy:.0%} of the time, and "
    "the server's cores only {server_busy:.0%}: it is at least this fast",
    "upstream_limit": "whom it asks was the limit, busy {upstream_busy:.0%} of the time beside the "
    "load generator's {client_busy:.0%}, and the server's cores only {server_busy:.0%}: it is at "
    "least this fast",
    "generator_slow": _generator_slow,
    "generator_late": "the load generator was late: one request in a hundred left {lag_us:,.0f} µs "
    "or more after it was due, and {most_us:,.0f} µs is the most; it is at least this prompt",
    # What casts a shadow on an entry's figures.
    "processes_lost": "it lost {n:# process} while it was measured, and went on with others; "
    "the first: {how}",
    "out_in_boots": "it was out in {n} of {boots} boots; in boot {boot:nth}: {reason}",
    "few_unanswered": _unanswered,
    "connections_closed": "it closed connections though keep-alive was asked: {reopened:,} were "
    "opened anew for {attempts:,} requests",
    "idle_connections_closed": "it closed {closed:,} idle connections between its turns, and they "
    "were opened anew",
    "unsteady_warm_up": "its warm-up reached no steady state in {n} of {boots} boots: its figures "
    "may still have been changing",
    "slower_in_warm_up": "it got slower while it was warmed up, in {n} of {boots} boots: in boot "
    "{boot:nth} from {peak_per_s:,.0f} to {now_per_s:,.0f} requests/s",
    "cpu_leak": "it used {share:.1%} of the server's cores while others had their turn",
    "server_unseen": "the load generator was busy {client_busy:.0%} of the time and the server's "
    "CPU can't be seen: the generator may have been the limit",
    "generator_near_limit": _generator_near_limit,
    "limit_unknown": "its limit is unknown: the server was busy {server_busy:.0%} of the time and "
    "the load generator {client_busy:.0%}",
    "stood_still": "it stood still[ for about {length_us:ms}], in {times:,} of its {slices:,} "
    "slices: at least half of its connections waited together",
    "silent_slices": "{silent:,} of its {slices:,} slices passed without a single answer",
    "slower_while_measured": "it got slower while it was measured: after {after_share:.0%} of its "
    "time in a boot it had {after_ratio:.0%} of the throughput of before",
    "faster_while_measured": "it got faster while it was measured: after {after_share:.0%} of its "
    "time in a boot it had {after_ratio:.2f} times the throughput of before, so it was not warm "
    "yet",
    "workers_restarted": _workers_restarted,
    "processes_escaped": "it started {processes} {processes:process|processes} that left its "
    "process group",
    "killed": "it did not end when asked to (SIGTERM) and was killed, in {n} of {boots} boots",
    "outlived_sigkill": "even SIGKILL did not end its {pids:process|processes} {pids:listed}",
    "memory_grew": "its memory grew by {mib_per_s:.1f} MiB a second while it was measured, in one "
    "boot from {mib_before:.0f} to {mib_after:.0f} MiB",
    "verification": "{text}",
    "answers_count": "its answers depend on what it was asked before: {place} goes on with each "
    "request ({seen:listed})",
    "answers_grow": "its answers depend on what it was asked before: each is longer than the one "
    "before ({seen:listed} bytes)",
    "answers_unlike": "its answers are not like those of {reference}: {differences}",
    "delayed_ack": "half of its answers take {p50_us:ms} or more while its CPU is nearly idle: "
    "Nagle's algorithm meets delayed ACK",
    "packets_lost": "{quantile} is {value_us:ms}, about TCP's minimum retransmission time of "
    "200 ms: packets were lost[ (the kernel sent {retransmits:,} segments again, over all servers "
    "of this machine)]",
    "syn_repeated": "{quantile} is {value_us:s}, about the time after which TCP repeats a SYN: its "
    f"listen queue was full[ ({_DROPPED})]",
    "few_blocks": "too few blocks for a ratio: it and {reference} were measured side by side in "
    "{n}, and {least} are the least",
    "some_blocks": "it had its turn in {n:,} of the {blocks:,} blocks of {reference}",
    "slice_length_matters": "the length of a slice matters: against {reference}, in long slices"
    "[ ({long_ms} ms instead of {short_ms} ms)] the ratio is {long_ratio:.3f} ({long_low:.3f} to "
    "{long_high:.3f}), in short ones {short_ratio:.3f} ({short_low:.3f} to {short_high:.3f})",
    "solo_missing": lambda reference, because="": (
        "not confirmed: solo, " + (because or f"too few rounds have both it and {reference}")
    ),
    "solo_differs": "in turns and solo it is not the same: against {reference}, in turns the ratio "
    "is {ratio:.3f}[ ({low:.3f} to {high:.3f})], with one contender up at a time {solo_ratio:.3f}"
    "[ ({solo_low:.3f} to {solo_high:.3f})], which is more than chance",
    # About a whole race.
    "cores_shared": "servers and load generator share cores: a server that takes more CPU slows "
    "its own load, and which side was the limit can't be told",
    "workers_crowded": _workers_crowded,
    "cut_short": "the race was cut short: this is the verdict on what was measured until then",
    "boots_missing": "only {n} of {planned} boots were measured",
    "one_boot": "one boot: how far two starts of these programs differ was not measured, so the "
    "intervals hold for these processes and connections only",
    "one_process": "the intervals of {names:who} rest on one process of each: they don't say how "
    "far another start would differ",
    "few_processes": "the intervals of {names:who} rest on {n} processes, or a few more: so few "
    "make them wide",
    "few_boots": "the intervals rest on {n} boots: so few make them wide",
    "warm_up_short": "no contender was warmed up for more than {longest_s:.3g} s: a program that "
    "compiles while it runs may not have come up to speed",
    "host_steal": "the host took {share:.1%} of the cores' time away (steal)",
    "listen_queue_full": "{overflows:,} connections met a full listen queue (counted over all "
    "servers of this machine): a client waits 1 s or more until it asks again",
    "fewer_connections": _fewer_connections,
    "fewer_served": _fewer_served,
    "blocks_left_out": _blocks_left_out,
    "cpu_sources_differ": _cpu_sources_differ,
    "twin_differs": _twin_differs,
    "request_differs": _request_differs,
    "reference_replaced": "{planned} was to be the reference and could not be ({because}); "
    "{chosen} is instead",
    "no_noise_floor": "no noise floor: {because}",
    "few_twin_blocks": "fewer than {least} blocks have both the twin and its original",
    "not_confirmed": "not confirmed: the solo part was not measured",
    "solo_cut_short": "the solo part that was to confirm the race ended early",
    # What several contenders have in common.
    "host_hides_limits": "the host took {share:.1%} of the cores' time away (steal), so what "
    "limited {names:who} can't be seen",
    "machine_changed": "the machine changed: in boot {boot:nth}, after {after_share:.0%} of it, "
    "{names:who} had {after_ratio:.2f} times the throughput of before",
    "machine_stood_still": "the machine stood still[ for about {length_us:ms}] now and then, and "
    "{names:who} with it",
    # Where contenders' work is unequal.
    "answers_early": "{names:who} {names:answers|answer} before a request is complete: "
    "{names:it does|they do} not read it to its end",
    "few_at_work": _few_at_work,
    "streams_capped": "{names:who} {names:admits|admit} {limits:listed} streams on a connection, "
    "fewer than the {streams} that were asked for: fewer of its requests were under way",
    "tls_versions_differ": _unlike("they agreed on unlike versions of TLS", "versions"),
    "ciphers_differ": _unlike("they agreed on unlike ciphers", "ciphers"),
    "keys_differ": _unlike("their certificates have unlike kinds of keys", "certificate_keys"),
    "many_at_work": _many_at_work,
    "logs": _logs,
    "segments_differ": _segments_differ,
    "nagle": "{names:who} {names:shows|show} the 40 ms of Nagle's algorithm meeting delayed "
    "acknowledgement: TCP_NODELAY is off",
    "no_keep_alive": "{names:who} {names:offers|offer} no keep-alive: each request pays for a "
    "connection of its own",
    "closes_soon": _closes_soon,
    "stays_open": "{names:who} {names:leaves|leave} open what {names:it was|they were} asked to "
    "close",
    "no_date": "{names:who} {names:sends|send} no Date",
    "date_frozen": "the Date of {names:who} does not move",
    "bodies_differ": _sizes_differ("bodies"),
    "heads_differ": _sizes_differ("heads"),
    "headers_missing": _headers_missing,
    "headers_further": _headers_further,
    "hpack_differs": _hpack_differs,
    "http2_settings_differ": _unlike("HTTP/2's {setting} differs", "kept"),
    "no_resumption": "{names:who} {names:resumes|resume} no TLS session, the others do: with a new "
    "connection for each request that is a full handshake each",
    "no_alpn": "{names:who} {names:names|name} no protocol by ALPN, the others do",
    "no_http_1_0_keep_alive": "{names:who} {names:keeps|keep} no connection of an HTTP/1.0 client",
    # Why there is no ratio, gate or claim.
    "not_valid": "{name} is not valid: {because}",
    "absent": "{name} did not take part: {reason}",
    "few_paired_blocks": "too few blocks have both",
    "few_pairs": _few_pairs,
    "few_blocks_side_by_side": "too few blocks were measured side by side; a larger --scale "
    "measures more",
    "generator_in_latency": "the load generator was the limit of {name}, so part of its latency is "
    "the generator's",
    "cpu_not_compared": "what the whole machine used is not compared: the generator is part of it",
    "not_read": "{metric} is not read while a tool makes the load",
    "comparison_missing": "its comparison was not measured",
    "tool_and_engine": "{row}: {tool} and engine can't be compared: {because}",
    "few_rounds": "{n} rounds have this figure of both, and {least} are the least",
    "wrk_corrects": "wrk adds waiting that it did not measure (it calls that a correction)",
    "coarse": lambda loader, step_us: f"{loader} prints no finer than {step_us / 1000:g} ms",
    "text": "{text}",
    # About a day.
    "keeps_up": "at {level:.0%} of its peak it still answers all of it, {held:.0%} of its peak: "
    "more connections got more out of it",
    "answers_late": _answers_late,
    "refuses": lambda level, held, kinds, shares: (
        f"at {_share(level)} of its peak it refuses: {_kinds(kinds, shares)} of the requests; it "
        f"answers {_share(held)} of its peak"
    ),
    "times_out": "at {level:.0%} of its peak it lets {share:.1%} of the requests time out; it "
    "answers {held:.0%} of its peak",
    "collapses": _collapses,
    "dies_beyond": "at {level:.0%} of its peak it died, in {n:# round}: {how}",
    "died_in_phase": lambda phase, n, how: (
        f"it died in {PHASES[phase]}, in {figures.plural(n, 'round')}, and began the next phase as "
        f"a new process: {how}"
    ),
    "missed_phase": lambda phase, n, how: (
        f"out of {PHASES[phase]} in {figures.plural(n, 'round')}: {how}"
    ),
    "out_of_phase": "out in {n:# turn}: {reason}",
    "not_seen": "it can't be seen",
    "below_step": "less than {step_ms:g} ms apart, which can't be told",
    "generator_at_peak": "the load generator was busy {client_busy:.0%} of the time at its peak, "
    "which is at least that: shares of it are of what could be offered",
    "stays_ill": "in {n:# round} its latency was not what it was as long as it was watched after "
    "the crowd had left",
    "cuts_slow_clients": "it closed the connections of slow clients: {n} of {asked} were left",
    "blocked_by_slow_clients": "slow clients block it: beside {n} of them it answered "
    "{share:.0%} of what it was asked",
    "no_energy": "this machine does not count the processors' energy (RAPL), or not for us: there "
    "is no energy per request",
    # About two runs.
    "in_run": "{run}: {because}",
    "is_reference": "the reference: its own change can't be seen",
    "only_one_in_both": "it is the only one in both runs: absolute throughput is all that is left, "
    "and the machine's drift is in it",
    "few_run_blocks": "too few blocks of {run} have both it and {reference}",
    "machine_differs": "{key}: {before} and {after}",
    "run_not_valid": "{run}: its verdict is not valid",
    "run_cut_short": "{run}: it ended early",
    "not_repeated": "an alarm of the first race was not found again in fresh processes: the "
    "second race gave {ratio:.3f}[ ({low:.3f} to {high:.3f})]",
    "not_measured_again": "an alarm of the first race was not measured again, as the run ended",
    "engines_differ": "the load came from the engine {before} in the earlier run and {after} in "
    "the later, which may be a part of every change",
    "reference_unknown": "nothing says whether {reference}, the reference, is the same program in "
    "both runs; if it changed, its change is in every ratio",
    "reference_version": "{reference}, the reference, is {before} in the earlier run and {after} "
    "in the later: that change is in every ratio",
    "reference_sources": "{reference}, the reference, has other sources in the later run than in "
    "the earlier: that change is in every ratio",
    "slice_kinds_differ": "{name}: the figure of long slices counts in one run and that of short "
    "ones in the other, which may be a part of its change",
    # About capacities.
    "search_cut_short": "the run ended before its time: its intervals are wider than planned",
    "cores_shared_by_search": "server and generator share a core: capacities are those of the two "
    "together",
    "server_cores": "the servers had {cores} cores",
    "blocks_disturbed": "{n} of {blocks} blocks were left out: the host took the cores away",
    "one_boot_of_search": "there was one boot: the capacities hold for these processes and "
    "connections only; more --boots would tell",
    "generator_busy_at_capacity": "the load generator was busy {client_busy:.0%} of the time at "
    "its capacity: it may hold more",
}

OF_EACH = ("host_hides_limits", "machine_changed")
"""Findings whose `because` has those of contenders, which they take the place of."""

SEVERAL: Mapping[str, str] = {
    "processes_lost": "{names:who} lost {n:sum} processes while they were measured, and went on "
    "with others; the first: {how:one}",
    "out_in_boots": "{names:who} were out in some boots: {reason:one}",
    "few_unanswered": "{names:who} left {missing:sum} of {attempts:sum} requests without an answer",
    "connections_closed": "{names:who} closed connections though keep-alive was asked: "
    "{reopened:sum} were opened anew for {attempts:sum} requests",
    "idle_connections_closed": "{names:who} closed {closed:sum} idle connections between their "
    "turns, and they were opened anew",
    "unsteady_warm_up": "the warm-ups of {names:who} reached no steady state in {n:to} of their "
    "boots: their figures may still have been changing",
    "slower_in_warm_up": "{names:who} got slower while they were warmed up, in {n:to} of their "
    "boots",
    "cpu_leak": "{names:who} used {share:to .1%} of the server's cores while others had their turn",
    "server_unseen": "the load generator was busy {client_busy:to .0%} of the time with "
    "{names:who}, whose CPU can't be seen: the generator may have been the limit",
    "generator_near_limit": "the load generator was busy {client_busy:to .0%} of the time with "
    "{names:who}, which were busy {server_busy:to .0%}: at moments it was the limit, and they may "
    "be faster than measured",
    "limit_unknown": "the limit of {names:who} is unknown: the servers were busy "
    "{server_busy:to .0%} of the time and the load generator {client_busy:to .0%}",
    "stood_still": "{names:who} stood still, in {times:to} slices each: at least half of their "
    "connections waited together",
    "silent_slices": "of {names:who}, {silent:to} slices each passed without a single answer",
    "slower_while_measured": "{names:who} got slower while they were measured, to "
    "{after_ratio:to .0%} of the throughput of before",
    "faster_while_measured": "{names:who} got faster while they were measured, to "
    "{after_ratio:to .2f} times the throughput of before, so they were not warm yet",
    "workers_restarted": "{ended:sum} working processes of {names:who} ended while they were "
    "measured: they restart their workers",
    "processes_escaped": "{names:who} started processes that left their process groups",
    "killed": "{names:who} did not end when asked to (SIGTERM) and were killed",
    "outlived_sigkill": "even SIGKILL did not end processes of {names:who}",
    "memory_grew": "the memory of {names:who} grew by {mib_per_s:to .1f} MiB a second while they "
    "were measured",
    "verification": "{names:who}, each: {text:one}",
    "answers_count": "the answers of {names:who} depend on what they were asked before: "
    "{place:one} goes on with each request",
    "answers_grow": "the answers of {names:who} depend on what they were asked before: each is "
    "longer than the one before",
    "answers_unlike": "the answers of {names:who} are not like those of {reference:one}: "
    "{differences:one}",
    "delayed_ack": "half of the answers of {names:who} take {p50_us:to ms} or more while their CPU "
    "is nearly idle: Nagle's algorithm meets delayed ACK",
    "packets_lost": "{quantile:one} of {names:who} is {value_us:to ms}, about TCP's minimum "
    "retransmission time of 200 ms: packets were lost",
    "syn_repeated": "{quantile:one} of {names:who} is {value_us:to s}, about the time after which "
    "TCP repeats a SYN: their listen queues were full",
    "few_blocks": "too few blocks for the ratios of {names:who}: each was measured side by side "
    "with {reference:one} in {n:to}, and {least:to} are the least",
    "some_blocks": "{names:who} had their turns in {n:to ,} of the {blocks:to ,} blocks of "
    "{reference:one}",
    "slice_length_matters": "the length of a slice matters for {names:who}: against "
    "{reference:one}, in long slices[ ({long_ms:to} ms instead of {short_ms:to} ms)] their ratios "
    "are {long_ratio:to .3f}, in short ones {short_ratio:to .3f}",
    "solo_missing": "not confirmed: solo, [{because}, and ]{names:who} have no ratio",
    "solo_differs": "in turns and solo {names:who} are not the same: against {reference:one}, in "
    "turns the ratios are {ratio:to .3f}, with one contender up at a time {solo_ratio:to .3f}, "
    "which is more than chance",
}
"""The warning that several contenders share, by the code of each one's own."""

NOTHING = "nothing to do"
ADVICE: Mapping[str, str] = {
    "answers_count": "see that the work of an answer does not grow with it",
    "answers_grow": "give it the same state at each start, and ask for what leaves it as it is",
    "answers_unlike": "see whether both do the same work; --same-answers refuses such a race",
    "processes_lost": "see the run's log: a server that dies now and then is no steady one",
    "out_in_boots": "see the run's log, or race it alone",
    "few_unanswered": "use fewer connections (-c)",
    "connections_closed": "turn its limit of requests per connection off, or race with --close",
    "idle_connections_closed": f"{NOTHING}: the opening was not timed",
    "unsteady_warm_up": "warm up longer: --warm-up 60s",
    "slower_in_warm_up": "warm up longer, --warm-up 60s, and see whether it goes on",
    "cpu_leak": "see with --solo what it does alone",
    "server_unseen": "name the process behind the URL with --pid",
    "generator_near_limit": "give the generator more cores with --cpus, or use fewer connections "
    "(-c)",
    "limit_unknown": "let nothing else run, or use more connections (-c 256) if it can take them",
    "stood_still": "look for collections, locks or flushes in the server",
    "silent_slices": "use fewer connections (-c), or let nothing else run",
    "slower_while_measured": "run it longer, -d 2m, and watch its memory and its log",
    "faster_while_measured": "warm up longer: --warm-up 60s",
    "workers_restarted": "turn its limit of requests per worker off",
    "processes_escaped": f"{NOTHING}: bakeoff ended them, but their CPU and memory may be missing",
    "killed": f"{NOTHING}: it was ended after its figures were taken",
    "outlived_sigkill": "restart the machine before you measure again",
    "memory_grew": "run it longer, -d 2m, and see whether it goes on",
    "delayed_ack": "set TCP_NODELAY, or answer in one write",
    "packets_lost": "use fewer connections (-c)",
    "syn_repeated": "give it a longer listen queue, or use fewer connections (-c)",
    "few_blocks": "run it longer (-d)",
    "some_blocks": f"{NOTHING}: the two are compared on these",
    "slice_length_matters": f"{NOTHING}: the figure of the long slices counts",
    "solo_missing": "run it longer (-d)",
    "solo_differs": "take the solo figure for the steady picture",
    "cores_shared": "give each side cores of its own with --cpus",
    "workers_crowded": "use as many --workers as there are server cores",
    "cut_short": "bakeoff resume measures the rest",
    "boots_missing": "bakeoff resume measures the rest",
    "one_boot": "more --boots would tell",
    "one_process": "more --boots would tell",
    "few_processes": "more --instances narrow them",
    "few_boots": "more --boots narrow them, and so does one boot with more draws, which then holds "
    "for that boot",
    "warm_up_short": "run it longer (-d), or set --warm-up",
    "host_steal": f"{NOTHING} but to choose a quieter time or machine",
    "listen_queue_full": "raise net.core.somaxconn and the server's backlog, or use fewer "
    "connections (-c)",
    "fewer_served": "give them more workers or threads, or race with --close",
    "fewer_connections": "-c asks for as many as you want to see, and what can't take them is out",
    "blocks_left_out": f"{NOTHING}: the ratios are those of the other blocks",
    "cpu_sources_differ": "compare it with care",
    "twin_differs": "use more --boots",
    "reference_replaced": "name another with --reference",
    "no_noise_floor": "run it longer (-d), or with more --boots",
    "not_confirmed": "race again with --confirm",
    "solo_cut_short": "bakeoff resume measures the rest",
    "host_hides_limits": f"{NOTHING} but to choose a quieter time or machine",
    "machine_changed": f"{NOTHING}: ratios are taken side by side",
    "machine_stood_still": "let nothing else run, or choose a quieter machine",
}
"""What can be done about a warning, after its sentence."""
