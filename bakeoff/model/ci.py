"""Two revisions of one repository: bakeoff.toml, the plan bakeoff.ci-plan/1, and ci.json.

`base` is the revision with which a change is compared, `head` the one that has the change. Both are
the names of the race's entries, and used in gates.
"""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from bakeoff.model.base import Contract
from bakeoff.model.finding import Finding
from bakeoff.model.gate import CantTell
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.verdict import Verdict

BASE, HEAD = "base", "head"
CiOutcome = Literal["slower", "not slower", "can't tell", "not raced"]
LooksFor = Literal["alarm", "always", "never"]
"""When causes are looked for after the race: if a gate fails, or in any case."""


class ProjectFile(Contract):
    """bakeoff.toml, in the repository of a server: the options of `bakeoff ci`.

    `contender` is a folder with contender.toml, relative to this file, or a command. The others
    have the values of the options with the same names.
    """

    contender: str | None = None
    base: str | None = None
    workload: str | None = None
    request: str | None = None
    method: str | None = None
    headers: tuple[str, ...] | None = None
    body: str | None = None
    body_file: str | None = None
    cookies: tuple[str, ...] | None = None
    user: str | None = None
    events: int | None = None
    expect_status: int | None = None
    expect_length: int | str | None = None
    expect_body: str | None = None
    expect_body_file: str | None = None
    expect_sha256: str | None = None
    expect_contains: tuple[str, ...] | None = None
    expect_match: str | None = None
    expect_json: str | None = None
    expect_headers: tuple[str, ...] | None = None
    protocol: str | None = None
    streams: int | None = None
    duration: float | str | None = None
    connections: int | None = None
    boots: int | None = None
    instances: int | None = None
    warm_up: float | str | None = None
    workers: int | None = None
    cpus: str | None = None
    rate: float | None = None
    load: float | str | None = None
    gates: Annotated[tuple[str, ...] | None, Field(min_length=1)] = None
    within: float | str | None = None
    cant_tell: CantTell | None = None
    why: LooksFor | None = None


class Revision(Contract):
    """A revision of the repository: its requested name, and its commit.

    `uncommitted`: it is the working tree, with changes that the commit lacks.
    """

    name: str
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40,64}$")]
    subject: str
    uncommitted: bool = False

    @property
    def short(self) -> str:
        """The commit as people write it."""
        return f"{self.commit[:10]}{' and uncommitted changes' if self.uncommitted else ''}"

    @property
    def full_name(self) -> str:
        """`main, 1a2b3c4d5e`."""
        return self.short if self.commit.startswith(self.name) else f"{self.name}, {self.short}"


class CiPlan(Contract):
    """The race: the entries `base` and `head` of `race`, until every gate is decided, and `why`:
    when causes are then looked for."""

    schema_: Literal["bakeoff.ci-plan/1"] = Field("bakeoff.ci-plan/1", alias="schema")
    run: str
    command_line: tuple[str, ...]
    contender: str
    base: Revision
    head: Revision
    race: Plan
    why: LooksFor = "never"
    seed: NonNegativeInt


class Ci(Contract):
    """The result: whether head is slower than base.

    It is `slower` if a gate of `race` fails, `not slower` if all hold, and `not raced` if base or
    head gave no valid figures, for `reasons`. `race` says whether it ended early.
    """

    schema_: Literal["bakeoff.ci/3"] = Field("bakeoff.ci/3", alias="schema")
    run: str
    command_line: tuple[str, ...]
    contender: str
    base: Revision
    head: Revision
    outcome: CiOutcome
    passes: bool
    reasons: tuple[Finding, ...] = ()
    race: Verdict
    complete: bool
    seed: NonNegativeInt
    machine: Machine
