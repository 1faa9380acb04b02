"""The common parts of the documents of several kinds."""

import shlex
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from bakeoff.model.capacity import CapacityEntry, CapacityReport
from bakeoff.model.gate import GateResult
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores, PathFigures, RankedBy, Skipped
from bakeoff.model.protocol import Protocol
from bakeoff.model.ratio import Ratio
from bakeoff.model.receipt import Expectation
from bakeoff.model.replay import ComparisonResult
from bakeoff.model.request import ExpectSection
from bakeoff.model.verdict import Verdict
from bakeoff.model.workload import Unit
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.sentences import grouped, joined, listed, sentences, who

SHAPE_LENGTH_MAX = 200


class _HasHeld(typing.Protocol):
    @property
    def name(self) -> str: ...

    @property
    def held(self) -> dict[str, Expectation]: ...


def varying(entries: Iterable[_HasHeld], *, mix: bool, wide: bool = False) -> doc.List:
    """The expectations of varying answers, and the entries that have them; in a `mix`, with the
    request."""
    said = (
        (_said(held, request if mix else ""), entry.name)
        for entry in entries
        for request, held in entry.held.items()
    )
    texts = [f"{who(names)}: {text}" for text, names in grouped(said).items()]
    return doc.List("Answers that vary", doc.items("=", texts), wide=wide)


def _said(held: Expectation, request: str) -> str:
    """`each answer is held to status 200, …; id and time vary (24 answers)`."""
    of = f"each answer to {request}" if request else "each answer"
    vary = f"{who(held.varied)} {'varies' if len(held.varied) == 1 else 'vary'}"
    looked = f"found in {figures.plural(held.answers, 'answer')}"
    return f"{of} is held to {listed(_parts(held.expect))}; {vary} ({looked})"


def _parts(expect: ExpectSection) -> Iterator[str]:
    yield f"status {expect.status}"
    if kind := expect.headers.get("content-type"):
        yield kind
    if expect.length_between:
        least, most = expect.length_between
        yield f"{least:,} to {most:,} bytes"
    if expect.json_ is not None:
        text = shape(expect.json_)
        short = f"{text[:SHAPE_LENGTH_MAX]}…" if len(text) > SHAPE_LENGTH_MAX else text
        yield f"the shape {short}"


def shape(of: JsonValue) -> str:
    """`{id: number, tags: [string]}`."""
    if isinstance(of, dict):
        return f"{{{', '.join(f'{key}: {shape(inner)}' for key, inner in of.items())}}}"
    if isinstance(of, list):
        return f"[{', '.join(map(shape, of))}]"
    return str(of)


PROTOCOL_NAMES: Mapping[Protocol, str] = {
    "h1": "HTTP/1.1 in cleartext",
    "h1-tls": "HTTP/1.1 over TLS",
    "h2c": "HTTP/2 in cleartext",
    "h2": "HTTP/2 over TLS",
    "h3": "HTTP/3 over QUIC",
}
_GATE_SIGNS: dict[str, doc.Sign] = {
    "holds": "✓",
    "fails": "✗",
    "can't tell": "?",
    "doesn't decide": "·",
}
_RATIO_OF = {"requests_per_s": "the ratio", "p99": "by p99, where more is better, the ratio"}


def machine_table(machine: Machine) -> doc.Table:
    active = {k: v for k, v in machine.mitigations.items() if not v.startswith("Not affected")}
    ports = machine.port_range
    facts = {
        "taken at": machine.taken_at,
        "kernel": machine.kernel,
        "distribution": machine.distribution,
        "processor": machine.cpu_model,
        "processors": machine.cpus,
        "threads per core": machine.threads_per_core,
        "memory": f"{machine.memory_mib:,} MiB",
        "virtualisation": machine.virtualisation,
        "governor": machine.governor,
        "turbo": machine.turbo,
        "mitigations": "; ".join(f"{name}: {how}" for name, how in active.items()) or "none active",
        "clock source": machine.clock_source,
        "cgroup": machine.cgroup,
        "CPU quota": f"{machine.cpu_quota:g} processors" if machine.cpu_quota else "none",
        "somaxconn": machine.somaxconn,
        "ephemeral ports": f"{ports[0]} to {ports[1]}" if ports else None,
        "open files": f"{machine.open_files_limit:,}",
        "tcp_tw_reuse": machine.tcp_tw_reuse,
        "load average before": f"{machine.load_average:.2f}",
        "io_uring": machine.io_uring,
        "Python": machine.python,
        "bakeoff": machine.bakeoff,
        "engine": machine.engine,
    }
    return doc.facts_table("Machine", facts.items(), "– means that the machine doesn't say.")


def circumstances(method: Iterable[tuple[str, object]], machine: Machine) -> doc.Section:
    tables = (doc.facts_table("How it was measured", method), machine_table(machine))
    return doc.Section("Circumstances", tables)


def again(command_line: Sequence[str], run: str = "") -> doc.Section:
    """The command that was run; with a `run`, how to make this report again."""
    note = (
        f"{run}. What was measured lies beside this report: the command “bakeoff report” makes it"
        " again, without a server."
    )
    command = doc.Text(shlex.join(command_line), code=True)
    return doc.Section(
        "Measure it again", (command, doc.Text(note, quiet=True)) if run else (command,)
    )


def gate(result: GateResult, ranked_by: RankedBy) -> doc.Item:
    """One gate: its outcome and why; if it can't be told, the effect of `--cant-tell`."""
    said = f"{gate_text(result)}: {result.outcome}"
    if result.ratio is not None:
        blocks = figures.plural(result.ratio.n, "block")
        ratio_of = _RATIO_OF["requests_per_s" if result.by else ranked_by]
        said += f", {ratio_of} is {bare_ratio(result.ratio)}, n = {blocks}"
        if result.outcome == "doesn't decide":
            said += f"; {joined(result.reasons)}"
    elif result.reasons:
        said += f", {joined(result.reasons)}"
    if result.outcome == "can't tell":
        said += f"; it {'passes' if result.passes else 'fails'} by --cant-tell {result.cant_tell}"
    return doc.Item(said, _GATE_SIGNS[result.outcome])


def gate_text(result: GateResult) -> str:
    return f"{result.gate.text}{', by server CPU' if result.by else ''}"


def bare_ratio(of: Ratio) -> str:
    """A ratio in a sentence: `1.72 (1.70 to 1.74)`, or `≥ 3.41`."""
    return figures.ratio_of(of).replace("×", "")


def gates(results: Iterable[GateResult], ranked_by: RankedBy) -> doc.List:
    return doc.List("Gates", tuple(gate(result, ranked_by) for result in results), True)


def pinning(pinned: Cores) -> tuple[str, str]:
    servers = f"servers on {core_list(pinned.server)}"
    if len(pinned.server) == 1:
        servers = f"one server core {pinned.server[0]}"
    other = " (shared)" if pinned.shared else " of another machine" if pinned.apart else ""
    return servers, f"generator on {core_list(pinned.client)}{other}"


def core_list(numbers: tuple[int, ...]) -> str:
    """`core 1`, `cores 0, 1`, or `any core`."""
    if not numbers:
        return "any core"
    return f"core{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def over(path: PathFigures | None) -> tuple[str, ...]:
    """The path to the servers; empty: there is none."""
    if path is None:
        return ()
    lost = f", {figures.percent(path.loss)} of packets lost each way" if path.loss else ""
    return (
        f"a path of {path.delay_ms:g} ms there and back{lost}, on {core_list(path.cpus)}",
        f"its process busy {figures.percent(path.busy)}",
        f"99 % of its packets within {figures.duration(path.late_p99_us)} of their time",
    )


def skipped(contenders: Iterable[Skipped], title: str = "Not measured") -> doc.List:
    return doc.List(title, tuple(doc.Item(out.reason, "–", out.name) for out in contenders))


def warned(texts: Iterable[str]) -> doc.List:
    """The warnings of a report; a terminal has room for the first few."""
    return doc.List("Warnings", doc.items("!", tuple(texts)), most=3)


def warnings(result: Verdict | CapacityReport | ComparisonResult) -> list[str]:
    """The warnings of the whole, then of each entry or row, by name; each appears once."""
    parts = result.rows if isinstance(result, ComparisonResult) else result.entries
    unit: Unit = "request" if isinstance(result, ComparisonResult) else result.unit
    own = {
        part.name: [
            *([] if isinstance(part, CapacityEntry) else sentences(part.at_least, unit)),
            *sentences(
                (
                    warning
                    for warning in part.warnings
                    if not any(whole.tells(part.name, warning) for whole in result.warnings)
                ),
                unit,
            ),
        ]
        for part in parts
    }
    return [*sentences(result.warnings, unit), *said_once(own)]


def ended_early(result: Verdict | CapacityReport) -> str:
    """The addition to a headline if the run was cut off."""
    if result.complete:
        return ""
    blocks = figures.plural(result.blocks, "block")
    return f" The run ended early: this is what its first {blocks} say."


def said_once(texts: Mapping[str, Iterable[str]]) -> list[str]:
    """The texts of several, by name, each once with the names of all that have it."""
    whose = grouped((text, name) for name, own in texts.items() for text in own)
    return [
        f"{listed(names)}{', each' if len(names) > 1 else ''}: {text}"
        for text, names in whose.items()
    ]
