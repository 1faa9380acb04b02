"""What these tests start from: a load to make, and what tools printed."""

from pathlib import Path
from typing import Any

from bakeoff.load.tools import LoadSpec
from bakeoff.model.protocol import Tls

OUTPUTS = Path(__file__).parent / "outputs"
URL = "http://127.0.0.1:8080/"
TLS = Tls(server_name="localhost", insecure=True)


def load(**changes: Any) -> LoadSpec:
    """Ten connections for a second, but for `changes`."""
    usual: dict[str, Any] = {
        "url": URL,
        "host": "127.0.0.1:8080",
        "connections": 10,
        "connection": "keep-alive",
        "http": "1.1",
        "threads": 1,
        "requests": None,
        "duration_s": 1.0,
        "cpus": (1,),
    }
    return LoadSpec(**{**usual, **changes})


def printed(name: str) -> str:
    """What a tool printed: outputs/`name`.txt."""
    return (OUTPUTS / f"{name}.txt").read_text()
