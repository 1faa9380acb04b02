"""`bakeoff replay`: a published test, measured again here."""

from typing import Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Table

from bakeoff.cli.asked import RUNS, OutDir, Seed, command_line, drawn, stamp
from bakeoff.cli.console import out
from bakeoff.cli.result import Json, check_json, conclude
from bakeoff.cli.stages import real_stages
from bakeoff.cli.watch import watch
from bakeoff.model.errors import BadUsage
from bakeoff.model.replay import Driver, ReplayPlan
from bakeoff.plan import Catalogue, available_cores
from bakeoff.race import Replayed
from bakeoff.race import replay as run_replay
from bakeoff.report import replay_standings

SCALE_MAX = 100.0

# Typer reads choices from a Literal of its own.
_Driver = Literal["engine", "ab", "wrk", "wrk2", "webbench", "oha", "hey", "both"]


def replay(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="ARTICLE",
            help="Its name, or a file such as ./mine.toml. None: list what there is.",
        ),
    ] = None,
    scale: Annotated[
        float,
        typer.Option(
            help="Shortens or lengthens every load of the article in proportion: 0.05 is quick."
        ),
    ] = 1.0,
    driver: Annotated[
        _Driver,
        typer.Option(
            help="Who makes the load in the article's shape: our engine, the real tool (the "
            "article's own or another), or both engine and the article's own: do they agree?"
        ),
    ] = "engine",
    faithful: Annotated[
        bool,
        typer.Option(
            "--faithful",
            help="Also do as the article did: one server at a time, five runs in a row, the mean.",
        ),
    ] = False,
    json: Json = None,
    out_dir: OutDir = RUNS,
    seed: Seed = None,
) -> None:
    """Replay a published test: do its claims hold, here and today?

    Each comparison of the article is raced with its line-up, workers, HTTP
    version and connections. Per row: published, measured, ratio. Per claim:
    holds, does not hold, or can't tell.

    bakeoff replay                                       the articles there are
    bakeoff replay go-vs-node-2012 --scale 0.05          a quick look
    bakeoff replay node-go-spring --driver wrk           with the real wrk
    bakeoff replay hello-world-2013 --faithful           and as it was done there
    """
    catalogue = Catalogue.shipped()
    if name is None:
        _list(catalogue)
        return
    if not 0 < scale <= SCALE_MAX:
        raise BadUsage(f"--scale: is {scale:g}; it takes a number above 0, {SCALE_MAX:g} at most")
    asked = _asked(catalogue, name, scale, driver, faithful, seed)
    check_json(json)
    stages = real_stages()
    with watch() as progress:
        replayed = run_replay(asked, out_dir, catalogue, available_cores(), stages, progress)
    show(replayed, json)


def show(replayed: Replayed, json: str | None) -> None:
    """Print the result and where its report is; ends the program where it must."""
    found = replayed.replay
    measured = any(not one.skipped for one in found.comparisons)
    conclude(replayed, replay_standings(found), found, json, measured)


def _asked(
    catalogue: Catalogue, name: str, scale: float, driver: Driver, faithful: bool, seed: int | None
) -> ReplayPlan:
    article = catalogue.article(name)
    return ReplayPlan(
        run=f"{stamp()}-replay-{article.name}",
        command_line=command_line(),
        article=article,
        scale=scale,
        driver=driver,
        faithful=faithful,
        seed=drawn(seed),
    )


def _list(catalogue: Catalogue) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True)
    for column in ("published", "what it compares"):
        table.add_column(column, overflow="fold")
    for name in catalogue.article_names():
        article = catalogue.article(name)
        table.add_row(name, str(article.published), escape(article.title))
    out.print(table)
    out.print("\nReplay one with: bakeoff replay NAME --scale 0.05")
