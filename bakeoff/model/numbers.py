"""Long texts that are the same for everybody, and that nobody has to keep in a file."""

from functools import cache


@cache
def numbers(length: int) -> bytes:
    """The numbers from 1, one a line, cut after `length` bytes: `seq 1 1000000 | head -c LENGTH`.

    Each piece of it is another, so what is left out or sent twice is seen.
    """
    text = bytearray()
    number = 1
    while len(text) < length:
        text += b"%d\n" % number
        number += 1
    return bytes(text[:length])
