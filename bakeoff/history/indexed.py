"""A result → what the history keeps of it. Pure: the result and its neighbours in the folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import singledispatch
from hashlib import sha256

from bakeoff.model.base import Contract
from bakeoff.model.capacity import CapacityEntry, CapacityPair, CapacityReport
from bakeoff.model.ci import Ci
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.grid import Grid
from bakeoff.model.history import (
    IndexedClaim,
    IndexedFigure,
    IndexedRace,
)
from bakeoff.model.machine import Machine
from bakeoff.model.pairs import Pair, pair_of
from bakeoff.model.plan import Connection
from bakeoff.model.protocol import Protocol
from bakeoff.model.replay import Replay
from bakeoff.model.verdict import Verdict

MEMORY_CLASS_MIB = 1024
"""Memory within the same GiB is one class of machine: kernels differ in what they keep back."""


@dataclass(frozen=True)
class Origin:
    """What the plan and the receipts say of an entry; a result alone doesn't.

    `folder` is where a contender that isn't of the catalogue comes from: two servers that have the
    same short name are two lines over time.
    """

    contender: str
    language: str = ""
    folder: str = ""
    source: str = ""


@dataclass(frozen=True)
class Context:
    """What all figures of a run share."""

    machine_class: str
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def of(self, name: str, protocol: Protocol) -> Origin:
        """Where the entry `name` comes from, whose name may end with its protocol."""
        return self.origins.get(name) or Origin(name.removesuffix(f" {protocol}"))


def short_hash(*parts: object) -> str:
    """Twelve hexadecimal digits of SHA-256 over `parts`, which no two lists have in common."""
    return sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:12]


def machine_class(machine: Machine) -> str:
    """One for all machines that measure alike: processor, cores, threads, memory, quota."""
    memory_gib = round(machine.memory_mib / MEMORY_CLASS_MIB)
    return short_hash(
        machine.cpu_model, machine.cpus, machine.threads_per_core, memory_gib, machine.cpu_quota
    )


def began_at(machine: Machine) -> datetime:
    """When the run began: its machine's facts were taken then."""
    at = datetime.fromisoformat(machine.taken_at)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


@singledispatch
def races_of(result: Contract, context: Context) -> tuple[IndexedRace, ...]:  # noqa: ARG001
    """The races whose ratios a result has; none: it compares nothing that can be a line."""
    return ()


@races_of.register
def _(result: Verdict, context: Context) -> tuple[IndexedRace, ...]:
    return (_race(result, "", context),)


@races_of.register
def _(result: Ci, context: Context) -> tuple[IndexedRace, ...]:
    return (_race(result.race, "race", context),)


@races_of.register
def _(result: Grid, context: Context) -> tuple[IndexedRace, ...]:
    return tuple(_race(cell.verdict, cell.name, context) for cell in result.cells if cell.verdict)


@races_of.register
def _(result: CapacityReport, context: Context) -> tuple[IndexedRace, ...]:
    # A mean of several objectives is no capacity; the first objective is the one people ask for.
    objective = result.objectives[0].text
    load = _load("capacity", result.connections, result.connection, 1, result.streams, objective)
    figures = tuple(
        _capacity_figure(
            entry, result, load, context.of(entry.name, result.protocol), context.machine_class
        )
        for entry in result.entries
    )
    pairs = tuple(_capacity_pair(pair) for pair in result.pairs if pair.objective == objective)
    reference = result.reference
    return (
        IndexedRace(
            part="",
            measures="capacity",
            workload=result.workload,
            load=load,
            reference=reference,
            figures=tuple(_with_ratio(figure, reference, pairs) for figure in figures),
            pairs=pairs,
            skipped=result.skipped,
        ),
    )


def claims_of(result: Contract) -> tuple[IndexedClaim, ...]:
    """What a replay found of its article's claims; none for other kinds."""
    if not isinstance(result, Replay):
        return ()
    return tuple(
        IndexedClaim(
            article=result.article.name,
            number=number,
            text=claim.text,
            finding=claim.finding,
            ratio=claim.measured and claim.measured.ratio,
            low=claim.measured and claim.measured.low,
            high=claim.measured and claim.measured.high,
        )
        for number, claim in enumerate(result.claims, start=1)
    )


def _race(verdict: Verdict, part: str, context: Context) -> IndexedRace:
    twin = verdict.noise_floor.name if verdict.noise_floor else ""
    load = load_of(verdict)
    entries = [entry for entry in verdict.entries if entry.name != twin]
    return IndexedRace(
        part=part,
        measures=verdict.ranked_by,
        workload=verdict.workload,
        load=load,
        reference=verdict.reference,
        figures=tuple(_figure(entry, verdict, load, context) for entry in entries),
        pairs=tuple(pair for pair in verdict.pairs if twin not in (pair.a, pair.b)),
        skipped=verdict.skipped,
    )


def load_of(verdict: Verdict) -> str:
    """How a race was loaded, in words: equal words are equal loads."""
    if verdict.mode == "open":
        offered = f"{verdict.rate:g}/s" if verdict.rate else f"{verdict.load:g} of peak"
        mode = f"open, {offered} {verdict.arrivals}"
    else:
        mode = "closed"
    return _load(
        mode,
        verdict.connections,
        verdict.connection,
        verdict.pipeline,
        verdict.streams,
        "solo" if verdict.solo else "",
    )


def _load(
    mode: str, connections: int, connection: Connection, pipeline: int, streams: int, more: str
) -> str:
    words = [
        mode,
        f"{connections} connections",
        "closed after each" if connection == "close" else "",
        f"pipeline {pipeline}" if pipeline > 1 else "",
        f"{streams} streams" if streams > 1 else "",
        more,
    ]
    return ", ".join(word for word in words if word)


def _series(
    origin: Origin, workload: str, protocol: Protocol, load: str, machine_class: str
) -> str:
    return short_hash(origin.contender, origin.folder, workload, protocol, load, machine_class)


def _figure(entry: VerdictEntry, verdict: Verdict, load: str, context: Context) -> IndexedFigure:
    origin = context.of(entry.name, entry.protocol)
    latency = entry.latency_us
    return IndexedFigure(
        name=entry.name,
        contender=origin.contender,
        title=entry.title,
        language=origin.language,
        version=entry.version,
        source=origin.source,
        protocol=entry.protocol,
        series=_series(origin, verdict.workload, entry.protocol, load, context.machine_class),
        valid=entry.valid,
        reasons=entry.reasons,
        requests_per_s=entry.requests_per_s,
        latency_p50_us=latency and latency.p50,
        latency_p99_us=latency and latency.p99,
        cpu_us_per_request=entry.cpu_us_per_request.server,
        memory_mib=entry.memory_mib.loaded,
        ratio=entry.ratio,
        low=entry.low,
        high=entry.high,
        rank=entry.rank,
        letters=entry.letters,
        n=entry.n,
    )


def _capacity_figure(
    entry: CapacityEntry, result: CapacityReport, load: str, origin: Origin, machine_class: str
) -> IndexedFigure:
    capacity = entry.capacities[0] if entry.capacities else None
    point = entry.at_capacity
    return IndexedFigure(
        name=entry.name,
        contender=origin.contender,
        title=entry.title,
        language=origin.language,
        version=entry.version,
        source=origin.source,
        protocol=result.protocol,
        series=_series(origin, result.workload, result.protocol, load, machine_class),
        valid=entry.valid,
        reasons=entry.reasons,
        requests_per_s=capacity and capacity.requests_per_s,
        latency_p50_us=None,
        latency_p99_us=None,
        cpu_us_per_request=point and point.cpu_us_per_request,
        memory_mib=None,
        ratio=None,
        low=None,
        high=None,
        rank=None,
        letters="",
        n=result.blocks,
    )


def _capacity_pair(pair: CapacityPair) -> Pair:
    words = {"higher": "faster", "lower": "slower"}
    return Pair(
        a=pair.a,
        b=pair.b,
        ratio=pair.ratio,
        low=pair.low,
        high=pair.high,
        n=1,
        finding=words.get(pair.finding, "can't tell"),
        equivalent=False,
        minimum_detectable_effect=None,
    )


def _with_ratio(figure: IndexedFigure, reference: str, pairs: Sequence[Pair]) -> IndexedFigure:
    """The figure with its ratio to the reference, which a capacity's own entry doesn't have."""
    if figure.name == reference and figure.valid:
        return figure.model_copy(update={"ratio": 1.0, "low": 1.0, "high": 1.0})
    pair = pair_of(pairs, figure.name, reference)
    if pair is None:
        return figure
    return figure.model_copy(update={"ratio": pair.ratio, "low": pair.low, "high": pair.high})
