"""Is a change slower? From two revisions of a repository to a race of `base` and `head`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Self

import bakeoff.plan.options as shared
from bakeoff.model.ci import BASE, HEAD, CiPlan, LooksFor, ProjectFile, Revision
from bakeoff.model.errors import BadFile, BadUsage, BakeoffError, MissingPiece
from bakeoff.model.gate import CantTell
from bakeoff.plan.catalogue import CONTENDER_FILE
from bakeoff.plan.contenders import ResolvedContender, resolve_contenders
from bakeoff.plan.environment import Environment
from bakeoff.plan.race import RaceDraft
from bakeoff.plan.race_options import RaceOptions
from bakeoff.plan.request_options import RequestOptions
from bakeoff.plan.requests import beside
from bakeoff.plan.values import Count, OnePath, OneProtocol, Rate, Seconds, ShareBelow1, ShareBelow2

PROJECT_FILE = "bakeoff.toml"
DURATION_S = 180.0
USUAL_GATE = f"{HEAD} >= 0.98 * {BASE}"
WITHIN_GATE = f"{HEAD} >= {BASE}"
"""The usual gate if a margin is given."""
TARGET_BRANCH = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
"""The variables in which GitHub and GitLab name the branch that a change is meant for."""


class CiOptions(RequestOptions):
    """The options of `bakeoff ci`; bakeoff.toml has those that the command line lacks."""

    base: Annotated[
        str | None,
        shared.Flag(
            shared.PLACEMENT,
            "Compare with exactly this revision.",
            "the merge base of head and the branch that bakeoff.toml, GITHUB_BASE_REF or "
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME names, or origin's default branch",
            "REV",
        ),
    ] = None
    head: Annotated[
        str,
        shared.Flag(
            shared.PLACEMENT,
            "Measure this revision, which has the change; . is the working tree.",
            "HEAD",
            "REV",
        ),
    ] = "HEAD"
    contender: Annotated[
        str | None,
        shared.Flag(
            shared.PLACEMENT,
            "Race this folder with contender.toml, or this command, relative to bakeoff.toml.",
            "that of bakeoff.toml",
            "FOLDER|COMMAND",
        ),
    ] = None
    connections: Annotated[Count | None, shared.CONNECTIONS] = None
    protocol: Annotated[OneProtocol | None, shared.PROTOCOL] = None
    streams: Annotated[Count, shared.STREAMS] = 1
    path: Annotated[OnePath, shared.PATH] = ()
    rate: Annotated[Rate | None, shared.RATE] = None
    load: Annotated[ShareBelow2 | None, shared.LOAD_SHARE] = None
    duration: Annotated[
        Seconds,
        shared.DURATION.but(
            help="Measure for this long in all at most, such as 60 or 3m; the race ends once every "
            "gate holds or fails.",
            usual="3m",
        ),
    ] = DURATION_S
    warm_up: Annotated[Seconds | None, shared.WARM_UP] = None
    boots: Annotated[Count | None, shared.BOOTS] = None
    instances: Annotated[Count | None, shared.INSTANCES] = None
    workers: Annotated[Count | None, shared.WORKERS] = None
    cpus: Annotated[str | None, shared.CPUS] = None
    ready_timeout: Annotated[Seconds | None, shared.READY_TIMEOUT] = None
    probes: Annotated[bool, shared.PROBES] = True
    within: Annotated[ShareBelow1 | None, shared.WITHIN] = None
    gates: Annotated[tuple[str, ...], shared.GATES] = (USUAL_GATE,)
    cant_tell: Annotated[CantTell, shared.CANT_TELL] = "pass"
    why: Annotated[
        LooksFor,
        shared.Flag(
            shared.VERDICT,
            "Show after the race which functions and system calls make the difference, in about "
            "20 s more: where a gate fails, always, or never. It changes no exit status.",
            "alarm",
        ),
    ] = "alarm"

    def over(self, project: ProjectFile, file: Path) -> Self:
        """The given options, and for the others those of `project`, read from `file`.

        Its base is a branch, which `target_branch` reads. Raises `BadUsage` that names the file.
        """
        kept = beside(file, project.model_dump(exclude_none=True, exclude={"base"}))
        try:
            type(self)(**kept)
        except BadUsage as error:
            raise BadUsage(f"{file}: {error}") from None
        given = {name: getattr(self, name) for name in self.model_fields_set}
        if self.request_given:
            # The file's request is not mixed with that of the command line.
            typed = RequestOptions.model_fields.keys()
            kept = {name: value for name, value in kept.items() if name not in typed}
        return type(self)(**{**kept, **given})

    def race(self) -> RaceOptions:
        usual = self.within and "gates" not in self.model_fields_set
        gates = {"gates": (WITHIN_GATE,)} if usual else {}
        return RaceOptions.among(dict(self), keep_going=True, why=False, **gates)


@dataclass(frozen=True)
class CheckedOut:
    """A revision, and the folder in its files that has or may have bakeoff.toml."""

    revision: Revision
    top: Path
    directory: Path


class NothingToCompare(BakeoffError):
    """The contender is in head and not in base: it is new, which makes nothing slower."""


def target_branch(project: ProjectFile, environ: Mapping[str, str]) -> str | None:
    """The branch that a change is meant for, according to bakeoff.toml or the CI system."""
    return project.base or next(
        (environ[name] for name in TARGET_BRANCH if environ.get(name)), None
    )


def plan_ci(
    base: CheckedOut, head: CheckedOut, options: CiOptions, environment: Environment
) -> CiPlan:
    """The race of the contender at two revisions.

    Raises `BadUsage` for head and the options, `MissingPiece` where the contender of base can't be
    raced, and `NothingToCompare` where base has none.
    """
    operand = options.contender
    if operand is None:
        raise BadUsage(
            f"ci: no {PROJECT_FILE} here names a contender; `bakeoff init` writes one, or give "
            '--contender, a folder with contender.toml or "a command"'
        )
    try:
        new = _contender(HEAD, operand, head, environment)
    except BadUsage as error:
        fault, folder = str(error), head.directory / operand
        is_path = operand in (".", "..") or ("/" in operand and "://" not in operand)
        if is_path and (
            not folder.exists() or (folder.is_dir() and not (folder / CONTENDER_FILE).exists())
        ):
            fault = f"{fault.partition('; ')[0]}; if it is not committed yet, commit it, and "
            fault += "`bakeoff ci` compares later commits with that one"
        raise BadUsage(f"head ({head.revision.full_name}) can't be raced: {fault}") from None
    try:
        old = _contender(BASE, operand, base, environment)
    except BadFile as error:
        raise MissingPiece(f"base ({base.revision.full_name}) can't be raced: {error}") from None
    except BadUsage:
        raise NothingToCompare(
            f"nothing to compare: {operand} is in head ({head.revision.full_name}) and not in base "
            f"({base.revision.full_name}); a change can be compared once both have it"
        ) from None
    race = RaceDraft([old, new], options.race(), environment).single(options.duration)
    for skipped in race.skipped:
        if skipped.name == BASE:
            raise NothingToCompare(
                f"nothing to compare: base ({base.revision.full_name}) {skipped.reason}; "
                f"head ({head.revision.full_name}) does"
            )
        raise BadUsage(f"head ({head.revision.full_name}) {skipped.reason}")
    race = race.model_copy(update={"keep_going": False, "until": "decided", "cpu_gates": True})
    run = f"{environment.time}-ci-{base.revision.commit[:7]}-{head.revision.commit[:7]}"
    return CiPlan(
        run=run,
        command_line=environment.command_line,
        contender=operand,
        base=base.revision,
        head=head.revision,
        race=race.model_copy(update={"run": f"{run}/race"}),
        why=options.why,
        seed=options.seed,
    )


def _contender(
    name: str, operand: str, place: CheckedOut, environment: Environment
) -> ResolvedContender:
    (found,) = resolve_contenders([operand], environment.catalogue, place.directory)
    if found.origin not in ("folder", "command") or found.folder is None:
        raise BadUsage(
            f"contender: is {operand}, which is the same in both revisions; it takes a folder of "
            "the repository with contender.toml (./server), or a command"
        )
    if not found.folder.is_relative_to(place.top.resolve()):
        raise BadUsage(f"contender: {operand} is outside of the repository, {place.top}")
    return replace(found, name=name)
