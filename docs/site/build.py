"""The documents as a site: `make site` runs it.

python docs/site/build.py FOLDER SPHINX_BUILD

It lays out the documents that docs/README.md lists in FOLDER/source, as they lie in the repository,
so that their links hold, with the reference pages beside them. Sphinx makes FOLDER/html of that;
there a link that leads nowhere is an error. The explorer's pages of records/ are in
FOLDER/html/races.
"""

import re
import shutil
import subprocess
import sys
from hashlib import sha256
from os.path import normpath, relpath
from pathlib import Path

from bakeoff.history.results import id_of
from docs.site import reference

ROOT = Path(__file__).parents[2]
INDEX = "docs/README.md"
"""The list of all documents, in parts: the site's first page and its navigation."""
LINK = re.compile(
    r"(?P<picture>!?)\[(?P<said>(?:[^\[\]]|\[[^\]]*\])*)\]"
    r"\((?!https?:|mailto:)(?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)"
)
"""A link of Markdown to another file."""
RACES = "races"
INSTEAD = {
    INDEX: "index.md",
    "bakeoff/cli": "reference/commands.md",
    "docs/decisions": "docs/decisions/index.md",
    "docs/library.ipynb": "docs/library.ipynb.md",
    **{f"docs/schemas/{name}.schema.json": f"reference/{name}.md" for name in reference.FILES},
}
"""What documents link to → the page that the site has instead."""


def build(folder: Path, sphinx: str) -> None:
    """Make the site in `folder`/html."""
    source, html = folder / "source", folder / "html"
    shutil.rmtree(source, ignore_errors=True)
    print("1 of 3: the explorer's pages of records/", flush=True)
    command = (sys.executable, "-m", "bakeoff", "explore", "records", "--export", html / RACES)
    subprocess.run(command, cwd=ROOT, check=True)
    print("2 of 3: the reference pages", flush=True)
    runs = {page.stem for page in (html / RACES / "run").glob("*.html")}
    index = (ROOT / INDEX).read_text()
    for name, text in {**documents(index), **generated()}.items():
        write(source, name, linked(source, name, name, text, runs))
    write(source, "index.md", with_navigation(linked(source, "index.md", INDEX, index, runs)))
    print("3 of 3: the documents", flush=True)
    words = ("-q", "-W", "--keep-going", "--jobs", "2", "-d", folder / "doctrees")
    subprocess.run((sphinx, *words, "-c", Path(__file__).parent, source, html), check=True)


def documents(index: str) -> dict[str, str]:
    """Name → text of the documents that the index lists, and of the decisions."""
    listed = (normpath(f"{INDEX}/../{link['target']}") for link in LINK.finditer(index))
    decisions = (path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/decisions/*.md"))
    names = (*(name for name in listed if name.endswith(".md")), *decisions)
    return {name: (ROOT / name).read_text() for name in names}


def generated() -> dict[str, str]:
    """Name → text of the pages that the repository doesn't have."""
    decisions = sorted(path.stem for path in ROOT.glob("docs/decisions/*.md"))
    made = reference.of_files() | reference.of_commands()
    return {
        **{f"reference/{name}.md": text for name, text in made.items()},
        "docs/library.ipynb.md": reference.of_notebook(ROOT / "docs" / "library.ipynb"),
        "docs/decisions/index.md": f"# Decisions\n\n{reference.toctree(decisions)}",
    }


def write(source: Path, name: str, text: str) -> None:
    """Write a page."""
    (source / name).parent.mkdir(parents=True, exist_ok=True)
    (source / name).write_text(text)


def linked(source: Path, page: str, origin: str, text: str, runs: set[str]) -> str:
    """The text of a page with the site's links; what they lead to beside pages comes along.

    `origin` is where the text is in the repository, `runs` has the ids of the explorer's runs.
    """

    def leads(link: re.Match[str]) -> str:
        goal = normpath(f"{origin}/../{link['target']}")
        path = ROOT / goal
        if goal == "records" or run_of(path) in runs:
            shown = "index" if goal == "records" else f"run/{run_of(path)}"
            href = relpath(f"{RACES}/{shown}.html", Path(page).parent)
            return f'<a href="{href}">{link["said"]}</a>'
        if path.is_dir() and goal not in INSTEAD:
            return link["said"]
        if path.is_file() and goal not in INSTEAD and path.suffix != ".md":
            (source / goal).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, source / goal)
        shown = relpath(INSTEAD.get(goal, goal), Path(page).parent)
        return f"{link['picture']}[{link['said']}]({shown}{link['anchor'] or ''})"

    return LINK.sub(leads, text)


def run_of(path: Path) -> str:
    """The id of a record in the explorer; of any other file, one that no run has."""
    if path.parent != ROOT / "records" or path.suffix == ".md":
        return ""
    return id_of(path) if path.is_dir() else sha256(path.read_bytes()).hexdigest()[:12]


def with_navigation(index: str) -> str:
    """The first page, with each part's list as navigation."""
    head, *parts = re.split(r"^## ", index, flags=re.MULTILINE)
    for part in parts:
        listed = re.findall(r"^- \[(.*?)\]\((.*?)\.md\)", part, re.MULTILINE)
        entries = [f"{title} <{page}>" for title, page in listed]
        head += f"## {part}\n{reference.toctree(entries, part.partition(chr(10))[0])}\n\n"
    return head


if __name__ == "__main__":
    build(Path(sys.argv[1]), sys.argv[2])
