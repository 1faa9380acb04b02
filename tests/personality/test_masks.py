"""The masks take what was measured, and nothing else."""

import pytest

from tests.personality import differences, masks
from tests.personality.programs import Program, real


def masked(mask: masks.Mask, line: str, exact: bool = True) -> list[str]:
    return mask(line, exact)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Time taken for tests:   0.050 seconds", "Time taken for tests:   12.345 seconds"),
        (
            "Requests per second:    3332.08 [#/sec] (mean)",
            "Requests per second:    9.85 [#/sec] (mean)",
        ),
        (
            "Connect:        0    0   0.4      0       1",
            "Connect:       12   34  12.4    120    1200",
        ),
        ("  50%      1", "  50%    120"),
        (" 100%      1 (longest request)", " 100%    120 (longest request)"),
        ("93,0.257", "93,1203.257"),
        (
            "Sun Nov 22 13:04:32 2026\t1795352672\t0\t1\t1\t1",
            "Mon Jan  3 03:04:32 2028\t1895352672\t10\t11\t21\t1",
        ),
    ],
)
def test_two_runs_of_ab_are_alike(one: str, other: str) -> None:
    assert masked(masks.ab, one) == masked(masks.ab, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Time taken for tests:   0.050 seconds", "Time taken for tests:   0.05 seconds"),
        ("Time taken for tests:   0.050 seconds", "Time taken for tests:  0.050 seconds"),
        (
            "Requests per second:    3.08 [#/sec] (mean)",
            "Requests per second:    3.08 [/sec] (mean)",
        ),
        (
            "Connect:        0    0   0.4      0       1",
            "Connect:        0    0   0.4      0      1",
        ),
        (
            "Connect:        0    0   0.4      0       1",
            "Connect:        0    0   0.42     0       1",
        ),
        ("  50%      1", "  60%      1"),
        ("  50%      1", "  50%     1"),
        ("Complete requests:      20", "Complete requests:      21"),
        ("Server Port:            80", "Server Port:            81"),
        ("93,0.257", "94,0.257"),
        ("93,0.257", "93,0.25"),
        ("LOG: Response code = 200", "LOG: Response code = 500"),
    ],
)
def test_another_form_or_count_of_ab_is_seen(one: str, other: str) -> None:
    assert masked(masks.ab, one) != masked(masks.ab, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "    Latency    93.16us  152.75us   4.11ms   99.38%",
            "    Latency     1.16s     0.75ms  12.00s     9.38%",
        ),
        (
            "    Req/Sec    23.64k     1.55k   25.12k    70.00%",
            "    Req/Sec   743.11    780.48     1.12M   100.00%",
        ),
        ("     50%  139.00us", "     50%    1.00m "),
        ("Requests/sec:  23469.41", "Requests/sec:      0.91"),
        ("Transfer/sec:      1.16MB", "Transfer/sec:      51.91B"),
    ],
)
def test_two_runs_of_wrk_are_alike(one: str, other: str) -> None:
    assert masked(masks.wrk, one) == masked(masks.wrk, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "    Latency    93.16us  152.75us   4.11ms   99.38%",
            "    Latency   93.16us  152.75us   4.11ms   99.38%",
        ),
        (
            "    Latency    93.16us  152.75us   4.11ms   99.38%",
            "    Latency    93.16us  152.75us   4.11k    99.38%",
        ),
        (
            "    Latency    93.16us  152.75us   4.11ms   99.38%",
            "    Latency     0.00us    0.00us   0.00us    -nan%",
        ),
        ("     50%  139.00us", "     50% 139.00us"),
        ("     50%  139.00us", "     75%  139.00us"),
        ("Requests/sec:  23469.41", "Requests/sec: 23469.41"),
        ("Requests/sec:  23469.41", "Requests/sec:  23469.4"),
        ("Transfer/sec:      1.16MB", "Transfer/sec:      1.16Mb"),
        ("Transfer/sec:      1.16MB", "Transfer/sec:     1.16MB"),
        ("  20 requests in 1.00s, 1.02KB read", "  21 requests in 1.00s, 1.02KB read"),
        ("  20 requests in 1.00s, 1.02KB read", "  20 requests in 1.00s, 1.03KB read"),
        ("  Non-2xx or 3xx responses: 20", "  Non-2xx or 3xx responses: 19"),
    ],
)
def test_another_form_or_count_of_wrk_is_seen(one: str, other: str) -> None:
    assert masked(masks.wrk, one) != masked(masks.wrk, other)


def test_where_speed_decides_errors_are_none_or_some() -> None:
    some = "  Socket errors: connect 0, read 4062, write 0, timeout 0"
    more = "  Socket errors: connect 0, read 7, write 0, timeout 0"
    others = "  Socket errors: connect 0, read 7, write 0, timeout 1"
    assert masked(masks.wrk, some, exact=False) == masked(masks.wrk, more, exact=False)
    assert masked(masks.wrk, more, exact=False) != masked(masks.wrk, others, exact=False)


def test_of_ours_only_advice_is_left_out() -> None:
    volley = Program("ab", real("ab").path.parent / "volley")
    said = "advice: use -k\nother\n"
    assert differences.settled(volley, "", said) == ("", "other\n")
    assert differences.settled(real("ab"), "", said) == ("", said)
