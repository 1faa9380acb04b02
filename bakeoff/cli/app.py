"""The commands, each a few lines: what it takes, and which part of the program it calls."""

from typing import Annotated

import typer

import bakeoff
from bakeoff.cli import capacity as capacity_command
from bakeoff.cli import compare as compare_command
from bakeoff.cli import contenders as contenders_command
from bakeoff.cli import crosscheck as crosscheck_command
from bakeoff.cli import race as race_command
from bakeoff.cli import replay as replay_command
from bakeoff.cli import runs as runs_command
from bakeoff.cli import setup as setup_command
from bakeoff.cli import simulate as simulate_command
from bakeoff.cli import verbatim
from bakeoff.cli.console import out

app = typer.Typer(
    name="bakeoff",
    help="Head-to-head HTTP server benchmarks that know when it is a tie.",
    epilog='Start here: bakeoff race "node a.js" "node b.js"',
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        out.print(f"bakeoff {bakeoff.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


app.command("race")(race_command.race)
app.command("replay")(replay_command.replay)
app.command("capacity")(capacity_command.capacity)
app.command("resume")(runs_command.resume)
app.command("report")(runs_command.report)
app.command("compare")(compare_command.compare)
app.command("crosscheck")(crosscheck_command.crosscheck)
app.command("simulate")(simulate_command.simulate)
app.command("contenders")(contenders_command.contenders)
app.command("setup")(setup_command.setup)
app.command("doctor")(contenders_command.doctor)
verbatim.add(app, "load", "Load one URL with the engine. `bakeoff load --help` shows its options.")
for name, help_line in verbatim.PERSONALITIES.items():
    verbatim.add(app, name, help_line)
