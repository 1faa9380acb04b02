"""The report of a replay as files in its folder."""

from pathlib import Path

from bakeoff.model.replay import Replay
from bakeoff.report.folder import put_report
from bakeoff.report.replay.as_csv import replay_csv
from bakeoff.report.replay.as_markdown import replay_markdown


def write_replay(folder: Path, replay: Replay) -> Path:
    """Write `report.html`, `report.md`, `report.csv` and `charts/*.svg`; the path of the page.

    Each file appears whole or not at all. OSError where the folder can't be written.
    """
    # Here, not above: altair takes a second, and whoever only prints needs no pictures.
    from bakeoff.report.replay.charts import replay_pictures
    from bakeoff.report.replay.page import replay_page

    pictures = replay_pictures(replay)
    html = replay_page(replay, pictures)
    return put_report(folder, pictures, replay_markdown(replay), replay_csv(replay), html)
