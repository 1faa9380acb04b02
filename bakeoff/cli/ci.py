"""`bakeoff ci`: is this change slower than the base?"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bakeoff import runs, satellites
from bakeoff.build import WORKING_TREE, Repository, check_out
from bakeoff.cli.options import RUNS, OutDir, environment, takes
from bakeoff.cli.output import (
    OUTPUT,
    Json,
    Wide,
    check_json,
    check_writable,
    conclude,
    err,
    say,
    show_run,
)
from bakeoff.cli.reach import say_reach
from bakeoff.model.ci import CiPlan, ProjectFile, Revision
from bakeoff.model.errors import BakeoffError, Status
from bakeoff.plan import (
    PROJECT_FILE,
    CheckedOut,
    CiOptions,
    NothingToCompare,
    plan_ci,
    target_branch,
)
from bakeoff.progress import terminal_watch
from bakeoff.report.figures import plural

Say = Callable[[str], None]


@takes(CiOptions)
def ci(
    options: CiOptions,
    summary: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the verdict as Markdown. (default: added to $GITHUB_STEP_SUMMARY)",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the gates as JUnit XML.", rich_help_panel=OUTPUT),
    ] = None,
    json: Json = None,
    wide: Wide = False,
    out_dir: OutDir = RUNS,
) -> None:
    """Check whether a change is slower than its base.

    The server is built at two revisions of this repository, in git worktrees,
    and both are raced side by side. bakeoff.toml, which `bakeoff init` writes,
    says what is raced. The race ends once every gate holds or fails, or its
    time is spent.

    bakeoff ci                             head, and where it left the base
    bakeoff ci --base v1.2 --head HEAD~1   two revisions
    bakeoff ci --head . -d 1m              changes that are not committed yet
    bakeoff ci --gate 'head >= 0.95 * base' --junit junit.xml
    """
    check_json(json)
    files = _Files(summary, junit)
    options, project, directory = _with_project(options)
    try:
        with terminal_watch(err, lambda run: show_run(run, json, wide)) as watch:
            plan = _plan(options, project, directory, watch.step)
            stages = satellites.real_stages()
            say_reach([plan.race], stages)
            run = runs.execute(plan, out_dir, stages, watch)
    except NothingToCompare as error:
        passes = options.cant_tell == "pass"
        files.write_why("Can't tell", str(error), "skipped" if passes else "failure")
        say(f"Can't tell: {error}")
        raise typer.Exit(Status.DONE if passes else Status.GATE_FAILED) from None
    except BakeoffError as error:
        files.write_why("Not raced", str(error), "error")
        raise
    files.write(run)
    conclude(run, json)


def _with_project(options: CiOptions) -> tuple[CiOptions, ProjectFile, Path]:
    """The options with those of the nearest bakeoff.toml up to the repository's top, its content,
    and its folder. Raises `BadFile`.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        file = folder / PROJECT_FILE
        if file.is_file():
            where = Path(os.path.relpath(file))
            project = ProjectFile.read_toml(where)
            return options.over(project, where), project, folder
        if (folder / ".git").exists():
            break
    return options, ProjectFile(), here


def _plan(options: CiOptions, project: ProjectFile, directory: Path, say_step: Say) -> CiPlan:
    repository = Repository.around(directory)
    inside = directory.resolve().relative_to(repository.top.resolve())
    head = repository.revision(options.head)
    if options.base is not None:
        base = repository.revision(options.base)
    else:
        base = repository.fork(target_branch(project, os.environ), head)

    def place(name: str, revision: Revision) -> CheckedOut:
        say_step(f"{name} is {revision.full_name}: {revision.subject}")
        top = repository.top
        if name == "base" or options.head != WORKING_TREE:
            top = check_out(repository, revision)
        return CheckedOut(revision, top, top / inside)

    if options.head == "HEAD" and (changed := repository.uncommitted()):
        say_step(
            f"changes of {plural(changed, 'tracked file')} are not committed, and are not raced: "
            "--head . races them"
        )
    return plan_ci(place("base", base), place("head", head), options, environment())


class _Files:
    """What CI systems read: a summary in Markdown, and JUnit XML. Raises `BadUsage` at once where
    they can't be written.
    """

    def __init__(self, summary: Path | None, junit: Path | None) -> None:
        given = os.environ.get("GITHUB_STEP_SUMMARY")
        self._summary = summary or (Path(given) if given else None)
        self._mode = "w" if summary else "a"
        self._junit = junit
        check_writable("--summary", self._summary)
        check_writable("--junit", junit)

    def write(self, run: runs.AnyRun) -> None:
        from bakeoff.report import render
        from bakeoff.report.export import junit

        short = replace(run.document(), detail=())
        self._write(render.markdown(short), junit(run.result))

    def write_why(self, outcome: str, why: str, kind: str) -> None:
        """Why there was no race; `kind` is JUnit's word for it."""
        from bakeoff.report import render
        from bakeoff.report.document import Document, Text
        from bakeoff.report.export import junit_without_race

        first, *more = why.splitlines()
        log = (Text("\n".join(more), code=True),) if more else ()
        document = Document("Is this change slower?", f"{outcome}: {first}", log)
        self._write(render.markdown(document), junit_without_race(kind, why))

    def _write(self, markdown: str, junit: str) -> None:
        if self._summary:
            with self._summary.open(self._mode) as file:
                file.write(markdown)
        if self._junit:
            self._junit.write_text(junit)
