"""A machine, an audit that finds nothing, and what the kernel counted."""

from bakeoff.model.audit import Audit
from bakeoff.model.machine import Machine
from bakeoff.model.readings import TcpTrouble

MACHINE = Machine(
    taken_at="2026-01-02T03:04:05Z",
    kernel="6.1",
    distribution=None,
    cpu_model="a processor",
    cpus=2,
    threads_per_core=1,
    memory_mib=4096,
    virtualisation=None,
    governor=None,
    turbo=None,
    mitigations={},
    clock_source="tsc",
    cgroup="v2",
    cpu_quota=None,
    somaxconn=4096,
    port_range=(32768, 60999),
    open_files_limit=1024,
    tcp_tw_reuse=2,
    load_average=0.1,
    io_uring=None,
    python="3.11",
    bakeoff="0.1.0",
    engine="0.1.0",
)

SOUND_AUDIT = Audit(
    asked=20,
    kept=20,
    keeps_http_1_0=True,
    closes_when_asked=True,
    date="moves",
    segments=1,
    apart_ms=0,
    answer_ms=0.1,
)
TROUBLE = TcpTrouble(listen_overflows=7, listen_drops=8, retransmits=9, tracking_drops=10)
NO_TROUBLE = TcpTrouble(listen_overflows=0, listen_drops=0, retransmits=0)
