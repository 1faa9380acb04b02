"""What QUIC lost under a load is a warning on who was loaded, and its counts are in the verdict."""

import pytest

from bakeoff.judge.datagrams import missing
from bakeoff.judge.history import History
from bakeoff.model.datagrams import Datagrams
from bakeoff.model.findings.values import Value
from bakeoff.model.plan import NetworkPath
from tests.judge import races
from tests.judge.races import Race, row, says


def quic(lost: int = 0, dropped: int | None = 0, retries: int = 0) -> Datagrams:
    return Datagrams(
        quic_version="v1 (RFC 9000)",
        congestion_control="cubic",
        sent=100,
        received=200,
        received_per_answer=2.0,
        received_bytes_per_answer=120.0,
        sent_per_call=1.0,
        received_per_piece=1.5,
        lost=lost,
        dropped=dropped,
        retries=retries,
    )


def loaded(seen: Datagrams) -> Race:
    return Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6, events={"b": {"datagrams": seen}})


@pytest.mark.parametrize(
    ("seen", "code", "values"),
    [
        (
            quic(lost=3, dropped=2),
            "datagrams_dropped",
            {"datagrams": 24, "datagrams_carried": 3600, "datagrams_at_server": 18},
        ),
        (quic(lost=3), "quic_packets_lost", {"packets": 36, "packets_sent": 1200}),
        (quic(lost=3, dropped=None), "quic_packets_lost", {"packets": 36, "packets_sent": 1200}),
        (quic(retries=2), "handshakes_retried", {"retries": 24}),
    ],
)
def test_what_is_missing_is_named(seen: Datagrams, code: str, values: dict[str, Value]) -> None:
    race = loaded(seen)
    race.end = {"dropped": {"b": 9}}
    verdict = races.judged(race)
    b = row(verdict, "b")
    assert b.valid and says(b.warnings, code, **values), b.warnings
    assert b.datagrams == seen.model_copy(
        update={
            "sent": 1200,
            "received": 2400,
            "lost": 12 * seen.lost,
            "retries": 12 * seen.retries,
            "dropped": None if seen.dropped is None else 12 * seen.dropped,
        }
    )
    assert row(verdict, "a").datagrams is None


def test_packets_that_a_path_loses_are_no_warning() -> None:
    race = loaded(quic(lost=3))
    plan, history = race.plan(), History.of(race.records())
    over = plan.model_copy(update={"path": NetworkPath(delay_ms=10, loss=0.01)})
    assert [each.code for each in missing(plan, history, "b")] == ["quic_packets_lost"]
    assert not list(missing(over, history, "b"))
