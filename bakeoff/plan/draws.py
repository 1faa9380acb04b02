"""From operands and options to a measurement of draws: a plan of its own for each contender."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import PositiveInt

import bakeoff.plan.options as shared
from bakeoff.model.draws import DrawsPlan
from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.plan import Plan, Skipped
from bakeoff.plan.contenders import ResolvedContender, Trust, resolve_contenders
from bakeoff.plan.entries import slug
from bakeoff.plan.environment import Environment
from bakeoff.plan.race import RaceDraft
from bakeoff.plan.race_options import RaceOptions
from bakeoff.plan.request_options import RequestOptions
from bakeoff.plan.values import Count, OneProtocol, Seconds

PROCESSES = 6
SETS = 3
DURATION_S = 20.0
WARM_UP_S = 4.0
QUICK_DURATION_S = 8.0
QUICK_WARM_UP_S = 1.0


class DrawsOptions(RequestOptions):
    """The options of a measurement of draws."""

    everything: Annotated[
        bool,
        shared.EVERYTHING.but(
            help="Measure the whole catalogue, except contenders that don't serve the workload or "
            "can't be built."
        ),
    ] = False
    connections: Annotated[
        Count | None, shared.CONNECTIONS.but(help="Open this many connections in each set.")
    ] = None
    protocol: Annotated[OneProtocol | None, shared.PROTOCOL] = None
    streams: Annotated[Count, shared.STREAMS] = 1
    ca: Annotated[str | None, shared.CA] = None
    insecure: Annotated[bool, shared.INSECURE] = False
    allow_hosts: Annotated[tuple[str, ...], shared.ALLOW_HOST] = ()
    processes: Annotated[
        Count,
        shared.Flag(
            shared.TIME, "Run this many processes of each contender, 2 or more.", "6", "NUMBER"
        ),
    ] = PROCESSES
    sets: Annotated[
        Count,
        shared.Flag(
            shared.TIME,
            "Open this many sets of connections to each process, 2 or more.",
            "3",
            "NUMBER",
        ),
    ] = SETS
    per_contender: Annotated[
        Seconds | None,
        shared.Flag(
            shared.TIME,
            "Measure each contender for this long, such as 20 or 1m.",
            "20s",
            "TIME",
            also=shared.FORMER_DURATION,
        ),
    ] = None
    quick: Annotated[
        bool,
        shared.Flag(
            shared.TIME,
            "Measure each contender for 8 s, after a second of warm-up for each process.",
        ),
    ] = False
    warm_up: Annotated[
        Seconds | None,
        shared.WARM_UP.but(help="Limit the warm-up of each process in each boot.", usual="4s"),
    ] = None
    boots: Annotated[
        Count,
        shared.BOOTS.but(help="Restart each contender this many times, for a spread of boots."),
    ] = 1
    cpus: Annotated[str | None, shared.CPUS] = None
    ready_timeout: Annotated[Seconds | None, shared.READY_TIMEOUT] = None
    pids: Annotated[tuple[PositiveInt, ...], shared.PIDS] = ()

    def model_post_init(self, _context: object) -> None:
        for name in ("processes", "sets"):
            if getattr(self, name) < 2:
                raise BadUsage(f"--{name}: is 1; a spread takes 2 or more")


def plan_draws(
    operands: Sequence[str], options: DrawsOptions, environment: Environment
) -> DrawsPlan:
    catalogue = environment.catalogue
    if operands and options.everything:
        raise BadUsage("draws: takes contenders or --all, not both")
    if not (operands or options.everything):
        raise BadUsage("draws: name a contender, or give --all")
    names = list(dict.fromkeys(catalogue.names() if options.everything else operands))
    count = options.processes
    resolved = resolve_contenders(
        [name for name in names for _ in range(count)],
        catalogue,
        environment.directory,
        pids=[pid for pid in options.pids for _ in range(count)],
        trust=Trust.of(options.ca, environment.directory, insecure=options.insecure),
    )
    plans: list[Plan] = []
    skipped: list[Skipped] = []
    for first in range(0, len(resolved), count):
        same = resolved[first : first + count]
        try:
            plans.append(_plan(same, options, environment))
        except BadFile:
            # The workload's file, which is the same for all.
            raise
        except BadUsage as error:
            # A contender that was named must be measured; one of the whole catalogue need not.
            if not options.everything:
                raise
            reason = str(error).splitlines()[-1].strip()
            skipped.append(
                Skipped(name=same[0].name, reason=reason.removeprefix(f"{same[-1].name}: "))
            )
    if not plans:
        raise BadUsage(f"no contender of the catalogue serves the workload {options.workload}")
    return DrawsPlan(
        run=f"{environment.time}-draws-{slug([plan.entries[0] for plan in plans])}",
        command_line=environment.command_line,
        plans=tuple(plans),
        skipped=tuple(skipped),
        sets=options.sets,
        seed=options.seed,
    )


def _plan(
    same: Sequence[ResolvedContender], options: DrawsOptions, environment: Environment
) -> Plan:
    """A race of one contender's processes against each other."""
    race = RaceOptions.among(
        dict(options),
        warm_up=options.warm_up or (QUICK_WARM_UP_S if options.quick else WARM_UP_S),
        keep_going=True,
        twin=False,
    )
    duration_s = options.per_contender or (QUICK_DURATION_S if options.quick else DURATION_S)
    return RaceDraft(same, race, environment).single(duration_s)
