"""Names of code that programs make while they run: written down, and read as people know them."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from shutil import which

import pytest

from bakeoff.why import Profiler
from bakeoff.why.names import readable

MAP = "/tmp/perf-812.map"


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("JS:*parserOnIncoming node:_http_server:1026:26", "parserOnIncoming node:_http_server"),
        ("JS:~handle file:///home/a b/old/server.mjs:3:5", "handle server.mjs"),
        ("JS:^Reply.send /w/node_modules/fastify/reply.js:9:1", "Reply.send fastify/reply.js"),
        ("JS:* /home/me/server.js:12:20", "server.js:12:20"),
        ("RegExp:^a(b)", "RegExp:^a(b)"),
        ("Handler:LoadGlobal", "Handler:LoadGlobal"),
        ("void org.a.Net$Socket.run(org.a.B, int)", "org.a.Net$Socket.run"),
        ("java.lang.Object org.a.B$$Lambda$512/0x0000000800e0.get()", "org.a.B$$Lambda.get"),
        ("Interpreter", "Interpreter"),
        ("StubRoutines (1)", "StubRoutines (1)"),
        ("py::handle:/srv/a b/app.py", "py::handle:app.py"),
        ("py::run:/v/lib/python3.12/site-packages/uvicorn/main.py", "py::run:uvicorn/main.py"),
    ],
)  # fmt: skip
def test_a_name_has_no_folder_no_argument_and_no_stage_of_compiling(symbol: str, name: str) -> None:
    assert readable(symbol, MAP) == name
    assert readable(symbol, "/usr/bin/server") == symbol, "what a program was built with stays"


SERVERS = {
    "node": """
function spend(text) {
  for (let n = 0; n < 200; n += 1) text = [...text].reverse().join("");
  return text;
}
require("http")
  .createServer((request, response) => response.end(spend(request.url + request.method)))
  .listen(process.argv[2], "127.0.0.1");
""",
    "java": """
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

class Server {
    public static void main(String[] words) throws Exception {
        var server = HttpServer.create(
            new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])), 0);
        server.createContext("/", exchange -> {
            var body = spend(exchange.getRequestHeaders().toString()).getBytes();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    static String spend(String text) {
        for (int n = 0; n < 200; n++) text = new StringBuilder(text).reverse().toString();
        return text;
    }
}
""",
}
OURS = {"node": "Server.js", "java": "Server.spend"}


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, int, int]]:
    """Its language, pid and port."""
    language = str(request.param)
    if not which(language):
        pytest.skip(f"{language} is not here")
    source = tmp_path / {"node": "Server.js", "java": "Server.java"}[language]
    source.write_text(SERVERS[language])
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {**os.environ, **Profiler().environment}
    # Otherwise Java's server waits for an acknowledgement before the end of each answer.
    env["JAVA_TOOL_OPTIONS"] += " -Dsun.net.httpserver.nodelay=true"
    with subprocess.Popen([language, str(source), str(port)], env=env) as process:
        try:
            while not answers(port):
                assert process.poll() is None
                time.sleep(0.05)
            yield language, process.pid, port
        finally:
            process.kill()
    Profiler().forget([process.pid])
    assert not Path(f"/tmp/perf-{process.pid}.map").exists()


def answers(port: int) -> bool:
    with suppress(OSError), closing(HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    return False


def load(port: int, lasts_s: float) -> None:
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        until_s = time.monotonic() + lasts_s
        while time.monotonic() < until_s:
            connection.request("GET", "/")
            connection.getresponse().read()


def test_nine_of_ten_samples_of_what_compiles_as_it_runs_are_named(
    server: tuple[str, int, int], tmp_path: Path
) -> None:
    profiler, (language, pid, port) = Profiler(), server
    if "stacks" in profiler.missing:
        pytest.skip("no stacks here")
    load(port, 2)
    with profiler.sampling([pid], tmp_path / "perf") as sampling:
        load(port, 1)
    found = sampling.samples()
    leaves = [sample.stack.rpartition(";")[2] for sample in found]
    user = [leaf for leaf in leaves if not leaf.endswith("_[k]")]
    named = [leaf for leaf in user if not leaf.startswith("[")]
    assert len(user) > 100 and len(named) > 0.9 * len(user)
    assert any(OURS[language] in sample.stack for sample in found)
