"""What a plan takes from the machine and the moment."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.plan import Cores
from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.values import default_cores, parse_cores, spare_cpus


@dataclass(frozen=True)
class Environment:
    """`cores` are the processors that may be used, sorted; `time` begins a run's name, in UTC.

    Commands and relative paths are those of `directory`. `command_line` is kept with the run.
    """

    catalogue: Catalogue
    directory: Path
    cores: Sequence[int]
    time: str
    command_line: tuple[str, ...]

    @classmethod
    def here(cls, command_line: Sequence[str]) -> "Environment":
        """This machine, this folder, now."""
        cores = sorted(os.sched_getaffinity(0))
        now = time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime())
        return cls(Catalogue.shipped(), Path.cwd(), cores, now, tuple(command_line))

    def spare_cpus(self, cores: Cores) -> tuple[int, ...]:
        """Where whoever is neither server nor generator runs."""
        return spare_cpus(self.cores, cores)

    def cores_for(self, cpus: str | None) -> Cores:
        """The cores that `--cpus` names, or the usual ones. Raises `BadUsage`."""
        return parse_cores(cpus, self.cores) if cpus else default_cores(self.cores)
