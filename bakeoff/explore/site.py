"""The same pages as files: a site that works on any host, in any folder, and from `file://`.

Every page to which another one leads is made, beginning with the shelf, together with its files:
its figures, its pictures. The pages themselves leave out parts that need a server (forms, families
of contenders). A page of an earlier export stays while its sources do.
"""

import gc
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol

from bakeoff import __version__
from bakeoff.explore import address as to
from bakeoff.explore import downloads
from bakeoff.explore.address import Address, Still, file_of
from bakeoff.explore.page import NAVIGATION, FailurePage, Page, Saying, assets, render
from bakeoff.explore.private import Private
from bakeoff.explore.unchanged import Grounds, maker
from bakeoff.explore.views import view
from bakeoff.history.index import Index
from bakeoff.model.errors import BadUsage, BakeoffError
from bakeoff.model.history import RunLine
from bakeoff.model.site import Site, SitePage
from bakeoff.report import figures
from bakeoff.runs import AnyRun
from bakeoff.runs.store import PLAN_FILE
from bakeoff.workers import pool

MANIFEST = "site.json"
RUNS = "runs"
"""The folder of a site's published runs."""
IN_A_SHARD = 1000
"""Runs in one file of the search, up to twice as many in the newest: some 200 KB, a quarter of it
over the wire."""
AT_A_TIME = 25
"""Runs whose pages one process makes, one after the other: a run and its comparison with the one
before are made of the same files, which are read once."""


class Watch(Protocol):
    """The receiver of its progress."""

    def measured(self, done: float, of: float, text: str) -> None:
        """The number of pages made so far."""


@dataclass(frozen=True)
class Made:
    """One page of the site: its files, its links, and the reason if it can't be shown.

    `made_of` is a hash of its sources; empty: it is made each time.
    """

    address: Address
    files: tuple[str, ...]
    leads: tuple[Address, ...]
    fault: str = ""
    made_of: str = ""

    @property
    def kept(self) -> SitePage:
        leads = tuple(to.live(lead) for lead in self.leads if lead not in _ON_EVERY_PAGE)
        return SitePage(made_of=self.made_of, files=self.files, leads=leads)


_ON_EVERY_PAGE = {address for _, address in NAVIGATION}


@dataclass
class _Recorder:
    """Links of a static page, which are recorded."""

    still: Still
    leads: dict[Address, None] = field(default_factory=dict)

    def __call__(self, address: Address) -> str:
        self.leads[address] = None
        return self.still(address)


@dataclass(frozen=True)
class _Press:
    """The maker of pages, in each process."""

    index: Index
    folder: Path
    private: Private
    shards: tuple[Address, ...]
    url: str
    grounds: Grounds
    earlier: Mapping[str, SitePage]

    def pages(self, addresses: Iterable[Address]) -> Iterator[Made]:
        for address in addresses:
            made = self.page(address)
            yield made
            if address.parts[:1] == ("run",):
                yield from map(self.page, filter(_is_comparison, made.leads))

    def page(self, address: Address) -> Made:
        """The page of an address: that of an earlier export while it has the same content."""
        try:
            made_of = self.grounds.of(address)
        except BakeoffError:
            made_of = ""
        earlier = self.earlier.get(to.live(address)) if made_of else None
        if earlier and earlier.made_of == made_of and all(map(self._is_there, earlier.files)):
            leads = tuple(map(Address.of_link, earlier.leads))
            return Made(address, earlier.files, leads, made_of=made_of)
        made = self._made(address)
        return made if made.fault else replace(made, made_of=made_of)

    def _is_there(self, file: str) -> bool:
        return (self.folder / file).is_file()

    def _made(self, address: Address) -> Made:
        """Make the page of an address, and the files that belong to it."""
        try:
            page, fault = view(self.index, address), ""
        except BakeoffError as error:
            fault = self.private(f"{to.live(address)}: {error}")
            page = FailurePage(address=address, title="This can’t be shown", alarm=str(error))
        links = _Recorder(Still(address))
        saying = Saying(self.private, self.shards, self.url)
        write(self.folder, file_of(address), render(page, links, saying=saying).encode())
        own = [lead for lead in links.leads if _belongs(lead, address)]
        for file in own:
            self._make(page, file)
        further = [lead for lead in links.leads if lead not in own and not to.is_file(lead)]
        return Made(address, tuple(map(file_of, [address, *own])), tuple(further), fault)

    def _make(self, page: Page, address: Address) -> None:
        made = downloads.made(page, downloads.split(address)[1], Still(address), self.private)
        write(self.folder, file_of(address), made.content)


def _belongs(file: Address, view: Address) -> bool:
    return file != view and downloads.split(file)[0] == view


_press: _Press


def _is_comparison(address: Address) -> bool:
    return address.parts[:1] == ("two",)


def _begin(
    history: str,
    folder: Path,
    private: Private,
    shards: tuple[Address, ...],
    url: str,
    earlier: Mapping[str, SitePage],
) -> None:
    from bakeoff.history import open_index

    # These objects stay, and a page's sources are freed with it: looking for cycles as often as
    # usual takes an eighth of the time.
    gc.freeze()
    gc.set_threshold(50_000)
    # A process of a pool keeps these for all of its work.
    global _press
    index = open_index(history)
    grounds = Grounds(index)
    _press = _Press(index, folder, private, shards, url, grounds, earlier)


def _pages(addresses: Sequence[Address]) -> list[Made]:
    return list(_press.pages(addresses))


def export(index: Index, folder: Path, watch: Watch, url: str = "") -> tuple[int, list[str]]:
    """Write the site of an index to `folder`; returns the number of its pages, and the faults.

    `url` is its future address, if that is known: text to copy has it.

    Raises `BadUsage` where the folder has other content, or can't be written.
    """
    before = check(folder)
    made_by = maker(url)
    earlier = before.pages if before.made_by == made_by else {}
    places = {Path(path).parent for path in index.paths().values()}
    private = Private.here(places, set(index.choices().contenders))
    try:
        if not (folder / MANIFEST).exists():
            # An export that is cut off leaves a folder that the next one accepts as its own.
            write(folder, MANIFEST, before.to_json().encode())
        assets = list(_assets(folder))
        shards = tuple(_shards(index, folder, private))
        given = (index.url, folder, private, shards, url, earlier)
        # Once for all processes, which are copies of this one: it takes most of a second.
        import_module("bakeoff.judge")
        with pool(begin=_begin, given=given) as workers:
            made = _crawl(workers, watch)
        settle(folder, before, _site(made_by, [*assets, *map(file_of, shards)], made))
    except OSError as error:
        raise BadUsage(f"{folder}: can't be written: {error.strerror}") from None
    return len(made), [page.fault for page in made if page.fault]


def settle(folder: Path, before: Site, site: Site) -> None:
    """List the current files of a site, and remove its earlier ones. Raises OSError."""
    write(folder, MANIFEST, site.to_json().encode())
    # A path that leads out of the site is not known to be ours.
    for gone in {*before.all_files()} - {*site.all_files()}:
        if ".." not in Path(gone).parts and gone[:1] != "/":
            with suppress(OSError):
                (folder / gone).unlink()


def check(folder: Path) -> Site:
    """The files of an earlier export there. Raises `BadUsage` where there are other files."""
    if folder.exists() and not folder.is_dir():
        raise BadUsage(f"{folder}: is not a folder; name one for the site")
    if (folder / MANIFEST).exists():
        return Site.read_json(folder / MANIFEST)
    if folder.is_dir() and any(
        not entry.name.startswith(".") and entry.name != RUNS for entry in folder.iterdir()
    ):
        raise BadUsage(f"{folder}: has other files in it; a site takes a folder of its own")
    return Site(bakeoff=__version__, files=())


def _site(made_by: str, shared: Sequence[str], made: Sequence[Made]) -> Site:
    lasting = {to.live(page.address): page.kept for page in made if page.made_of}
    others = (file for page in made if not page.made_of for file in page.files)
    return Site(
        bakeoff=__version__,
        made_by=made_by,
        files=tuple(sorted({*shared, *others})),
        pages=dict(sorted(lasting.items())),
    )


def _crawl(workers: ProcessPoolExecutor, watch: Watch) -> Sequence[Made]:
    """Every page to which another one leads, beginning with the shelf."""
    known = {to.shelf()}
    ready: SimpleQueue[Future[list[Made]]] = SimpleQueue()
    made: dict[Address, Made] = {}
    jobs = 0

    def begin(addresses: Sequence[Address]) -> None:
        nonlocal jobs
        for job in _jobs(addresses):
            workers.submit(_pages, job).add_done_callback(ready.put)
            jobs += 1

    begin([to.shelf()])
    while jobs:
        done = ready.get().result()
        jobs -= 1
        made |= {page.address: page for page in done}
        known |= made.keys()
        found = dict.fromkeys(address for page in done for address in page.leads)
        fresh = [address for address in found if address not in known]
        known |= set(fresh)
        begin(fresh)
        said = f"{figures.count(len(made))} of {figures.count(len(known))} pages"
        watch.measured(len(made), len(known), said)
    return list(made.values())


def _jobs(addresses: Sequence[Address]) -> Iterator[Sequence[Address]]:
    runs = [address for address in addresses if address.parts[:1] == ("run",)]
    yield from ([address] for address in addresses if address.parts[:1] != ("run",))
    yield from (runs[at : at + AT_A_TIME] for at in range(0, len(runs), AT_A_TIME))


def _assets(folder: Path) -> Iterator[str]:
    for name, content in assets().items():
        file = file_of(to.asset(name))
        write(folder, file, content)
        yield file


def _shards(index: Index, folder: Path, private: Private) -> Iterator[Address]:
    """The data of the search, in files that are named by their content.

    They are scripts, since a page from `file://` may read no other files.
    """
    before: str | None = None
    while True:
        page = index.runs(before=before, limit=IN_A_SHARD, steady=True)
        if page.runs:
            rows = [private.within(_row(run)) for run in page.runs]
            content = f"found({json.dumps(rows, ensure_ascii=False)});".encode()
            name = f"runs-{sha256(content).hexdigest()[:12]}.js"
            write(folder, file_of(to.asset(name)), content)
            yield to.asset(name)
        before = page.before
        if before is None:
            return


def _row(run: RunLine) -> Sequence[str]:
    words = (run.name, run.kind, *run.contenders, *run.workloads, run.cpu_model)
    began = f"{run.began_at:%Y-%m-%d %H:%M}"
    return (file_of(to.run(run.id)), began, run.kind, run.headline, " ".join(words))


def write(folder: Path, file: str, content: bytes) -> None:
    """Write a file of a site, whole, unless it exists already. Raises OSError."""
    path = folder / file
    try:
        if path.read_bytes() == content:
            return
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    draft.write_bytes(content)
    draft.replace(path)


def copy_into(site: Path, run: AnyRun) -> Counter[str]:
    """Copy a run that is judged into `site`/runs: plan, machine, receipts, results, its parts'.

    Samples and logs are not copied. Replacements in the texts are counted by the new text. An
    existing run of that name is replaced. Raises `BadUsage`.
    """
    if not run.is_judged:
        reason = f"has no result yet; `bakeoff report {run.path}` makes one"
        raise BadUsage(f"{run.path}: {reason}")
    private = Private.here([run.path.parent, run.path.resolve().parent], _public(run.path))
    to = site / RUNS / run.path.resolve().name
    draft = to.with_name(f".{to.name}.tmp")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        for file in _files(run.path):
            value = private.within(_without_logs(json.loads(file.read_bytes())))
            copy = draft / file.relative_to(run.path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(json.dumps(value, ensure_ascii=False))
        if to.exists():
            shutil.rmtree(to)
        draft.rename(to)
    except OSError as error:
        raise BadUsage(f"{to}: can't be written: {error.strerror}") from None
    return private.replaced


def _files(folder: Path) -> Iterator[Path]:
    """All JSON files of a run and of its parts."""
    yield from sorted(folder.glob("*.json"))
    for part in sorted(folder.iterdir()):
        if (part / PLAN_FILE).exists():
            yield from _files(part)


def _without_logs(value: Any) -> Any:
    """The same without compilers' output, which has no readers there, and is full of paths."""
    if isinstance(value, dict):
        return {
            key: "" if key == "log" and isinstance(item, str) else _without_logs(item)
            for key, item in value.items()
        }
    return [_without_logs(item) for item in value] if isinstance(value, list) else value


def _public(folder: Path) -> set[str]:
    """The contenders' names: a contender with the machine's name is meant to be readable."""
    entries = json.loads((folder / PLAN_FILE).read_bytes()).get("entries", [])
    return {entry["name"] for entry in entries if isinstance(entry, dict) and "name" in entry}
