"""How runs are indexed: the parts of a kind's results for lists, lines over time and the matrix.

Pure: from results, and from entries in their neighbours in the folder, to contracts.
"""

import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bakeoff.model.capacity import CapacityPair
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.history import IndexedClaim, IndexedFigure, IndexedRace, short_hash
from bakeoff.model.pairs import LinePair, Pair, pair_of
from bakeoff.model.plan import Connection
from bakeoff.model.protocol import Protocol
from bakeoff.model.ratio import Ratio, Told
from bakeoff.model.verdict import Verdict


class Indexed(NamedTuple):
    """What the index keeps of a result besides its headline: races, and claims of an article."""

    races: tuple[IndexedRace, ...] = ()
    claims: tuple[IndexedClaim, ...] = ()


@dataclass(frozen=True)
class Origin:
    """The origin of an entry, by the plan and the receipts; a result alone doesn't have it.

    `folder` is the source of a contender that isn't in the catalogue: two servers with the same
    short name are two lines over time.
    """

    contender: str
    language: str = ""
    folder: str = ""
    source: str = ""


class Entry(typing.Protocol):
    """A contender in a result of any kind."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def version(self) -> str: ...


@dataclass(frozen=True)
class Setting:
    """What all figures of a run share."""

    machine_class: str
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def figure(
        self, entry: Entry, protocol: Protocol, workload: str, load: str, **figures: Any
    ) -> IndexedFigure:
        """An entry's `figures` with their setting, and the line over time that they are on."""
        # The name of an entry may end with its protocol; that of a contender doesn't.
        origin = self.origins.get(entry.name) or Origin(entry.name.removesuffix(f" {protocol}"))
        line = (origin.contender, origin.folder, workload, protocol, load, self.machine_class)
        return IndexedFigure(
            name=entry.name,
            contender=origin.contender,
            title=entry.title,
            language=origin.language,
            version=entry.version,
            source=origin.source,
            protocol=protocol,
            series=short_hash(*line),
            **figures,
        )


def of_verdicts(verdicts: Mapping[str, Verdict], setting: Setting) -> Indexed:
    return Indexed(tuple(_race(part, verdict, setting) for part, verdict in verdicts.items()))


_FOUND: Mapping[str, Told] = {
    "higher": "faster",
    "better": "faster",
    "lower": "slower",
    "worse": "slower",
}


def as_pair(pair: CapacityPair | LinePair) -> Pair:
    """A ratio of two capacities or of two values of a line, in the form of a race's ratio."""
    return Pair(
        a=pair.a,
        b=pair.b,
        ratio=pair.ratio,
        finding=_FOUND.get(pair.finding, "can't tell"),
        equivalent=False,
        minimum_detectable_effect=None,
    )


def with_ratio(
    figure: IndexedFigure, reference: str, pairs: Sequence[Pair], n: int
) -> IndexedFigure:
    """The figure with its ratio to the reference, which an entry of these kinds doesn't have. The
    ratio of the reference to itself is from `n` measurements."""
    if figure.name == reference and figure.valid and n:
        return figure.model_copy(update={"ratio": Ratio(ratio=1.0, low=1.0, high=1.0, n=n)})
    pair = pair_of(pairs, figure.name, reference)
    return figure.model_copy(update={"ratio": pair and pair.ratio})


def load_in_words(
    mode: str, connections: int, connection: Connection, pipeline: int, streams: int, more: str
) -> str:
    """How a race was loaded: equal words are equal loads."""
    words = [
        mode,
        f"{connections} connections",
        "closed after each" if connection == "close" else "",
        f"pipeline {pipeline}" if pipeline > 1 else "",
        f"{streams} streams" if streams > 1 else "",
        more,
    ]
    return ", ".join(word for word in words if word)


def _race(part: str, verdict: Verdict, setting: Setting) -> IndexedRace:
    twin = verdict.noise_floor.name if verdict.noise_floor else ""
    mode = "closed"
    if verdict.mode == "open":
        offered = f"{verdict.rate:g}/s" if verdict.rate else f"{verdict.load:g} of peak"
        mode = f"open, {offered} {verdict.arrivals}"
    load = load_in_words(
        mode,
        verdict.connections,
        verdict.connection,
        verdict.pipeline,
        verdict.streams,
        ", ".join(
            [
                *(["solo"] if verdict.solo else []),
                *([f"over {path}"] if (path := verdict.path) else []),
            ]
        ),
    )
    return IndexedRace(
        part=part,
        measures=verdict.ranked_by,
        workload=verdict.workload,
        load=load,
        reference=verdict.reference,
        unit=verdict.unit,
        figures=tuple(
            _figure(entry, verdict.workload, load, setting)
            for entry in verdict.entries
            if entry.name != twin
        ),
        pairs=tuple(pair for pair in verdict.pairs if twin not in (pair.a, pair.b)),
        skipped=verdict.skipped,
    )


def _figure(entry: VerdictEntry, workload: str, load: str, setting: Setting) -> IndexedFigure:
    latency, first_byte = entry.latency_us, entry.first_byte_us
    return setting.figure(
        entry,
        entry.protocol,
        workload,
        load,
        valid=entry.valid,
        reasons=entry.reasons,
        requests_per_s=entry.requests_per_s,
        latency_p50_us=latency and latency.p50,
        latency_p99_us=latency and latency.p99,
        first_byte_p50_us=first_byte and first_byte.p50,
        first_byte_p99_us=first_byte and first_byte.p99,
        cpu_us_per_request=entry.cpu_us_per_request.server,
        memory_mib=entry.memory_mib.loaded,
        ratio=entry.ratio,
        rank=entry.rank,
        letters=entry.letters,
    )
