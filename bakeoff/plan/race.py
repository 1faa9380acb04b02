"""From contenders and options to the plan of a race."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PositiveInt

from bakeoff.model.cluster import Cluster
from bakeoff.model.errors import BadUsage, NoVerdict, nearest
from bakeoff.model.gate import CantTell
from bakeoff.model.grid import Settings
from bakeoff.model.plan import WARM_UP_S_MAX, Connection, Cores, Entry, Plan, Skipped
from bakeoff.model.protocol import HTTP_2, OVER_TLS, Protocol
from bakeoff.model.workload import Workload
from bakeoff.plan.contenders import ResolvedContender, unique_name
from bakeoff.plan.environment import Environment
from bakeoff.plan.gates import CANT_TELL, GATE, race_gate
from bakeoff.plan.options import (
    ArrivalsOption,
    BootsOption,
    CaOption,
    ClusterOption,
    CpusOption,
    Flag,
    InsecureOption,
    InstancesOption,
    MayLoadOption,
)
from bakeoff.plan.outlook import expected
from bakeoff.plan.questions import QuestionOptions, asked, is_own
from bakeoff.plan.values import Counts, Protocols, Rate, Seconds, ShareBelow1, ShareBelow2

DURATION_PER_ENTRY_S = 20.0
DURATION_MAX_S = 600.0
"""The longest race where no duration was given; thirty entries of 20 s each come close to it."""
BOOTS = 1
"""Each draw has new connections, and processes where that is cheap: another boot would only cost
its warm-ups (METHODOLOGY.md, draws)."""
SOLO_ROUNDS_MIN = 3
SOLO_WINDOW_S = 2.0
SLUG_LENGTH_MAX = 60
DEFAULT_WORKLOAD = "hello"
OWN_ANSWER_WORKLOAD = "get"
CONFIRM_SHARE = 1 / 3
"""Of the race's measured time, on top of it."""
CONFIRM_ROUNDS_MIN = 10
"""Fewer give no ratio; more cost more starts and warm-ups than a check is worth."""


class RaceOptions(QuestionOptions):
    """The options of a race. Several values of a setting make a grid.

    The settings are `connections`, `workers`, `pipeline`, `streams` and `connection`. Several
    protocols make no grid: each contender races once in each of them, all in one rotation.
    """

    everything: Annotated[
        bool,
        Flag(
            "The whole catalogue, as far as it serves the workload and can be built. All run at "
            "once: allow 2 GiB of memory and half an hour.",
            bool,
        ),
    ] = False
    connections: Annotated[
        Counts | None,
        Flag(
            "Connections per contender; several numbers make a grid: 1,64,512. (default: 64)",
            metavar="NUMBER,…",
            letter="-c",
        ),
    ] = None
    duration: Annotated[
        Seconds | None,
        Flag(
            "Measured time in all, such as 20, 90s or 2m. (default: 20 s per contender and twin, "
            "10 minutes at most)",
            metavar="TIME",
            letter="-d",
        ),
    ] = None
    connection: Annotated[
        tuple[Connection, ...],
        BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    ] = ("keep-alive",)
    pipeline: Annotated[
        Counts,
        Flag(
            "Requests under way at a time on a connection of HTTP/1; several numbers make a grid. "
            "(default: 1)",
            metavar="NUMBER,…",
        ),
    ] = (1,)
    protocol: Annotated[
        Protocols | None,
        Flag(
            "What servers are asked over: h1, h1-tls, h2c (HTTP/2 in cleartext, by prior "
            "knowledge) or h2 (over TLS). Of several (h1,h2) each server races once in each, all "
            "in one rotation: what does h2 cost or gain? (default: h1; h1-tls for an https:// URL)",
            metavar="NAME,…",
        ),
    ] = None
    streams: Annotated[
        Counts,
        Flag(
            "Requests under way at a time on a connection of HTTP/2; several numbers make a grid. "
            "(default: 1)",
            metavar="NUMBER,…",
        ),
    ] = (1,)
    ca: CaOption = None
    insecure: InsecureOption = False
    boots: BootsOption = None
    instances: InstancesOption = None
    warm_up: Annotated[
        Seconds | None,
        Flag(
            "The longest warm-up of each contender in each boot. (default: 20s; one whose "
            "throughput is level takes 2 s)",
            metavar="TIME",
        ),
    ] = None
    workers: Annotated[
        Counts | None,
        Flag(
            "Workers or threads per server; several numbers make a grid. (default: one for each "
            "of its cores)",
            metavar="NUMBER,…",
        ),
    ] = None
    cpus: CpusOption = None
    cluster: ClusterOption = None
    i_may_load: MayLoadOption = ()
    reference: Annotated[
        str | None, Flag("The contender that others are compared with. (default: the first)")
    ] = None
    ports: Annotated[
        tuple[Annotated[int, Field(ge=1, le=65535)], ...],
        Flag(
            "The port that a command listens on, if it doesn't take {port} or $PORT; once for "
            "each command.",
            list[int],
        ),
    ] = ()
    pids: Annotated[
        tuple[PositiveInt, ...],
        Flag("The process behind a URL, for its CPU and memory.", list[int]),
    ] = ()
    solo: Annotated[bool, Flag("One contender running at a time, in long windows.", bool)] = False
    rate: Annotated[
        Rate | None,
        Flag("Open loop: offer each this many requests per second; ranked by p99 latency.", float),
    ] = None
    load: Annotated[
        ShareBelow2 | None,
        Flag(
            "Open loop at this share (70%) of each contender's own peak, as its warm-up measures "
            "it.",
            metavar="SHARE",
        ),
    ] = None
    arrivals: ArrivalsOption = "poisson"
    precision: Annotated[
        ShareBelow1 | None,
        Flag(
            "End once the interval between any two neighbours in the standings is ±this (1%), or "
            "--budget is spent; never for being significant.",
            metavar="SHARE",
        ),
    ] = None
    budget: Annotated[
        Seconds | None,
        Flag(
            "The most measured time that --precision may take. (default: that of --duration)",
            metavar="TIME",
        ),
    ] = None
    confirm: Annotated[
        bool,
        Flag(
            "Then measure each contender alone, for a third of the time on top, in 10 rounds or "
            "more, each with its start and warm-up: do short turns and --solo agree?",
            bool,
        ),
    ] = False
    same_answers: Annotated[
        bool,
        Flag(
            "Leave out whoever answers otherwise than the reference, where nobody said which "
            "answer is right, rather than warn of it.",
            bool,
        ),
    ] = False
    gates: Annotated[tuple[str, ...], GATE] = ()
    cant_tell: Annotated[CantTell, CANT_TELL] = "pass"
    twin: Annotated[
        bool, Flag("Race a second copy of the reference: the noise floor.", bool, on=True)
    ] = True

    def model_post_init(self, _context: Any) -> None:
        """Refuse what can't be had together."""
        if self.budget and (self.duration or not self.precision):
            raise BadUsage(
                "--budget: bounds what --precision may take, in place of --duration; "
                "for a race of fixed length give --duration alone"
            )
        if self.rate and self.load:
            raise BadUsage(
                "--rate and --load: the rate is either the same for all or a share of each's"
            )
        if self.solo and self.instances:
            raise BadUsage("--instances: --solo starts a new process in each round; leave one out")
        if self.solo and self.precision:
            raise BadUsage("--precision: a solo race takes the time it is given; leave --solo out")
        if self.solo and self.confirm:
            raise BadUsage(
                "--confirm: measures solo what was raced in turns; --solo does so already"
            )


@dataclass(frozen=True)
class RaceDraft:
    """A race but for its settings: what all cells of a grid have in common."""

    contenders: Sequence[ResolvedContender]
    options: RaceOptions
    environment: Environment

    @cached_property
    def workload(self) -> Workload:
        """What is asked. Raises `BadUsage`, `BadFile`."""
        own = all(
            contender.own_answer
            or (contender.contender and not _known_answers(contender.contender.serves))
            for contender in self.contenders
        )
        default = OWN_ANSWER_WORKLOAD if own else DEFAULT_WORKLOAD
        here = self.environment
        return asked(self.options, default, here.catalogue, here.directory)

    @cached_property
    def cores(self) -> Cores:
        """The cores. Raises `BadUsage` where there is no such core."""
        return self.environment.cores_for(self.options.cpus)

    def settings(self) -> list[Settings]:
        """Every combination of the settings' values; the connections change fastest."""
        options, connections = self.options, (self.workload.defaults.connections,)
        return [
            Settings(
                connections=connections,
                workers=workers,
                pipeline=pipeline,
                streams=streams,
                connection=connection,
            )
            for connection, streams, pipeline, workers, connections in product(
                options.connection,
                options.streams,
                options.pipeline,
                options.workers or (len(self.cores.server),),
                options.connections or connections,
            )
        ]

    def plan(self, settings: Settings, duration_s: float | None) -> Plan:
        """The plan of a race with these settings; without a duration, as long as is usual.

        Raises `BadUsage`, and `NoVerdict` where nobody can take part at this depth of pipeline.
        """
        options = self.options
        if fault := self.contradiction(settings):
            raise BadUsage(fault)
        entries, skipped = _entries(
            self.contenders, self.workload, options.protocol, own=is_own(options)
        )
        common = {each.protocol for each in entries}
        protocol = entries[0].protocol or "h1"
        if len(common) == 1:
            entries = [each.model_copy(update={"protocol": None}) for each in entries]
        racing = [entry.name for entry in entries]
        # Who is named by a few of its words may also be named by all of them.
        named = [each for each in self.contenders if each.name in racing]
        typed = {each.typed: each.name for each in reversed(named) if each.typed not in racing}
        reference = racing[0] if options.reference is None else options.reference
        reference = typed.get(reference, reference)
        if reference not in racing:
            hint = nearest(reference, racing, "there are")
            raise BadUsage(f"--reference: {reference} doesn't race{hint}")
        names = [*racing, *(each.name for each in skipped)]
        gates = tuple(race_gate(text, names, typed) for text in options.gates)
        if options.confirm and len(entries) < 2:
            raise BadUsage("--confirm: compares ratios, and one contender has none; it takes two")
        if options.twin:
            entries += twin(entries, reference)
        _check_ports(entries, options.solo)
        if self.environment.cluster:
            _check_loadable(entries, self.environment.cluster)
        duration_s = duration_s or min(DURATION_PER_ENTRY_S * len(entries), DURATION_MAX_S)
        boots = BOOTS
        if options.solo:
            boots = max(SOLO_ROUNDS_MIN, round(duration_s / (len(entries) * SOLO_WINDOW_S)))
        plan = Plan(
            run=f"{self.environment.time}-{slug(entries)}",
            command_line=self.environment.command_line,
            entries=tuple(entries),
            skipped=tuple(skipped),
            workload=self.workload,
            upstream=self.environment.catalogue.upstream(self.workload),
            upstream_cpus=self.environment.spare_cpus(self.cores),
            mode="open" if options.rate or options.load else "closed",
            rate=options.rate,
            load=options.load,
            arrivals=options.arrivals,
            precision=options.precision,
            connection=settings.connection,
            pipeline=settings.pipeline,
            protocol=protocol,
            streams=settings.streams,
            connections=settings.connections,
            fewer_connections=not options.connections,
            duration_s=duration_s,
            boots=options.boots or boots,
            warm_up_s=options.warm_up or WARM_UP_S_MAX,
            instances=options.instances,
            workers=settings.workers,
            cores=self.cores,
            reference=reference,
            solo=options.solo,
            confirm=options.confirm,
            gates=gates,
            cant_tell=options.cant_tell,
            same_answers=options.same_answers,
            seed=options.seed,
            host=self.environment.host,
            cluster=self.environment.cluster,
        )
        return _with_expected(without(plan, _cannot_pipeline(plan)))

    def contradiction(self, settings: Settings) -> str:
        """Why these settings can't be had together; empty: they can."""
        protocols = {
            each for contender in self.contenders for each in contender.asked(self.options.protocol)
        }
        for option, number, others in (
            ("--pipeline", settings.pipeline, protocols & HTTP_2),
            ("--streams", settings.streams, protocols - HTTP_2),
        ):
            if number > 1 and settings.connection == "close":
                return (
                    f"{option} {number} needs --keep-alive: with --close a connection carries one "
                    "request"
                )
            if number > 1 and others:
                return f"{option} {number}: {_NOT_OF[option].format(' and '.join(sorted(others)))}"
        return ""


_NOT_OF = {
    "--pipeline": "{} has streams in place of a pipeline: --streams says how many",
    "--streams": "{} has no streams, which are HTTP/2's: give --protocol h2 or h2c alone",
}


def confirming(plan: Plan) -> Plan:
    """The race that checks `plan`: the same entries, one running at a time.

    It takes a third of the time, in windows of 2 s at most, and has no twin: that would show a
    second noise floor, and every start costs a warm-up.
    """
    entries = tuple(entry for entry in plan.entries if not entry.twin_of)
    duration_s = plan.duration_s * CONFIRM_SHARE
    rounds = round(duration_s / (len(entries) * SOLO_WINDOW_S))
    solo = plan.model_copy(
        update={
            "run": f"{plan.run}-confirm",
            "entries": entries,
            "duration_s": duration_s,
            "boots": max(CONFIRM_ROUNDS_MIN, rounds),
            "solo": True,
            "instances": None,
            "confirm": False,
            "gates": (),
            "precision": None,
        }
    )
    return _with_expected(solo)


def _with_expected(plan: Plan) -> Plan:
    return plan.model_copy(update={"expected": expected(plan)})


def without(plan: Plan, out: Mapping[str, str]) -> Plan:
    """The plan less the entries in `out` (name → reason), which become `skipped`.

    Where the reference goes, the first that is left takes its place, with a twin of its own.
    Raises `NoVerdict` where nobody is left.
    """
    if not out:
        return plan
    remaining = [entry for entry in plan.entries if entry.name not in out and not entry.twin_of]
    twins = [entry for entry in plan.entries if entry.twin_of]
    # Of a program that is out, its twin is out for the same reason: that is said once.
    skipped = [
        Skipped(name=name, reason=reason)
        for name, reason in out.items()
        if plan.entry(name).twin_of not in out
    ]
    if not remaining:
        raise NoVerdict(f"no contender is left:\n{_reasons(skipped)}")
    reference = plan.reference
    if reference in out:
        reference = remaining[0].name
        twins = twin(remaining, reference) if twins else []
    return plan.model_copy(
        update={
            "entries": (*remaining, *(entry for entry in twins if entry.name not in out)),
            "skipped": (*plan.skipped, *skipped),
            "reference": reference,
        }
    )


def twin(entries: Sequence[Entry], reference: str) -> list[Entry]:
    """A second copy of the reference; none of a command with a port of its own: it can't be."""
    original = next(entry for entry in entries if entry.name == reference)
    if original.fixed_port:
        return []
    name = unique_name(f"{reference} (twin)", [entry.name for entry in entries])
    return [original.model_copy(update={"name": name, "twin_of": reference})]


def _cannot_pipeline(plan: Plan) -> dict[str, str]:
    """Those whose contender.toml rules a pipeline out. A command or a URL is tried: who knows."""
    if plan.pipeline == 1:
        return {}
    reason = "doesn't answer requests that are sent ahead (contender.toml: pipelines = false)"
    return {
        entry.name: reason
        for entry in plan.entries
        if entry.origin in ("catalogue", "folder")
        and entry.contender
        and not entry.contender.pipelines
    }


def _known_answers(serves: Mapping[str, str]) -> bool:
    """Whether it serves anything but its own answer."""
    return set(serves) != {OWN_ANSWER_WORKLOAD}


def _entries(
    contenders: Sequence[ResolvedContender],
    workload: Workload,
    protocols: Sequence[Protocol] | None,
    *,
    own: bool,
) -> tuple[list[Entry], list[Skipped]]:
    """An entry for each contender and protocol, with its protocol; what can't race is skipped."""
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    several = protocols is not None and len(protocols) > 1
    asked = ((each, protocol) for each in contenders for protocol in each.asked(protocols))
    for resolved, protocol in asked:
        name = f"{resolved.name} {protocol}" if several else resolved.name
        path = _path(resolved, workload, own=own)
        reason = _cannot_speak(resolved, protocol)
        if not path:
            assert resolved.contender
            served = ", ".join(sorted(resolved.contender.serves))
            reason = f"doesn't serve the workload {workload.name}; it serves {served}"
        if reason:
            skipped.append(Skipped(name=name, reason=reason))
            continue
        entries.append(
            Entry(
                name=name,
                title=resolved.contender.title if resolved.contender else resolved.typed,
                origin=resolved.origin,
                contender=resolved.contender,
                folder=str(resolved.folder) if resolved.folder else None,
                attached=resolved.attached,
                fixed_port=resolved.fixed_port,
                path=path,
                protocol=protocol,
            )
        )
    if not entries:
        raise BadUsage(f"no contender can race:\n{_reasons(skipped)}")
    return entries, skipped


def _path(resolved: ResolvedContender, workload: Workload, *, own: bool) -> str:
    """What it is asked for; of several requests the first. Empty: it doesn't serve the workload.

    `own`: the workload is the user's, which any server may be asked. Raises `BadUsage` for a URL
    that names another path.
    """
    path = workload.first.path
    if resolved.attached:
        named = resolved.attached.path
        if not own or (path == "/" and not workload.is_mix):
            return named
        if named not in ("/", path):
            raise BadUsage(f"{resolved.name}: names a path, and so does what is asked: {path}")
        return path
    if resolved.origin == "command" or workload.is_mix:
        return path
    assert resolved.contender
    return resolved.contender.serves.get(workload.name, path if own else "")


def _cannot_speak(resolved: ResolvedContender, protocol: Protocol) -> str:
    """Why it can't be asked over `protocol`; empty: it can, as far as anything says."""
    if resolved.attached:
        if (protocol in OVER_TLS) == (resolved.attached.tls is not None):
            return ""
        if protocol in OVER_TLS:
            return (
                f"is a URL of plain HTTP, and {protocol} goes over TLS: put https:// and its port"
            )
        return f"is a URL over TLS, and {protocol} is cleartext: put http:// and the plain port"
    speaks = resolved.contender.protocols if resolved.contender else ()
    if protocol in speaks:
        return ""
    return f"doesn't speak {protocol} (contender.toml: protocols = {', '.join(speaks)})"


def _reasons(skipped: Sequence[Skipped]) -> str:
    return "\n".join(f"  {contender.name}: {contender.reason}" for contender in skipped)


def _check_ports(entries: Sequence[Entry], solo: bool) -> None:
    ports = [entry.fixed_port for entry in entries if entry.fixed_port]
    for port in ports:
        if ports.count(port) > 1 and not solo:
            raise BadUsage(
                f"--port {port}: two contenders can't listen on one port at a time; "
                "give each its own, or race them one at a time with --solo"
            )


def _check_loadable(entries: Sequence[Entry], cluster: Cluster) -> None:
    """A cluster's generator loads its own servers, and others only where somebody says so."""
    for entry in entries:
        if entry.attached:
            host = entry.attached.address.rpartition(":")[0].strip("[]")
            if host not in (cluster.server.address, *cluster.may_load):
                raise BadUsage(
                    f"{entry.name}: {host} is no server node of the cluster, which alone are "
                    f"loaded; if it is yours to load, say so: --i-may-load {entry.attached.host}"
                )


def slug(entries: Sequence[Entry]) -> str:
    """Who races, in a folder's name: all of them, or the first where that would be too long."""
    names = [
        re.sub(r"[^a-z0-9]+", "-", entry.name.lower()).strip("-")
        for entry in entries
        if not entry.twin_of
    ]
    text = "-vs-".join(names)
    if len(text) > SLUG_LENGTH_MAX and len(names) > 2:
        text = f"{names[0]}-vs-{len(names) - 1}-others"
    return text[:SLUG_LENGTH_MAX].strip("-") or "race"
