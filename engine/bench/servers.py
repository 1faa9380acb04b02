"""The servers that are loaded, on a core of their own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from generators import BODY, BUILD, RELEASE, REQUEST

CORE = 0
BRICK = str(BUILD / "brick" / "brick-yardstick")
TONIC = str(BUILD / "tools" / "tonic" / "release" / "server")
# Of large answers. nginx has each at the path of its length.
LENGTHS = (100 * 1024, 1024 * 1024)

NGINX_CONF = """
daemon off;
master_process off;
worker_processes 1;
pid {prefix}/nginx.pid;
error_log {prefix}/error.log;
events {{ worker_connections 20000; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
  client_body_temp_path {prefix}/body;
  proxy_temp_path {prefix}/proxy;
  fastcgi_temp_path {prefix}/fastcgi;
  uwsgi_temp_path {prefix}/uwsgi;
  scgi_temp_path {prefix}/scgi;
  server {{
    listen 127.0.0.1:{port} {spoken} backlog=4096;
    {tls}
    location / {{ default_type text/plain; return 200 "{body}"; }}
    location ~ ^/[0-9]+$ {{ default_type text/plain; root {prefix}; open_file_cache max=9; }}
  }}
}}
"""

# As rustls chooses them. No session is kept: every handshake is full.
NGINX_TLS = """
    ssl_certificate {prefix}/cert.pem;
    ssl_certificate_key {prefix}/key.pem;
    ssl_protocols TLSv1.3;
    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
    ssl_session_tickets off;
    ssl_session_cache off;
"""
NGINX_SPEAKS = {"h1": "", "h1-tls": "ssl", "h2c": "http2", "h2": "ssl http2"}


@contextmanager
def telling(*command: str) -> Iterator[str]:
    """A server that prints the address at which it listens."""
    pinned = ["taskset", "-c", str(CORE), *command]
    with subprocess.Popen(pinned, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            address = re.search(r"[\d.]+:\d+", said)
            if address is None:
                sys.exit(f"{Path(command[0]).name} did not start: it said {said!r}")
            yield address[0]
        finally:
            server.terminate()


def null(*options: str) -> AbstractContextManager[str]:
    """volley's own null server."""
    return telling(str(RELEASE / "volley"), "null", *options)


def brick() -> AbstractContextManager[str]:
    """The server of known behaviour, whose scripts stream events."""
    return telling(BRICK, "--port", "0", "--threads", "1")


@contextmanager
def null_h2_and_h3() -> Iterator[str]:
    """Two null servers at one port, of TCP and of UDP: each request is for one of them."""
    with null("--protocol", "h2") as address, null("--protocol", "h3", "--listen", address):
        yield address


@contextmanager
def tonic() -> Iterator[str]:
    """The catalogue's contender: it answers a unary call of gRPC."""
    port = free_port()
    settings = {"HOST": "127.0.0.1", "PORT": str(port), "TOKIO_WORKER_THREADS": "1"}
    command = ["taskset", "-c", str(CORE), TONIC]
    with subprocess.Popen(command, env={**os.environ, **settings}) as server:
        try:
            await_answer(port)
            yield f"127.0.0.1:{port}"
        finally:
            server.terminate()


@contextmanager
def nginx(protocol: str = "h1") -> Iterator[str]:
    """Debian's nginx, one worker: the address at which it listens."""
    port, spoken = free_port(), NGINX_SPEAKS[protocol]
    with tempfile.TemporaryDirectory() as prefix:
        tls = NGINX_TLS.format(prefix=prefix) if "ssl" in spoken else ""
        if tls:
            certify(Path(prefix))
        for length in LENGTHS:
            (Path(prefix) / str(length)).write_bytes(b"x" * length)
        conf = Path(prefix) / "nginx.conf"
        conf.write_text(
            NGINX_CONF.format(prefix=prefix, port=port, body=BODY, spoken=spoken, tls=tls)
        )
        command = ["taskset", "-c", str(CORE), "nginx", "-p", prefix, "-c", str(conf)]
        with subprocess.Popen(command) as server:
            try:
                await_answer(port)
                yield f"127.0.0.1:{port}"
            finally:
                server.terminate()


def certify(folder: Path) -> None:
    """A key and a certificate of its own, as small as the null server's."""
    of_p256 = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    command = ["openssl", "req", "-x509", *of_p256, *files, "-subj", "/CN=bench", "-days", "1"]
    subprocess.run(command, check=True, capture_output=True)


def null_for_pipelines() -> AbstractContextManager[str]:
    """The null server for requests of just this length, of which many may come at once."""
    return null("--request-length", str(len(REQUEST)))


def in_protocol(
    server: Callable[..., AbstractContextManager[str]], *options: str
) -> Callable[[], AbstractContextManager[str]]:
    """A server of one protocol."""
    return lambda: server(*options)


OTHERS = ("h1-tls", "h2c", "h2")
SERVERS = {
    "null": null,
    "null for pipelines": null_for_pipelines,
    "null, 100 KB": in_protocol(null, "--body-length", str(LENGTHS[0])),
    "null, 1 MB": in_protocol(null, "--body-length", str(LENGTHS[1])),
    "null h2 and h3": null_h2_and_h3,
    "null websocket": in_protocol(null, "--websocket"),
    "nginx": nginx,
    "brick": brick,
    "tonic": tonic,
    **{f"null {each}": in_protocol(null, "--protocol", each) for each in OTHERS},
    **{f"nginx {each}": in_protocol(nginx, each) for each in OTHERS},
}
PROGRAMS = {name: "nginx" if "nginx" in name else str(RELEASE / "volley") for name in SERVERS}
PROGRAMS |= {"brick": BRICK, "tonic": TONIC}


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
    sys.exit("the server did not start; its messages are above")
