"""`bakeoff workload`: a workload of one's own traffic, and the requests of a workload."""

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from bakeoff.cli.help import Commands
from bakeoff.cli.output import err, out, say, write, write_files
from bakeoff.model.errors import BadUsage
from bakeoff.model.request import ExpectSection, RequestSection
from bakeoff.model.workload import Workload
from bakeoff.plan import Catalogue
from bakeoff.plan.workloads import read_workload
from bakeoff.traffic import (
    MOST_REQUESTS,
    Choices,
    Draft,
    Recording,
    draft,
    read_access_log,
    read_curl,
    read_har,
    read_openapi,
    toml_of,
)

workload = Commands(
    help="""Make a workload of your own traffic, or show its requests.

    bakeoff workload from har session.har --out shop.toml
    bakeoff workload show shop.toml
    bakeoff race ./old ./new --workload shop.toml
    """,
    no_args_is_help=True,
)
sources = Commands(no_args_is_help=True)
workload.add_typer(
    sources, name="from", help="Make a workload of recorded, typed or described requests."
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file to read.")]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="FILE|-",
        help="Write the workload to this file, or to standard output. (default: NAME.toml)",
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Set the workload's name. (default: from the name of the file, or curl's host)",
    ),
]
Host = Annotated[
    str | None,
    typer.Option(
        metavar="HOST",
        help="Take only requests to this host. (default: the first in a HAR, the most "
        "frequent in a log)",
    ),
]
Most = Annotated[
    int,
    typer.Option(
        "--max",
        metavar="NUMBER",
        min=1,
        help=f"Take at most this many requests. (default: {MOST_REQUESTS})",
    ),
]
Apart = Annotated[
    bool, typer.Option("--apart", help="Keep requests such as /users/1 and /users/2 apart.")
]
Secrets = Annotated[
    bool, typer.Option("--with-secrets", help="Keep cookies, credentials and tokens.")
]
NoAssets = Annotated[
    bool, typer.Option("--no-assets", help="Leave out images, fonts, styles and scripts.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]


def _recorded(
    read: Callable[[Path, str | None], Recording], name_of: Callable[[Path], str], about: str
) -> Callable[..., None]:
    """The command that reads a recording of a kind, of which its help is `about`."""

    def command(
        file: File,
        host: Host = None,
        no_assets: NoAssets = False,
        most: Most = MOST_REQUESTS,
        apart: Apart = False,
        with_secrets: Secrets = False,
        name: Name = None,
        out_file: Out = None,
        force: Force = False,
    ) -> None:
        named = _name(name, out_file, name_of(file))
        made = Choices(named, with_secrets, not no_assets, apart, most)
        _write(read(file, host), made, out_file, force)

    command.__doc__ = about
    return command


sources.command("har")(
    _recorded(
        read_har,
        lambda file: file.stem,
        """Take a browser's requests from a HAR, as its developer tools save it.

        Only one host is kept: that of the first request. Status, type and the shape
        of JSON are expected as they were recorded.
        """,
    )
)
sources.command("access-log")(
    _recorded(
        read_access_log,
        lambda file: file.name.split(".")[0],
        """Take a server's requests from its access log: common, combined or JSON lines, or gzipped.

        Only GET and HEAD are kept, since a log lacks bodies, and if it names hosts,
        only the most frequent one.
        """,
    )
)


@sources.command("curl")
def from_curl(
    command: Annotated[
        str,
        typer.Argument(metavar="COMMAND|-", help="The command, in quotes; - reads standard input."),
    ],
    with_secrets: Secrets = False,
    name: Name = None,
    out_file: Out = None,
    force: Force = False,
) -> None:
    """Take the request of a curl command, as it is typed, or as browsers copy it for bash.

    bakeoff workload from curl 'curl -d a=1 https://localhost/cart'
    xclip -o | bakeoff workload from curl -
    """
    recording = read_curl(sys.stdin.read() if command == "-" else command)
    made = Choices(_name(name, out_file, recording.host or "curl"), with_secrets, apart=True)
    _write(recording, made, out_file, force)


@sources.command("openapi")
def from_openapi(
    file: File,
    most: Most = MOST_REQUESTS,
    with_secrets: Secrets = False,
    name: Name = None,
    out_file: Out = None,
    force: Force = False,
) -> None:
    """Take the GETs of an OpenAPI description, in JSON or YAML.

    They are those without required parameters, and those with examples of them.
    """
    made = Choices(_name(name, out_file, file.stem), with_secrets, most=most)
    _write(read_openapi(file), made, out_file, force)


@workload.command("show")
def show(
    file: Annotated[
        str, typer.Argument(metavar="NAME|FILE", help="A workload of the catalogue, or a file.")
    ],
) -> None:
    """Show a workload's requests, their shares, and which responses are right."""
    is_file = "/" in file or file.endswith(".toml")
    read = read_workload(Path(file)) if is_file else Catalogue.shipped().workload(file)
    say(read.title or read.name, out)
    if read.data:
        columns, rows = read.table()
        say(f"data: {read.data}, {len(rows):,} rows of {', '.join(columns)}", out)
    out.print(_table(read))


def _name(given: str | None, out_file: str | None, source: str) -> str:
    """Its name, which files beside it have, too: the one given, or that of what is written."""
    written = Path(out_file).stem if out_file and out_file != "-" else source
    plain = re.sub(r"[^a-z0-9]+", "-", (given or written).lower()).strip("-")[:60]
    if given and plain != given:
        raise BadUsage(f"--name {given}: it takes lower-case letters, digits and hyphens")
    return plain or "traffic"


def _write(recording: Recording, choices: Choices, out_file: str | None, force: bool) -> None:
    made = draft(recording, choices)
    if not (made.requests or made.message):
        why = "".join(f"\n  {remark}" for remark in made.remarks)
        raise BadUsage(f"{made.source}: has no request that can be sent{why}")
    beside = made.files()
    if out_file == "-":
        if beside:
            raise BadUsage(
                f"--out -: the workload needs {', '.join(beside)} beside it; name a file"
            )
        write(toml_of(made))
        _say_remarks(made, to_err=True)
        return
    path = Path(out_file or f"{made.name}.toml")
    files = {
        path: toml_of(made).encode(),
        **{path.parent / name: content for name, content in beside.items()},
    }
    write_files(files, force)
    # What we wrote can be raced, whatever the recording had in it.
    read_workload(path)
    count = len(made.requests)
    weighted = f"{count} request{'s' * (count != 1)}, weighted; " if count else ""
    say(f"wrote {path}: {weighted}{made.title}", out)
    for each in list(files)[1:]:
        say(f"wrote {each}, beside it", out)
    _say_remarks(made)
    # A name alone would be one of the catalogue.
    file = str(path) if path.suffix == ".toml" or "/" in str(path) else f"./{path}"
    say(f"\nLook at it:  bakeoff workload show {shlex.quote(file)}", out)


def _say_remarks(made: Draft, to_err: bool = False) -> None:
    for remark in made.remarks:
        say(f"  {remark}", err if to_err else out)


def _table(read: Workload) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("share", justify="right")
    for heading in ("request", "right answer"):
        table.add_column(heading, overflow="fold")
    several = list(read.by_name.values())
    total = sum(each.weight for each in several)
    for once in read.once:
        takes = "".join(f"\n  {{{{{name}}}}} from {source}" for name, source in once.take.items())
        table.add_row("once", escape(_request(once)), escape(_answer(once.expect) + takes))
    for each in several:
        share = f"{each.weight / total:.1%}"
        exchange = read.exchange
        sent, right = (
            (exchange.sends, exchange.returns)
            if exchange
            else (_request(each), _answer(each.expect))
        )
        table.add_row(share, escape(sent), escape(right))
    return table


def _request(asked: RequestSection) -> str:
    usual = f"{asked.method} {asked.path}"
    named = asked.name and not asked.name.startswith(usual)
    count = len(asked.headers)
    sent = [f"{count} header{'s' * (count != 1)}"] if count else []
    if asked.body_file:
        sent.append(f"the body of {asked.body_file}")
    elif asked.body:
        size = len(asked.body.encode())
        sent.append(f"a body of {size:,} byte{'s' * (size != 1)}")
    first = f"{asked.name}: {usual}" if named else usual
    return f"{first}\n  with {' and '.join(sent)}" if sent else first


def _answer(expect: ExpectSection | None) -> str:
    """The rules, as far as they fit into a cell."""
    if expect is None:
        return "200"
    low, high = expect.length_between or (0, 0)
    rules = [
        f"{expect.length:,} bytes" if expect.length is not None else "",
        f"{low:,} to {high:,} bytes" if expect.length_between else "",
        "a given body" if (expect.body or expect.body_file or expect.sha256) else "",
        "no body" if expect.body == "" else "",
        (f"{expect.events.count or ''} events".strip() if expect.events else ""),
        *(f"with {text[:30]!r}" for text in expect.body_contains),
        f"like {expect.body_matches}" if expect.body_matches else "",
        "JSON of a given shape" if expect.json_ is not None else "",
        *expect.headers.values(),
    ]
    return ", ".join(filter(None, [str(expect.status), *rules]))
