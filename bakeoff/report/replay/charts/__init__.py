"""The pictures of a replay, as SVG. Importing this takes altair along: most of a second."""

from bakeoff.model.replay import Replay
from bakeoff.report.charts import Picture, drawn
from bakeoff.report.replay.charts.bars import memory, memory_slug, speed, speed_slug
from bakeoff.report.replay.charts.forest import claims
from bakeoff.report.replay.parts import parts

__all__ = ["memory_slug", "replay_pictures", "speed_slug"]


def replay_pictures(replay: Replay) -> list[Picture]:
    """The article's bars beside ours for each comparison that was measured, then the claims."""
    found = parts(replay)
    return drawn(
        (
            *(sketch_of(part, found) for part in found for sketch_of in (speed, memory)),
            claims(replay.claims),
        )
    )
