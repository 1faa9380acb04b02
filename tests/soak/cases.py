"""What a soak runs: the n-th case of a seed, always the same one."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal

from tests.misbehaving.server import FAULTS

SERVER = "server.py"
"""Copied into the folder of each run."""
FILES = {
    "order.json": '{"user": 7, "items": [1, 2, 3]}',
    "shop.toml": """name = "shop"

[[request]]
path = "/"
weight = 3

[[request]]
name = "search"
path = "/search?q={{random 1 9}}"
headers = { Accept = "application/json" }

[[request]]
name = "order"
path = "/orders"
body = '{"user": 7}'
""",
}
WELL_BEHAVED = ("good", "fair", "fine")
ILL_BEHAVED = ("bad", "worse", "worst")
READY_TIMEOUT_S, USUAL_READY_TIMEOUT_S = 5, 60
"""What most runs say, so that a hundred fit in an hour, and what holds where nothing is said."""
USUAL_SHARE = 0.1
CAPACITY_EACH_S = 10
GATE_HOLDS, GATE_FAILS = 0.2, 5.0
"""Between equals, whatever else the machine does."""
RESULT = "result.json"

Cut = Literal["", "interrupted", "killed"]


@dataclass(frozen=True)
class Fault:
    """What strikes one contender: `name` is that of a fault of tests/misbehaving.

    `at` is a moment's option, `figure` what it takes, and `processes` says in which ones it
    strikes; empty: in all.
    """

    name: str
    at: str
    figure: float = 0.0
    processes: tuple[str, ...] = ()
    status: int | None = None
    signal: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        takes = self.at in ("--after-requests", "--after-seconds")
        return (
            self.name,
            self.at,
            *([f"{self.figure:g}"] if takes else []),
            *(["--status", f"{self.status}"] if self.status is not None else []),
            *(["--signal", self.signal] if self.signal else []),
            *self.processes,
        )


@dataclass(frozen=True)
class Server:
    """A contender. Without a `fault` it is well-behaved."""

    name: str
    fault: Fault | None = None

    @property
    def state(self) -> str:
        """The folder in which its processes are counted."""
        return f"counted-{self.name}"

    @property
    def operand(self) -> str:
        """How it is named on bakeoff's command line."""
        words = (*self.fault.words, "--state", self.state) if self.fault else ()
        return f"{self.name}={shlex.join(('python3', SERVER, *words))}"

    def __str__(self) -> str:
        return f"{self.name} ({' '.join(self.fault.words)})" if self.fault else self.name


@dataclass(frozen=True)
class Case:
    """One run: `words` are all that is typed after `bakeoff`.

    A run that is `cut` is so after `cut_after_s`, if it lasts so long.
    """

    number: int
    kind: str
    servers: tuple[Server, ...]
    words: tuple[str, ...]
    cut: Cut = ""
    cut_after_s: float = 0.0
    ready_timeout_s: int = READY_TIMEOUT_S

    @property
    def command(self) -> str:
        """bakeoff's own: race, capacity and so on."""
        return self.words[0]

    def __str__(self) -> str:
        cut = f", {self.cut} after {self.cut_after_s:.1f} s" if self.cut else ""
        return f"{self.kind}: {' against '.join(map(str, self.servers))}{cut}"


Servers = tuple[Server, ...]
Options = Callable[[Random, Servers], tuple[str, ...]]


def _race(*words: str) -> Options:
    """A race of 2 to 6 s with these words."""

    def options(chance: Random, _: Servers) -> tuple[str, ...]:
        connections = () if "-c" in words else ("-c", chance.choice(("1", "8", "8", "64")))
        twin = ("--no-twin",) if chance.random() < 0.6 else ()
        lasts = () if "--precision" in words else ("-d", str(chance.randint(2, 6)))
        return (*words, *connections, *twin, *lasts, "--warm-up", "1s")

    return options


def _one_of(*several: Options) -> Options:
    return lambda chance, servers: chance.choice(several)(chance, servers)


def _gate(factor: float) -> Options:
    """A race of two with a gate: the first has to do so many times what the other does."""

    def options(chance: Random, servers: Servers) -> tuple[str, ...]:
        first, other = servers
        return _race("--gate", f"{first.name} >= {factor:g} * {other.name}")(chance, servers)

    return options


def _capacity(_: Random, servers: Servers) -> tuple[str, ...]:
    duration_s = CAPACITY_EACH_S * len(servers)
    return ("--slo", "p99=50ms", "-d", f"{duration_s}", "--boots", "1", "-c", "8")


def _day(*_: object) -> tuple[str, ...]:
    return ("-d", "62", "-c", "8", "--storm", "50", "--slow-clients", "10")


def _draws(chance: Random, _: Servers) -> tuple[str, ...]:
    duration_s = chance.randint(2, 4)
    few = ("--processes", "2", "--sets", "2", "-c", "8")
    return (*few, "-d", f"{duration_s}", "--warm-up", "1s")


def _audit(*_: object) -> tuple[str, ...]:
    return ("--audit", "--workload", "get", "-c", "8")


KINDS: Mapping[str, tuple[int, str, Options]] = {
    "race": (22, "race", _one_of(_race(), _race(), _race("--instances", "2"))),
    "solo": (5, "race", _race("--solo")),
    "rate": (6, "race", _one_of(_race("--rate", "200"), _race("--rate", "2000"))),
    "load": (4, "race", _race("--load", "50%")),
    "close": (6, "race", _race("--close")),
    "grid": (4, "race", _one_of(_race("-c", "1,8"), _race("--close", "--keep-alive"))),
    "pipeline": (4, "race", _race("--pipeline", "16")),
    "protocol": (3, "race", _race("--protocol", "h1")),
    "boots": (5, "race", _race("--boots", "2")),
    "confirm": (2, "race", _race("--confirm")),
    "precision": (2, "race", _race("--precision", "20%", "--budget", "6s")),
    "gate": (4, "race", _one_of(_gate(GATE_HOLDS), _gate(GATE_FAILS))),
    "post": (
        6,
        "race",
        _one_of(
            _race("--request", "POST /orders", "-b", '{"user": 7}'),
            _race("--request", "POST /orders", "-b", "@order.json"),
        ),
    ),
    "mix": (5, "race", _race("--workload", "./shop.toml")),
    "capacity": (5, "capacity", _capacity),
    "day": (1, "day", _day),
    "draws": (3, "draws", _draws),
    "audit": (4, "contenders", _audit),
}
"""Each kind of run: how often, bakeoff's command, and options for it."""
COMPARES = {"confirm", "precision", "gate"}
"""These refuse to begin with one contender."""
MOMENTS = {
    "--at-start": 2,
    "--before-listening": 1,
    "--when-ready": 2,
    "--after-requests": 6,
    "--after-seconds": 4,
    "--when-asked-to-stop": 2,
}
FIGURES: Mapping[str, tuple[float, ...]] = {
    "--after-requests": (0, 1, 2, 10, 70, 100, 1000, 20_000, 100_000, 300_000),
    "--after-seconds": (0, 0.3, 1, 2, 4, 8),
}
CUT_SHARE = 0.15
CUT_WITHIN_S = 14.0
SINGLE_SHARE, THREE_SHARE = 0.1, 0.2
WELL_BEHAVED_SHARE, ALL_ILL_SHARE = 0.2, 0.1


def case_of(seed: str, number: int) -> Case:
    chance = Random(f"{seed}/{number}")
    kind = chance.choices(list(KINDS), [weight for weight, _, _ in KINDS.values()])[0]
    _, command, options = KINDS[kind]
    servers = servers_for(kind, chance)
    extra = options(chance, servers)
    seeded = () if kind == "audit" else ("--seed", str(chance.randrange(10**6)))
    operands = (server.operand for server in servers)
    words = (command, *operands, *extra, *seeded, "--json", RESULT)
    waits_s = USUAL_READY_TIMEOUT_S
    if chance.random() > USUAL_SHARE and kind != "audit":
        waits_s = READY_TIMEOUT_S
        words = (*words, "--ready-timeout", f"{waits_s}s")
    cut: Cut = ""
    if kind != "audit" and chance.random() < CUT_SHARE:
        cut = chance.choice(("interrupted", "killed"))
    cut_after_s = chance.uniform(0, CUT_WITHIN_S) if cut else 0.0
    return Case(number, kind, servers, words, cut, cut_after_s, waits_s)


def servers_for(kind: str, chance: Random) -> Servers:
    """One to three contenders in random order; those of a gate are two, and well-behaved."""
    share = chance.random()
    least = 2 if kind in COMPARES else 1
    count = least if share < SINGLE_SHARE else 3 if share < SINGLE_SHARE + THREE_SHARE else 2
    share = chance.random()
    ill = count if share < ALL_ILL_SHARE else 0 if share > 1 - WELL_BEHAVED_SHARE else 1
    if kind == "gate":
        count, ill = 2, 0
    bad = [Server(name, fault_of(chance)) for name in ILL_BEHAVED[:ill]]
    servers = [*bad, *map(Server, WELL_BEHAVED[: count - ill])]
    chance.shuffle(servers)
    return tuple(servers)


def fault_of(chance: Random) -> Fault:
    """Any fault, at any moment, in all processes or in some."""
    name = chance.choice(FAULTS)
    at = chance.choices(list(MOMENTS), list(MOMENTS.values()))[0]
    processes: tuple[str, ...] = ()
    if chance.random() < 0.3:
        which = chance.choice(("--only-process", "--every-process-from"))
        processes = (which, str(chance.randint(1, 3)))
    status, signal = None, ""
    if name == "exits":
        status = chance.choice((0, 1, 7, 139))
    elif name == "wrong":
        status = chance.choice((None, 500, 404))
    elif name == "is_killed":
        signal = chance.choice(("KILL", "SEGV", "ABRT", "TERM"))
    figure = chance.choice(FIGURES[at]) if at in FIGURES else 0.0
    return Fault(name, at, figure, processes, status, signal)
