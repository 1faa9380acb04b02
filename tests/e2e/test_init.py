"""`bakeoff init`, and then the race that it says checks what it wrote."""

import json
from pathlib import Path

import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import QUICK, Place

NODE = {
    "package.json": json.dumps({"name": "shop", "scripts": {"start": "node src/server.js"}}),
    "src/server.js": """
const answer = (request, response) => response.end("Hi");
require("http").createServer(answer).listen(process.env.PORT);
""",
}
PYTHON = {
    "Procfile": "web: python3 app.py --port $PORT\n",
    "app.py": """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"Hi")
    def log_message(self, *_):
        pass

class Server(ThreadingHTTPServer):
    request_queue_size = 64

Server(("127.0.0.1", int(sys.argv[2])), Answer).serve_forever()
""",
}
GO = {
    "go.mod": "module example.org/shop\n\ngo 1.19\n",
    "main.go": """package main

import (
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("Hi")) })
	http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil)
}
""",
}


@pytest.mark.e2e
@pytest.mark.parametrize(
    "files",
    [
        pytest.param(NODE, id="node"),
        pytest.param(PYTHON, id="python"),
        # A cold build of Go's standard library takes minutes on a busy machine.
        pytest.param(GO, id="go", marks=pytest.mark.slow),
    ],
)
def test_what_init_writes_can_be_raced(place: Place, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = place.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    written = place.bakeoff("init")
    assert written.status == 0, written.err
    assert "Check it:  bakeoff race ." in written.out
    raced = place.bakeoff("race", ".", *QUICK, "-d", "1", "--json", "verdict.json", timeout_s=600)
    assert raced.status == 0, raced.err + raced.out
    (entry,) = Verdict.read_json(Path(place.path, "verdict.json")).entries
    assert entry.valid and entry.requests > 0
    assert entry.name == place.path.name
