"""How the load of several generators grows with their number, as far as this machine's cores go.

On cores that are shared no sum can grow that is bounded by CPU time. So the server answers late: a
closed loop of c connections to it gets c / delay, whatever it costs, and n loaders n times as much,
as long as sharing out, starting together and merging take nothing of it.
"""

import time
from statistics import median

from bakeoff.load import Loaders, local
from bakeoff.model.engine import Expect, Job, Request, SliceCommand, Target
from tests.brick.conftest import BUILD, running

SERVER = "brick-yardstick"
DELAY_MS = 20
CONNECTIONS = 8
RAMP_MS, WINDOW_MS = 100, 500
NUMBERS = (1, 2, 4, 8)


def growth(slices: int) -> list[dict[str, object]]:
    """For each number of loaders what all together get of `slices` windows; `linear`, that over so
    many times what one gets; and `of_most`, that over connections / delay. `took_s` is from asking
    for a slice to having it merged."""
    rows: list[dict[str, object]] = []
    one = 0.0
    command = [BUILD / SERVER, "--port", "0", "--delay", f"{DELAY_MS}ms"]
    with running(list(map(str, command))) as server:
        for number in NUMBERS:
            rates, took_s = _together(number, f"127.0.0.1:{server.port}", slices)
            one = one or median(rates)
            rows.append(
                {
                    "loaders": number,
                    "connections": number * CONNECTIONS,
                    "requests_per_s": median(rates),
                    "linear": median(rates) / (number * one),
                    "of_most": median(rates) * DELAY_MS / 1e3 / (number * CONNECTIONS),
                    "took_s": median(took_s),
                    "window_s": (RAMP_MS + WINDOW_MS) / 1e3,
                    "n": len(rates),
                }
            )
    return rows


def _together(number: int, address: str, slices: int) -> tuple[list[float], list[float]]:
    """Throughputs of so many loaders, and how long each slice took."""
    target = Target(
        name="late",
        address=address,
        request=Request(method="GET", path="/", host=address),
        expect=Expect(status=200, body_base64=None),
    )
    job = Job(
        targets=(target,),
        connections=number * CONNECTIONS,
        threads=1,
        io="auto",
        connection="keep-alive",
        cpus=(),
        connect_timeout_ms=2000,
        request_timeout_ms=5000,
    )
    rates, took_s = [], []
    with Loaders([local(f"loader {each}") for each in range(number)]).connect(job) as load:
        for block in range(slices):
            began_s = time.monotonic()
            command = SliceCommand(target=0, block=block, ramp_ms=RAMP_MS, duration_ms=WINDOW_MS)
            rates.append(load.slice(command).requests_per_s)
            took_s.append(time.monotonic() - began_s)
    return rates, took_s
