"""machine.json: the facts that a run discloses."""

import os
import platform
import resource
from datetime import UTC, datetime

from bakeoff.measure import facts
from bakeoff.measure.groups import counting, cpu_quota, own_groups
from bakeoff.measure.proc import parse_kib
from bakeoff.model.machine import Machine


def machine(engine: str, bakeoff: str) -> Machine:
    """This machine, now. `engine` and `bakeoff` are their versions."""
    cpuinfo = facts.text("/proc/cpuinfo") or ""
    groups = own_groups()
    siblings = facts.siblings()
    vendor, product = (facts.text(f"/sys/class/dmi/id/{name}") for name in _DMI)
    return Machine(
        taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
        kernel=f"{platform.system()} {platform.release()}",
        distribution=facts.distribution(),
        cpu_model=facts.cpu_model(cpuinfo),
        cpus=os.cpu_count() or 1,
        threads_per_core=max(map(len, siblings), default=None),
        memory_mib=(parse_kib(facts.text("/proc/meminfo") or "", "MemTotal") or 0) // 1024,
        virtualisation=facts.virtualisation(cpuinfo, vendor, product),
        governor=facts.governor(),
        turbo=facts.turbo(),
        mitigations=facts.mitigations(),
        clock_source=facts.text(_CLOCK_SOURCE),
        cgroup=counting(groups),
        cpu_quota=cpu_quota(groups),
        somaxconn=facts.number("/proc/sys/net/core/somaxconn"),
        port_range=facts.port_range(),
        open_files_limit=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        tcp_tw_reuse=facts.number("/proc/sys/net/ipv4/tcp_tw_reuse"),
        load_average=os.getloadavg()[0],
        io_uring=facts.io_uring(),
        python=platform.python_version(),
        bakeoff=bakeoff,
        engine=engine,
    )


_DMI = ("sys_vendor", "product_name")
_CLOCK_SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
