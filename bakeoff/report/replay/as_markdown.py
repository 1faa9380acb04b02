"""A replay as Markdown, for a pull request or a wiki."""

import shlex

from bakeoff.model.replay import Replay
from bakeoff.report.as_markdown import escaped, listed, section
from bakeoff.report.circumstances import machine_table
from bakeoff.report.replay import tables, words
from bakeoff.report.replay.parts import Part, parts, without_figures


def replay_markdown(replay: Replay) -> str:
    """Headline, claims, the article, every comparison, traps, how and where."""
    found = parts(replay)
    article = replay.article
    paragraphs = [
        f"# {escaped(article.title)}: measured again",
        f"**{escaped(words.headline(replay))}**",
        *section(tables.claims_table(replay), level=2),
        *listed("What to know of the claims", _remarks(replay)),
        "## The article",
        escaped(article.summary.strip()),
        *section(tables.article_table(article), level=3),
        *(said for part in found for said in _comparison(part)),
        *listed("What a reader of the article could not see", list(article.traps)),
        *section(tables.method_table(replay, found), level=2),
        *section(machine_table(replay.machine), level=2),
        "## Measure it again",
        escaped(shlex.join(replay.command_line)),
    ]
    return "\n\n".join(paragraphs) + "\n"


def _remarks(replay: Replay) -> list[str]:
    said = []
    for place, claim in enumerate(replay.claims, start=1):
        said += [f"{place}: {claim.why}"] if claim.why else []
        said += [f"{place}, unequal work: {claim.unequal}"] if claim.unequal else []
    return said


def _comparison(part: Part) -> list[str]:
    measured = part.measured
    said = [
        f"## {escaped(part.there.title)}",
        f"Load: {escaped(words.load(part.shape, measured))}",
    ]
    if part.skipped:
        said.append(f"Skipped: {escaped(part.skipped)}.")
    skipped = [f"{name}: {reason}" for name, reason in without_figures(part)]
    return [
        *said,
        *section(tables.speed_table(part), level=3),
        *section(tables.cost_table(part), level=3),
        *_plain("Skipped", skipped),
        *section(tables.agreement_table(part), level=3),
        *section(tables.in_a_row_table(part), level=3),
        *_plain("Changed", list(part.changes)),
        *_plain("Warnings", words.warnings(measured) if measured else []),
        *([f"Its own report: {escaped(part.report)}"] if part.report else []),
    ]


def _plain(title: str, items: list[str]) -> list[str]:
    return [f"{title}:", "\n".join(f"- {escaped(item)}" for item in items)] if items else []
