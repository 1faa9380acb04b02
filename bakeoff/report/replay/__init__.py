"""A replay for people: in the terminal, as Markdown, and as a page with the article's pictures."""

from bakeoff.report.replay.folder import write_replay
from bakeoff.report.replay.terminal import replay_standings

__all__ = ["replay_standings", "write_replay"]
