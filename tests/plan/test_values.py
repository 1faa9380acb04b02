"""Option values as people write them, and as Python has them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import NetworkPath
from bakeoff.plan import Options, RaceOptions
from bakeoff.plan.values import default_cores, parse_cores, spare_cpus


def option(name: str, value: object) -> Any:
    return getattr(RaceOptions(**{name: value}), name)


@pytest.mark.parametrize(
    ("name", "value", "means"),
    [
        ("duration", 20, 20.0),
        ("duration", " 1.5 ", 1.5),
        ("duration", "90s", 90.0),
        ("warm_up", "2m", 120.0),
        ("duration", ".5h", 1800.0),
        ("load", "70%", 0.7),
        ("precision", "1 %", 0.01),
        ("load", 0.7, 0.7),
        ("connections", 64, (64,)),
        ("connections", "1,64,512", (1, 64, 512)),
        ("workers", " 8, 1 ", (8, 1)),
        ("pipeline", [1, 16], (1, 16)),
        ("connection", "close", ("close",)),
        ("connection", ["keep-alive", "close"], ("keep-alive", "close")),
        ("path", "20ms", (NetworkPath(delay_ms=20),)),
        ("path", " 20ms , .1% ", (NetworkPath(delay_ms=20, loss=0.001),)),
        (
            "path",
            ["0ms,1%", "0.05s"],
            (NetworkPath(delay_ms=0, loss=0.01), NetworkPath(delay_ms=50)),
        ),
        ("duration", None, None),
        ("pipeline", None, (1,)),
    ],
)
def test_a_value_comes_as_text_or_as_itself(name: str, value: object, means: object) -> None:
    assert option(name, value) == means


NAN = float("nan")
PATHS = ("", "20", "20ms,", "20ms,0.1", "0.1%", "20ms;1%", "-1ms", "2m", "2s", "20ms,-1%", 20)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("duration", value) for value in (-1.0, NAN, "soon", True)),
        *(("connections", value) for value in ("1,", "٣", "1,01", 1.5, 10**9, [1, -3])),
        *(("path", value) for value in PATHS),
        *(("load", 2.5), ("precision", "100%"), ("boots", True), ("pid", [0])),
    ],
)
def test_any_other_value_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(BadUsage, match=f"^--{name}"):
        option("pids" if name == "pid" else name, value)


def test_without_a_seed_it_is_random_and_with_one_it_is_that() -> None:
    assert len({Options().seed for _ in range(5)}) == 5
    assert Options(seed=0).seed == 0


@pytest.mark.parametrize(
    ("text", "server", "client"),
    [
        ("server=0,client=1", (0,), (1,)),
        ("client=3,server=0-2", (0, 1, 2), (3,)),
        ("server=0,2,client=1,3", (0, 2), (1, 3)),
        ("server=0,client=0", (0,), (0,)),
        ("server=0,client=1-3", (0,), (1, 2, 3)),
    ],
)
def test_cores_and_ranges(text: str, server: tuple[int, ...], client: tuple[int, ...]) -> None:
    cores = parse_cores(text, [0, 1, 2, 3])
    assert (cores.server, cores.client) == (server, client)


@pytest.mark.parametrize(
    ("available", "client"),
    [
        ([0, 1], (1,)),
        ([0, 1, 2], (1, 2)),
        ([0, 1, 2, 3], (1, 2, 3)),
        ([4, 6, 7, 9, 11], (7, 9, 11)),
        (list(range(8)), (5, 6, 7)),
        (list(range(16)), (13, 14, 15)),
    ],
)
def test_the_generator_has_the_last_three_cores_where_the_server_leaves_them(
    available: list[int], client: tuple[int, ...]
) -> None:
    cores = default_cores(available)
    assert (cores.server, cores.client, cores.shared) == ((available[0],), client, False)


def test_a_single_core_is_shared() -> None:
    assert default_cores([5]).shared


@pytest.mark.parametrize(
    ("available", "client", "spare"),
    [
        ([5], (5,), (5,)),
        ([0, 1], (1,), (1,)),
        ([0, 1, 2], (2,), (1,)),
        ([0, 1, 2, 3], (2, 3), (1,)),
        ([0, 1, 2, 3, 4, 5, 6, 7], (5, 6, 7), (1, 2, 3, 4)),
    ],
)
def test_of_three_cores_the_upstream_has_one(
    available: list[int], client: tuple[int, ...], spare: tuple[int, ...]
) -> None:
    cores = default_cores(available, upstream=True)
    assert cores.client == client
    assert spare_cpus(available, cores) == spare


@pytest.mark.parametrize(
    ("available", "spare"),
    [
        ([5], (5,)),
        ([0, 1], (1,)),
        ([0, 1, 2, 3], (1, 2, 3)),
        ([0, 1, 2, 3, 4, 5, 6, 7], (1, 2, 3, 4)),
    ],
)
def test_others_have_the_cores_left(available: list[int], spare: tuple[int, ...]) -> None:
    assert spare_cpus(available, default_cores(available)) == spare


@given(delay_ms=st.integers(0, 1000), per_myriad=st.integers(0, 9999))
def test_a_path_is_read_as_it_is_written(delay_ms: int, per_myriad: int) -> None:
    path = NetworkPath(delay_ms=delay_ms, loss=per_myriad / 1e4)
    (read,) = option("path", str(path))
    assert read.delay_ms == delay_ms and read.loss == pytest.approx(path.loss)
