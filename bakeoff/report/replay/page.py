"""report.html of a replay: one file, offline and without script; all from outside is escaped."""

import shlex
from collections.abc import Mapping, Sequence

from bakeoff.model.replay import ClaimResult, Replay
from bakeoff.report.charts import Picture
from bakeoff.report.circumstances import machine_table
from bakeoff.report.render import inlined, render
from bakeoff.report.replay import tables, words
from bakeoff.report.replay.charts import memory_slug, speed_slug
from bakeoff.report.replay.parts import Part, parts, without_figures
from bakeoff.report.words import printable


def replay_page(replay: Replay, pictures: Sequence[Picture]) -> str:
    """The whole page as HTML."""
    found = parts(replay)
    drawn = {
        picture.slug: shown for picture, shown in zip(pictures, inlined(pictures), strict=True)
    }
    headline, _, further = printable(words.headline(replay)).partition(". ")
    return render(
        "replay.html",
        title=f"{replay.article.name}: {headline.rstrip('.')}",
        headline=headline,
        further=further,
        replay=replay,
        article=replay.article,
        facts=[words.driver(replay), words.scale(replay)],
        article_facts=tables.article_table(replay.article),
        # A link to anything but the web would be the article's to choose.
        source=replay.article.source if replay.article.source.startswith("https://") else "",
        comparisons=[_comparison(part, drawn) for part in found],
        claims=[_claim(claim) for claim in replay.claims],
        claims_note=words.CLAIMS_NOTE,
        forest=drawn.get("claims"),
        circumstances=[tables.method_table(replay, found), machine_table(replay.machine)],
        command_line=shlex.join(replay.command_line),
    )


def _comparison(part: Part, drawn: Mapping[str, dict[str, object]]) -> dict[str, object]:
    name, measured = part.there.name, part.measured
    return {
        "slug": f"comparison-{name}",
        "title": part.there.title,
        "load": words.load(part.shape, measured),
        "skipped": part.skipped,
        "pictures": [
            drawn[slug] for slug in (speed_slug(name), memory_slug(name)) if slug in drawn
        ],
        "tables": [
            tables.speed_table(part),
            tables.cost_table(part),
            tables.agreement_table(part),
            tables.in_a_row_table(part),
        ],
        "without_figures": list(without_figures(part)),
        "notes": [(row.name, row.note) for row, _ in part.rows if row.note],
        "changes": part.changes,
        "warnings": words.warnings(measured) if measured else [],
        "report": part.report,
    }


def _claim(claim: ClaimResult) -> dict[str, object]:
    return {
        "text": claim.text,
        "finding": claim.finding,
        "mark": words.MARKS[claim.finding],
        "kind": claim.finding.replace(" ", "-").replace("'", ""),
        "of_over": words.of_over(claim),
        "measured": words.measured(claim),
        "against": words.against(claim),
        "why": claim.why,
        "unequal": claim.unequal,
    }
