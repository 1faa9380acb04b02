"""What stands on a terminal: of what a program wrote to it, the lines that a reader sees."""

import codecs
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

STEERING = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


class Screen:
    """A terminal of `height` lines with what has scrolled out above them, as text with its colours.

    It knows what rich writes: line breaks, the cursor up by so many lines, and a line erased.
    """

    def __init__(self, height: int) -> None:
        self._height, self._row = height, 0
        self._rows = [""]

    def write(self, text: str) -> None:
        place = 0
        while place < len(text):
            found = STEERING.match(text, place)
            if found is None:
                self._character(text[place])
                place += 1
                continue
            place = found.end()
            match found[2]:
                case "A":
                    top = max(0, len(self._rows) - self._height)
                    self._row = max(top, self._row - int(found[1] or 1))
                case "K":
                    self._rows[self._row] = ""
                case "m":
                    self._rows[self._row] += found[0]
                case _:
                    pass

    def _character(self, character: str) -> None:
        if character == "\n":
            self._row += 1
            if self._row == len(self._rows):
                self._rows.append("")
        elif character != "\r":
            self._rows[self._row] += character

    @property
    def coloured(self) -> list[str]:
        """All lines, from the first that scrolled out."""
        return self._rows

    @property
    def lines(self) -> list[str]:
        return [STEERING.sub("", row).rstrip() for row in self._rows]


@dataclass(frozen=True)
class Typed:
    """How a command ended on a terminal, and what it wrote there, by the seconds since it began."""

    status: int
    written: Sequence[tuple[float, str]]

    def screens(self, height: int) -> Iterator[tuple[float, Screen]]:
        """The terminal after each piece that was written: the same one, which goes on."""
        screen = Screen(height)
        for at_s, text in self.written:
            screen.write(text)
            yield at_s, screen


def typed(
    words: Sequence[str | Path],
    folder: Path,
    columns: int,
    height: int,
    interrupt_at: str = "",
    **env: str,
) -> Typed:
    """Run a command in a terminal of so many columns and lines to its end.

    Ctrl-C is typed once it has written the text `interrupt_at`.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, columns, 0, 0))
    unset = {"COLUMNS", "LINES", "NO_COLOR"}
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    began_s = time.monotonic()
    process = subprocess.Popen(
        words,
        cwd=folder,
        env={**kept, "TERM": "xterm-256color", **env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    written: list[tuple[float, str]] = []
    decoder = codecs.getincrementaldecoder("utf-8")()
    # Linux ends the reading with an error once nobody has the terminal.
    with process, suppress(OSError):
        while True:
            text = decoder.decode(os.read(ours, 65536))
            written.append((time.monotonic() - began_s, text))
            if interrupt_at and interrupt_at in text:
                os.killpg(process.pid, signal.SIGINT)
                interrupt_at = ""
    os.close(ours)
    return Typed(process.returncode, written)
