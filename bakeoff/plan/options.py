"""Options: declared once, each with its type, its default and its flag on the command line."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bakeoff.model.errors import BadUsage, nearest, plain_fault
from bakeoff.model.plan import Arrivals
from bakeoff.plan.values import (
    Count,
    OneProtocol,
    Seconds,
    Seed,
    ShareBelow1,
    flag,
    parse_seed,
)


@dataclass(frozen=True)
class Flag:
    """How the command line takes an option: its help, as what `type` it reads it, its letter.

    `on`: a bool that is on by default has a second flag, --no-NAME.
    """

    help: str
    type: Any = str
    metavar: str | None = None
    letter: str = ""
    on: bool = False


class Options(BaseModel):
    """Options of a command, checked as they are made. Raises `BadUsage` with the option's name.

    None stands for an option that was not given.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    seed: Annotated[Seed, Flag("Set the seed of every random order. (default: random)", int)] = (
        Field(default_factory=lambda: parse_seed("--seed", None))
    )

    @classmethod
    def flags(cls) -> dict[str, "Flag"]:
        """How the command line takes each option; those without a flag it takes otherwise."""
        flags = ((name, field.metadata) for name, field in cls.model_fields.items())
        return {
            name: each for name, metadata in flags for each in metadata if isinstance(each, Flag)
        }

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**{name: value for name, value in values.items() if value is not None})
        except ValidationError as error:
            fault = error.errors()[0]
            name = flag(str(fault["loc"][0]))
            if fault["type"] == "extra_forbidden":
                hint = nearest(name, map(flag, type(self).model_fields), "there are")
                raise BadUsage(f"there is no option {name}{hint}") from None
            raise BadUsage(f"{name}: {plain_fault(fault)}") from None

    @classmethod
    def among(cls, arguments: Mapping[str, Any], **more: Any) -> Self:
        """The options among a function's arguments, which have their names, and `more`."""
        named = {name: arguments[name] for name in cls.model_fields if name in arguments}
        return cls(**{**named, **more})

    def arguments(self) -> list[str]:
        """The options that differ from their defaults, as the command line takes them."""
        arguments: list[str] = []
        flags = self.flags()
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if value == field.default:
                continue
            if name == "connection":
                kinds = (value,) if isinstance(value, str) else value
                arguments += [f"--{kind}" for kind in kinds]
            elif isinstance(value, bool):
                arguments.append(flag(name) if value else flag(f"no_{name}"))
            elif get_origin(flags[name].type) is list:
                arguments += [text for item in value for text in (flag(name), str(item))]
            else:
                items = value if isinstance(value, tuple) else (value,)
                texts = (f"{item:g}" if isinstance(item, float) else str(item) for item in items)
                arguments += [flag(name), ",".join(texts)]
        return arguments


BootsOption = Annotated[
    Count | None,
    Flag(
        "Restart all servers this many times, with a warm-up each. More boots cost "
        "time and hardly change the width of an interval. (default: 1)",
        int,
    ),
]
WithinOption = Annotated[
    ShareBelow1 | None,
    Flag(
        "Set the difference that doesn't matter, such as 2%. Each verdict is then "
        "slower or faster by more than that, within it, or inconclusive; headline, "
        "letters and gates all use it. (default: any difference matters, and within 2% "
        "is equivalent)",
        metavar="SHARE",
    ),
]
InstancesOption = Annotated[
    Count | None,
    Flag(
        "Run this many processes of each server for the whole race, and measure them "
        "in turn. (default: new processes about every second for servers that start "
        "fast; for others as many as memory and warm-up time allow, 8 at most)",
        int,
    ),
]
ArrivalsOption = Annotated[
    Arrivals,
    Flag(
        "Space the requests of an open loop evenly (uniform) or at random, as "
        "independent users do (poisson). (default: poisson)",
        Arrivals,
    ),
]
ProtocolOption = Annotated[
    OneProtocol | None,
    Flag(
        "Use this protocol: h1, h1-tls, h2c (HTTP/2 in cleartext, by prior knowledge) "
        "or h2 (over TLS). (default: h1; h1-tls for an https:// URL)",
        metavar="NAME",
    ),
]
StreamsOption = Annotated[
    Count, Flag("Keep this many requests in flight on each HTTP/2 connection. (default: 1)", int)
]
KeepGoingOption = Annotated[
    bool,
    Flag(
        "Continue when only one contender is left. (default: the run ends)",
        bool,
    ),
]
ReadyTimeoutOption = Annotated[
    Seconds | None,
    Flag(
        "Allow a server this long from its start to its first response. (default: 60s, "
        "or ready_timeout_s of contender.toml)",
        metavar="TIME",
    ),
]
ProbesOption = Annotated[
    bool,
    Flag(
        "Send HTTP/1.0, `Connection: close` and an incomplete request to an extra "
        "process of each contender, which isn't measured; the audit reports how it "
        "reacts. (default: on)",
        bool,
        on=True,
    ),
]
CaOption = Annotated[
    str | None,
    Flag(
        "Verify https:// URLs with these CA certificates (PEM). Servers that bakeoff "
        "starts use a temporary CA.",
        metavar="FILE",
    ),
]
InsecureOption = Annotated[bool, Flag("Accept any certificate from an https:// URL.", bool)]
ClusterOption = Annotated[
    str | None,
    Flag(
        "Race on the Ray cluster with this head address; `auto` is the cluster that "
        "this machine is part of. Contenders run on its node with the resource "
        "`server`, the generator on one with `load`. `bakeoff cluster example` shows "
        "how to make one.",
        metavar="ADDRESS|auto",
    ),
]
MayLoadOption = Annotated[
    tuple[str, ...],
    Flag(
        "Allow load on this host as well, written as in the URL; may be repeated. It "
        "needs --cluster.",
        list[str],
        metavar="HOST",
    ),
]
ServerNodesOption = Annotated[
    Count,
    Flag(
        "Rotate contenders over this many server nodes, another one in each boot. The "
        "twin runs on the next node, and shows whether the machines differ. It needs "
        "--cluster. (default: 1)",
        int,
    ),
]
CpusOption = Annotated[
    str | None,
    Flag(
        "Pin the servers and the generator to these cores. The generator has a thread "
        "on each of its cores. (default: the first core, and the last three of the "
        "others)",
        metavar="server=0,client=1",
    ),
]
