"""machine.json: where it was measured, as METHODOLOGY.md asks to disclose it."""

from typing import Any, Literal

from pydantic import Field

from bakeoff.model.base import Contract


class Machine(Contract):
    """Facts of the machine before the race. None: the machine doesn't say."""

    schema_: Literal["bakeoff.machine/1"] = Field("bakeoff.machine/1", alias="schema")
    taken_at: str
    kernel: str
    distribution: str | None
    cpu_model: str
    cpus: int
    threads_per_core: int | None
    memory_mib: int
    virtualisation: str | None
    governor: str | None
    turbo: bool | None
    mitigations: dict[str, str]
    clock_source: str | None
    cgroup: str
    cpu_quota: float | None
    somaxconn: int | None
    port_range: tuple[int, int] | None
    open_files_limit: int
    tcp_tw_reuse: int | None
    load_average: float
    io_uring: str | None
    python: str
    bakeoff: str
    engine: str

    def unlike(self, other: "Machine") -> list[str]:
        """The keys in which two machines differ so that their runs can't be compared."""
        keys = ("kernel", "cpu_model", "cpus", "virtualisation", "governor", "threads_per_core")
        mine: dict[str, Any] = self.model_dump()
        theirs: dict[str, Any] = other.model_dump()
        return [key for key in keys if mine[key] != theirs[key]]


class Hindrance(Contract):
    """Something that stands in the way of a good measurement, and what would mend it."""

    what: str
    why: str
    mend: str | None = None
    level: Literal["ok", "note", "warning"]
