"""From what was named and asked to a `Plan`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.model.errors import BadUsage, NoVerdict, nearest
from bakeoff.model.gate import CantTell
from bakeoff.model.plan import (
    WARM_UP_S_MAX,
    Arrivals,
    Connection,
    Cores,
    Entry,
    Plan,
    Skipped,
)
from bakeoff.model.workload import Workload
from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.gates import race_gate
from bakeoff.plan.words import Named, unique

DURATION_PER_ENTRY_S = 20.0
DURATION_MAX_S = 600.0
"""Nobody waits for longer unasked; thirty entries come to within it at 20 s each."""
BOOTS = 3
SOLO_WINDOW_S = 2.0
SLUG_LENGTH_MAX = 60
DEFAULT_WORKLOAD = "hello"
OWN_ANSWER_WORKLOAD = "get"


@dataclass(frozen=True)
class Options:
    """What the command line asks for; None where it is silent."""

    seed: int
    cores: Cores
    connections: int | None = None
    duration_s: float | None = None
    workload: str | None = None
    connection: Connection = "keep-alive"
    pipeline: int = 1
    boots: int | None = None
    workers: int | None = None
    reference: str | None = None
    solo: bool = False
    twin: bool = True
    rate: float | None = None
    load: float | None = None
    arrivals: Arrivals = "poisson"
    precision: float | None = None
    warm_up_s: float | None = None
    confirm: bool = False
    gates: tuple[str, ...] = ()
    cant_tell: CantTell = "pass"


def decide(
    named: Sequence[Named],
    catalogue: Catalogue,
    options: Options,
    *,
    stamp: str,
    command_line: Sequence[str],
) -> Plan:
    """The plan of a race. `stamp` is its UTC time.

    Raises `BadUsage`, and `NoVerdict` where nobody can take part at this depth of pipeline.
    """
    _check_numbers(options)
    own = all(one.own_answer for one in named)
    workload = catalogue.workload(
        options.workload or (OWN_ANSWER_WORKLOAD if own else DEFAULT_WORKLOAD)
    )
    entries, skipped = _entries(named, workload)
    reference = _reference(options.reference, entries)
    gates = tuple(race_gate(text, [one.name for one in named]) for text in options.gates)
    _check_confirm(options, entries)
    if options.twin:
        entries += twin(entries, reference)
    solo = options.solo
    if solo and options.precision:
        raise BadUsage("--precision: a solo race takes the time it is given; leave --solo out")
    duration_s = options.duration_s or min(DURATION_PER_ENTRY_S * len(entries), DURATION_MAX_S)
    boots = options.boots or (
        max(BOOTS, round(duration_s / (len(entries) * SOLO_WINDOW_S))) if solo else BOOTS
    )
    _check_ports(entries, solo)
    plan = Plan(
        run=f"{stamp}-{_slug(entries)}",
        command_line=tuple(command_line),
        entries=tuple(entries),
        skipped=tuple(skipped),
        workload=workload,
        mode="open" if options.rate or options.load else "closed",
        rate=options.rate,
        load=options.load,
        arrivals=options.arrivals,
        precision=options.precision,
        connection=options.connection,
        pipeline=options.pipeline,
        connections=options.connections or workload.defaults.connections,
        duration_s=duration_s,
        boots=boots,
        warm_up_s=options.warm_up_s or WARM_UP_S_MAX,
        workers=options.workers or len(options.cores.server),
        cores=options.cores,
        reference=reference,
        solo=solo,
        confirm=options.confirm,
        gates=gates,
        cant_tell=options.cant_tell,
        seed=options.seed,
    )
    return without(plan, _cannot_pipeline(plan))


def contradiction(options: Options) -> str:
    """What of the load can't be had together, and why; empty: nothing."""
    if options.pipeline > 1 and options.connection == "close":
        return (
            f"--pipeline {options.pipeline} needs --keep-alive: with --close a connection carries "
            "one request"
        )
    if options.rate and options.load:
        return "--rate and --load: the rate is either the same for all or a share of each's"
    return ""


def _cannot_pipeline(plan: Plan) -> dict[str, str]:
    """Those whose contender.toml rules a pipeline out. A command or a URL is tried: who knows."""
    if plan.pipeline == 1:
        return {}
    return {
        one.name: "doesn't answer requests that are sent ahead (contender.toml: pipelines = false)"
        for one in plan.entries
        if one.origin in ("catalogue", "folder") and one.contender and not one.contender.pipelines
    }


def without(plan: Plan, out: Mapping[str, str]) -> Plan:
    """The plan less the entries in `out` (name → reason), which become `skipped`.

    Where the reference goes, the first that is left takes its place, with a twin of its own.
    Raises `NoVerdict` where nobody is left.
    """
    if not out:
        return plan
    left = [one for one in plan.entries if one.name not in out and not one.twin_of]
    twins = [one for one in plan.entries if one.twin_of]
    # Of a program that is out, its twin is out for the same reason: that is said once.
    gone = [
        Skipped(name=name, reason=reason)
        for name, reason in out.items()
        if plan.entry(name).twin_of not in out
    ]
    if not left:
        reasons = "\n".join(f"  {one.name}: {one.reason}" for one in gone)
        raise NoVerdict(f"no contender is left:\n{reasons}")
    reference = plan.reference
    if reference in out:
        reference = left[0].name
        twins = twin(left, reference) if twins else []
    return plan.model_copy(
        update={
            "entries": (*left, *(one for one in twins if one.name not in out)),
            "skipped": (*plan.skipped, *gone),
            "reference": reference,
        }
    )


def _check_numbers(options: Options) -> None:
    for flag, value in (
        ("--connections", options.connections),
        ("--duration", options.duration_s),
        ("--boots", options.boots),
        ("--workers", options.workers),
        ("--rate", options.rate),
        ("--pipeline", options.pipeline),
    ):
        if value is not None and not 0 < value < 1e9:
            raise BadUsage(f"{flag}: is {value:g}; it takes a number above zero")
    for flag, share, most in (("--load", options.load, 2), ("--precision", options.precision, 1)):
        if share is not None and not 0 < share < most:
            raise BadUsage(f"{flag}: is {share:.0%}; it takes a share above 0 and below {most:.0%}")
    if wrong := contradiction(options):
        raise BadUsage(wrong)
    if options.seed < 0:
        raise BadUsage(f"--seed: is {options.seed}; it takes zero or a number above")


def _check_confirm(options: Options, entries: Sequence[Entry]) -> None:
    if options.confirm and options.solo:
        raise BadUsage("--confirm: measures solo what was raced in turns; --solo does so already")
    if options.confirm and len(entries) < 2:
        raise BadUsage("--confirm: compares ratios, and one contender has none; it takes two")


def _entries(named: Sequence[Named], workload: Workload) -> tuple[list[Entry], list[Skipped]]:
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    for one in named:
        if one.attached:
            path = one.attached.path
        elif one.origin == "command":
            path = workload.request.path
        else:
            assert one.contender
            path = one.contender.serves.get(workload.name, "")
        if not path:
            assert one.contender
            serves = ", ".join(sorted(one.contender.serves))
            reason = f"doesn't serve the workload {workload.name}; it serves {serves}"
            skipped.append(Skipped(name=one.name, reason=reason))
            continue
        entries.append(
            Entry(
                name=one.name,
                title=one.contender.title if one.contender else one.name,
                origin=one.origin,
                contender=one.contender,
                folder=str(one.folder) if one.folder else None,
                attached=one.attached,
                fixed_port=one.fixed_port,
                path=path,
            )
        )
    if not entries:
        reasons = "\n".join(f"  {one.name}: {one.reason}" for one in skipped)
        raise BadUsage(f"nobody can race:\n{reasons}")
    return entries, skipped


def _reference(asked: str | None, entries: Sequence[Entry]) -> str:
    names = [entry.name for entry in entries]
    if asked is not None and asked not in names:
        hint = nearest(asked, names, "there are")
        raise BadUsage(f"--reference: {asked} doesn't race{hint}")
    return asked or names[0]


def twin(entries: Sequence[Entry], reference: str) -> list[Entry]:
    """A second copy of the reference; none of a command with a port of its own: it can't be."""
    original = next(entry for entry in entries if entry.name == reference)
    if original.fixed_port:
        return []
    name = unique(f"{reference} (twin)", [entry.name for entry in entries])
    return [original.model_copy(update={"name": name, "twin_of": reference})]


def _check_ports(entries: Sequence[Entry], solo: bool) -> None:
    ports = [entry.fixed_port for entry in entries if entry.fixed_port]
    for port in ports:
        if ports.count(port) > 1 and not solo:
            raise BadUsage(
                f"--port {port}: two contenders can't listen on one port at a time; "
                "give each its own, or race them one at a time with --solo"
            )


def _slug(entries: Sequence[Entry]) -> str:
    """Who races, in a folder's name: all of them, or the first where that would be too long."""
    names = [_plain(entry.name) for entry in entries if not entry.twin_of]
    text = "-vs-".join(names)
    if len(text) > SLUG_LENGTH_MAX and len(names) > 2:
        text = f"{names[0]}-vs-{len(names) - 1}-others"
    return text[:SLUG_LENGTH_MAX].strip("-") or "race"


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
