"""What contenders find around them: files to serve, and somebody to ask.

The workload says which; their environment says where.
"""

from dataclasses import dataclass
from pathlib import Path

from bakeoff.build import out_folder
from bakeoff.measure import CpuReader
from bakeoff.model.errors import ContenderOut, NoVerdict
from bakeoff.model.fields import numbers
from bakeoff.model.plan import Cores, Plan
from bakeoff.model.readings import CpuTime
from bakeoff.runs.stages import Stages
from bakeoff.start import Keeper

LOG = "upstream.log"


@dataclass(frozen=True)
class Surroundings:
    """`environment` names the files' folder, STATIC_DIR, and the upstream's URL, UPSTREAM.

    `key` is the upstream's name at the keeper, and `cpu` reads its CPU time; None: there is none.
    """

    environment: dict[str, str]
    key: str | None = None
    cpu: CpuReader | None = None

    def upstream_cpu(self) -> CpuTime | None:
        """The upstream's CPU time since it began."""
        return self.cpu.read() if self.cpu else None


def surroundings(plan: Plan, stages: Stages, keeper: Keeper, logs: Path) -> Surroundings:
    """Write the files and start the upstream; the keeper ends both. Raises `NoVerdict`."""
    environment: dict[str, str] = {}
    if plan.workload.static_files:
        files = plan.workload.static_files
        folder = keeper.keep_files({name: numbers(length) for name, length in files.items()})
        environment["STATIC_DIR"] = str(folder)
    if plan.upstream is None:
        return Surroundings(environment)
    assert plan.upstream.folder, "an upstream with a folder"
    key = f"{plan.upstream.name}/upstream"
    cores = Cores(server=plan.upstream_cpus, client=plan.cores.client)
    try:
        handle = keeper.start(
            plan.upstream,
            key=key,
            out=out_folder(Path(plan.upstream.folder)),
            workers=1,
            cores=cores,
            host=plan.host,
            log=logs / LOG,
            answers=stages.servers.answers,
            environment={"DELAY_MS": str(plan.workload.upstream_delay_ms)},
        )
    except ContenderOut as error:
        name = plan.workload.name
        raise NoVerdict(f"the upstream of the workload {name} could not start: {error}") from None
    environment["UPSTREAM"] = f"http://{handle.address}"
    return Surroundings(environment, key, stages.meters.cpu(handle.cpu))
