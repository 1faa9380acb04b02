"""The servers that are loaded, on a core of their own."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from generators import BODY, RELEASE, REQUEST

CORE = 0

NGINX_CONF = """
daemon off;
master_process off;
worker_processes 1;
pid {prefix}/nginx.pid;
error_log {prefix}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
  client_body_temp_path {prefix}/body;
  proxy_temp_path {prefix}/proxy;
  fastcgi_temp_path {prefix}/fastcgi;
  uwsgi_temp_path {prefix}/uwsgi;
  scgi_temp_path {prefix}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{ default_type text/plain; return 200 "{body}"; }}
  }}
}}
"""


@contextmanager
def null(*options: str) -> Iterator[str]:
    """volley's own null server: the address at which it listens."""
    command = [str(RELEASE / "volley"), "null", "--cpus", str(CORE), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            if not said.startswith("listening on "):
                sys.exit(f"`volley null` did not start: it said {said!r}")
            yield said.split()[2]
        finally:
            server.terminate()


@contextmanager
def nginx() -> Iterator[str]:
    """Debian's nginx, one worker: the address at which it listens."""
    port = free_port()
    with tempfile.TemporaryDirectory() as prefix:
        conf = Path(prefix) / "nginx.conf"
        conf.write_text(NGINX_CONF.format(prefix=prefix, port=port, body=BODY))
        command = ["taskset", "-c", str(CORE), "nginx", "-p", prefix, "-c", str(conf)]
        with subprocess.Popen(command) as server:
            try:
                await_answer(port)
                yield f"127.0.0.1:{port}"
            finally:
                server.terminate()


def null_for_pipelines() -> AbstractContextManager[str]:
    """The null server for requests of just this length, of which many may come at once."""
    return null("--request-length", str(len(REQUEST)))


def null_in(protocol: str) -> Callable[[], AbstractContextManager[str]]:
    """The null server of a protocol."""
    return lambda: null("--protocol", protocol)


SERVERS = {
    "null": null,
    "null for pipelines": null_for_pipelines,
    **{f"null {protocol}": null_in(protocol) for protocol in ("h1-tls", "h2c", "h2")},
    "nginx": nginx,
}
PROGRAMS = dict.fromkeys(SERVERS, str(RELEASE / "volley")) | {"nginx": "nginx"}


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_answer(port: int) -> None:
    """Returns once somebody listens there."""
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit("nginx did not start; its messages are above")
