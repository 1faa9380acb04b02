"""Which processors the servers and the generator get."""

import os
import re

from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Cores

_SHAPE = "it takes server=0,client=1 (lists and ranges too: server=0-2,client=3)"


def available_cores() -> list[int]:
    """The processors that this process may use, sorted."""
    return sorted(os.sched_getaffinity(0))


def default_cores(available: list[int]) -> Cores:
    """One server core and one generator core, as far apart as there are; shared on one core.

    More server cores than the generator's one can load would measure the generator.
    """
    return Cores(server=(available[0],), client=(available[-1],))


def parse_cores(text: str, available: list[int]) -> Cores:
    """`server=0,client=1` as cores. Raises `BadUsage` for what it isn't or what isn't there."""
    sides: dict[str, list[int]] = {}
    side = None
    for part in text.split(","):
        name, equals, value = part.rpartition("=")
        if equals:
            side = name.strip()
            if side not in ("server", "client") or side in sides:
                raise BadUsage(f"--cpus {text}: `{name}` can't stand there; {_SHAPE}")
            sides[side] = []
        if side is None:
            raise BadUsage(f"--cpus {text}: {_SHAPE}")
        sides[side] += _cores(value.strip(), text)
    if set(sides) != {"server", "client"}:
        missing = "client" if "server" in sides else "server"
        raise BadUsage(f"--cpus {text}: says nothing of {missing}; {_SHAPE}")
    for cpu in (*sides["server"], *sides["client"]):
        if cpu not in available:
            there = ", ".join(map(str, available))
            raise BadUsage(f"--cpus {text}: there is no core {cpu} here; there are {there}")
    return Cores(
        server=tuple(dict.fromkeys(sides["server"])), client=tuple(dict.fromkeys(sides["client"]))
    )


def _cores(value: str, text: str) -> list[int]:
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", value)
    if not match:
        raise BadUsage(f"--cpus {text}: `{value}` is no core; {_SHAPE}")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first or last - first > 4096:
        raise BadUsage(f"--cpus {text}: `{value}` is no range; {_SHAPE}")
    return list(range(first, last + 1))
