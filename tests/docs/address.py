"""Version, owner and repository in documents: those of `bakeoff/__init__.py`.

`python -m tests.docs.address` writes them.
"""

import re
from pathlib import Path

from bakeoff import __repository__, __version__

ROOT = Path(__file__).parents[2]
FILES = (ROOT / "CITATION.cff", *sorted((ROOT / "docs").glob("*.md")))
REPOSITORY = r"[\w.-]+/[\w.-]+"
# What stands before and after them.
PLACES = {
    rf"(uses: ){REPOSITORY}(/action)": __repository__,
    r"(/action(?:/comment)?@v)[\d.]+()": __version__,
    r"(bakeoff==|^version: )\d[\d.]*\d()": __version__,
    rf"(repository-code: https://github\.com/){REPOSITORY}()": __repository__,
}


def addressed(text: str) -> str:
    """The text with what is said in `bakeoff/__init__.py`."""
    for place, value in PLACES.items():
        text = re.sub(place, rf"\g<1>{value}\g<2>", text, flags=re.M)
    return text


if __name__ == "__main__":
    for path in FILES:
        path.write_text(addressed(path.read_text()))
