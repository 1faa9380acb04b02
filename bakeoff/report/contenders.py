"""What was raced: for each entry its version, its making, its command, and its very answer."""

import base64
import binascii
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import BootEntry, BootStart, Record


@dataclass(frozen=True)
class Portrait:
    """One entry as the page shows it. `facts` are named lines; `head` is its answer's, as sent."""

    name: str
    title: str
    facts: tuple[tuple[str, str], ...]
    head: str


def portraits(
    plan: Plan, records: Iterable[Record], receipts: Mapping[str, Receipt]
) -> list[Portrait]:
    """All entries of the plan, in its order."""
    started: dict[str, BootEntry] = {}
    for record in records:
        for boot_entry in record.started if isinstance(record, BootStart) else ():
            started.setdefault(boot_entry.name, boot_entry)
    found = []
    for entry in plan.entries:
        up = started.get(entry.name)
        receipt = receipts.get(entry.name) or receipts.get(entry.twin_of or "")
        facts = [
            *_origin(entry.contender.homepage if entry.contender else ""),
            *_making(receipt),
            *_running(up),
        ]
        head = response_head(up.verification.response_base64) if up else ""
        found.append(Portrait(entry.name, entry.title, tuple(facts), head))
    return found


def _origin(homepage: str) -> Sequence[tuple[str, str]]:
    return [("home page", homepage)] if homepage else []


def _making(receipt: Receipt | None) -> Sequence[tuple[str, str]]:
    if receipt is None:
        return []
    return [
        ("version", receipt.version),
        *((f"tool: {name}", version) for name, version in receipt.tools.items()),
        *(("built by", shlex.join(command)) for command in receipt.commands),
        ("source SHA-256", receipt.source_sha256),
    ]


def _running(up: BootEntry | None) -> Sequence[tuple[str, str]]:
    if up is None:
        return []
    command = [("run by", shlex.join(up.command))] if up.command else []
    return [*command, ("address", up.address), ("CPU read from", up.cpu_source)]


def response_head(response_base64: str) -> str:
    """Status line and headers of a whole response, byte for byte as Latin-1."""
    try:
        response = base64.b64decode(response_base64, validate=True)
    except binascii.Error:
        return ""
    return response.partition(b"\r\n\r\n")[0].decode("latin-1").replace("\r\n", "\n")
