"""Servers as people have them, raced as they come: short queues, no keep-alive, one at a time."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from bakeoff.model.verdict import Verdict
from bakeoff.report.sentences import joined
from tests.e2e.conftest import Place

pytestmark = pytest.mark.e2e

FLASK = """
from flask import Flask
app = Flask(__name__)

@app.get("/")
def hello():
    return "Hi"
"""
FASTAPI = """
from fastapi import FastAPI
app = FastAPI()

@app.get("/")
def hello():
    return {"greeting": "Hi"}
"""
DJANGO = """
import sys
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.urls import path

settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="x", DEBUG=True)
urlpatterns = [path("", lambda request: HttpResponse("Hi"))]
execute_from_command_line(sys.argv)
"""
EXPRESS = """
const app = require("express")();
app.get("/", (request, response) => response.send("Hi"));
app.listen(process.env.PORT);
"""
WEBRICK = """
require "webrick"
server = WEBrick::HTTPServer.new(Port: ENV["PORT"].to_i, DocumentRoot: ".")
trap("TERM") { server.shutdown }
server.start
"""
LIGHTTPD = """
server.document-root = "FOLDER"
server.port = env.PORT
index-file.names = ("index.html")
"""
ONE_AT_A_TIME = """
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

class Hello(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"Hi")

HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Hello).serve_forever()
"""
FILES = {
    "index.html": "Hi",
    "flask_app.py": FLASK,
    "fastapi_app.py": FASTAPI,
    "manage.py": DJANGO,
    "app.js": EXPRESS,
    "app.rb": WEBRICK,
    "lighttpd.conf": LIGHTTPD,
    "one.py": ONE_AT_A_TIME,
}
SERVERS = {
    "http.server": "python3 -m http.server {port}",
    "flask": "flask --app flask_app run --port {port}",
    "manage.py": "python3 manage.py runserver {port}",
    "uvicorn": "uvicorn fastapi_app:app --port {port}",
    "app.js": "node app.js",
    "php": "php -S 127.0.0.1:{port}",
    "httpd": "busybox httpd -f -p 127.0.0.1:{port}",
    "app.rb": "ruby app.rb",
    "lighttpd": "lighttpd -D -f lighttpd.conf",
}
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin"
SHORT = ("--no-twin", "--warm-up", "1s")


@pytest.fixture
def everyday(place: Place) -> Place:
    """A folder with all of them. Skips where `make test-tools` could not install one."""
    programs = [command.split()[0] for command in SERVERS.values()]
    if missing := [each for each in programs if not shutil.which(each, path=PATH)]:
        pytest.skip(f"missing: {', '.join(missing)}; make test-tools installs what Debian has")
    for name, text in FILES.items():
        (place.path / name).write_text(text.replace("FOLDER", str(place.path)))
    return place


@pytest.fixture
def with_express(everyday: Place) -> Place:
    """The same with the packages of the catalogue's Express."""
    assert everyday.bakeoff("setup", "express").status == 0
    root = Path(__file__).parents[2] / "catalogue" / "contenders" / "express"
    (everyday.path / "node_modules").symlink_to(root / ".out" / "node_modules")
    return everyday


@pytest.mark.alone
def test_all_of_them_race_as_they_come_and_have_a_verdict(with_express: Place) -> None:
    words = ["race", *SERVERS.values(), "-d", "5", *SHORT]
    ended = with_express.bakeoff(*words, "--json", "verdict.json", PATH=PATH, COLUMNS="80")
    assert ended.status == 0, ended.err
    verdict = Verdict.read_json(with_express.path / "verdict.json")
    assert {entry.name for entry in verdict.entries} == set(SERVERS)
    why = {each.name: joined(each.reasons) for each in verdict.entries if not each.valid}
    assert why == {}
    # A server that makes clients wait is not excused by the generator.
    slow = [entry.name for entry in verdict.entries for each in entry.at_least if each]
    assert slow == []
    assert verdict.connections == 5
    (fewer,) = (each for each in verdict.warnings if each.code == "fewer_connections")
    assert "http.server" in str(fewer.values["names"])
    assert "about " in ended.err and "at most" in ended.err
    assert max(map(len, ended.out.splitlines())) <= 80


def test_who_is_asked_for_more_than_it_takes_is_out_with_what_would_do(everyday: Place) -> None:
    commands = [SERVERS["http.server"], SERVERS["httpd"], "python3 one.py"]
    ended = everyday.bakeoff("race", *commands, "-c", "64", "-d", "3", *SHORT, PATH=PATH)
    assert ended.status == 3, "none is left"
    said = " ".join(ended.err.split())
    assert "one.py is out: it serves 1 of 64 connections at a time" in said
    assert "use -c 1, or --close" in said
    for name, places in (("http.server", 5), ("httpd", 9)):
        assert f"{name} is out: its listen queue has room for {places}" in said
        assert f"use -c {places}" in said


def test_names_that_were_given_go_through_to_the_gates(everyday: Place) -> None:
    words = [f"files={SERVERS['lighttpd']}", f"api={SERVERS['uvicorn']}", "-d", "2", *SHORT]
    gate = ("--gate", "files > api", "--reference", "api")
    ended = everyday.bakeoff("race", *words, *gate, "--json", "verdict.json", PATH=PATH)
    assert ended.status == 0, ended.err
    verdict = Verdict.read_json(everyday.path / "verdict.json")
    assert verdict.reference == "api"
    assert {entry.name for entry in verdict.entries} == {"files", "api"}
    assert (everyday.path / "runs" / "latest").resolve().name.endswith("-files-vs-api")
