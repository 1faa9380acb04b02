"""An article's claims over time, with each replay's findings; and all articles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from bakeoff.explore.address import Address
from bakeoff.explore.badge import Badge, of_words
from bakeoff.explore.drawing.claims import outcomes
from bakeoff.explore.page import NotThere, Page
from bakeoff.history.index import Index
from bakeoff.model.history import ClaimPoint
from bakeoff.report import figures
from bakeoff.report.document import DataRow
from bakeoff.report.flat import flat, zulu


@dataclass(frozen=True, kw_only=True)
class ArticlesPage(Page):
    """The articles that were replayed, by name."""

    template: ClassVar[str] = "articles.html"

    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim, and the replays' findings on it, the newest first."""

    number: int
    text: str
    points: tuple[ClaimPoint, ...]


@dataclass(frozen=True, kw_only=True)
class ArticlePage(Page):
    """The claims of one article in their order."""

    template: ClassVar[str] = "article.html"
    goes_on: ClassVar[bool] = True

    claims: tuple[Claim, ...]

    def badges(self) -> tuple[Badge, ...]:
        held = sum(claim.points[0].claim.finding == "holds" for claim in self.claims)
        name = self.claims[0].points[0].claim.article
        return (of_words(f"{name}: {held} of {figures.plural(len(self.claims), 'claim')} held"),)


def article(index: Index, address: Address) -> Page:
    match address.parts:
        case (_,):
            return ArticlesPage(address=address, title="Articles", names=index.articles())
        case (_, name) if points := index.claims(name):
            return ArticlePage(
                address=address,
                title=f"The claims of {name} over time",
                data=lambda: _data(points),
                charts=outcomes(points),
                claims=_claims(points),
            )
    raise NotThere("the history has no replay of such an article")


def _claims(points: Sequence[ClaimPoint]) -> tuple[Claim, ...]:
    by_number: dict[int, list[ClaimPoint]] = {}
    for point in reversed(points):
        by_number.setdefault(point.claim.number, []).append(point)
    return tuple(
        Claim(number=number, text=found[0].claim.text, points=tuple(found))
        for number, found in sorted(by_number.items())
    )


def _data(points: Sequence[ClaimPoint]) -> list[DataRow]:
    return [
        {
            "run": point.run,
            "began_at": zulu(point.began_at),
            "cpu_model": point.cpu_model,
            **flat(point.claim, without={"article"}),
        }
        for point in points
    ]
