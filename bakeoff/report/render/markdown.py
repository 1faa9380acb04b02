"""A document as Markdown, for a pull request or a wiki. Pictures and folded parts are left out."""

import re
from collections.abc import Iterator

from bakeoff.report import document as doc

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#])")


def markdown(document: doc.Document) -> str:
    parts = [
        f"# {escaped(document.title)}",
        f"**{escaped(document.headline)}**",
        escaped(document.lead),
        *(part for block in document.summary for part in _block(block, 2)),
        escaped(document.measured),
        *(part for block in document.detail for part in _block(block, 2)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", doc.printable(text))


def _block(block: doc.Block, level: int) -> Iterator[str]:
    match block:
        case doc.Text() if block.text:
            yield _text(block)
        case doc.Table() if block.rows:
            yield f"{'#' * level} {escaped(block.title)}"
            yield _table(block)
            yield escaped(block.note)
        case doc.List() if block.items:
            yield f"{'#' * level} {escaped(block.title)}"
            yield escaped(block.note)
            yield "\n".join(
                line
                for place, item in enumerate(block.items, start=1)
                for line in _item(
                    item, f"{place}." if block.ordered else "-", signed=block.outcomes
                )
            )
        case doc.Section() if not block.folded:
            parts = [part for inner in block.blocks for part in _block(inner, level + 1) if part]
            if parts:
                yield f"{'#' * level} {escaped(block.title)}"
                yield escaped(block.note)
                yield from parts
        case _:
            pass


def _text(block: doc.Text) -> str:
    if block.code:
        return "\n".join(f"    {doc.printable(line)}" for line in block.text.split("\n"))
    label = f"{escaped(block.label)}: " if block.label else ""
    link = f" ({escaped(block.link)})" if block.link else ""
    return f"{label}{escaped(block.text)}{link}"


def _table(table: doc.Table) -> str:
    rules = ("---" if column.kind == "text" else "---:" for column in table.columns)
    head = doc.Row(tuple(column.head for column in table.columns))
    return "\n".join([_row(head), f"|{'|'.join(rules)}|", *map(_row, table.rows)])


def _row(row: doc.Row) -> str:
    return f"| {' | '.join(map(escaped, row.cells))} |"


def _item(item: doc.Item, bullet: str, *, signed: bool) -> Iterator[str]:
    label = f"~~{escaped(item.label)}~~" if item.struck else escaped(item.label)
    named = ": ".join(name for name in (escaped(item.badge), label) if name)
    said = f"{named}: {escaped(item.text)}" if named else escaped(item.text)
    yield f"{bullet} {item.sign} {said}" if signed and item.sign else f"{bullet} {said}"
    for line in item.lines:
        yield f"{' ' * (len(bullet) + 1)}- {escaped(line)}"
