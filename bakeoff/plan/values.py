"""Option values as people write them: times, shares, numbers and cores.

Every value may come as text, from the command line, or as a Python value. A wrong one raises
`ValueError`, to which `Options` adds the option's name; cores raise `BadUsage`.
"""

import random
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from bakeoff.model.errors import BadUsage, nearest
from bakeoff.model.plan import DELAY_MS_MAX, Cores, NetworkPath
from bakeoff.model.protocol import PROTOCOLS, Protocol

NUMBER_MAX = 10**9
"""A larger number is a mistake; the engine reports the limits of the machine."""
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"
_TIME = re.compile(_NUMBER + r"\s*(s|m|h)?")
_SHARE = re.compile(_NUMBER + r"\s*(%)?")
_PATH = re.compile(_NUMBER + r"\s*(ms|s)(?:\s*,\s*" + _NUMBER + r"\s*%)?")
_DECIMAL = re.compile(_NUMBER + r"(?:e\d)?")
_WHOLE = re.compile(r"[0-9]{1,20}")
_SECONDS = {None: 1, "s": 1, "m": 60, "h": 3600}
_CORES_FORM = "it takes server=0,client=1 (lists and ranges too: server=0-2,client=3)"


def parse_duration_s(value: object) -> float:
    """`20`, `"90s"`, `"2m"` or `"1h"` in seconds."""
    seconds = _plain_number(value)
    if isinstance(value, str):
        match = _TIME.fullmatch(value.strip())
        seconds = float(match[1]) * _SECONDS[match[2]] if match else None
    if seconds is None:
        raise ValueError(f"is {value!r}; it takes seconds, as in 20, 90s or 2m")
    if not 0 < seconds < NUMBER_MAX:
        raise ValueError(f"is {_shown(value)}; it takes a time above zero")
    return seconds


def parse_share(value: object, below: float) -> float:
    """`0.7`, `"0.7"` or `"70%"` as a share above 0 and below `below`."""
    share = _plain_number(value)
    if isinstance(value, str):
        match = _SHARE.fullmatch(value.strip())
        share = float(match[1]) / (100 if match[2] else 1) if match else None
    if share is None:
        raise ValueError(f"is {value!r}; it takes a share, as in 70% or 0.7")
    if not 0 < share < below:
        raise ValueError(f"is {share:.0%}; it takes a share above 0 and below {below:.0%}")
    return share


def parse_path(value: object) -> NetworkPath:
    """`20ms` or `20ms,0.1%`."""
    if isinstance(value, NetworkPath):
        return value
    match = _PATH.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        raise ValueError(
            f"is {value!r}; it takes the delay of a round trip, or with a comma the share of "
            "packets that is lost, too: 20ms or 20ms,0.1%"
        )
    delay_ms = float(match[1]) * (1000 if match[2] == "s" else 1)
    loss = float(match[3] or 0) / 100
    if delay_ms > DELAY_MS_MAX:
        raise ValueError(f"is {value}; it takes a delay of {DELAY_MS_MAX} ms at most")
    if loss >= 1:
        raise ValueError(f"is {value}; it takes a loss below 100%")
    return NetworkPath(delay_ms=delay_ms, loss=loss)


def parse_paths(value: object) -> tuple[NetworkPath, ...]:
    """One path, or several."""
    several = value if isinstance(value, list | tuple) else [value]
    paths = tuple(map(parse_path, several))
    if len(set(paths)) < len(paths):
        raise ValueError("has a path twice")
    return paths


def parse_number(value: object, *, whole: bool = False) -> float:
    """A number above zero, or its digits."""
    number = _plain_number(value)
    if isinstance(value, str) and (_WHOLE if whole else _DECIMAL).fullmatch(value.strip()):
        number = float(value)
    whole_given = not isinstance(value, float) or not whole
    if number is None or not 0 < number < NUMBER_MAX or not whole_given:
        kind = "whole number" if whole else "number"
        raise ValueError(f"is {_shown(value)}; it takes a {kind} above zero")
    return int(number) if whole else number


def parse_counts(value: object) -> tuple[int, ...]:
    """`64`, `[1, 64, 512]` or `"1,64,512"` as numbers, each once."""
    if isinstance(value, str):
        words: Sequence[object] = value.split(",")
    else:
        words = list(value) if isinstance(value, Sequence) else [value]
    text = value if isinstance(value, str) else ",".join(map(str, words))
    counts: list[int] = []
    for word in words:
        digits = re.fullmatch(r"\s*([0-9]{1,10})\s*", "" if isinstance(word, bool) else str(word))
        count = int(digits[1]) if digits else 0
        if not 0 < count < NUMBER_MAX:
            given = f"`{word}` in {text}" if "," in text else text or "empty"
            raise ValueError(f"is {given}; it takes a number above zero, or several: 1,64,512")
        if count in counts:
            raise ValueError(f"has {count} twice in {text}; give each value once")
        counts.append(count)
    if not counts:
        raise ValueError("is empty; it takes a number above zero, or several: 1,64,512")
    return tuple(counts)


def parse_protocols(value: object) -> tuple[Protocol, ...]:
    """`h1,h2`, or a sequence of such names."""
    names = value.split(",") if isinstance(value, str) else value
    known: dict[object, Protocol] = {name: name for name in PROTOCOLS}
    if not isinstance(names, Sequence) or not value:
        raise ValueError(f"is {value!r}; it takes {', '.join(PROTOCOLS)}, or several: h1,h2")
    protocols: list[Protocol] = []
    for name in (item.strip() if isinstance(item, str) else item for item in names):
        if name not in known:
            hint = nearest(str(name), PROTOCOLS, "there are")
            raise ValueError(f"`{name}` is not a protocol{hint}")
        if known[name] in protocols:
            raise ValueError(f"has {name} twice")
        protocols.append(known[name])
    return tuple(protocols)


def parse_protocol(value: object) -> Protocol:
    first, *more = parse_protocols(value)
    if more:
        raise ValueError(f"is {value}; it takes one protocol; `bakeoff race` takes several")
    return first


def parse_seed(value: object) -> int:
    """The given seed, or a random one for None."""
    if value is None:
        return random.SystemRandom().randrange(2**32)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        value = int(value)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"is {value}; it takes 0 or a larger whole number")
    return value


def spare_cpus(available: Sequence[int], cores: Cores) -> tuple[int, ...]:
    """The cores for everything except servers and generator: unused ones; if all are used, the
    generator's, or the servers' if the generator is on another machine."""
    used = cores.here
    unused = tuple(cpu for cpu in available if cpu not in used)
    return unused or (cores.server if cores.apart else cores.client)


GENERATOR_CORES = 3
"""Enough for the fastest contender's core: with a connection per request brick needs 1.7 of the
generator's, and two would be busy 85 % of the time (docs/EVIDENCE.md, cores)."""


def default_cores(available: Sequence[int], *, upstream: bool = False) -> Cores:
    """The first core for the servers, the last three for the generator, so that it isn't the limit.

    With three cores it has two, with two each side has one; a single one is shared. More server
    cores would need more for the generator. With three or more, at least one is left for the
    `upstream`.
    """
    left = available[2:] if upstream and len(available) > 2 else available[1:]
    client = left[-GENERATOR_CORES:]
    return Cores(server=(available[0],), client=tuple(client or available))


_MACHINES = {"server": "server node", "client": "load node"}


def parse_cores(
    text: str, available: Sequence[int], elsewhere: Sequence[int] | None = None
) -> Cores:
    """`server=0,client=1` as cores, which must be among those `available`.

    `elsewhere` has those of the generator's machine, if that is another one.
    """
    sides: dict[str, list[int]] = {}
    side = None
    for part in text.split(","):
        name, equals, value = part.rpartition("=")
        if equals:
            side = name.strip()
            if side not in ("server", "client"):
                raise BadUsage(f"--cpus {text}: `{name}` is not server or client; {_CORES_FORM}")
            if side in sides:
                raise BadUsage(f"--cpus {text}: has {side} twice; {_CORES_FORM}")
            sides[side] = []
        if side is None:
            raise BadUsage(f"--cpus {text}: {_CORES_FORM}")
        sides[side] += _core_range(value.strip(), text)
    if set(sides) != {"server", "client"}:
        missing = "client" if "server" in sides else "server"
        raise BadUsage(f"--cpus {text}: has no {missing}; {_CORES_FORM}")
    for side, numbers in sides.items():
        there = elsewhere if elsewhere is not None and side == "client" else available
        where = "this machine" if elsewhere is None else f"the {_MACHINES[side]}"
        for cpu in numbers:
            if cpu not in there:
                present = ", ".join(map(str, there))
                raise BadUsage(f"--cpus {text}: {where} has no core {cpu}; it has {present}")
    return Cores(
        server=tuple(dict.fromkeys(sides["server"])), client=tuple(dict.fromkeys(sides["client"]))
    )


def _core_range(value: str, text: str) -> list[int]:
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", value)
    if not match:
        raise BadUsage(f"--cpus {text}: `{value}` is not a core; {_CORES_FORM}")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first or last - first > 4096:
        raise BadUsage(f"--cpus {text}: `{value}` is not a range; {_CORES_FORM}")
    return list(range(first, last + 1))


def _shown(value: object) -> str:
    """A value as on the command line: 0.0 is 0."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain_number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None  # type: ignore[arg-type]


def _checked(parse: Callable[..., Any], **more: Any) -> BeforeValidator:
    return BeforeValidator(lambda value: parse(value, **more))


Seconds = Annotated[float, _checked(parse_duration_s)]
ShareBelow1 = Annotated[float, _checked(parse_share, below=1)]
ShareBelow2 = Annotated[float, _checked(parse_share, below=2)]
Count = Annotated[int, _checked(parse_number, whole=True)]
Counts = Annotated[tuple[int, ...], _checked(parse_counts)]
Rate = Annotated[float, _checked(parse_number)]
Protocols = Annotated[tuple[Protocol, ...], _checked(parse_protocols)]
OneProtocol = Annotated[Protocol, _checked(parse_protocol)]
Paths = Annotated[tuple[NetworkPath, ...], _checked(parse_paths)]
OnePath = Annotated[tuple[NetworkPath, ...], _checked(lambda value: (parse_path(value),))]
Seed = Annotated[int, _checked(parse_seed)]
