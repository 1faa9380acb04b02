"""`bakeoff crosscheck`: load tools and our engine against one URL."""

from typing import Annotated, get_args

import typer

from bakeoff.cli.asked import Seed, command_line, drawn, timed
from bakeoff.cli.console import err, out
from bakeoff.cli.result import Json, check_json, write_json
from bakeoff.cli.stages import real_stages
from bakeoff.cli.watch import watch
from bakeoff.model.crosscheck import CrosscheckPlan
from bakeoff.model.errors import BadUsage, nearest
from bakeoff.model.load import Loader
from bakeoff.plan import attached, available_cores, default_cores
from bakeoff.race import crosscheck as run_crosscheck
from bakeoff.report import Crosschecked

# Below that, nothing is judged.
ROUNDS_MIN = 5


def crosscheck(
    url: Annotated[str, typer.Argument(metavar="URL", help="What to load, http://host:port/path.")],
    connections: Annotated[
        int, typer.Option("-c", "--connections", min=1, help="Connections at a time.")
    ] = 64,
    duration: Annotated[
        float | None,
        timed("-d", "--duration", help="How long each run lasts, in whole seconds. (default: 2)"),
    ] = None,
    rounds: Annotated[
        int, typer.Option(min=ROUNDS_MIN, help="How often each tool has its turn.")
    ] = 12,
    close: Annotated[bool, typer.Option("--close", help="A connection for each request.")] = False,
    rate: Annotated[
        int | None,
        typer.Option(min=1, help="Requests per second, for the tools that keep a rate."),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Who takes part beside the engine, such as wrk,volley-wrk. (default: all that "
            "are installed and can do it)",
        ),
    ] = None,
    json: Json = None,
    seed: Seed = None,
) -> None:
    """Do load tools say of a server what our engine says?

    The tools that are installed (wrk, ab, oha, hey, wrk2, webbench), our
    engine, and our engine in place of them load the URL in turn, in rounds of
    random order. Per figure (requests/s, p50, p90, p99) a ratio with its
    interval, and one of: agrees, differs, can't tell.

    bakeoff crosscheck http://localhost:8080/
    bakeoff crosscheck http://localhost:8080/ --tools wrk,volley-wrk -c 100
    bakeoff crosscheck http://localhost:8080/ --close --json crosscheck.json
    """
    check_json(json)
    place = attached(url)
    plan = CrosscheckPlan(
        command_line=command_line(),
        url=url,
        address=place.address,
        host=place.host,
        path=place.path,
        loaders=_loaders(tools),
        connections=connections,
        connection="close" if close else "keep-alive",
        rate=rate,
        duration_s=_whole_s(2 if duration is None else duration),
        rounds=rounds,
        cpus=default_cores(available_cores()).client,
        seed=drawn(seed),
    )
    with watch() as progress:
        found = run_crosscheck(plan, real_stages(), progress)
    (err if json == "-" else out).print(Crosschecked(found))
    write_json(json, found)
    if not found.complete:
        raise typer.Exit(130)
    if not found.compared:
        raise typer.Exit(1)


def _whole_s(duration_s: float) -> int:
    """The duration as all tools take it. Raises `BadUsage`."""
    if duration_s != int(duration_s):
        raise BadUsage(f"--duration: is {duration_s:g}; wrk and ab take whole seconds alone")
    return int(duration_s)


def _loaders(tools: str | None) -> tuple[Loader, ...]:
    """The engine and the tools that `tools` names. Raises `BadUsage`."""
    known: dict[str, Loader] = {one: one for one in get_args(Loader)}
    if tools is None:
        return tuple(known.values())
    names = [each.strip() for each in tools.split(",")]
    for each in names:
        if each not in known:
            raise BadUsage(
                f"--tools: {each!r} is not a load tool{nearest(each, known, 'there are')}"
            )
    return tuple(dict.fromkeys(["engine", *(known[each] for each in names)]))
