"""The picture of an article's claims: what each replay found, in the order of the replays."""

from datetime import UTC, datetime, timedelta

from bakeoff.explore.drawing.claims import SHOWN_MAX, outcomes
from bakeoff.model.history import ClaimPoint, IndexedClaim
from bakeoff.report import figures
from bakeoff.report.charts.svg import svg
from bakeoff.report.document import WIDE
from tests.ratios import interval
from tests.report.charts.drawn import marks

BEGAN_AT = datetime(2026, 1, 1, 9, 30, tzinfo=UTC)
FINDINGS = ("holds", "does not hold", "can't tell")


def point(replay: int, number: int, finding: str, ratio: float | None = 1.5) -> ClaimPoint:
    return ClaimPoint(
        run=f"{replay:012x}",
        run_name=f"replay-{replay}",
        began_at=BEGAN_AT + timedelta(days=replay),
        cpu_model="a processor",
        claim=IndexedClaim(
            article="an-article",
            number=number,
            text=f"claim {number} is said",
            finding=finding,
            ratio=interval(ratio) if ratio else None,
        ),
    )


def test_each_replay_says_what_it_found_of_each_claim_and_where() -> None:
    points = [point(1, 1, "holds"), point(1, 2, "can't tell", None), point(2, 1, "does not hold")]
    (drawn,) = outcomes(points)
    figure = figures.ratio_of(points[0].claim.ratio)
    assert marks(drawn) == [
        f"2026-01-02 09:30: claim 1 holds, {figure}; on a processor",
        f"2026-01-03 09:30: claim 1 does not hold, {figure}; on a processor",
        "2026-01-02 09:30: claim 2 can't tell; on a processor",
    ]
    assert drawn.alt_text == (
        "2 replays; the newest of each: claim 1 does not hold; claim 2 can't tell."
    )
    assert outcomes([]) == ()


def test_findings_differ_by_their_form() -> None:
    drawn = [svg(outcomes([point(1, 1, finding)])[0], WIDE) for finding in FINDINGS]
    signs = {svg[svg.index("pointer-events") :].split("</g>")[0] for svg in drawn}
    shapes = {tuple(part.split(" ")[0] for part in sign.split("<")[1:]) for sign in signs}
    assert len(signs) == 3 and shapes == {("line", "line"), ("text", "/text>")}


def test_the_latest_replays_are_drawn_and_the_rest_is_counted() -> None:
    points = [point(replay, 1, "holds") for replay in range(SHOWN_MAX + 5)]
    (drawn,) = outcomes(points)
    assert len(marks(drawn)) == SHOWN_MAX
    assert "5 earlier replays not drawn." in drawn.reading
