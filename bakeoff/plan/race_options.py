"""The options of a race; other runs have a part of them."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PositiveInt

from bakeoff.model.errors import BadUsage
from bakeoff.model.gate import CantTell
from bakeoff.model.plan import Connection, Until
from bakeoff.plan.gates import CANT_TELL, GATE
from bakeoff.plan.options import (
    ArrivalsOption,
    BootsOption,
    CaOption,
    ClusterOption,
    CpusOption,
    Flag,
    InsecureOption,
    InstancesOption,
    KeepGoingOption,
    MayLoadOption,
    ProbesOption,
    ReadyTimeoutOption,
    ServerNodesOption,
    WithinOption,
)
from bakeoff.plan.questions import QuestionOptions
from bakeoff.plan.values import Counts, Protocols, Rate, Seconds, ShareBelow1, ShareBelow2


class RaceOptions(QuestionOptions):
    """The options of a race. Several values of a setting make a grid.

    The settings are `connections`, `workers`, `pipeline`, `streams` and `connection`. Several
    protocols make no grid: each contender races once in each of them, all in one rotation.
    """

    everything: Annotated[
        bool,
        Flag(
            "Race the whole catalogue, except contenders that don't serve the workload or "
            "can't be built. All run at once: allow 2 GiB of memory and a quarter of an "
            "hour.",
            bool,
        ),
    ] = False
    connections: Annotated[
        Counts | None,
        Flag(
            "Open this many connections to each contender; several numbers make a grid: "
            "1,64,512. (default: 64)",
            metavar="NUMBER,…",
            letter="-c",
        ),
    ] = None
    duration: Annotated[
        Seconds | None,
        Flag(
            "Measure for this long in all, such as 20, 90s or 2m. (default: 6 s per "
            "contender and twin; 20 s in an open loop or solo)",
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
            "Keep this many requests in flight on each HTTP/1 connection; several numbers "
            "make a grid. (default: 1)",
            metavar="NUMBER,…",
        ),
    ] = (1,)
    protocol: Annotated[
        Protocols | None,
        Flag(
            "Use these protocols: h1, h1-tls, h2c (HTTP/2 in cleartext, by prior "
            "knowledge) or h2 (over TLS). With several (h1,h2) each server races once in "
            "each, all in one rotation. (default: h1; h1-tls for an https:// URL)",
            metavar="NAME,…",
        ),
    ] = None
    streams: Annotated[
        Counts,
        Flag(
            "Keep this many requests in flight on each HTTP/2 connection; several numbers "
            "make a grid. (default: 1)",
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
            "Limit the warm-up of each contender in each boot; it ends after 2 s if "
            "throughput is level. (default: 20s)",
            metavar="TIME",
        ),
    ] = None
    workers: Annotated[
        Counts | None,
        Flag(
            "Start each server with this many workers or threads; several numbers make a "
            "grid. (default: one for each of its cores)",
            metavar="NUMBER,…",
        ),
    ] = None
    cpus: CpusOption = None
    cluster: ClusterOption = None
    i_may_load: MayLoadOption = ()
    server_nodes: ServerNodesOption = 1
    reference: Annotated[
        str | None, Flag("Compare the others with this contender. (default: the first)")
    ] = None
    ports: Annotated[
        tuple[Annotated[int, Field(ge=1, le=65535)], ...],
        Flag(
            "Set the port of a command that doesn't take {port} or $PORT; once for each command.",
            list[int],
        ),
    ] = ()
    pids: Annotated[
        tuple[PositiveInt, ...],
        Flag("Measure CPU and memory of this process, which serves a URL.", list[int]),
    ] = ()
    solo: Annotated[bool, Flag("Run one contender at a time, in long windows.", bool)] = False
    rate: Annotated[
        Rate | None,
        Flag(
            "Offer each contender this many requests per second (open loop), and rank by "
            "p99 latency.",
            float,
        ),
    ] = None
    load: Annotated[
        ShareBelow2 | None,
        Flag(
            "Offer each contender this share (70%) of its own peak (open loop), which its "
            "warm-up measures.",
            metavar="SHARE",
        ),
    ] = None
    arrivals: ArrivalsOption = "poisson"
    precision: Annotated[
        ShareBelow1 | None,
        Flag(
            "End once the interval between any two neighbours in the standings is ±this "
            "(1%), or --budget is spent. (default: a fixed --duration)",
            metavar="SHARE",
        ),
    ] = None
    until: Annotated[
        Until | None,
        Flag(
            "End once every pair is told apart or equivalent, or every --gate is decided, "
            "or --budget is spent. The intervals hold whenever the race ends, and are "
            "wider for that. (default: on for two contenders with --budget)",
            Until,
        ),
    ] = None
    budget: Annotated[
        Seconds | None,
        Flag(
            "Limit the measured time of a race that ends early. (default: 20 s per "
            "contender and twin)",
            metavar="TIME",
        ),
    ] = None
    within: WithinOption = None
    confirm: Annotated[
        bool,
        Flag(
            "Measure each contender alone afterwards, for a third of the time more, in 10 "
            "rounds or more, each with a start and a warm-up, to see whether short turns "
            "and --solo agree.",
            bool,
        ),
    ] = False
    same_answers: Annotated[
        bool,
        Flag(
            "Leave out a contender whose response differs from the reference's, instead of "
            "a warning; for workloads that don't specify the response.",
            bool,
        ),
    ] = False
    keep_going: KeepGoingOption = False
    ready_timeout: ReadyTimeoutOption = None
    probes: ProbesOption = True
    gates: Annotated[tuple[str, ...], GATE] = ()
    cant_tell: Annotated[CantTell, CANT_TELL] = "pass"
    twin: Annotated[
        bool,
        Flag(
            "Race a second copy of the reference, which shows the noise floor. (default: on)",
            bool,
            on=True,
        ),
    ] = True

    def model_post_init(self, _context: Any) -> None:
        """Refuse what can't be had together."""
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
