"""How a race was measured, and its entries: each one's build, command, and an answer."""

import base64
import binascii
import shlex
from collections.abc import Iterable, Iterator, Mapping

from bakeoff.model.plan import Plan
from bakeoff.model.protocol import WITH_STREAMS, Protocol
from bakeoff.model.receipt import Receipt, Verification
from bakeoff.model.samples import BootEntry, BootStart, Record
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.document import Section, Text, facts_table
from bakeoff.report.kinds.shared import PROTOCOL_NAMES, core_list, over, pinning
from bakeoff.report.sentences import listed


def facts(verdict: Verdict) -> tuple[str, ...]:
    close = verdict.connection == "close"
    return (
        loop(verdict),
        figures.plural(verdict.connections, "connection"),
        "a connection per request" if close else verdict.connection,
        *([verdict.workload_summary] if verdict.requests else []),
        *([f"{verdict.pipeline} requests ahead on each"] if verdict.pipeline > 1 else []),
        *([f"{verdict.streams} streams on each"] if verdict.streams > 1 else []),
        *spoken(verdict),
        *pinning(verdict.cores),
        *distance(verdict),
        *asked(verdict),
        *over(verdict.path),
        figures.plural(verdict.boots, "boot"),
        blocks_of(verdict),
        f"slices of {_slice_lengths(verdict)}",
        *(["one contender up at a time"] if verdict.solo else []),
    )


def method(verdict: Verdict) -> dict[str, object]:
    waits = ": the next request follows the answer" if verdict.mode == "closed" else ""
    return {
        "mode": f"{loop(verdict)}{waits}",
        "connections": f"{verdict.connections} per contender, {verdict.connection}",
        **({"pipeline": f"{verdict.pipeline} requests ahead"} if verdict.pipeline > 1 else {}),
        **({"streams": f"{verdict.streams} on a connection"} if verdict.streams > 1 else {}),
        **({"protocol": ", ".join(said)} if (said := spoken(verdict)) else {}),
        "pinning": ", ".join((*pinning(verdict.cores), *distance(verdict))),
        **({"upstream": ", ".join(said)} if (said := asked(verdict)) else {}),
        **({"path": ", ".join(said)} if (said := over(verdict.path)) else {}),
        "slices": _slice_lengths(verdict),
        "blocks": f"{blocks_of(verdict)} over {figures.plural(verdict.boots, 'boot')}",
        "measured": figures.duration(verdict.measured_s * 1e6),
        "contenders up at a time": "one" if verdict.solo else "all",
        "steal": figures.percent(verdict.steal_share),
        "seed": verdict.seed,
        "complete": "yes" if verdict.complete else "no: the run ended early",
    }


def blocks_of(verdict: Verdict) -> str:
    of_all = figures.plural(verdict.blocks, "block")
    left_out = verdict.disturbed_blocks
    return f"{of_all} ({left_out:,} disturbed)" if left_out else of_all


def distance(verdict: Verdict) -> tuple[str, ...]:
    """How far the generator's core is from the servers': the time of a line of the cache."""
    trip_ns = verdict.core_trip_ns
    return (f"{trip_ns:.0f} ns from core to core and back",) if trip_ns else ()


def asked(verdict: Verdict) -> tuple[str, ...]:
    if verdict.upstream is None:
        return ()
    upstream = verdict.upstream
    busy = "" if upstream.busy is None else f", busy {figures.percent(upstream.busy)} at most"
    what = f"an upstream of {upstream.delay_ms} ms"
    if upstream.rows:
        what = f"a database of {figures.plural(upstream.rows, 'row')}"
    return (f"{what} on {core_list(upstream.cpus)}{busy}",)


def spoken(verdict: Verdict) -> tuple[str, ...]:
    """The protocols of the requests, and the TLS of the entries; empty for plain HTTP/1.1."""
    protocols = dict.fromkeys(entry.protocol for entry in verdict.entries)
    if not protocols or set(protocols) == {"h1"}:
        return ()
    agreed = [entry.work.agreed for entry in verdict.entries if entry.work and entry.work.agreed]
    secure = dict.fromkeys(
        f"TLS {terms.tls_version} with {(terms.cipher or '?').removeprefix('TLS13_')}"
        for terms in agreed
        if terms.tls_version
    )
    if len(protocols) > 1:
        return f"over {listed(protocols)}", *secure
    return PROTOCOL_NAMES[next(iter(protocols))], *secure


def loop(verdict: Verdict) -> str:
    """Closed, or open with the rate offered to each contender."""
    if verdict.mode == "closed":
        return "closed loop"
    if verdict.rate:
        sent = " sent" if any(entry.rooms for entry in verdict.entries) else ""
        offered = f"{figures.rate(verdict.rate)} {verdict.unit}s{sent}/s to each"
    else:
        offered = f"{figures.percent(verdict.load)} of each one's own peak"
    arrivals = {"poisson": "Poisson arrivals", "uniform": "evenly spaced"}[verdict.arrivals]
    return f"open loop with {offered} ({arrivals})"


def _slice_lengths(verdict: Verdict) -> str:
    lengths_ms = [entry.slice_ms for entry in verdict.entries if entry.slice_ms]
    if not lengths_ms:
        return figures.MISSING
    shortest, longest = min(lengths_ms), max(lengths_ms)
    return f"{shortest} ms" if shortest == longest else f"{shortest} to {longest} ms"


def portraits(
    plan: Plan, records: Iterable[Record], receipts: Mapping[str, Receipt]
) -> tuple[Section, ...]:
    started: dict[str, BootEntry] = {}
    for record in records:
        for boot_entry in record.started if isinstance(record, BootStart) else ():
            started.setdefault(boot_entry.name, boot_entry)
    sections = []
    for entry in plan.entries:
        server = started.get(entry.name)
        homepage = entry.contender.homepage if entry.contender else ""
        receipt = receipts.get(entry.name) or receipts.get(entry.twin_of or "")
        facts = [("home page", homepage)] if homepage else []
        facts += [*_build(receipt), *_process(server)]
        head = _head(server.verification, plan.protocol_of(entry.name)) if server else ""
        answer = (
            (Text("The head of one answer, as it was sent:", quiet=True), Text(head, code=True))
            if head
            else ()
        )
        title = entry.title if entry.title != entry.name else ""
        blocks = (facts_table(entry.name, facts, code=True), *answer)
        sections.append(Section(entry.name, blocks, title, folded=True))
    return tuple(sections)


def _build(receipt: Receipt | None) -> Iterator[tuple[str, str]]:
    if receipt:
        yield "version", receipt.version
        yield from ((f"tool: {name}", version) for name, version in receipt.tools.items())
        yield from (("built by", shlex.join(command)) for command in receipt.commands)
        yield "source SHA-256", receipt.source_sha256


def _process(server: BootEntry | None) -> Iterator[tuple[str, str]]:
    if server:
        if server.command:
            yield "run by", shlex.join(server.command)
        yield "address", server.address
        yield "CPU read from", server.cpu_source


def _head(verified: Verification, protocol: Protocol) -> str:
    """The unpacked fields of HTTP/2 and HTTP/3, whose heads are compressed on the wire."""
    if protocol in WITH_STREAMS:
        fields = (f"{name}: {value}" for name, value in verified.headers)
        return "\n".join([f":status: {verified.status}", *fields])
    return response_head(verified.response_base64)


def response_head(response_base64: str) -> str:
    """Status line and headers of a whole response, byte for byte as Latin-1."""
    try:
        response = base64.b64decode(response_base64, validate=True)
    except binascii.Error:
        return ""
    return response.partition(b"\r\n\r\n")[0].decode("latin-1").replace("\r\n", "\n")
