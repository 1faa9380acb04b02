"""Option values as people write them, and as Python has them."""

from typing import Any

import pytest

from bakeoff.model.errors import BadUsage
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
        ("duration", None, None),
        ("pipeline", None, (1,)),
    ],
)
def test_a_value_comes_as_text_or_as_itself(name: str, value: object, means: object) -> None:
    assert option(name, value) == means


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("duration", "soon", "--duration: is 'soon'; it takes seconds, as in 20, 90s or 2m"),
        ("duration", "-3", "--duration: is '-3'; it takes seconds"),
        ("warm_up", "0s", "--warm-up: is 0s; it takes a time above zero"),
        ("duration", -1.0, "--duration: is -1; it takes a time above zero"),
        ("duration", float("nan"), "--duration: is nan"),
        ("load", "lots", "--load: is 'lots'; it takes a share, as in 70% or 0.7"),
        ("load", 2.5, "--load: is 250%; it takes a share above 0 and below 200%"),
        ("precision", "100%", "--precision: is 100%; it takes a share above 0 and below 100%"),
        ("boots", -3, "--boots: is -3; it takes a whole number above zero"),
        ("boots", True, "--boots: is True"),
        ("rate", 0.0, "--rate: is 0; it takes a number above zero"),
        ("seed", -1, "--seed: is -1; it takes 0 or a larger whole number"),
        ("connections", "0", "--connections: is 0; it takes a number above zero, or several: 1,64"),
        ("connections", "", "--connections: is empty; it takes"),
        ("connections", [], "--connections: is empty; it takes"),
        ("connections", 1.5, "--connections: is 1.5; it takes"),
        ("workers", "1,x", "--workers: is `x` in 1,x; it takes"),
        ("workers", "1,", "--workers: is `` in 1,; it takes"),
        ("workers", [1, -3], "--workers: is `-3` in 1,-3; it takes"),
        ("connections", "٣", "--connections: is ٣; it takes"),
        ("connections", 10**9, "--connections: is 1000000000; it takes"),
        ("pipeline", "1,01", "--pipeline: has 1 twice in 1,01; give each value once"),
        ("ports", [70000], "--port: is 70000; it takes 65535 or less"),
        ("pids", [0], "--pid: is 0; it takes a number above 0"),
        ("arrivals", "often", "--arrivals: is \"often\"; it takes 'uniform' or 'poisson'"),
        ("connection", "closed", "--connection: is \"closed\"; it takes 'keep-alive' or 'close'"),
        ("conections", 64, "there is no option --conections; did you mean --connections"),
    ],
)
def test_any_other_value_is_refused_by_name(name: str, value: object, says: str) -> None:
    with pytest.raises(BadUsage) as caught:
        option(name, value)
    assert str(caught.value).startswith(says)


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
def test_cores_are_lists_and_ranges(
    text: str, server: tuple[int, ...], client: tuple[int, ...]
) -> None:
    cores = parse_cores(text, [0, 1, 2, 3])
    assert (cores.server, cores.client) == (server, client)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("server=0,client=2", "this machine has no core 2; it has 0, 1"),
        ("server=0", "has no client"),
        ("0,1", "it takes server=0,client=1"),
        ("server=x,client=1", "`x` is not a core"),
        ("server=1-0,client=1", "`1-0` is not a range"),
        ("server=-1,client=1", "`-1` is not a core"),
        ("servers=0,client=1", "`servers` is not server or client"),
        ("server=0,server=1", "has server twice"),
        ("", "it takes server=0,client=1"),
    ],
)
def test_other_cores_are_refused(text: str, says: str) -> None:
    with pytest.raises(BadUsage) as caught:
        parse_cores(text, [0, 1])
    assert says in str(caught.value)


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
    ("available", "spare"),
    [
        ([5], (5,)),
        ([0, 1], (1,)),
        ([0, 1, 2, 3], (1, 2, 3)),
        ([0, 1, 2, 3, 4, 5, 6, 7], (1, 2, 3, 4)),
    ],
)
def test_who_is_neither_has_the_cores_that_are_left(
    available: list[int], spare: tuple[int, ...]
) -> None:
    assert spare_cpus(available, default_cores(available)) == spare
