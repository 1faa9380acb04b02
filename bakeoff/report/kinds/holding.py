"""What answers were held to, in words, where nobody said which are right and they vary."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from pydantic import JsonValue

from bakeoff.model.receipt import Expectation
from bakeoff.model.workload import ExpectSection
from bakeoff.report import figures
from bakeoff.report.document import List, items
from bakeoff.report.sentences import grouped, listed, who

SHAPE_LENGTH_MAX = 200


class _HasHeld(Protocol):
    """An entry of any result."""

    @property
    def name(self) -> str: ...

    @property
    def held(self) -> dict[str, Expectation]: ...


def varying(entries: Iterable[_HasHeld], *, mix: bool, wide: bool = False) -> List:
    """What answers that vary were held to, and whose they are; in a `mix`, of which request."""
    said = (
        (_said(held, request if mix else ""), entry.name)
        for entry in entries
        for request, held in entry.held.items()
    )
    texts = [f"{who(names)}: {text}" for text, names in grouped(said).items()]
    return List("Answers that vary", items("=", texts), wide=wide)


def _said(held: Expectation, request: str) -> str:
    """`each answer is held to status 200, …; id and time vary (24 answers)`."""
    of = f"each answer to {request}" if request else "each answer"
    vary = f"{who(held.varied)} {'varies' if len(held.varied) == 1 else 'vary'}"
    looked = f"found in {figures.plural(held.answers, 'answer')}"
    return f"{of} is held to {listed(_parts(held.expect))}; {vary} ({looked})"


def _parts(expect: ExpectSection) -> Iterator[str]:
    yield f"status {expect.status}"
    if kind := expect.headers.get("content-type"):
        yield kind
    if expect.length_between:
        least, most = expect.length_between
        yield f"{least:,} to {most:,} bytes"
    if expect.json_ is not None:
        text = shape(expect.json_)
        short = f"{text[:SHAPE_LENGTH_MAX]}…" if len(text) > SHAPE_LENGTH_MAX else text
        yield f"the shape {short}"


def shape(of: JsonValue) -> str:
    """`{id: number, tags: [string]}`."""
    if isinstance(of, dict):
        return f"{{{', '.join(f'{key}: {shape(inner)}' for key, inner in of.items())}}}"
    if isinstance(of, list):
        return f"[{', '.join(map(shape, of))}]"
    return str(of)
