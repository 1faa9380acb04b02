"""All sentences, as one file: `python -m tests.report.sentences` writes it."""

from collections.abc import Iterator
from pathlib import Path

from bakeoff.model.finding import Finding
from bakeoff.model.findings import CODES
from bakeoff.report.sentences import CALLED, sentence
from bakeoff.report.warnings import found
from tests.report.words import WORDS

KEPT = Path(__file__).with_suffix(".txt")
NAMES = ["a", "b", "c", "d", "e"]


def text() -> str:
    """Each finding with its sentence, and with the others that it has for other values."""
    lines = {code: _of(code) for code in CODES if code != "several"}
    lines["words of the contracts"] = (f"{word}: {said}" for word, said in CALLED.items())
    lines |= {head: (f"[{case}] {said}" for case, said in cases()) for head, cases in WORDS.items()}
    return "\n\n".join("\n  ".join([head, *said]) for head, said in lines.items()) + "\n"


def _of(code: str) -> Iterator[str]:
    whole, row = found(code), CODES[code]
    values = whole.values
    lacking = {
        name: False if isinstance(value, bool) else None
        for name, value in values.items()
        if name in row.optional and not name.endswith("low")
    }
    yield from dict.fromkeys(
        sentence(each)
        for each in (
            whole,
            *([_of_one(whole)] if "|" in row.sentence or "# " in row.sentence else []),
            *([Finding(code=code, values=values | lacking)] if "[" in row.sentence else []),
            *([_several(whole)] if row.several else []),
        )
    )


def _several(own: Finding) -> Finding:
    return Finding.of("several", *[own] * len(NAMES), names=NAMES)


def _of_one(finding: Finding) -> Finding:
    """With 1 for each count, and the first of each list."""
    values = {
        name: value[:1] if isinstance(value, list) else 1 if type(value) is int else value
        for name, value in finding.values.items()
    }
    return finding.model_copy(update={"values": values})


if __name__ == "__main__":
    KEPT.write_text(text())
