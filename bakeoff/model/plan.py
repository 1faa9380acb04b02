"""plan.json: all that is decided before anything starts."""

from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from bakeoff.model.base import Contract
from bakeoff.model.contender import Contender
from bakeoff.model.workload import Workload

Connection = Literal["keep-alive", "close"]
HttpVersion = Literal["1.0", "1.1"]


LONG_SHARE = 0.2
"""The share of the measured time that goes to long slices, where nothing argues for more."""


class Cores(Contract):
    """Which processors the servers and the load generator are pinned to."""

    server: tuple[NonNegativeInt, ...]
    client: tuple[NonNegativeInt, ...]

    @property
    def shared(self) -> bool:
        """Whether server and generator compete for a processor."""
        return bool(set(self.server) & set(self.client))


class Attached(Contract):
    """A server that somebody else runs: we load it and neither start nor stop it."""

    host: str
    port: Annotated[int, Field(ge=1, le=65535)]
    address: str
    path: str
    pid: PositiveInt | None = None


class Entry(Contract):
    """One row of a race: a contender of ours to start, or a server to attach to.

    `name` is unique in the race. `twin_of` marks the second copy of the reference, whose ratio
    to the reference is the noise floor. `folder` is where the contender's files are; a command
    from the command line has the folder it was typed in. `workers`: its own number of them; None:
    the plan's.
    """

    name: str
    title: str
    origin: Literal["catalogue", "folder", "command", "url"]
    contender: Contender | None = None
    folder: str | None = None
    attached: Attached | None = None
    fixed_port: Annotated[int, Field(ge=1, le=65535)] | None = None
    path: str
    workers: PositiveInt | None = None
    twin_of: str | None = None

    @model_validator(mode="after")
    def _is_started_or_attached(self) -> Self:
        if (self.contender is None) == (self.attached is None):
            raise ValueError("takes either `contender` or `attached`")
        return self


class Skipped(Contract):
    """A contender that is not in the race, with its reason."""

    name: str
    reason: str


class Plan(Contract):
    """A race, decided. `duration_s` is measured time over all entries and boots.

    `long_share` is the share of it that goes to long slices: the check of the short ones, and what
    latencies are taken from.
    """

    schema_: Literal["bakeoff.plan/1"] = Field("bakeoff.plan/1", alias="schema")
    run: str
    command_line: tuple[str, ...]
    entries: Annotated[tuple[Entry, ...], Field(min_length=1)]
    skipped: tuple[Skipped, ...] = ()
    workload: Workload
    mode: Literal["closed"] = "closed"
    connection: Connection
    http: HttpVersion = "1.1"
    connections: PositiveInt
    duration_s: PositiveFloat
    long_share: Annotated[float, Field(ge=0, le=1)] = LONG_SHARE
    boots: PositiveInt
    workers: PositiveInt
    cores: Cores
    reference: str
    solo: bool
    seed: NonNegativeInt
    host: str = "127.0.0.1"

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        names = [entry.name for entry in self.entries]
        if len(set(names)) != len(names):
            raise ValueError("`entries` has a name twice")
        if self.reference not in names:
            raise ValueError(f"`reference` is {self.reference}, which is not among the entries")
        return self

    def workers_of(self, name: str) -> int:
        """How many workers or threads the entry called `name` is told to use."""
        return self.entry(name).workers or self.workers

    def entry(self, name: str) -> Entry:
        """The entry called `name`; KeyError where there is none."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise KeyError(name)
