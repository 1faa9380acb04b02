#!/usr/bin/env python3
"""Takes half a millisecond longer for each request from its third second under load on."""

import time

from honest import Honest, Loaded, serve

FAST_S, EXTRA_S = 3.0, 0.0005
LOADED = Loaded()


class Liar(Honest):
    def answer(self, close: bool) -> None:
        if LOADED.request() > FAST_S:
            until = time.perf_counter() + EXTRA_S
            while time.perf_counter() < until:
                pass
        super().answer(close)


serve(Liar)
