"""`bakeoff board`: every contender in every cell, and the site that compares them."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bakeoff import satellites
from bakeoff.cli.options import environment
from bakeoff.cli.output import OUTPUT, Json, Quiet, Wide, check_json, err, out, say, show
from bakeoff.model.errors import BadUsage, Status
from bakeoff.plan.values import parse_duration_s
from bakeoff.progress import terminal_watch
from bakeoff.report import figures, render

BOARD = Path("board")


def board(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="BOARD.toml",
            help="A file that declares other cells and contenders. (default: the catalogue's)",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Limit the time, such as 30m: no race begins that would not end within it; builds "
            "come on top. (default: all that is due)",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CELL",
            help="Race this cell (hello/h1), or all cells of a workload (hello); may be repeated. "
            "(default: all cells)",
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print the races that are due, with their time, and end.")
    ] = False,
    site: Annotated[
        Path | None,
        typer.Option(
            metavar="SITE",
            help="Make the site of the board as it is in this folder, and measure nothing. "
            "(default: DIR/site, after the races)",
        ),
    ] = None,
    out_dir: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="DIR",
            help=f"Keep the board in this folder. (default: {BOARD})",
            rich_help_panel=OUTPUT,
        ),
    ] = BOARD,
    json: Json = None,
    wide: Wide = False,
    _quiet: Quiet = False,
) -> None:
    """Race every contender in every cell, and make the site that compares them.

    A cell is a workload over a protocol. Whatever is out of date is raced: a
    contender that was never raced in a cell, whose sources or version have
    changed, or that was raced by another version of bakeoff or before the
    machine changed. Old figures stay on show until then, marked as old. A
    contender that can't be built, changes its answer or dies is out of that
    cell, with the reason, and in the others. After Ctrl-C or a kill the same
    command goes on.

    bakeoff board --plan                      what is due, and how long it takes
    bakeoff board --budget 30m
    bakeoff board --only hello/h1
    bakeoff board --only hello --only json/h2
    bakeoff board --site site                 the pages alone
    bakeoff board mine.toml --out mine        cells and contenders of your own
    """
    with satellites.needed():
        from bakeoff.board import document
        from bakeoff.board.cells import cells_of, chosen
        from bakeoff.board.due import State
        from bakeoff.board.measuring import Workshop, race_all
        from bakeoff.board.raced import shelf

        if site or not plan:
            from bakeoff.board import folder
            from bakeoff.board import site as pages
            from bakeoff.board.result import board as made

    if site:
        count = pages.write(folder.read(out_dir), site)
        say(f"{figures.plural(count, 'page')} in {site}; begin with {site / 'index.html'}", out)
        return
    if plan and json:
        raise BadUsage("--json: is for a board that is raced; --plan only prints what is due")
    check_json(json)
    budget_s = _seconds(budget)
    here = environment()
    if file:
        here = replace(here, directory=file.parent.resolve())
    cells = cells_of(here.catalogue, file)
    wanted = chosen(cells, only or ())
    stages = satellites.real_stages()
    shop = Workshop(out_dir, cells, here, stages)
    with terminal_watch(err) as watch:
        found, today = shop.look(watch, only_built=plan)
        due = [*shop.due(wanted, found, today)]
        outlook = document.planned(due, [State.of(cell, found.races, today) for cell in wanted])
    for fault in found.faults:
        say(f"left out: {fault}")
    (out if plan else err).print(render.terminal(outlook, wide))
    if plan:
        return
    with terminal_watch(err) as watch:
        became = race_all(due, out_dir, budget_s, stages, watch)
    result = made(cells, shelf(out_dir).races, today)
    folder.write(result, out_dir)
    pages.write(result, out_dir / "site")
    show(render.terminal(document.document(result), wide), result, json)
    for race, why in became.failed:
        say(f"{race.cell.name} with {', '.join(race.names)}: {why}")
    if became.left:
        left_s = sum(race.about_s for race in became.left)
        left = f"{figures.plural(len(became.left), 'race')} left, {figures.about(left_s)}"
        cells_wanted = [word for name in only or () for word in ("--only", name)]
        line = ["bakeoff", "board", *([str(file)] if file else []), *cells_wanted]
        say(f"{left}; to go on: {shlex.join([*line, '--out', str(out_dir)])}")
    say(f"Site: {out_dir / 'site' / 'index.html'}", err if json == "-" else out)
    if became.interrupted:
        raise typer.Exit(Status.INTERRUPTED)
    if became.failed and not became.done:
        raise typer.Exit(Status.NO_VERDICT)


def _seconds(budget: str | None) -> float | None:
    if budget is None:
        return None
    try:
        return parse_duration_s(budget)
    except ValueError as error:
        raise BadUsage(f"--budget: {error}") from None
