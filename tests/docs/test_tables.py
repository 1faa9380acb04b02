"""The tables of the documents are those of the records that they name.

`BAKEOFF_GOLDEN=write pytest tests/docs` writes them.
"""

import json
import os
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.board import Board
from bakeoff.model.crosscheck import Crosscheck
from bakeoff.model.draws import Draws
from bakeoff.model.grid import Grid
from bakeoff.model.machine import Machine
from bakeoff.model.plan import NetworkPath
from bakeoff.model.verdict import Verdict
from bakeoff.report.figures import (
    MISSING,
    REFERENCE,
    duration,
    percent,
    rank,
    rate,
    ratio_of,
    significant,
)
from bakeoff.report.glossary import FIRST
from bakeoff.report.kinds import draws
from bakeoff.report.kinds.race import document
from bakeoff.report.kinds.race_headline import headline
from bakeoff.report.render import markdown
from tests.judge_bench import proof_table, proved

ROOT = Path(__file__).parents[2]
TABLE = re.compile(
    r"(<!-- (\w+) of (?P<records>\S+(?: \S+)*) -->\n)(?P<text>.*?)(<!-- end -->)", re.DOTALL
)

FIGURES = {
    "requests_per_s": "requests/s",
    "requests_per_cpu_s": "requests per second of client CPU",
    "peak_mib": "memory at most, MiB",
    "cpu_us_per_request": "CPU, µs per request",
    "work_us_per_request": "work, µs per request",
    "kib_per_connection": "KiB per connection",
    "send_lag_p50_us": "send lag p50, µs",
    "send_lag_p99_us": "send lag p99, µs",
    "latency_mean_us": "mean latency, µs",
    "latency_p50_us": "latency p50, µs",
    "latency_p99_us": "latency p99, µs",
    "latency_p99_9_us": "latency p99.9, µs",
    "address_exhausted": "ports that ran out",
    "errors": "errors",
}
FIGURES_HEAD = (
    "| load | connections | figure | volley | other | estimate (95 % interval), n | goal |"
)
PROTOCOLS_HEAD = (
    "| load | connections × streams | requests per second of client CPU | other "
    "| ratio (95 % interval), n | goal | ratio of requests/s, n | goal |"
)
QUESTIONS = {
    "throughput": "null server",
    "pipelined": "null server, 16 in a pipeline",
    "closing": "nginx, a connection per request",
    "100 KB": "null server, answers of 100 KB",
    "1 MB": "null server, answers of 1 MB",
    "nginx, 100 KB": "nginx, answers of 100 KB",
    "nginx, 1 MB": "nginx, answers of 1 MB",
    "many": "null server",
    "many, open loop": "null server, 10,000/s",
    "cpu": "nginx",
    "mix": "null server, a mix of eight",
    "as wrk": "null server, `volley wrk`",
    "as wrk, with a script": "null server, `volley wrk`, `request()` in Lua",
    "as ab": "nginx, a connection per request, `volley ab`",
    "lag": "10,000/s",
    "latency": "1,000/s",
    "close": "connection per request, 30 s",
    "handshakes": "nginx over TLS, a connection per request",
    "tail": "nginx, at 80 % of the peak",
    "events": "brick-yardstick, events without pauses",
    "streams held": "brick-yardstick, an event per second",
    "echoes": "null server, echoes of WebSocket",
    "h3, 64 x 1": "null servers, h3 beside h2",
    "h3 handshakes": "null servers, a connection per request, h3 beside h2",
    "h3, 1,000 connections": "null servers, h3 beside h2",
    "calls, 64 x 1": "tonic, unary calls, one at a time",
    "calls, 8 x 8": "tonic, unary calls, eight at a time",
}


def result(record: Path) -> str:
    """What the README shows of a verdict below its picture: headline, machine, date."""
    verdict = Verdict.read_json(record)
    return "\n".join(["", f"**{headline(verdict)}**", "", where(verdict.machine), "", ""])


def standings(record: Path) -> str:
    """All of a verdict that stands on one page: headline, table, noise floor, warnings, machine,
    date."""
    verdict = Verdict.read_json(record)
    head, _, rest = markdown(document(verdict)).partition("## Standings\n\n")
    said, paragraphs = head.split("\n\n")[1], rest.split("\n\n")
    trust = [part for part in paragraphs if part.startswith(("Noise floor: ", "Measured: "))]
    warnings = [
        f"Warnings:\n\n{items}"
        for heading, items in pairwise(paragraphs)
        if heading == "### Warnings"
    ]
    parts = [*paragraphs[:2], *trust, *warnings]
    return "\n".join(
        ["", said, "", *(f"{part}\n" for part in parts), where(verdict.machine), "", ""]
    )


def board(record: Path) -> str:
    """The first cell of a board: its ten fastest."""
    made = Board.read_json(record)
    cell = made.cells[0]
    ranked = [(row, row.by) for row in cell.rows if "throughput" in row.by]
    lines = ["", "| | contender | throughput | CPU per request |"]
    lines += ["|---|---|---:|---:|"]
    for row, by in ranked[:10]:
        contender, cpu, ratio = made.contender(row.name), by.get("cpu"), by["throughput"].ratio
        cells = (
            rank(by["throughput"].rank),
            f"{contender.title} ({contender.language})",
            REFERENCE if ratio and ratio.low == ratio.high == 1 else ratio_of(ratio),
            duration(cpu.value if cpu else None),
        )
        lines.append(f"| {' | '.join(cells)} |")
    assert made.machine
    said = f"The first ten of {len(ranked)} in `{cell.name}`; {where(made.machine)}"
    return "\n".join([*lines, "", said, "", ""])


def costs(record: Path) -> str:
    """Of a verdict throughput and what a request costs its server, the fastest first."""
    verdict = Verdict.read_json(record)
    lines = ["", "| server | throughput | requests/s | CPU per request |", "|---|---:|---:|---:|"]
    for entry in verdict.entries:
        ratio = REFERENCE if entry.name == verdict.reference else ratio_of(entry.ratio)
        cost = duration(entry.cpu_us_per_request.server)
        lines.append(f"| {entry.name} | {ratio} | {rate(entry.requests_per_s)} | {cost} |")
    return "\n".join([*lines, "", where(verdict.machine), "", ""])


def paths(record: Path) -> str:
    """What each protocol of one server does over each path of a grid, or over that of a race."""
    kept = record.read_text()
    verdicts = (
        [cell.verdict for cell in Grid.model_validate_json(kept).cells if cell.verdict]
        if json.loads(kept)["schema"] == Grid.model_fields["schema_"].default
        else [Verdict.model_validate_json(kept)]
    )
    lines = ["", "| path | protocol | throughput | p50 | p99 | CPU per request |"]
    lines += ["|---|---|---:|---:|---:|---:|"]
    for verdict in verdicts:
        assert verdict.path
        for entry in sorted(verdict.entries, key=lambda entry: entry.protocol):
            ratio = REFERENCE if entry.name == verdict.reference else ratio_of(entry.ratio)
            latency = entry.latency_us
            p50, p99 = (latency.p50, latency.p99) if latency else (None, None)
            cells = map(duration, (p50, p99, entry.cpu_us_per_request.server))
            path = NetworkPath(delay_ms=verdict.path.delay_ms, loss=verdict.path.loss)
            lines.append(f"| {path} | {entry.protocol} | {ratio} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", where(verdicts[0].machine), "", ""])


def clients(*records: Path) -> str:
    """What several clients found of one server, each load's our engine first."""
    lines = ["", "| load | client | requests/s | over ours | p99 | core busy | packets/answer |"]
    lines += ["|---|---|---:|---:|---:|---:|---:|"]
    found = [Crosscheck.read_json(record) for record in records]
    for one in found:
        path = "" if one.plan.path == "/" else f", `{one.plan.path}`"
        ratios = {each.of: each for each in one.compared if each.figure == "requests_per_s"}
        for tool in one.loadings:
            ratio = ratios.get(tool.loader)
            packets = tool.packets_per_answer
            cells = (
                f"{one.plan.connections} × {one.plan.streams}{path}",
                "volley" if tool.loader == "engine" else tool.loader,
                rate(tool.figures.get("requests_per_s")),
                f"{ratio_of(ratio.ratio)}: {ratio.finding}" if ratio else REFERENCE,
                duration(tool.figures.get("p99")),
                percent(tool.busy),
                MISSING if packets is None else significant(packets, 3),
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", where(found[0].machine), "", ""])


def spreads(record: Path) -> str:
    """The spread per level of each contender of a measurement of draws."""
    result = Draws.read_json(record)
    _, _, rest = markdown(draws.document(result)).partition("## Spread per level\n\n")
    return "\n".join(["", rest.split("\n\n")[0], "", where(result.machine), "", ""])


def where(machine: Machine) -> str:
    return (
        f"{machine.taken_at[:10]}, {machine.cpus} × {machine.cpu_model}, "
        f"{machine.virtualisation or 'bare metal'}, {machine.kernel}."
    )


def figures(*records: Path) -> str:
    """What the engine's README shows of `make bench`: a row for each answer of the first record,
    then those of the others to what wasn't asked before. Protocols have a table of their own."""
    lines = [""]
    answered: set[str] = set()
    for record in records:
        kept = json.loads(record.read_text())
        answers = [
            answer
            for answer in kept["answers"]
            if answer["question"] in QUESTIONS and answer["question"] not in answered
        ]
        answered |= {answer["question"] for answer in answers}
        units = kept.get("units", {})
        rows = [row(answer, units.get(answer["question"], "request")) for answer in answers]
        columns = [FIGURES_HEAD, "|---|---:|---|---:|---:|---:|---|"]
        lines += [*columns, *rows, "", where_benched(kept), ""]
    return "\n".join([*lines, ""])


def row(answer: dict[str, Any], unit: str) -> str:
    claim, (estimate, goal) = answer["claim"], estimate_and_goal(answer)
    other = claim["other"]
    cells = [
        QUESTIONS[answer["question"]],
        str(answer["connections"]),
        FIGURES[claim["figure"]].replace("request", unit),
        number(answer["medians"]["volley"]),
        f"{other} {number(answer['medians'][other])}" if other else "",
        f"{claim['kind'].split()[0]} {estimate}",
        goal,
    ]
    return f"| {' | '.join(cells)} |"


def protocols(*records: Path) -> str:
    """What a request of each protocol costs the generator, beside each peer."""
    (record,) = records
    kept = json.loads(record.read_text())
    lines = [PROTOCOLS_HEAD, "|---|---:|---:|---|---:|---|---:|---|"]
    found = {
        (answer["question"], answer["claim"]["figure"], answer["claim"]["other"]): answer
        for answer in kept["answers"]
        if answer["question"] not in QUESTIONS and answer["claim"]["other"]
    }
    for (question, figure, other), by_cpu in found.items():
        if figure == "requests_per_cpu_s":
            by_rate = found[question, "requests_per_s", other]
            medians = by_cpu["medians"]
            load, _, streams = question.partition(" x ")
            cells = [
                load.rpartition(", ")[0] if streams else load,
                f"{by_cpu['connections']} × {streams or 1}",
                number(medians["volley"]),
                f"{other} {number(medians[other])}",
                *estimate_and_goal(by_cpu),
                *estimate_and_goal(by_rate),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(["", *lines, "", where_benched(kept), "", ""])


def estimate_and_goal(answer: dict[str, Any]) -> tuple[str, str]:
    found, goal = answer["estimate"], answer["claim"]["goal"]
    ratio = f"{found['value']:.3g} ({found['low']:.3g} to {found['high']:.3g}), {found['rounds']}"
    return ratio, f"{goal['side']} {goal['value']:.3g}: {answer['verdict']}" if goal else ""


def where_benched(kept: dict[str, Any]) -> str:
    machine = kept["machine"]
    return f"{kept['at'][:10]}, {machine['cores']} × {machine['cpu']}, Linux {machine['kernel']}."


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def proof(*records: Path) -> str:
    """What the races of the frozen method came to in all of these records, beside the goals."""
    races = [race for record in records for race in json.loads(record.read_text())["races"]]
    return proof_table.table(proved.summary(races))


def words(_glossary: Path) -> str:
    """What a reader of HOW-IT-WORKS has to know first."""
    return "".join(f"- **{word}**: {meaning}\n" for word, meaning in FIRST.items())


@pytest.mark.parametrize(
    ("document", "table"),
    [
        ("README.md", result),
        ("README.md", board),
        ("docs/COMMANDS.md", standings),
        ("docs/HTTP3.md", costs),
        ("docs/HTTP3.md", paths),
        ("docs/HTTP3.md", clients),
        ("docs/STREAMS.md", figures),
        ("engine/README.md", figures),
        ("engine/README.md", protocols),
        ("docs/EVIDENCE.md", spreads),
        ("docs/EVIDENCE.md", proof),
        ("docs/HOW-IT-WORKS.md", words),
    ],
)
def test_a_table_is_that_of_its_record(document: str, table: Callable[..., str]) -> None:
    path = ROOT / document
    text = path.read_text()
    blocks = [block for block in TABLE.finditer(text) if block[2] == table.__name__]
    assert blocks
    for block in reversed(blocks):
        expected = table(*(ROOT / record for record in block["records"].split()))
        if os.environ.get("BAKEOFF_GOLDEN") == "write":
            text = text[: block.start("text")] + expected + text[block.end("text") :]
            path.write_text(text)
        else:
            assert block["text"] == expected
