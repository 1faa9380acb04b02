"""`bakeoff cluster`: what a Ray cluster lacks for a race, and how to make one."""

from typing import Annotated

import typer
from rich.table import Table

from bakeoff.cli.help import Commands
from bakeoff.cli.output import Json, check_json, err, out, say, write_json
from bakeoff.model.errors import Status
from bakeoff.model.machine import ClusterNode, ClusterReport, Route

cluster = Commands(
    help="""Show how to race on several machines, or what a cluster lacks.

    bakeoff cluster example              how to make a cluster, by hand
    bakeoff cluster doctor 10.0.0.1      what it lacks, and how to fix it
    bakeoff race nginx ./mine --cluster 10.0.0.1
    """,
    no_args_is_help=True,
)

_MBIT = 8e-6


@cluster.command()
def doctor(
    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS|auto",
            help="The head's address, or `auto` for the cluster that this machine is part of.",
        ),
    ] = "auto",
    json: Json = None,
) -> None:
    """Show what each node of a cluster has, the network between them, and what to fix.

    It joins as a race does, and stops, with a fix, if a node runs another
    version or no node offers `server` or `load`. Then it measures round trips,
    clocks, the throughput of one connection, and the engine's own limit, for a
    few seconds.
    """
    check_json(json)
    from bakeoff.cluster.doctor import examine

    report = examine(address, say)
    _show(report, json)
    if any(each.level == "warning" for each in report.hindrances):
        raise typer.Exit(Status.NO_VERDICT)


@cluster.command()
def example(
    ray_up: Annotated[
        bool, typer.Option("--ray-up", help="Print a configuration for `ray up` instead, as YAML.")
    ] = False,
) -> None:
    """Show how to make a cluster: the commands for each machine.

    bakeoff cluster example
    bakeoff cluster example --ray-up > cluster.yaml; ray up cluster.yaml
    """
    from bakeoff.cluster.example import BY_HAND, RAY_UP

    say((RAY_UP if ray_up else BY_HAND).rstrip(), out)


def _show(report: ClusterReport, json: str | None) -> None:
    console = err if json == "-" else out
    facts = report.cluster
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("node", "address", "host", "cores", "niceness", "Python", "Ray", "bakeoff"):
        table.add_column(column, no_wrap=True)
    table.add_column("engine, kernel", overflow="fold")
    for node in (*facts.servers, *facts.loads):
        table.add_row(*_row(node))
    console.print(table)
    for way in facts.routes:
        say(_way(way), console)
    if report.ceiling_requests_per_s:
        say(
            f"ceiling: {report.ceiling_requests_per_s:,.0f} requests/s of 64 connections against a "
            "server that costs nothing; servers that come near it are faster than they seem",
            console,
        )
    for address, ceiling in report.ceilings_requests_per_s.items():
        say(f"ceiling of {address} alone: {ceiling:,.0f} requests/s", console)
    say(f"slices last {facts.slice_ms_min} ms at least", console)
    if report.unused:
        say(f"without a role: {', '.join(report.unused)}", console)
    for each in report.hindrances:
        sign = {"warning": "!", "note": "·", "ok": "✓"}[each.level]
        fix = f"; {each.fix}" if each.fix else ""
        say(f"{sign} {each.what}: {each.why}{fix}", console)
    if not report.hindrances:
        say("✓ nothing stands in the way of a race", console)
    write_json(report, json)


def _row(node: ClusterNode) -> tuple[str, ...]:
    return (
        ", ".join(node.roles),
        node.address,
        node.host,
        str(len(node.cpus)),
        str(node.niceness),
        node.python,
        node.ray,
        node.bakeoff,
        f"{node.engine or 'no engine'}, {node.kernel}",
    )


def _way(way: Route) -> str:
    carried = f"{way.bytes_per_s * _MBIT:,.0f} Mbit/s" if way.bytes_per_s else "unknown"
    link = f" of a link of {way.link_bytes_per_s * _MBIT:,.0f}" if way.link_bytes_per_s else ""
    return (
        f"{way.load} to {way.server}: round trip {way.rtt_us:.0f} µs at least, "
        f"{way.rtt_median_us:.0f} µs as a rule (n = {way.exchanges}); its clock is "
        f"{way.offset_ns / 1e6:+.3f} ms away, known to ±{way.error_ns / 1e6:.3f} ms; "
        f"one connection carries {carried}{link}"
    )
