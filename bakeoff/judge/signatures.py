"""Latencies that give their cause away. METHODOLOGY.md says where they come from."""

from bakeoff.model.samples import TcpTrouble
from bakeoff.model.verdict import Latency

DELAYED_ACK_US = (38_000, 48_000)
IDLE_SERVER = 0.2
MINIMUM_RTO_US = (195_000, 235_000)
SYN_RETRANSMITS_US = ((980_000, 1_150_000), (2_950_000, 3_300_000), (6_900_000, 7_500_000))
# A tail is a signature where it stands apart: the usual answer is faster by this factor.
APART = 3


def signatures(
    latency: Latency | None, server_busy: float | None, tcp: TcpTrouble | None = None
) -> list[str]:
    """One sentence for each known pattern. `tcp` is what the kernel counted over all servers
    together; what it counted none of is not said to have been. None: nobody looked."""
    if latency is None or latency.p50 is None:
        return []
    found = []
    idle = server_busy is not None and server_busy < IDLE_SERVER
    if idle and _within(latency.p50, DELAYED_ACK_US):
        found.append(
            f"half of its answers take {latency.p50 / 1e3:.0f} ms or more while its CPU is nearly "
            "idle: Nagle meets delayed ACK; it answers in more than one write without TCP_NODELAY"
        )
    tails = [
        (name, value)
        for name, value in (("p99", latency.p99), ("p99.9", latency.p99_9))
        if value is not None and value > APART * latency.p50
    ]
    found += [
        f"{name} is {value / 1e3:.0f} ms, about TCP's minimum retransmission time of 200 ms: "
        f"packets were lost{_again(tcp)}"
        for name, value in tails
        if _within(value, MINIMUM_RTO_US) and (tcp is None or tcp.retransmits)
    ][:1]
    found += [
        f"{name} is {value / 1e6:.1f} s, about the time after which TCP repeats a SYN: its listen "
        f"queue was full{_dropped(tcp)}"
        for name, value in tails
        if any(_within(value, bounds) for bounds in SYN_RETRANSMITS_US)
        and (tcp is None or tcp.listen_drops)
    ][:1]
    return found


def _again(tcp: TcpTrouble | None) -> str:
    if tcp is None:
        return ""
    return (
        f" (the kernel sent {tcp.retransmits:,} segments again, over all servers of this machine)"
    )


def _dropped(tcp: TcpTrouble | None) -> str:
    if tcp is None:
        return ""
    return (
        f" (the kernel dropped {tcp.listen_drops:,} connections, over all servers of this machine)"
    )


def _within(value: float, bounds: tuple[int, int]) -> bool:
    return bounds[0] <= value <= bounds[1]
