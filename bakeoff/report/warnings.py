"""The meaning of each warning, as a page: `python -m bakeoff.report.warnings FILE` writes it."""

import sys
from collections.abc import Iterator
from pathlib import Path

from bakeoff.model.finding import Finding
from bakeoff.model.findings import CODES, SUBJECTS, example
from bakeoff.model.findings.row import Row
from bakeoff.report.sentences import joined

_HEAD = """\
# Warnings

What bakeoff can find, each with an example of its sentence and with what to do. The code is that of
the JSON files; [finding.schema.json](schemas/finding.schema.json) has the values of each.
`make schemas` writes this page from the rows in `bakeoff/model/findings`.
"""


def found(code: str) -> Finding:
    because = CODES[code].because
    return Finding.of(code, *([found(because)] if because else []), **example(code))


def page() -> str:
    contents = "\n".join(f"- [{subject}](#{_anchor(subject)})" for subject in SUBJECTS)
    return "\n".join([_HEAD, contents, *_subjects()])


def _anchor(subject: str) -> str:
    return subject.lower().replace(" ", "-").replace("'", "")


def _subjects() -> Iterator[str]:
    for subject, rows in SUBJECTS.items():
        yield f"\n## {subject}"
        for code, row in rows.items():
            if code != "several":
                yield from _finding(code, row)


def _finding(code: str, row: Row) -> Iterator[str]:
    advice = f"{row.advice[0].upper()}{row.advice[1:]}." if row.advice else ""
    yield f"\n### {code}\n\n> {joined([found(code)])}"
    if row.more or advice:
        yield "\n" + " ".join(part for part in (row.more, advice) if part)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page())
