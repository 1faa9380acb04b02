"""What a command leaves: text on two consoles, JSON where it was asked for, and a status."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from collections.abc import Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console, RenderableType

from bakeoff.model.errors import BadUsage

if TYPE_CHECKING:
    from bakeoff import runs
    from bakeoff.model.base import Contract
    from bakeoff.runs.run import RunPlan


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


out = _Console(highlight=False)
"""Standard output, for results."""
err = _Console(stderr=True, highlight=False)
"""Standard error, for everything else."""

ASCII = {
    **dict.fromkeys("–−·─├┤", "-"),
    **{"│": "|", "●": "o", "◄": "<", "►": ">", "▲": "^", "▼": "v", "×": "x", "µ": "u"},
    **{"✓": "+", "✗": "x", "’": "'", "“": '"', "”": '"', "•": "*", "…": "...", "→": "->"},
    **{"±": "+-", "≥": ">=", "≤": "<=", "≠": "!=", "⇄": "<>", "√": "sqrt ", "∞": "inf", "²": "2"},
}
"""Our signs, for a terminal that lacks them: mostly of one column, so that tables hold."""


def plain_signs() -> None:
    """Print in ASCII what a stream's encoding lacks, and everything if LC_ALL is C or POSIX."""

    def in_ascii(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        signs = error.object[error.start : error.end]
        plain = unicodedata.normalize("NFKD", "".join(ASCII.get(sign, sign) for sign in signs))
        return plain.encode("ascii", "backslashreplace").decode(), error.end

    codecs.register_error(plain_signs.__name__, in_ascii)
    encoding = "ascii" if os.environ.get("LC_ALL") in ("C", "POSIX") else None
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors=plain_signs.__name__)


def write(text: str) -> None:
    """Write a document, such as JSON, to standard output: in UTF-8, whatever a terminal takes."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)


OUTPUT = "Output"
"""The heading of these options."""
Json = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE|-", help="Write the result as JSON.", rich_help_panel=OUTPUT
    ),
]


def _quiet(on: bool) -> None:
    err.quiet = on


Quiet = Annotated[
    bool,
    typer.Option(
        "-q",
        "--quiet",
        callback=_quiet,
        help="Print results and errors only, no progress.",
        rich_help_panel=OUTPUT,
    ),
]
Wide = Annotated[
    bool,
    typer.Option(
        "--wide",
        help="Print every column and every finding, not what fits 80 columns.",
        rich_help_panel=OUTPUT,
    ),
]


def say(text: str, console: Console = err) -> None:
    """Print a line as it is: no markup, never folded."""
    console.print(text, markup=False, soft_wrap=True)


def write_files(files: Mapping[Path, bytes], force: bool) -> None:
    there = [str(path) for path in files if path.exists()]
    if there and not force:
        raise BadUsage(f"{' and '.join(there)}: can't be overwritten without --force")
    for path, content in files.items():
        try:
            path.write_bytes(content)
        except OSError as error:
            raise BadUsage(f"{path}: can't be written: {error.strerror}") from None


def check_json(json: str | None) -> None:
    """Find out before the measuring, not after it, that its result can't be written."""
    if json != "-":
        check_writable("--json", Path(json) if json else None)


def check_writable(option: str, path: Path | None) -> None:
    """Raise `BadUsage` where a file that an option names can't be written."""
    if path is None:
        return
    why = ""
    if path.is_dir():
        why = "it is a folder"
    elif not path.parent.is_dir():
        why = "its folder doesn't exist"
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        why = f"{'it' if path.exists() else 'its folder'} is read-only"
    if why:
        raise BadUsage(f"{option} {path}: can't be written: {why}")


def show(rendered: RenderableType, result: Contract, json: str | None) -> None:
    (err if json == "-" else out).print(rendered)
    write_json(result, json)


def write_json(result: Contract, json: str | None) -> None:
    if json == "-":
        write(result.to_json() + "\n")
    elif json:
        Path(json).write_text(result.to_json() + "\n")


def measure(
    plan: RunPlan,
    parent: Path,
    json: str | None,
    wide: bool = False,
    stages: runs.Stages | None = None,
) -> None:
    """Measure a plan of any kind in a new folder of `parent`, and conclude.

    Without `stages` it is measured on this machine.
    """
    # Here, not above: help and other tools' loads don't need it, and it is slow to import.
    from bakeoff import runs, satellites
    from bakeoff.progress import terminal_watch

    check_json(json)
    with terminal_watch(err, lambda run: show_run(run, json, wide)) as watch:
        run = runs.execute(plan, parent, stages or satellites.real_stages(), watch)
    conclude(run, json)


def show_run(run: runs.AnyRun, json: str | None, wide: bool) -> None:
    from bakeoff.report import render

    show(render.terminal(run.document(), wide), run.result, json)


def conclude(run: runs.AnyRun, json: str | None) -> None:
    """Print where the report of a run is, whose result is shown.

    Raises `typer.Exit` with the run's status where that is not 0.
    """
    console = err if json == "-" else out
    say(f"Report: {run.report_path}", console)
    for picture in sorted(run.path.glob("charts/flames*.svg")):
        say(f"Flame graph: {picture}", console)
    if run.interrupted:
        say(f"Interrupted; finished blocks are kept; to go on: bakeoff resume {run.path}")
    if run.status:
        raise typer.Exit(run.status)
