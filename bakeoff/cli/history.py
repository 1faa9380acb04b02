"""`bakeoff history`: past runs, how a contender's performance changed, and the index."""

from pathlib import Path
from typing import Annotated

import typer

from bakeoff.cli.help import Commands, Group
from bakeoff.cli.output import Json, Wide, check_json, err, out, say, show
from bakeoff.history import open_index
from bakeoff.history.place import HISTORY, default_url
from bakeoff.model.errors import BadUsage, nearest
from bakeoff.model.history import Past

LATEST = 10
"""Runs that the overview shows."""
_NAME = "CONTENDER"


class _NameOrCommand(Group):
    """`rebuild` is a command; every other word is a contender's name."""

    def resolve_command(self, ctx, args):  # type: ignore[no-untyped-def]
        if args and args[0] not in self.commands:
            args = [_NAME, *args]
        return super().resolve_command(ctx, args)


history = Commands(
    cls=_NameOrCommand,
    help="""Show past results and how a contender's performance changed.

    Every run adds itself when it ends, to $XDG_DATA_HOME/bakeoff/history.sqlite,
    or to the database that BAKEOFF_HISTORY names (postgresql://…); set to
    nothing, it switches this off. Runs' folders stay the truth.

    bakeoff history                       contenders, latest runs
    bakeoff history nginx                 its lines over time, with their steps
    bakeoff history nginx --against hyper
    bakeoff history nginx -h              all options for a contender
    bakeoff history rebuild runs          make the index again from folders
    """,
    invoke_without_command=True,
    subcommand_metavar="[CONTENDER | rebuild DIR…]",
)


@history.callback()
def overview(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        from bakeoff.report import render
        from bakeoff.report.kinds.history import shelf

        index = open_index(_url())
        page = index.runs(limit=LATEST)
        out.print(render.terminal(shelf(index.contenders(), page.runs, page.total)))


@history.command(_NAME, hidden=True)
def of(
    contender: Annotated[
        str, typer.Argument(metavar=_NAME, help="The contender whose history is shown.")
    ],
    against: Annotated[
        str,
        typer.Option(
            metavar="CONTENDER",
            help="Show ratios to this contender of the same races. (default: the most frequent "
            "one)",
        ),
    ] = "",
    json: Json = None,
    wide: Wide = False,
) -> None:
    """Show a contender's lines over time: last figures, level, steps with what changed.

    A line is one workload, protocol, load and class of machine. Its points are
    ratios to another contender of the same race, since a machine's own speed
    drifts from day to day.
    """
    from bakeoff.judge.past import line_of
    from bakeoff.report import render
    from bakeoff.report.kinds.history import document

    check_json(json)
    index = open_index(_url())
    keys = index.series_of(contender)
    if not keys:
        known = [each.contender for each in index.contenders()]
        raise BadUsage(
            f"{contender}: no race in the history has it{nearest(contender, known, 'there are')}"
        )
    if against and not any(against in key.references for key in keys):
        known = sorted({name for key in keys for name in key.references})
        raise BadUsage(
            f"--against {against}: no race has both{nearest(against, known, f'{contender} raced')}"
        )
    series = (index.series(key, against) for key in keys if against in ("", *key.references))
    past = Past(contender=contender, lines=tuple(map(line_of, series)))
    show(render.terminal(document(past), wide), past, json)


@history.command()
def rebuild(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR…", help="Folders with runs at any depth, such as ./runs."),
    ],
) -> None:
    """Make the index again from the runs' folders, and forget every other run.

    It reads every run's folder, and results such as verdict.json that are in
    none. Those that can't be read are named and left out. A damaged index is
    moved aside.
    """
    from bakeoff.history.results import read_all
    from bakeoff.progress import terminal_watch

    url = _url()
    faults: dict[Path, str] = {}
    with terminal_watch(err) as watch:
        count = open_index(url, renew=True).rebuild(read_all(folders, watch, faults))
    for why in faults.values():
        say(f"left out: {why}")
    runs = "1 run" if count == 1 else f"{count} runs"
    say(f"{runs} in the history, {len(faults)} left out.", out)


def _url() -> str:
    url = default_url()
    if url is None:
        raise BadUsage(
            f"{HISTORY} is empty, which turns the history off: unset it, or name a database"
        )
    return url
