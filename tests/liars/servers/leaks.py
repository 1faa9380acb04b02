#!/usr/bin/env python3
"""Keeps 4 MiB more every second, whatever it is asked, and however late it is."""

import asyncio
import time

from honest import serve

KEPT: list[bytes] = []
BEGAN_S = time.monotonic()


def leak() -> None:
    while len(KEPT) < 4 * (time.monotonic() - BEGAN_S):
        KEPT.append(b"x" * (1 << 20))
    asyncio.get_running_loop().call_later(0.25, leak)


serve(began=leak)
