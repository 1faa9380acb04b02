"""What a run in a world is shown to: a report, a history, and a watch that keeps what it saw."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.model.history import Earlier
from bakeoff.model.verdict import Verdict
from bakeoff.progress import Watch
from bakeoff.runs.results import Results
from bakeoff.runs.stages import History, Reports


@dataclass(kw_only=True)
class Audience(Reports, History, Watch):
    """`seen` are the steps of a run, and `standings` and `rates` what it showed meanwhile.
    `no_history` is why the history is away, and `earlier_races` what it has."""

    seen: list[str] = field(default_factory=list)
    live: bool = False
    standings: list[Verdict | None] = field(default_factory=list)
    rates: Mapping[str, float] = field(default_factory=dict)
    no_history: str = ""
    earlier_races: Earlier | None = None

    def write(self, run: Results) -> Path:
        page = run.path / "report.html"
        page.write_text(run.plan.run)
        return page

    def add(self, folder: Path) -> str:
        """A history that remembers nothing, or is away."""
        return self.no_history

    def earlier(self, folder: Path, verdict: Verdict) -> Earlier | None:
        return self.earlier_races

    def step(self, text: str) -> None:
        self.seen.append(text)

    def note(self, text: str) -> None:
        self.seen.append(text)

    def measured(
        self, done_s: float, of_s: float, text: str, rates: Mapping[str, float] | None = None
    ) -> None:
        assert done_s <= of_s + 5, "the measuring never goes past its end by more than a block"
        self.rates = rates or self.rates

    def stands(self, verdict: Verdict | None) -> None:
        self.standings.append(verdict)

    def out(self, name: str, reason: str) -> None:
        self.seen.append(f"{name} is out: {reason}")
