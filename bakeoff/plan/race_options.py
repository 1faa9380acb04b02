"""The options of a race; other runs have a part of them."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PositiveInt

import bakeoff.plan.options as shared
from bakeoff.model.errors import BadUsage
from bakeoff.model.gate import CantTell
from bakeoff.model.plan import Arrivals, Connection, Until
from bakeoff.plan.request_options import RequestOptions
from bakeoff.plan.values import (
    Count,
    Counts,
    Paths,
    Protocols,
    Rate,
    Seconds,
    ShareBelow1,
    ShareBelow2,
)


class RaceOptions(RequestOptions):
    """The options of a race. Several values of a setting make a grid.

    The settings are `connections`, `workers`, `pipeline`, `streams`, `connection` and `path`.
    Several protocols make no grid: each contender races once in each of them, all in one rotation.
    """

    everything: Annotated[
        bool,
        shared.EVERYTHING.but(
            help="Race the whole catalogue, except contenders that don't serve the workload or "
            "can't be built. All run at once: allow 2 GiB of memory and a quarter of an hour."
        ),
    ] = False
    connections: Annotated[Counts | None, shared.CONNECTIONS.several()] = None
    connection: Annotated[
        tuple[Connection, ...],
        BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
        shared.CONNECTION,
    ] = ("keep-alive",)
    pipeline: Annotated[Counts, shared.PIPELINE.several()] = (1,)
    protocol: Annotated[
        Protocols | None,
        shared.PROTOCOL.but(
            help="Use these protocols: h1, h1-tls, h2c (HTTP/2 in cleartext, by prior knowledge), "
            "h2 (over TLS) or h3 (HTTP/3, over QUIC). With several (h1,h2) each server races once "
            "in each, all in one rotation.",
            metavar="NAME,…",
        ),
    ] = None
    streams: Annotated[Counts, shared.STREAMS.several()] = (1,)
    path: Annotated[
        Paths,
        shared.PATH.but(
            help=f"{shared.PATH.help} May be repeated: several make a grid.", repeated=True
        ),
    ] = ()
    rate: Annotated[Rate | None, shared.RATE] = None
    load: Annotated[ShareBelow2 | None, shared.LOAD_SHARE] = None
    arrivals: Annotated[Arrivals, shared.ARRIVALS] = "poisson"
    solo: Annotated[
        bool, shared.Flag(shared.LOAD, "Run one contender at a time, in long windows.")
    ] = False
    ca: Annotated[str | None, shared.CA] = None
    insecure: Annotated[bool, shared.INSECURE] = False
    allow_hosts: Annotated[tuple[str, ...], shared.ALLOW_HOST] = ()
    duration: Annotated[
        Seconds | None,
        shared.DURATION.but(usual="5 s per contender and twin; 20 s in an open loop or solo"),
    ] = None
    budget: Annotated[
        Seconds | None,
        shared.Flag(
            shared.TIME,
            "Limit the measured time of a race that ends early.",
            "20 s per contender and twin",
            "TIME",
        ),
    ] = None
    until: Annotated[
        Until | None,
        shared.Flag(
            shared.TIME,
            "End once every pair is told apart or equivalent, or every --gate is decided, or "
            "--budget is spent. The intervals hold whenever the race ends, and are wider for that.",
            "on for two contenders with --budget",
        ),
    ] = None
    precision: Annotated[
        ShareBelow1 | None,
        shared.Flag(
            shared.TIME,
            "End once the interval between any two neighbours in the standings is ±this (1%), or "
            "--budget is spent.",
            "a fixed --duration",
            "SHARE",
        ),
    ] = None
    confirm: Annotated[
        bool,
        shared.Flag(
            shared.TIME,
            "Measure each contender alone afterwards, for a third of the time more, in 10 rounds "
            "or more, each with a start and a warm-up, to see whether short turns and --solo "
            "agree.",
        ),
    ] = False
    why: Annotated[
        bool,
        shared.Flag(
            shared.TIME,
            "Measure afterwards where the difference comes from, in about 20 s for two: CPU time "
            "per request by system call and by function, at one rate for all.",
        ),
    ] = False
    warm_up: Annotated[Seconds | None, shared.WARM_UP] = None
    boots: Annotated[Count | None, shared.BOOTS] = None
    instances: Annotated[Count | None, shared.INSTANCES] = None
    twin: Annotated[
        bool,
        shared.Flag(
            shared.TIME, "Race a second copy of the reference, which shows the noise floor.", "on"
        ),
    ] = True
    workers: Annotated[Counts | None, shared.WORKERS.several()] = None
    cpus: Annotated[str | None, shared.CPUS] = None
    ports: Annotated[
        tuple[Annotated[int, Field(ge=1, le=65535)], ...],
        shared.Flag(
            shared.PLACEMENT,
            "Set the port of a command that doesn't take {port} or $PORT; once for each command.",
            metavar="PORT",
            name="--port",
            repeated=True,
        ),
    ] = ()
    pids: Annotated[tuple[PositiveInt, ...], shared.PIDS] = ()
    ready_timeout: Annotated[Seconds | None, shared.READY_TIMEOUT] = None
    probes: Annotated[bool, shared.PROBES] = True
    reference: Annotated[
        str | None,
        shared.Flag(
            shared.VERDICT, "Compare the others with this contender.", "the first", "CONTENDER"
        ),
    ] = None
    within: Annotated[ShareBelow1 | None, shared.WITHIN] = None
    gates: Annotated[tuple[str, ...], shared.GATES] = ()
    cant_tell: Annotated[CantTell, shared.CANT_TELL] = "pass"
    same_answers: Annotated[
        bool,
        shared.Flag(
            shared.VERDICT,
            "Leave out a contender whose response differs from the reference's, instead of a "
            "warning; for workloads that don't specify the response.",
        ),
    ] = False
    keep_going: Annotated[bool, shared.KEEP_GOING] = False
    cluster: Annotated[str | None, shared.CLUSTER_ADDRESS] = None
    server_nodes: Annotated[Count, shared.SERVER_NODES] = 1

    def model_post_init(self, _context: Any) -> None:
        ends_early = next(
            (name for name in ("precision", "until", "budget") if getattr(self, name)), None
        )
        if self.budget and self.duration:
            raise BadUsage(
                "--budget and --duration: give one of them: the most that a race may take which "
                "ends early, or a fixed time"
            )
        if self.precision and self.until:
            raise BadUsage(
                "--precision and --until: give one of them: the race ends when its intervals are "
                "narrow enough, or when it is decided"
            )
        if self.within and self.precision and self.precision >= self.within:
            raise BadUsage(
                f"--within {self.within * 100:g}%: an interval of ±{self.precision * 100:g} % is "
                "never within it; take a smaller --precision, or --until decided"
            )
        if self.rate and self.load:
            raise BadUsage(
                "--rate and --load: give one of them: the same rate for all, or a share "
                "of each's peak"
            )
        if self.path and self.cluster:
            raise BadUsage("--path: --cluster has a network between its machines; leave one out")
        if self.solo and self.instances:
            raise BadUsage("--instances: --solo starts a new process in each round; leave one out")
        if self.solo and ends_early:
            raise BadUsage(
                f"--{ends_early}: a solo race takes the time it is given; leave --solo out"
            )
        if self.solo and self.confirm:
            raise BadUsage(
                "--confirm: is a solo race, and --solo is one already; leave --confirm out"
            )


class WhyOptions(RaceOptions):
    """The options of a race that is followed by a look for causes."""

    why: Annotated[bool, shared.Flag(shared.TIME)] = True
