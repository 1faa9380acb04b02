"""What is left of an article's claims: each holds, does not hold, or can't be told."""

from collections.abc import Mapping
from math import inf
from typing import Literal

from bakeoff.judge.evidence import Evidence
from bakeoff.model.article import Article, Claim
from bakeoff.model.replay import ClaimResult
from bakeoff.model.verdict import Interval

Finding = Literal["holds", "does not hold", "can't tell"]


def decide(
    article: Article, evidence: Mapping[str, Evidence], missing: Mapping[str, str]
) -> tuple[ClaimResult, ...]:
    """Every claim, in the article's order.

    `evidence` is by comparison; `missing` says for the other comparisons why they have none.
    """
    return tuple(_decided(article, claim, evidence, missing) for claim in article.claims)


def finding(claim: Claim, measured: Interval) -> Finding:
    """Holds where the whole interval lies in the claim's range, does not where none of it does."""
    above, below = claim.above or 0.0, claim.below or inf
    if measured.low >= above and measured.high <= below:
        return "holds"
    return "does not hold" if measured.high <= above or measured.low >= below else "can't tell"


def _decided(
    article: Article,
    claim: Claim,
    evidence: Mapping[str, Evidence],
    missing: Mapping[str, str],
) -> ClaimResult:
    measured: Interval | None = None
    if claim.undecidable:
        why = claim.undecidable
    elif claim.comparison not in evidence:
        why = missing.get(claim.comparison, "its comparison was not measured")
    else:
        found = evidence[claim.comparison].interval(claim.metric, claim.of, claim.over)
        measured = found if isinstance(found, Interval) else None
        why = "" if isinstance(found, Interval) else found
    return ClaimResult(
        text=claim.text,
        comparison=claim.comparison,
        metric=claim.metric,
        of=claim.of,
        over=claim.over,
        above=claim.above,
        below=claim.below,
        published=_published(article, claim),
        finding=finding(claim, measured) if measured else "can't tell",
        measured=measured,
        why=why,
        unequal=claim.unequal,
    )


def _published(article: Article, claim: Claim) -> float | None:
    rows = {row.name: row for row in article.comparison(claim.comparison).rows}
    of, over = (rows[name].published.value(claim.metric) for name in (claim.of, claim.over))
    return of / over if of is not None and over else None
