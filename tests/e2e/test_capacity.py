"""`bakeoff capacity` with real servers and the real engine."""

import json

import pytest

from bakeoff.model.capacity import CapacityReport
from tests.e2e.conftest import Place

pytestmark = pytest.mark.e2e
# One answer at a time, each after 2 ms of sleep: whatever the machine does, no more than 500 a
# second, and p90 ≤ 40 ms is held up to nearly that (M/D/1).
ONE_AT_A_TIME = """
import os, socket, threading, time
LOCK = threading.Lock()
ANSWER = b"HTTP/1.1 200 X\\r\\nContent-Type: text/plain\\r\\nContent-Length: 2\\r\\n\\r\\nHi"

def serve(client):
    held = b""
    while data := client.recv(65536):
        *whole, held = (held + data).split(b"\\r\\n\\r\\n")
        for request in whole:
            with LOCK:
                time.sleep(0.002)
            client.sendall(ANSWER)
            if b"onnection: close" in request:
                client.close()
                return

with socket.create_server(("127.0.0.1", int(os.environ["PORT"])), backlog=100) as listening:
    while True:
        client, _ = listening.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()
"""
QUICK = ("-c", "16", "--boots", "1")


@pytest.mark.slow
def test_a_server_of_known_capacity_is_found(place: Place) -> None:
    (place.path / "one.py").write_text(ONE_AT_A_TIME)
    words = ["capacity", "python3 one.py", "--slo", "p90=40ms", "-d", "15", *QUICK]
    ended = place.bakeoff(*words, "--json", "-", timeout_s=120)
    assert ended.status == 0, ended.err
    report = CapacityReport.from_json(ended.out, "stdout")
    (entry,) = report.entries
    (found,) = entry.capacities
    assert found.finding == "found"
    assert found.low is not None and found.high is not None and found.requests_per_s is not None
    assert found.low < found.requests_per_s < found.high
    # 500 is the most that it can ever answer; a busy machine only makes it slower.
    assert 30 < found.requests_per_s < 525
    assert entry.beyond is None or entry.beyond.goodput < 525
    assert report.complete
    run = place.path / "runs" / "latest"
    assert {path.name for path in (run / "charts").iterdir()} == {"goodput.svg", "latency-p90.svg"}
    again = place.bakeoff("report", "runs/latest", "--json", "-")
    assert json.loads(again.out) == json.loads(ended.out)
    refused = place.bakeoff("resume", "runs/latest")
    assert (refused.status, refused.out) == (2, "")
    assert "is complete; for its capacities: bakeoff report" in " ".join(refused.err.split())


def test_an_objective_that_nobody_meets_ends_with_the_best_and_status_1(place: Place) -> None:
    words = ["capacity", place.server("a"), "--slo", "p99=1us", "-d", "8", *QUICK]
    ended = place.bakeoff(*words)
    assert ended.status == 1, ended.err
    said = " ".join(ended.out.split())
    assert "Nobody holds p99 ≤ 1.00 µs: the best was" in said
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nginx"], "Missing option '--slo'"),
        (["--slo", "p99=1ms"], "Missing argument 'CONTENDER"),
        (["nginx", "--slo", "p99=fast"], "--slo p99=fast: `fast` is no time"),
        (["nginx", "--slo", "p42x=1ms"], "--slo p42x=1ms: `p42x` is no quantile"),
        (["nginx", "--slo", "p99=1ms", "--slo", "p99=1ms"], "is given twice"),
        (["nginx", "--slo", "p99=1ms", "-d", "1"], "--duration: 1 s is too little"),
        (["ngnix", "--slo", "p99=1ms"], "did you mean nginx"),
    ],
)
def test_bad_input_is_one_plain_message(place: Place, words: list[str], says: str) -> None:
    ended = place.bakeoff("capacity", *words)
    said = " ".join(ended.err.replace("│", " ").split())
    assert ended.status == 2, said
    assert says in said
    assert "Traceback" not in said
