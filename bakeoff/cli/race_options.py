"""The options of `bakeoff race` that no other command has."""

from typing import Annotated, Literal

import typer

from bakeoff.cli.asked import contender_words, share, timed

Words = Annotated[list[str] | None, contender_words(" None: the default line-up.")]
Everything = Annotated[
    bool,
    typer.Option(
        "--all",
        help="The whole catalogue, as far as it serves the workload and can be built. All are "
        "up at once: give them 2 GiB of memory, and half an hour.",
    ),
]
Connections = Annotated[
    str | None,
    typer.Option(
        "-c",
        "--connections",
        metavar="NUMBER,…",
        help="Connections per contender. Several numbers make a grid: 1,64,512.",
    ),
]
Duration = Annotated[
    float | None,
    timed(
        "-d",
        "--duration",
        help="Measured time in all, such as 20, 90s or 2m. (default: 20 s per contender and "
        "twin, 10 minutes at most: more is more certain, and to be asked for)",
    ),
]
Workload = Annotated[
    str | None,
    typer.Option(
        help="What is asked: hello, empty, or get (GET /, any answer that stays the same). "
        "(default: hello; get where all contenders are commands or URLs)"
    ),
]
Close = Annotated[
    bool,
    typer.Option(
        "--close",
        help="One connection per request instead of keep-alive. With --keep-alive: both.",
    ),
]
KeepAlive = Annotated[
    bool, typer.Option("--keep-alive", help="Connections are kept. (the default)")
]
Pipeline = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER,…",
        help="Requests under way at a time on a connection, several numbers for a grid. "
        "(default: 1)",
    ),
]
WarmUp = Annotated[
    float | None,
    timed(
        "--warm-up",
        help="The longest warm-up of each contender, in each boot. (default: 20s; 3 s do where "
        "its throughput is level)",
    ),
]
Workers = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER,…",
        help="Workers or threads per server, several numbers for a grid. (default: its cores)",
    ),
]
Reference = Annotated[
    str | None, typer.Option(help="Whom the others are compared with. (default: the first)")
]
Ports = Annotated[
    list[int] | None,
    typer.Option(
        min=1,
        max=65535,
        help="The port that a command listens on, if it doesn't take {port} or $PORT; "
        "once for each command.",
    ),
]
Pids = Annotated[
    list[int] | None,
    typer.Option(min=1, help="The process behind a URL, for its CPU and memory."),
]
Solo = Annotated[
    bool,
    typer.Option("--solo", help="One contender up at a time, in long windows."),
]
Rate = Annotated[
    float | None,
    typer.Option(
        help="Open loop: offer each this many requests per second, and rank by p99 latency."
    ),
]
Load = Annotated[
    float | None,
    typer.Option(
        parser=share,
        metavar="SHARE",
        help="Open loop, at this share (70%) of each one's own peak, which its warm-up finds.",
    ),
]
Arrivals = Annotated[
    Literal["poisson", "uniform"],
    typer.Option(help="Open loop: at random, as independent users come, or evenly spaced."),
]
Precision = Annotated[
    float | None,
    typer.Option(
        parser=share,
        metavar="SHARE",
        help="End once the interval between any two neighbours in the standings is ±this "
        "(1%), or --budget is spent; never for being significant.",
    ),
]
Budget = Annotated[
    float | None,
    timed(
        "--budget",
        help="The most measured time that --precision may take. (default: that of --duration)",
    ),
]
Confirm = Annotated[
    bool,
    typer.Option(
        "--confirm",
        help="After the race, measure each contender alone for a third of the time on top, in "
        "10 rounds or more, each with its start and warm-up: do short turns and --solo agree?",
    ),
]
Twin = Annotated[
    bool,
    typer.Option("--twin/--no-twin", help="Race a second copy of the reference: noise floor."),
]
