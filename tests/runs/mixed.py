"""What a fake server of a request file tells of each of its requests."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.engine import Requests, RequestSlice, SliceEvent


@dataclass(frozen=True)
class Mix:
    """Names and shares of a file's requests, and what each costs, 1 being what others do."""

    names: tuple[str, ...]
    shares: tuple[float, ...]
    costs: tuple[float, ...]

    @classmethod
    def read(cls, requests: Requests, costs: Mapping[str, float]) -> "Mix":
        """The request file as the engine reads it. `costs` by name; 1 for the others."""
        entries = tomllib.loads(Path(requests.file).read_text())["request"]
        names = tuple(
            entry.get("name") or f"{entry.get('method', _method(entry))} {entry['path']}"
            for entry in entries
        )
        weights = [entry.get("weight", 1) for entry in entries]
        shares = tuple(weight / sum(weights) for weight in weights)
        return cls(names, shares, tuple(costs.get(name, 1.0) for name in names))

    @property
    def cost(self) -> float:
        """Of the mean request."""
        return sum(share * cost for share, cost in zip(self.shares, self.costs, strict=True))

    def split(self, whole: SliceEvent, histogram: Callable[[int, int], str]) -> SliceEvent:
        """The slice with its counts by request, each request's latency in proportion to its cost.

        What went wrong went wrong with the first. `histogram`: of a latency in µs, so many times.
        """
        parts = []
        answered, counted = self._parts(whole.requests), self._parts(whole.latency_count)
        for index, cost in enumerate(self.costs):
            mean_us = whole.latency_mean_us * cost / self.cost
            parts.append(
                RequestSlice(
                    requests=answered[index],
                    misses=0 if index else whole.misses,
                    errors={} if index else whole.errors,
                    latency=histogram(round(mean_us), counted[index]) if counted[index] else "",
                    latency_count=counted[index],
                    latency_mean_us=mean_us if counted[index] else 0.0,
                )
            )
        return whole.model_copy(update={"by_request": tuple(parts)})

    def _parts(self, whole: int) -> list[int]:
        """Each request's share; they add up to the whole."""
        ends = [round(whole * sum(self.shares[: index + 1])) for index in range(len(self.shares))]
        return [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _method(entry: Mapping[str, object]) -> str:
    return "POST" if "body" in entry or "body_file" in entry else "GET"
