"""From contenders and options to the plan of a race."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import ceil
from typing import Self

import bakeoff.plan.entries as entrants
from bakeoff.model.errors import BadUsage, TooFewLeft, nearest
from bakeoff.model.grid import Settings
from bakeoff.model.history import Program
from bakeoff.model.plan import LATENCY_LONG_SHARE, LONG_SHARE, WARM_UP_S_MAX, Cores, Plan, Skipped
from bakeoff.model.protocol import WITH_STREAMS, Protocol
from bakeoff.model.why import WhyPlan
from bakeoff.model.workload import Workload
from bakeoff.plan.contenders import ResolvedContender, Trust, resolve_contenders
from bakeoff.plan.environment import Environment
from bakeoff.plan.gates import race_gate
from bakeoff.plan.outlook import expected
from bakeoff.plan.race_options import RaceOptions
from bakeoff.plan.requests import is_own, workload_of

DURATION_PER_ENTRY_S = 5.0
"""With this time two commands and the twin have a verdict within a minute, the whole catalogue
within a quarter of an hour."""
LONGER_PER_ENTRY_S = 20.0
"""For long windows (an open loop, solo rounds), and the maximum of a race that ends early."""
BOOTS = 1
"""Each draw has new connections, and new processes where those are cheap: another boot would only
cost its warm-ups (docs/EVIDENCE.md, boots)."""
SOLO_ROUNDS_MIN = 3
SOLO_WINDOW_S = 2.0
DEFAULT_WORKLOAD = "hello"
CONFIRM_SHARE = 1 / 3
"""The share of the race's measured time, in addition to it."""
CONFIRM_ROUNDS_MIN = 10
"""Fewer give no ratio; more need more starts and warm-ups than a check is worth."""


@dataclass(frozen=True)
class RaceDraft:
    """A race without its settings: the part that all cells of a grid share.

    `available`: the contenders are all that this machine can run, and were not named one by one.
    """

    contenders: Sequence[ResolvedContender]
    options: RaceOptions
    environment: Environment
    available: bool = False

    @classmethod
    def of(
        cls,
        operands: Sequence[str],
        options: RaceOptions,
        environment: Environment,
        *,
        available: bool = False,
    ) -> Self:
        directory = environment.directory
        trust = Trust.of(options.ca, directory, insecure=options.insecure)
        contenders = resolve_contenders(
            operands, environment.catalogue, directory, options.ports, options.pids, trust
        )
        return cls(contenders, options, environment, available)

    @cached_property
    def workload(self) -> Workload:
        own = all(
            contender.own_answer
            or (
                contender.contender
                and set(contender.contender.serves) == {entrants.OWN_ANSWER_WORKLOAD}
            )
            for contender in self.contenders
        )
        default = entrants.OWN_ANSWER_WORKLOAD if own else DEFAULT_WORKLOAD
        here = self.environment
        return workload_of(self.options, default, here.catalogue, here.directory)

    @cached_property
    def cores(self) -> Cores:
        """Raises `BadUsage` where this machine has no such core."""
        upstream = self.workload.has_upstream
        return self.environment.cores_for(self.options.cpus, upstream=upstream)

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
                path=path,
            )
            for path, connection, streams, pipeline, workers, connections in product(
                options.path or (None,),
                options.connection,
                options.streams,
                options.pipeline,
                options.workers or (len(self.cores.server),),
                options.connections or connections,
            )
        ]

    def single(self, duration_s: float | None = None) -> Plan:
        """The plan of a race whose settings have one value each. Raises as `plan`."""
        return self.plan(self.settings()[0], duration_s)

    def plan(self, settings: Settings, duration_s: float | None) -> Plan:
        """The plan of a race with these settings, by default of the usual duration.

        Raises `BadUsage`, and `NoVerdict` where no contender accepts this depth of pipeline.
        """
        options = self.options
        if fault := self.contradiction(settings):
            raise BadUsage(fault)
        entries, skipped = entrants.entries_of(
            self.contenders, self.workload, options.protocol, own=is_own(options)
        )
        protocol = entries[0].protocol or "h1"
        if len({entry.protocol for entry in entries}) == 1:
            entries = [entry.model_copy(update={"protocol": None}) for entry in entries]
        racing = [entry.name for entry in entries]
        # A contender with a short name may also be named as on the command line.
        typed = {
            contender.typed: contender.name
            for contender in reversed(self.contenders)
            if contender.name in racing and contender.typed not in racing
        }
        reference = racing[0] if options.reference is None else options.reference
        reference = typed.get(reference, reference)
        if reference not in racing:
            hint = nearest(reference, racing, "there are")
            raise BadUsage(f"--reference: {reference} is not among the contenders{hint}")
        names = [*racing, *(contender.name for contender in skipped)]
        margins = {"within": options.within, "precision": options.precision}
        gates = tuple(race_gate(text, names, typed, **margins) for text in options.gates)
        until = options.until
        if options.budget and not (until or options.precision):
            if len(entries) != 2:
                raise BadUsage(
                    "--budget: is for a race that ends early; say when: --until decided or "
                    "--precision 1%. For a race of fixed length give --duration"
                )
            until = "decided"
        for option in ("confirm", "until", "why"):
            if getattr(options, option) and len(entries) < 2:
                raise BadUsage(f"--{option}: needs two contenders")
        if options.ready_timeout:
            entries = [entrants.ready_within(entry, options.ready_timeout) for entry in entries]
        if options.twin:
            entries += entrants.twin(entries, reference)
        entrants.check_ports(entries, options.solo)
        attached = [entry.attached for entry in entries if entry.attached]
        entrants.check_loadable(attached, options.allow_hosts, self.environment.cluster)
        if attached and settings.path:
            raise BadUsage(
                f"--path: is for servers that bakeoff starts; {attached[0].host} is somebody "
                "else's: give its folder or its command"
            )
        if options.server_nodes > 1:
            entrants.check_rotated(options, entries, self.workload)
        longer = options.rate or options.load or options.solo or options.precision or until
        per_entry_s = LONGER_PER_ENTRY_S if longer else DURATION_PER_ENTRY_S
        duration_s = duration_s or per_entry_s * len(entries)
        boots = BOOTS
        if options.solo:
            boots = max(SOLO_ROUNDS_MIN, round(duration_s / (len(entries) * SOLO_WINDOW_S)))
        boots = ceil(boots / options.server_nodes) * options.server_nodes
        plan = Plan(
            run=f"{self.environment.time}-{entrants.slug(entries)}",
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
            until=until,
            within=options.within,
            connection=settings.connection,
            pipeline=settings.pipeline,
            protocol=protocol,
            streams=settings.streams,
            connections=settings.connections,
            fewer_connections=not (options.connections or self.workload.room),
            duration_s=duration_s,
            long_share=LATENCY_LONG_SHARE if self.workload.held else LONG_SHARE,
            boots=options.boots or boots,
            warm_up_s=options.warm_up or WARM_UP_S_MAX,
            instances=options.instances,
            workers=settings.workers,
            cores=self.cores,
            reference=reference,
            solo=options.solo,
            confirm=options.confirm,
            why=options.why,
            gates=gates,
            cant_tell=options.cant_tell,
            same_answers=options.same_answers,
            available=self.available,
            keep_going=options.keep_going,
            probes=options.probes,
            seed=options.seed,
            host=self.environment.host,
            cluster=self.environment.cluster,
            path=settings.path,
            path_cpus=self.environment.spare_cpus(self.cores) if settings.path else (),
        )
        plan = without(plan, entrants.cannot_pipeline(plan))
        check_enough(plan)
        return plan.model_copy(update={"expected": expected(plan)})

    def contradiction(self, settings: Settings) -> str:
        """Why these settings can't be combined; empty: they can."""
        if settings.connection == "close" and self.workload.once:
            return (
                "--close: a connection carries one request, and the workload has [[once]], which "
                "is sent before the others on each: leave one of the two out"
            )
        protocols = {
            protocol
            for contender in self.contenders
            for protocol in contender.spoken(self.options.protocol, self.workload.exchange)
        }
        if fault := self._no_rooms(settings) or self._nothing_held(settings, protocols):
            return fault
        exchange = self.workload.exchange
        if exchange and (others := protocols.difference(exchange.carriers)):
            named, carriers = ",".join(sorted(others)), " and ".join(exchange.carriers)
            return f"--protocol {named}: {exchange.kind} goes over {carriers} alone"
        for option, number, others in (
            ("--pipeline", settings.pipeline, protocols & WITH_STREAMS),
            ("--streams", settings.streams, protocols - WITH_STREAMS),
        ):
            if number > 1 and settings.connection == "close":
                return (
                    f"{option} {number} needs --keep-alive: with --close a connection carries one "
                    "request"
                )
            if number > 1 and others:
                return f"{option} {number}: {_NOT_OF[option].format(' and '.join(sorted(others)))}"
        return ""

    def _nothing_held(self, settings: Settings, protocols: Collection[Protocol]) -> str:
        """Why these settings can't hold its streams; empty: it has none, or they can."""
        if not self.workload.held:
            return ""
        if self.options.why:
            return "--why and bakeoff why can't hold streams meanwhile; leave it out, or [held]"
        if settings.connection == "close":
            return "--close: streams are held beside connections that are kept; leave it out"
        if "h3" in protocols:
            return "--protocol h3: streams are held over HTTP/1 and HTTP/2 alone; give another"
        return ""

    def _no_rooms(self, settings: Settings) -> str:
        """Why these settings can't have the workload's rooms; empty: it has none, or they can."""
        room = self.workload.room
        if not room:
            return ""
        if settings.connections % room:
            return (
                f"--connections {settings.connections}: must be whole rooms of {room}, "
                f"as in --connections {room * max(1, settings.connections // room)}"
            )
        for flag, given in (
            ("--close", settings.connection == "close"),
            ("--pipeline", settings.pipeline > 1),
        ):
            if given:
                return (
                    f"{flag}: a room has one message at a time, on connections that are kept; "
                    "leave it out"
                )
        return ""


_NOT_OF = {
    "--pipeline": "{} has no pipeline; use --streams",
    "--streams": "{} has no streams; they need --protocol h2, h2c or h3 alone",
}


def confirming(plan: Plan) -> Plan:
    """The race that checks `plan`: the same entries, one running at a time.

    It takes a third of the time, in windows of at most 2 s, and has no twin: a twin would give a
    second noise floor, and every start costs a warm-up.
    """
    contenders = sum(not entry.twin_of for entry in plan.entries)
    duration_s = plan.duration_s * CONFIRM_SHARE
    rounds = round(duration_s / (contenders * SOLO_WINDOW_S))
    boots = max(CONFIRM_ROUNDS_MIN, rounds)
    return _after(plan, "confirm", duration_s, boots=boots, solo=True)


def _after(plan: Plan, name: str, duration_s: float, *, boots: int, solo: bool) -> Plan:
    """A race that follows `plan` under its load: without twins, gates, an end of its own, and
    races that follow."""
    race = plan.model_copy(
        update={
            "run": f"{plan.run}-{name}",
            "entries": tuple(entry for entry in plan.entries if not entry.twin_of),
            "duration_s": duration_s,
            "boots": boots,
            "solo": solo,
            "instances": None,
            "confirm": False,
            "why": False,
            "gates": (),
            "precision": None,
            "until": None,
        }
    )
    return race.model_copy(update={"expected": expected(race)})


def check_enough(
    plan: Plan, names: Collection[str] | None = None, out: Mapping[str, str] | None = None
) -> None:
    """Check that as many contenders as the run needs are among `names`; by default all of the plan.

    Raises `TooFewLeft`, with the reasons of the contenders that are `out`.
    """
    names = plan.contenders if names is None else names
    if not plan.enough(names):
        left = [name for name in plan.contenders if name in names]
        raise TooFewLeft(left, _reasons(plan.skipped) if out is None else out)


def _reasons(skipped: Iterable[Skipped]) -> dict[str, str]:
    return {contender.name: contender.reason for contender in skipped}


def without(plan: Plan, out: Mapping[str, str]) -> Plan:
    """The plan less the entries in `out` (name → reason), which become `skipped`.

    If the reference is out, the first remaining entry takes its place, with a twin of its own.
    Raises `TooFewLeft` where no entry remains.
    """
    if not out:
        return plan
    remaining = [entry for entry in plan.entries if entry.name not in out and not entry.twin_of]
    twins = [entry for entry in plan.entries if entry.twin_of]
    # A twin is out for the same reason as its program, so the reason is given once.
    skipped = [
        Skipped(name=name, reason=reason)
        for name, reason in out.items()
        if plan.entry(name).twin_of not in out
    ]
    if not remaining:
        raise TooFewLeft((), _reasons((*plan.skipped, *skipped)))
    reference = plan.reference
    if reference in out:
        reference = remaining[0].name
        twins = entrants.twin(remaining, reference) if twins else []
    return plan.model_copy(
        update={
            "entries": (*remaining, *(entry for entry in twins if entry.name not in out)),
            "skipped": (*plan.skipped, *skipped),
            "reference": reference,
        }
    )


WHY_S = 8.0
"""Measured time for two contenders."""


def explaining(plan: Plan, known: Mapping[str, Program] | None = None) -> WhyPlan:
    """The look for the causes of the difference between the contenders of `plan`, under its load;
    something may be `known` of their programs."""
    contenders = sum(not entry.twin_of for entry in plan.entries)
    race = _after(plan, "why", WHY_S * contenders / 2, boots=1, solo=False)
    return WhyPlan(run=race.run, race=race, known=dict(known or {}))
