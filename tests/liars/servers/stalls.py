#!/usr/bin/env python3
"""Stands still for 200 ms every 2 s, as a collector that stops the world does."""

import asyncio
import time

from honest import serve

EVERY_S, FOR_S = 2.0, 0.2


def stall() -> None:
    time.sleep(FOR_S)
    asyncio.get_running_loop().call_later(EVERY_S - FOR_S, stall)


serve(began=lambda: asyncio.get_running_loop().call_later(EVERY_S, stall))
