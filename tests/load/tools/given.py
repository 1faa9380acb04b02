"""What these tests start from: a run that is asked for, and what tools printed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from bakeoff.load.tools import Asked

OUTPUTS = Path(__file__).parent / "outputs"

ASKED = Asked(
    url="http://127.0.0.1:8080/",
    host="127.0.0.1:8080",
    connections=10,
    connection="keep-alive",
    http="1.1",
    threads=1,
    requests=None,
    duration_s=1.0,
    cpus=(1,),
)


def asked(**changes: Any) -> Asked:
    """The run that is asked for: ten connections for a second, but for `changes`."""
    return replace(ASKED, **changes)


def printed(name: str) -> str:
    """What a tool printed: outputs/`name`.txt."""
    return (OUTPUTS / f"{name}.txt").read_text()
