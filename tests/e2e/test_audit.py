"""`bakeoff contenders --audit` with real servers and the real engine."""

import shutil
from pathlib import Path

import pytest

from bakeoff.model.audit import AuditReport
from tests.e2e.conftest import Place, interrupt, wait_for_line

pytestmark = pytest.mark.e2e
LOGS = """
import http.server, os
class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"Hi")
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Server)
server.serve_forever()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def test_two_of_the_catalogue(place: Place, temporary: Path) -> None:
    names = [name for name in ("nginx", "node-http") if shutil.which(name.split("-")[0])]
    if len(names) < 2:
        pytest.skip("needs nginx and node: bakeoff setup nginx node-http")
    ended = place.bakeoff("contenders", "--audit", *names, "--workers", "4", "--json", "a.json")
    assert ended.status == 0, ended.err
    report = AuditReport.read_json(place.path / "a.json")
    assert list(report.works) == names
    for work in report.works.values():
        assert work.audit and (work.audit.kept, work.audit.date) == (20, "moves")
        assert work.crew and work.crew.threads_at_work >= 1
        assert work.written_per_request == 0
    node = report.works["node-http"].crew
    assert node and node.processes == 1
    missing = [each.values for each in report.unequal if each.code == "headers_missing"]
    assert [each["headers"] for each in missing if each["names"] == ["nginx"]] == [["keep-alive"]]
    assert not (place.path / "runs").exists() and not list(temporary.iterdir())


def test_a_server_that_logs_and_writes_twice_is_told_from_one_that_does_not(place: Place) -> None:
    (place.path / "logs.py").write_text(LOGS)
    quiet = place.server("quiet", body=b"Hi")
    logs = quiet.replace("quiet", "logs")
    ended = place.bakeoff("contenders", "--audit", quiet, logs, "-c", "2", "--json", "-")
    assert ended.status == 0, ended.err
    report = AuditReport.from_json(ended.out, "stdout")
    written = report.works["logs.py"].written_per_request
    assert written and written > 20
    assert report.works["quiet.py"].written_per_request == 0
    assert {"segments_differ", "no_date"} <= {each.code for each in report.unequal}


def test_ctrl_c_tidies_up(place: Place, temporary: Path) -> None:
    process = place.begin("contenders", "--audit", place.server("a"), place.server("b"))
    wait_for_line(process, "loading")
    interrupt(process)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    place.wait_until_nothing_is_left()
    assert not list(temporary.iterdir())
