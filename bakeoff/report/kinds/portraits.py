"""What was raced: for each entry its version, its build, its command, and one of its answers."""

import base64
import binascii
import shlex
from collections.abc import Iterable, Iterator, Mapping

from bakeoff.model.plan import Plan
from bakeoff.model.protocol import HTTP_2, Protocol
from bakeoff.model.receipt import Receipt, Verification
from bakeoff.model.samples import BootEntry, BootStart, Record
from bakeoff.report.document import Section, Text, facts_table


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
    """Of HTTP/2, whose heads are packed on the wire, as the fields that they unpack to."""
    if protocol in HTTP_2:
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
