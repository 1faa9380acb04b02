"""How long the explorer takes with many runs: `python -m tests.explore_bench FOLDER --out FILE`.

FOLDER has runs, such as `bakeoff simulate --runs 10000 --contenders 5 --out FOLDER` leaves.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from statistics import median

from bakeoff.history import open_index
from bakeoff.history.place import sqlite_url
from bakeoff.history.results import read_all
from bakeoff.measure import machine
from tests.history.postgresql import a_server
from tests.runs.world import World

PAGES = 10
"""How often a page is asked for; the first time is set apart."""


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def pages(url: str, contender: str) -> dict[str, dict[str, float]]:
    """The shelf and a contender's history, from the application as it is started by hand."""
    command = [sys.executable, "-m", "bakeoff", "explore"]
    env = {"BAKEOFF_HISTORY": url, "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as server:
        try:
            assert server.stdout
            link = server.stdout.readline().strip()
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
            opener.addheaders = [("Accept-Encoding", "gzip")]
            opener.open(link).read()
            base = link.partition("/?")[0]
            return {path: _page(opener, base + path) for path in ("/", f"/contender/{contender}")}
        finally:
            server.terminate()


def _page(opener: urllib.request.OpenerDirector, url: str) -> dict[str, float]:
    times, size = [], 0
    for _ in range(PAGES):
        began = time.perf_counter()
        size = len(opener.open(url).read())
        times.append(time.perf_counter() - began)
    return {"first_s": times[0], "median_s": median(times[1:]), "bytes": size, "n": PAGES}


def measured(url: str, folder: Path, contender: str) -> dict[str, object]:
    """One database: the index made, and pages from it."""
    index = open_index(url)
    rebuild_s = timed(lambda: index.rebuild(read_all([folder], World({}), {})))
    index.close()
    return {"rebuild_s": rebuild_s, "pages": pages(url, contender)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--contender", default="planted")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, a_server() as postgresql:
        site = Path(scratch) / "site"
        sqlite = sqlite_url(Path(scratch) / "history.sqlite")
        record = {
            "schema": "bakeoff.explore-bench/1",
            "runs": sum(1 for _ in given.folder.iterdir()),
            "machine": machine(engine="", bakeoff="").model_dump(mode="json"),
            "sqlite": measured(sqlite, given.folder, given.contender),
            "postgresql": measured(postgresql, given.folder, given.contender),
        }
        command = [sys.executable, "-m", "bakeoff", "explore", "--export", str(site)]
        env = {"BAKEOFF_HISTORY": sqlite, "PATH": "/usr/bin:/bin"}
        record["export_s"] = timed(lambda: subprocess.run(command, check=True, env=env))
        record["export_files"] = sum(1 for each in site.rglob("*") if each.is_file())
    given.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
