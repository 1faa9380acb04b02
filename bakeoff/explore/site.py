"""The same pages as files: a site that works on any host, in any folder, and from `file://`.

Every page is made that another leads to, beginning with the shelf, and with it the files that it
leads to: its figures, its pictures. What takes a server (forms, families of contenders) the pages
leave out themselves.
"""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from bakeoff import __version__
from bakeoff.explore import address as to
from bakeoff.explore import downloads, embed
from bakeoff.explore.address import Address, Still, file_of
from bakeoff.explore.page import ASSETS, Page, Saying, render, stylesheet
from bakeoff.explore.private import Private
from bakeoff.explore.views import view
from bakeoff.explore.views.failure import FailurePage
from bakeoff.history.index import Index
from bakeoff.model.errors import BadUsage, BakeoffError
from bakeoff.model.history import RunLine
from bakeoff.model.site import Site
from bakeoff.report import figures
from bakeoff.workers import pool

MANIFEST = "site.json"
RUNS = "runs"
"""In a site, the folder of the runs that were published to it."""
IN_A_SHARD = 1000
"""Runs in one file of the search: some 200 KB, a quarter of it over the wire."""


class Watch(Protocol):
    """Who is told how it gets on."""

    def measured(self, done: float, of: float, text: str) -> None:
        """So many pages are made."""


@dataclass(frozen=True)
class Made:
    """One page that was made: its files, where it leads, and why it says that it can't be shown."""

    files: tuple[str, ...]
    leads: tuple[Address, ...]
    fault: str = ""


@dataclass
class _Recorder:
    """Links of a static page, which are remembered."""

    still: Still
    leads: dict[Address, None] = field(default_factory=dict)

    def __call__(self, address: Address) -> str:
        self.leads[address] = None
        return self.still(address)


@dataclass(frozen=True)
class _Press:
    """What makes pages, in each process."""

    index: Index
    folder: Path
    private: Private
    shards: tuple[Address, ...]
    url: str

    def page(self, address: Address) -> Made:
        """Make the page of an address, and the files that belong to it."""
        try:
            page, fault = view(self.index, address), ""
        except BakeoffError as error:
            fault = self.private(f"{to.live(address)}: {error}")
            page = FailurePage(address=address, title="This can’t be shown", alarm=str(error))
        links = _Recorder(Still(address))
        saying = Saying(self.private, self.shards, self.url)
        _write(self.folder, file_of(address), render(page, links, saying=saying).encode())
        own = [each for each in links.leads if _belongs(each, address)]
        for each in own:
            _write(self.folder, file_of(each), self._file(page, each))
        further = [each for each in links.leads if each not in own and not to.is_file(each)]
        return Made(tuple(map(file_of, [address, *own])), tuple(further), fault)

    def _file(self, page: Page, address: Address) -> bytes:
        _, name = downloads.split(address)
        if name[0] == "embed":
            return embed.made(page, name[1], Still(address), self.private).encode()
        return downloads.made(page, name, self.private).content


def _belongs(file: Address, view: Address) -> bool:
    return file != view and downloads.split(file)[0] == view


_press: _Press


def _begin(
    history: str, folder: Path, private: Private, shards: tuple[Address, ...], url: str
) -> None:
    from bakeoff.history import open_index

    # What a process of a pool has, it has for all of its work.
    global _press
    _press = _Press(open_index(history), folder, private, shards, url)


def _page(address: Address) -> Made:
    return _press.page(address)


def export(index: Index, folder: Path, watch: Watch, url: str = "") -> tuple[int, list[str]]:
    """Write the site of an index to `folder`; how many pages it has, and what was wrong.

    `url` is the address that it will have, where that is known: what is to be copied says it.

    Raises `BadUsage` where the folder has something else in it, or can't be written.
    """
    before = check(folder)
    places = {Path(path).parent for path in index.paths().values()}
    private = Private.here(places, set(index.choices().contenders))
    try:
        assets = list(_assets(folder))
        shards = tuple(_shards(index, folder, private))
        with pool(begin=_begin, given=(index.url, folder, private, shards, url)) as workers:
            made = _crawl(workers, watch)
        files = {*assets, *map(file_of, shards), *(file for each in made for file in each.files)}
        site = Site(bakeoff=__version__, files=tuple(sorted(files)))
        _write(folder, MANIFEST, site.to_json().encode())
    except OSError as error:
        raise BadUsage(f"{folder}: can't be written: {error.strerror}") from None
    for gone in before - files:
        with suppress(OSError):
            (folder / gone).unlink()
    return len(made), [each.fault for each in made if each.fault]


def check(folder: Path) -> set[str]:
    """The files there that an earlier export wrote. Raises `BadUsage` where there are others."""
    if folder.exists() and not folder.is_dir():
        raise BadUsage(f"{folder}: is no folder; name one for the site")
    if (folder / MANIFEST).exists():
        # A path that leads out of the site is nobody's that we know of.
        files = Site.read_json(folder / MANIFEST).files
        return {file for file in files if ".." not in Path(file).parts and file[:1] != "/"}
    if folder.is_dir() and any(
        not each.name.startswith(".") and each.name != RUNS for each in folder.iterdir()
    ):
        raise BadUsage(f"{folder}: has other files in it; a site takes a folder of its own")
    return set()


def _crawl(workers: ProcessPoolExecutor, watch: Watch) -> list[Made]:
    """Every page that another one leads to, beginning with the shelf."""
    known = {to.shelf()}
    ready: SimpleQueue[Future[Made]] = SimpleQueue()
    made: list[Made] = []

    def begin(address: Address) -> None:
        workers.submit(_page, address).add_done_callback(ready.put)

    begin(to.shelf())
    while len(made) < len(known):
        made.append(ready.get().result())
        for address in made[-1].leads:
            if address not in known:
                known.add(address)
                begin(address)
        if len(made) % 20 == 0:
            said = f"{figures.count(len(made))} of {figures.count(len(known))} pages"
            watch.measured(len(made), len(known), said)
    return made


def _assets(folder: Path) -> Iterator[str]:
    contents = {"page.css": stylesheet().encode()}
    contents |= {each.name: each.read_bytes() for each in ASSETS.iterdir() if each.is_file()}
    for name, content in contents.items():
        file = file_of(to.asset(name))
        _write(folder, file, content)
        yield file


def _shards(index: Index, folder: Path, private: Private) -> Iterator[Address]:
    """What the search looks through, in files that are called after what is in them.

    They are scripts, since a page from `file://` may read nothing else.
    """
    before: str | None = None
    while True:
        page = index.runs(before=before, limit=IN_A_SHARD)
        if page.runs:
            rows = [private.within(_row(run)) for run in page.runs]
            content = f"found({json.dumps(rows, ensure_ascii=False)});".encode()
            name = f"runs-{sha256(content).hexdigest()[:12]}.js"
            _write(folder, file_of(to.asset(name)), content)
            yield to.asset(name)
        before = page.before
        if before is None:
            return


def _row(run: RunLine) -> Sequence[str]:
    words = (run.name, run.kind, *run.contenders, *run.workloads, run.cpu_model)
    began = f"{run.began_at:%Y-%m-%d %H:%M}"
    return (file_of(to.run(run.id)), began, run.kind, run.headline, " ".join(words))


def _write(folder: Path, file: str, content: bytes) -> None:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
