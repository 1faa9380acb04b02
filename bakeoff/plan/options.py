"""Options, each declared once: for the command line, the library and the documents."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bakeoff.model.errors import BadUsage, nearest, plain_fault
from bakeoff.plan.values import Seed, parse_seed

LOAD, TRAFFIC, TIME = "Load", "Traffic", "Time and precision"
PLACEMENT, VERDICT, CLUSTER = "Placement", "Verdict", "Cluster"
"""The headings of options; `cli/options.py` has their order."""


@dataclass(frozen=True)
class Flag:
    """How the command line takes an option, and its text in documents.

    `usual` is its default in words; `name` its long name, if it differs from its field's. `also`
    has other names, which the help leaves out; the library takes the long ones as well. `switches`
    are options that stand for one value: name → value and help.
    """

    panel: str
    help: str = ""
    usual: str = ""
    metavar: str | None = None
    letter: str = ""
    name: str = ""
    also: tuple[str, ...] = ()
    repeated: bool = False
    switches: Mapping[str, tuple[str, str]] | None = None

    @property
    def text(self) -> str:
        return f"{self.help} (default: {self.usual})" if self.usual else self.help

    def but(self, **changed: Any) -> Self:
        """The same option for a command that takes it differently."""
        return replace(self, **changed)

    def several(self) -> Self:
        """The same option with several values, which make a grid."""
        said = f"{self.help.removesuffix('.')}; several numbers make a grid: 1,64,512."
        return self.but(help=said, metavar="NUMBER,…")


class Options(BaseModel):
    """Options of a command, checked as they are made. Raises `BadUsage` with the option's name.

    None stands for an option that was not given.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    seed: Annotated[
        Seed,
        Flag(
            TIME,
            "Set the seed of every random order.",
            "a random one, which the report shows; `bakeoff load`: 1",
            "NUMBER",
        ),
    ] = Field(default_factory=lambda: parse_seed(None))

    @classmethod
    @cache
    def flags(cls) -> Mapping[str, Flag]:
        """How the command line takes each option; the seed, which all have, comes last."""
        return {
            name: next(item for item in cls.model_fields[name].metadata if isinstance(item, Flag))
            for name in sorted(cls.model_fields, key="seed".__eq__)
        }

    @classmethod
    def flag(cls, field: str) -> str:
        """The command line's name for an option: `warm_up` is `--warm-up`."""
        declared = cls.flags().get(field)
        return (declared and declared.name) or "--" + field.replace("_", "-")

    def __init__(self, **values: Any) -> None:
        given = {name: value for name, value in values.items() if value is not None}
        former = {
            alias.strip("-").replace("-", "_"): name
            for name, declared in self.flags().items()
            for alias in declared.also
        }
        try:
            super().__init__(**{former.get(name, name): value for name, value in given.items()})
        except ValidationError as error:
            fault = error.errors()[0]
            name = self.flag(str(fault["loc"][0]))
            if fault["type"] == "extra_forbidden":
                hint = nearest(name, map(self.flag, type(self).model_fields), "there are")
                raise BadUsage(f"unknown option {name}{hint}") from None
            raise BadUsage(f"{name}: {plain_fault(fault)}") from None

    @classmethod
    def among(cls, given: Mapping[str, Any], **more: Any) -> Self:
        return cls(**{**{name: given[name] for name in cls.model_fields if name in given}, **more})

    def arguments(self) -> list[str]:
        """The options that differ from their defaults, as the command line takes them."""
        arguments: list[str] = []
        for name, declared in self.flags().items():
            field, value, flag = type(self).model_fields[name], getattr(self, name), self.flag(name)
            if value == field.default:
                continue
            if not declared.help:
                values = value if isinstance(value, tuple) else (value,)
                switches = (declared.switches or {}).items()
                arguments += [f"--{switch}" for switch, (of, _) in switches if of in values]
            elif isinstance(value, bool):
                arguments.append(flag if value else f"--no-{flag[2:]}")
            elif declared.repeated:
                arguments += [text for item in value for text in (flag, str(item))]
            else:
                items = value if isinstance(value, tuple) else (value,)
                texts = (f"{item:g}" if isinstance(item, float) else str(item) for item in items)
                arguments += [flag, ",".join(texts)]
        return arguments


def choices(annotation: Any) -> tuple[str, ...]:
    """The words that an option accepts; empty: it accepts other values."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next(filter(None, map(choices, get_args(annotation))), ())


CONNECTION = Flag(
    LOAD,
    switches={
        "close": ("close", "Open a connection for each request."),
        "keep-alive": (
            "keep-alive",
            "Keep connections open between requests; with --close both ways are raced. (default: "
            "on without --close)",
        ),
    },
)
CONNECTIONS = Flag(
    LOAD, "Open this many connections to each contender.", "64", "NUMBER", letter="-c"
)
PIPELINE = Flag(LOAD, "Keep this many requests in flight on each HTTP/1 connection.", "1", "NUMBER")
PROTOCOL = Flag(
    LOAD,
    "Use this protocol: h1, h1-tls, h2c (HTTP/2 in cleartext, by prior knowledge), h2 (over TLS) "
    "or h3 (HTTP/3, over QUIC).",
    "h1; h1-tls for an https:// URL",
    "NAME",
    switches={"http2": ("h2", "Use HTTP/2 over TLS, as --protocol h2 does.")},
)
STREAMS = Flag(
    LOAD, "Keep this many requests in flight on each HTTP/2 or HTTP/3 connection.", "1", "NUMBER"
)
PATH = Flag(
    LOAD,
    "Add this delay to each round trip and lose this share of the packets each way, such as 20ms "
    "or 20ms,0.1%. It needs root.",
    "loopback",
    "DELAY[,LOSS]",
)
RATE = Flag(
    LOAD,
    "Offer each contender this many requests per second (open loop), and rank by p99 latency. "
    "With --room it is how many messages are sent.",
    metavar="NUMBER",
)
LOAD_SHARE = Flag(
    LOAD,
    "Offer each contender this share (70%) of its own peak (open loop), which its warm-up "
    "measures, and rank by p99 latency.",
    metavar="SHARE",
)
ARRIVALS = Flag(
    LOAD,
    "Space the requests of an open loop evenly (uniform) or at random, as independent users do "
    "(poisson).",
    "poisson; `bakeoff load`: uniform",
)
CA = Flag(
    LOAD,
    "Verify https:// URLs with these CA certificates (PEM). Servers that bakeoff starts use a "
    "temporary CA.",
    metavar="FILE",
    also=("--cacert",),
)
INSECURE = Flag(LOAD, "Accept any certificate from an https:// URL.", letter="-k")
ALLOW_HOST = Flag(
    LOAD,
    "Allow load on this host, which is another machine, written as in the URL; may be repeated.",
    metavar="HOST",
    name="--allow-host",
    also=("--i-may-load",),
    repeated=True,
)
DURATION = Flag(
    TIME, "Measure for this long in all, such as 20, 90s or 2m.", metavar="TIME", letter="-d"
)
FORMER_DURATION = ("-d", "--duration")
"""Names of options that other options still accept for a time."""
BOOTS = Flag(
    TIME,
    "Restart all servers this many times, with a warm-up each. More boots cost time and hardly "
    "change the width of an interval.",
    "1",
    "NUMBER",
)
INSTANCES = Flag(
    TIME,
    "Run this many processes of each server for the whole race, and measure them in turn.",
    "new processes about every second for servers that start fast; for others as many as memory "
    "and warm-up time allow, 8 at most",
    "NUMBER",
)
WARM_UP = Flag(
    TIME,
    "Limit the warm-up of each contender in each boot; it ends after 1.5 s if throughput is level.",
    "20s",
    "TIME",
    also=("--warmup",),
)
EVERYTHING = Flag(PLACEMENT, name="--all")
WORKERS = Flag(
    PLACEMENT,
    "Start each server with this many workers or threads.",
    "one for each of its cores",
    "NUMBER",
)
CPUS = Flag(
    PLACEMENT,
    "Pin the servers and the generator to these cores. The generator has a thread on each of its "
    "cores.",
    "the first core, and the last three of the others",
    "server=0,client=1",
)
PIDS = Flag(
    PLACEMENT,
    "Measure CPU and memory of this process, which serves a URL.",
    usual="the one that listens on its port",
    metavar="PID",
    name="--pid",
    repeated=True,
)
READY_TIMEOUT = Flag(
    PLACEMENT,
    "Allow a server this long from its start to its first response.",
    "60s, or ready_timeout_s of contender.toml",
    "TIME",
)
PROBES = Flag(
    PLACEMENT,
    "Send HTTP/1.0, `Connection: close` and an incomplete request to an extra process of each "
    "contender, which isn't measured; the audit reports how it reacts.",
    "on",
)
KEEP_GOING = Flag(VERDICT, "Continue when only one contender is left.", "the run ends")
WITHIN = Flag(
    VERDICT,
    "Set the difference that doesn't matter, such as 2%. Each verdict is then slower or faster by "
    "more than that, within it, or inconclusive; headline, letters and gates all use it.",
    "any difference matters, and within 2% is equivalent",
    "SHARE",
)
GATES = Flag(
    VERDICT,
    "Require this condition for exit status 0; may be repeated. A gate fails if its whole 95 % "
    "interval is on the wrong side.",
    metavar="GATE",
    name="--gate",
    also=("--threshold",),
    repeated=True,
)
CANT_TELL = Flag(
    VERDICT,
    "Let an inconclusive gate pass or fail. With pass only a proven breach fails; with fail only a "
    "proven gate passes.",
    "pass",
    also=("--inconclusive",),
)
CLUSTER_ADDRESS = Flag(
    CLUSTER,
    "Race on the Ray cluster with this head address; `auto` is the cluster that this machine is "
    "part of. Contenders run on its node with the resource `server`, the generator on one with "
    "`load`. `bakeoff cluster example` shows how to make one.",
    metavar="ADDRESS|auto",
)
SERVER_NODES = Flag(
    CLUSTER,
    "Rotate contenders over this many server nodes, another one in each boot. The twin runs on "
    "the next node, and shows whether the machines differ. It needs --cluster.",
    "1",
    "NUMBER",
)
