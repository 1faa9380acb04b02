"""`bakeoff publish`: a run in a static site that others can see."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from bakeoff import runs
from bakeoff.cli.explore import Url, opened_index, say_faults, site_url
from bakeoff.cli.options import Run
from bakeoff.cli.output import err, out, say
from bakeoff.progress import terminal_watch
from bakeoff.report import figures

BRANCH = "git:"


def publish(
    run: Run,
    to: Annotated[
        str,
        typer.Option(
            metavar="SITE|git:BRANCH",
            help="Add the run to the site in this folder, or on this branch of the repository "
            "that you are in. A site that doesn't exist is made.",
        ),
    ],
    url: Url = "",
) -> None:
    """Add a run to a static site of the explorer's pages.

    Copies what the pages are made of, without samples and logs, and makes the
    site anew from all runs in it. Names of this machine and its user are left
    out, and where things lie. Nothing is sent anywhere: of a branch, a commit
    is made, and you push it.

    bakeoff publish runs/latest --to site
    bakeoff publish runs/latest --to git:gh-pages
    """
    judged = runs.open_run(run)
    if not to.startswith(BRANCH):
        site = Path(to)
        pages = _into(site, judged, site_url(url))
        say(f"{figures.plural(pages, 'page')} in {site}; begin with {site / 'index.html'}", out)
        return
    from bakeoff.build.repository import Repository, branch_folder, commit_all

    name = to.removeprefix(BRANCH)
    with branch_folder(Repository.around(Path.cwd()), name) as folder:
        pages = _into(folder, judged, site_url(url))
        # Without it GitHub leaves out what begins with an underscore.
        (folder / ".nojekyll").touch()
        changed = commit_all(folder, f"Publish {judged.path.resolve().name}")
    if changed:
        said = f"{figures.plural(pages, 'page')} committed to {name}"
        say(f"{said}; `git push origin {name}` publishes them.", out)
    else:
        say(f"{name} has this already.", out)


def _into(site: Path, run: runs.AnyRun, url: str) -> int:
    from bakeoff.explore.site import RUNS, check, copy_into, export

    check(site)
    replaced = copy_into(site, run)
    with opened_index([site / RUNS]) as index, terminal_watch(err) as watch:
        pages, faults = export(index, site, watch, url)
    say_faults(faults)
    say(_left_out(replaced))
    return pages


def _left_out(replaced: Counter[str]) -> str:
    if not replaced:
        return "Left out: samples and logs; no private name or path was in the rest."
    words = {"host": "the machine’s name", "user": "the user’s name"}
    counted = (f"{words.get(each, 'a path')} {count} times" for each, count in replaced.items())
    return f"Left out: samples, logs; replaced in the rest: {', '.join(counted)}."
