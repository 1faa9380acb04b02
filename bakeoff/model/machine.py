"""machine.json: the machine's facts that every run keeps."""

from typing import Literal

from pydantic import Field

from bakeoff.model.base import Contract


class Machine(Contract):
    """Facts of the machine before the race. None: the machine doesn't say."""

    schema_: Literal["bakeoff.machine/1"] = Field("bakeoff.machine/1", alias="schema")
    taken_at: str
    kernel: str
    distribution: str | None = None
    cpu_model: str
    cpus: int
    threads_per_core: int | None = None
    memory_mib: int
    virtualisation: str | None = None
    governor: str | None = None
    turbo: bool | None = None
    mitigations: dict[str, str]
    clock_source: str | None = None
    cgroup: str
    cpu_quota: float | None = None
    somaxconn: int | None = None
    port_range: tuple[int, int] | None = None
    open_files_limit: int
    tcp_tw_reuse: int | None = None
    load_average: float
    io_uring: str | None = None
    python: str
    bakeoff: str
    engine: str

    def unlike(self, other: "Machine") -> list[str]:
        """The keys in which two machines differ so much that their runs can't be compared."""
        keys = ("kernel", "cpu_model", "cpus", "virtualisation", "governor", "threads_per_core")
        return [key for key in keys if getattr(self, key) != getattr(other, key)]


class Hindrance(Contract):
    """Something that affects a measurement, and how to mend it."""

    what: str
    why: str
    mend: str | None = None
    level: Literal["ok", "note", "warning"]
