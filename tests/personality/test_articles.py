"""Every command that the five articles print runs as printed, and says what its readers know."""

import fcntl
import os
import resource
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bakeoff.load.tools import LoadSpec, ab, webbench, wrk
from bakeoff.model.article import Article
from bakeoff.model.load import LoadResult
from bakeoff.plan import Catalogue
from tests.brick.conftest import program, running
from tests.personality.programs import ours

PARSERS: dict[str, Callable[[str, LoadSpec], LoadResult]] = {
    "ab": ab.parse,
    "webbench": webbench.parse,
    "wrk": wrk.parse,
}
# What the articles print, and how a run that would take minutes is cut: SIGINT, as readers do.
INTERRUPTED_AFTER_S = {
    "ab -c 100 -n 5000 http://127.0.0.1:8080/": None,
    "ab -n  100000 -c 10 http://localhost:7000/": None,
    "ab -n 1000000 -c 100 localhost:3008/fillbuffer": 2.0,
    "ab -n 1000000 -c 500 localhost:3008/fillbuffer": 2.0,
    "webbench -t 30 -c 200 http://127.0.0.1:8080/": None,
    "wrk -d 100s -c 1024 -t 8 http://localhost:8080/": 2.0,
    "wrk -t2 -c100 -d10 --latency http://localhost:9000": 2.0,
}
STATUS_INTERRUPTED = {"ab": 1, "wrk": 0}
SLOW = {
    "ab -n  100000 -c 10 http://localhost:7000/",
    "webbench -t 30 -c 200 http://127.0.0.1:8080/",
}


ARTICLES = sorted((Catalogue.shipped().root / "articles").glob("*.toml"))
PRINTED = {
    load.command: load for path in ARTICLES for load in Article.read_toml(path).loads.values()
}


@pytest.fixture
def ports_as_printed() -> Iterator[None]:
    """Two lines of one port take turns, whichever processes run them."""
    with Path(__file__).open() as this:
        fcntl.flock(this, fcntl.LOCK_EX)
        yield


def test_every_printed_command_is_tried() -> None:
    assert sorted(PRINTED) == sorted(INTERRUPTED_AFTER_S)


@pytest.mark.parametrize(
    "line",
    [pytest.param(line, marks=[pytest.mark.slow] if line in SLOW else []) for line in PRINTED],
)
@pytest.mark.usefixtures("ports_as_printed")
def test_runs_as_printed(line: str, tmp_path: Path) -> None:
    words = shlex.split(line)
    link = tmp_path / words[0]
    link.symlink_to(ours(words[0]).path)
    asked = asked_by(line)
    port = str(urlsplit(asked.url).port)
    with running([program("brick-yardstick"), "--port", port, "--threads", "2"]):
        out, status = cut(words, tmp_path, INTERRUPTED_AFTER_S[line])
    cut_short = INTERRUPTED_AFTER_S[line] is not None
    assert status == (STATUS_INTERRUPTED[words[0]] if cut_short else 0)
    result = PARSERS[words[0]](out, asked)
    assert result.errors == {}
    if asked.requests and not cut_short:
        assert result.requests == asked.requests
    assert result.requests > 0


def asked_by(line: str) -> LoadSpec:
    load = PRINTED[line]
    url = next(word for word in shlex.split(line) if "localhost" in word or "127.0.0.1" in word)
    url = url if "//" in url else f"http://{url}"
    return LoadSpec(
        url=url,
        host=urlsplit(url).netloc,
        connections=load.connections,
        connection=load.connection,
        http=load.http,
        threads=load.threads,
        requests=load.requests,
        duration_s=load.duration_s,
        cpus=(0,),
    )


def cut(words: list[str], folder: Path, after_s: float | None) -> tuple[str, int]:
    """Run the words with the folder's links first on PATH, with as few files as the article had."""
    with subprocess.Popen(
        words,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=limit_files,
    ) as process:
        if after_s is not None:
            time.sleep(after_s)
            process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=90)
    return out, process.returncode


def limit_files() -> None:
    """`ulimit -n 2000`, of the article with 1024 connections."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (2000, 2000))
