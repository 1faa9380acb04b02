"""From a URL and options to the plan of a crosscheck."""

from collections.abc import Sequence
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator

import bakeoff.plan.options as shared
from bakeoff.model.crosscheck import CrosscheckPlan
from bakeoff.model.errors import BadUsage, nearest
from bakeoff.model.load import Loader
from bakeoff.model.plan import Connection
from bakeoff.model.protocol import HTTP_2, OVER_TLS, WITH_STREAMS
from bakeoff.plan.contenders import WEBSOCKET, Trust, parse_url
from bakeoff.plan.entries import check_loadable
from bakeoff.plan.environment import Environment
from bakeoff.plan.options import Options
from bakeoff.plan.values import Count, OneProtocol, Seconds

ROUNDS_MIN = 5
"""With fewer rounds nothing is judged."""
_LOADERS: dict[str, Loader] = {loader: loader for loader in get_args(Loader)}


def _parse_tools(value: str | Sequence[str]) -> tuple[Loader, ...]:
    names = value.split(",") if isinstance(value, str) else value
    loaders: dict[Loader, None] = {"engine": None}
    for name in map(str.strip, names):
        if name not in _LOADERS:
            hint = nearest(name, _LOADERS, "there are")
            raise BadUsage(f"--tools: {name!r} is not a load tool{hint}")
        loaders[_LOADERS[name]] = None
    return tuple(loaders)


class CrosscheckOptions(Options):
    """The options of a crosscheck."""

    connections: Annotated[Count, shared.CONNECTIONS.but(help="Open this many connections.")] = 64
    connection: Annotated[
        Connection,
        shared.Flag(
            shared.LOAD,
            switches={
                "close": (
                    "close",
                    "Open a connection for each request. (default: connections are kept open)",
                )
            },
        ),
    ] = "keep-alive"
    protocol: Annotated[OneProtocol | None, shared.PROTOCOL] = None
    streams: Annotated[Count, shared.STREAMS] = 1
    rate: Annotated[
        Count | None,
        shared.RATE.but(
            help="Offer this many requests per second, with the tools that keep a rate."
        ),
    ] = None
    tools: Annotated[
        tuple[Loader, ...],
        BeforeValidator(_parse_tools),
        shared.Flag(
            shared.LOAD,
            "Compare these tools with the engine, such as wrk,volley-wrk.",
            "all that are installed and able",
            "NAME,…",
        ),
    ] = tuple(_LOADERS.values())
    ca: Annotated[str | None, shared.CA] = None
    insecure: Annotated[bool, shared.INSECURE] = False
    allow_hosts: Annotated[tuple[str, ...], shared.ALLOW_HOST] = ()
    per_run: Annotated[
        Seconds,
        shared.Flag(
            shared.TIME,
            "Measure for this long in each run, in whole seconds.",
            "2",
            "TIME",
            also=shared.FORMER_DURATION,
        ),
    ] = 2.0
    rounds: Annotated[
        Count, shared.Flag(shared.TIME, "Run each tool this many times, 5 or more.", "12", "NUMBER")
    ] = 12

    def model_post_init(self, _context: Any) -> None:
        if self.per_run != int(self.per_run):
            raise BadUsage(
                f"--per-run: is {self.per_run:g}; it takes whole seconds, as wrk and ab do"
            )
        if self.rounds < ROUNDS_MIN:
            raise BadUsage(f"--rounds: is {self.rounds}; it takes {ROUNDS_MIN} or more")


def plan_crosscheck(
    url: str, options: CrosscheckOptions, environment: Environment
) -> CrosscheckPlan:
    trust = Trust.of(options.ca, environment.directory, insecure=options.insecure)
    if url.startswith(WEBSOCKET):
        raise BadUsage(f"{url}: the tools send requests, not messages; give its http:// URL")
    server = parse_url(url, trust)
    check_loadable([server], options.allow_hosts)
    protocol = options.protocol or ("h1-tls" if server.tls else "h1")
    if (protocol in OVER_TLS) != (server.tls is not None):
        scheme = "https" if protocol in OVER_TLS else "http"
        raise BadUsage(f"--protocol {protocol}: needs an {scheme}:// URL, not {url}")
    if trust != Trust() and not server.tls:
        raise BadUsage(
            f"{'--ca' if options.ca else '--insecure'}: is for an https:// URL; leave it out"
        )
    if protocol not in WITH_STREAMS and options.streams > 1:
        raise BadUsage(
            f"--streams {options.streams}: {protocol} has no streams; they need --protocol h2, "
            "h2c or h3"
        )
    if protocol in HTTP_2 and options.connection == "close":
        raise BadUsage(
            f"--close: h2load loads {protocol}, and keeps its connections; leave --close out"
        )
    return CrosscheckPlan(
        run=f"{environment.time}-crosscheck-{server.host.replace(':', '-')}",
        command_line=environment.command_line,
        url=url,
        address=server.address,
        host=server.host,
        path=server.path,
        loaders=options.tools,
        connections=options.connections,
        connection=options.connection,
        protocol=protocol,
        streams=options.streams,
        tls=server.tls,
        rate=options.rate,
        duration_s=int(options.per_run),
        rounds=options.rounds,
        cpus=environment.cores_for(None).client[-1:],
        seed=options.seed,
    )
