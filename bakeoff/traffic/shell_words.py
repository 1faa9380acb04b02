"""Words of a shell's command line, as browsers write it: quotes, `$'…'` and line continuations."""

import re

from bakeoff.model.errors import BadUsage

_ENDS = {";", "&", "\n", "|"}
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
    **{char: char for char in "\\'\"?"},
}
_NUMBERED = re.compile(r"x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})")
_EXPANDS = re.compile(r"\$[\w{(@*#?$!-]|`")


def commands(text: str) -> list[list[str]]:
    """Each command's words: `;`, `&`, `|` and line breaks end one.

    Raises `BadUsage` where a quote isn't closed, or where the shell would fill something in.
    """
    reader = _Reader(text)
    while reader.rest:
        reader.step()
    reader.end_command()
    return reader.commands


class _Reader:
    """What was read, and what is left of the text."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text.replace("\r\n", "\n"), 0
        self.word: list[str] | None = None
        self.words: list[str] = []
        self.commands: list[list[str]] = []

    @property
    def rest(self) -> bool:
        return self.at < len(self.text)

    def step(self) -> None:
        char = self.take()
        if char == "\\":
            escaped = self.take() if self.rest else char
            if escaped != "\n":
                self.add(escaped)
        elif char == "'":
            self.add(self.until("'"))
        elif char == '"':
            self.add(self.double_quoted())
        elif char == "$" and self.text.startswith("'", self.at):
            self.at += 1
            self.add(self.ansi_quoted())
        elif char == "$" and self.text.startswith('"', self.at):
            # A text that bash would translate.
            self.word = self.word or []
        elif char in _ENDS:
            self.end_command()
        elif char == "#" and self.word is None:
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif char.isspace():
            self.end_word()
        else:
            self.refuse_expansion(self.at - 1)
            self.add(char)

    def take(self) -> str:
        char = self.text[self.at]
        self.at += 1
        return char

    def add(self, text: str) -> None:
        if self.word is None:
            self.word = []
        self.word.append(text)

    def end_word(self) -> None:
        if self.word is not None:
            # Bytes that were written one by one may be a character.
            whole = "".join(self.word).encode(errors="surrogateescape")
            self.words.append(whole.decode(errors="surrogateescape"))
            self.word = None

    def end_command(self) -> None:
        self.end_word()
        if self.words:
            self.commands.append(self.words)
            self.words = []

    def until(self, quote: str) -> str:
        end = self.text.find(quote, self.at)
        if end < 0:
            raise self.unclosed(quote)
        inside, self.at = self.text[self.at : end], end + 1
        return inside

    def double_quoted(self) -> str:
        parts: list[str] = []
        while self.rest:
            char = self.take()
            if char == '"':
                return "".join(parts)
            if char == "\\" and self.rest:
                escaped = self.take()
                kept = escaped if escaped in '"\\$`' else "" if escaped == "\n" else f"\\{escaped}"
                parts.append(kept)
                continue
            self.refuse_expansion(self.at - 1)
            parts.append(char)
        raise self.unclosed('"')

    def ansi_quoted(self) -> str:
        parts: list[str] = []
        while self.rest:
            char = self.take()
            if char == "'":
                return "".join(parts)
            if char != "\\" or not self.rest:
                parts.append(char)
            elif found := _NUMBERED.match(self.text, self.at):
                self.at = found.end()
                parts.append(self.numbered(found))
            else:
                escaped = self.take()
                parts.append(_ESCAPES.get(escaped, f"\\{escaped}"))
        raise self.unclosed("$'")

    def numbered(self, found: re.Match[str]) -> str:
        """A character by its number; a byte beyond ASCII stays the byte (`surrogateescape`)."""
        byte = int(found[1], 16) if found[1] else int(found[4], 8) if found[4] else None
        if byte is not None:
            return bytes([byte & 0xFF]).decode(errors="surrogateescape")
        number = int(found[2] or found[3], 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise BadUsage(f"curl: \\{found[0]} is not a character")
        return chr(number)

    def refuse_expansion(self, at: int) -> None:
        if _EXPANDS.match(self.text, at):
            shown = self.text[at : at + 12].split()[0]
            raise BadUsage(
                f"curl: the shell would fill in {shown}; write what it stands for, "
                "or quote it with '…'"
            )

    def unclosed(self, quote: str) -> BadUsage:
        return BadUsage(f"curl: a {quote} is not closed; was the command cut off?")
