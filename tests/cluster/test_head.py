"""What is said of a head that can't be reached, isn't one, or goes while it is asked."""

import platform
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bakeoff.model.errors import BadUsage, MissingPiece

pytest.importorskip("ray", reason="Ray is not installed (requirements/cluster.txt)")

from bakeoff.cluster import head


@pytest.mark.parametrize(
    ("theirs", "mends"),
    [
        ({"ray_version": "2.1.0"}, ["pip install 'ray==2.1.0'"]),
        ({"python_version": "3.9.1"}, ["install bakeoff with Python 3.9.1"]),
        (
            {"ray_version": "2.1.0", "python_version": "3.9.1"},
            ["install bakeoff with Python 3.9.1", "pip install 'ray==2.1.0'"],
        ),
    ],
)
def test_a_cluster_of_other_versions_is_refused(
    monkeypatch: pytest.MonkeyPatch, theirs: dict[str, str], mends: list[str]
) -> None:
    import ray
    from ray._private.utils import check_version_info

    ours = {"ray_version": ray.__version__, "python_version": platform.python_version()}
    monkeypatch.setattr(ray, "init", lambda **_: check_version_info({**ours, **theirs}, "here"))
    with pytest.raises(MissingPiece) as error, head.connected("auto"):
        pass
    assert str(error.value).endswith(f"; here: {', and '.join(mends)}")


@pytest.mark.parametrize("address", ["10.0.0.1:x", ":6379"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(BadUsage, match="it takes HOST, HOST:PORT or auto"):
        head._reached(address)


def test_an_address_where_nobody_answers_is_refused_at_once() -> None:
    with pytest.raises(MissingPiece, match=r"nobody answers at 127\.0\.0\.1 port 9"):
        head._reached("127.0.0.1:9")


def test_who_is_no_head_of_ray_is_not_asked_for_minutes() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_port
        with pytest.raises(MissingPiece, match=f"answers at 127.0.0.1 port {port} is no head"):
            head._reached(f"127.0.0.1:{port}")
        server.shutdown()


def test_who_goes_while_it_is_asked_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head, "ASK_S", 0.05)
    waiting = threading.Event()

    def slowly() -> str:
        time.sleep(0.2)
        return "slow"

    with socket.create_server(("127.0.0.1", 0)) as there:
        address = f"127.0.0.1:{there.getsockname()[1]}"
        assert head.answered(slowly, address) == "slow"
    with pytest.raises(MissingPiece, match=f"{address} is gone .*; start it again there"):
        head.answered(waiting.wait, address)
    waiting.set()


def test_what_ray_raises_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        head.answered(lambda: 1 // 0, "")
