"""Who runs in the sample race, and what each is like in truth."""

from dataclasses import dataclass

BOOTS, BLOCKS_PER_BOOT, SLICE_MS = 3, 160, 20
REFERENCE_RATE = 83_214.0


@dataclass(frozen=True)
class Runner:
    """What one contender is like, in truth."""

    name: str
    title: str
    ratio: float
    half_width: float
    rank: tuple[int, int] | None
    letters: str
    memory_mib: float
    head_bytes: int
    user_share: float


NGINX = Runner("nginx", "nginx", 1.0, 0.0, (1, 2), "a", 7.4, 156, 0.31)
LIBUV = Runner(
    "libuv-http-parser", "libuv + http-parser", 0.998, 0.0055, (1, 2), "a", 3.1, 81, 0.25
)
GO = Runner("go-nethttp", "Go net/http", 0.5811, 0.0068, (3, 3), "b", 18.9, 117, 0.58)
NODE = Runner("node-http", "Node http", 0.3127, 0.0052, (4, 4), "c", 61.2, 152, 0.81)
GUNICORN = Runner("gunicorn", "Gunicorn", 0.0413, 0.0004, (5, 5), "d", 48.7, 158, 0.77)
AIOHTTP = Runner("aiohttp", "aiohttp", 0.11, 0.001, None, "", 42.0, 149, 0.84)
TWIN = Runner("nginx (twin)", "nginx", 1.001, 0.0031, None, "", 7.4, 156, 0.31)
STANDING = (NGINX, LIBUV, GO, NODE, GUNICORN)
RUNNERS = (*STANDING, AIOHTTP, TWIN)
SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99995)
