"""What a test leaves is removed, even where the tests are killed."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import DEVNULL, PIPE


@contextmanager
def afterwards(script: str, *words: object) -> Iterator[None]:
    """A shell's `script` runs with `$1` and so on once the block, or this process, has ended."""
    argv = ["sh", "-c", f"read -r _; {script}", "sh", *map(str, words)]
    # Its input ends with us, whatever ends us.
    with subprocess.Popen(argv, stdin=PIPE, stderr=DEVNULL, start_new_session=True):
        yield
