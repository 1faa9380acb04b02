#!/usr/bin/env python3
"""Its only worker ends after 300 ms under load, and it starts another one."""

import os
import signal

from honest import Honest, Loaded, listener, serve

LOADED = Loaded()


class Liar(Honest):
    def answer(self, close: bool) -> None:
        super().answer(close)
        if LOADED.request() > 0.3:
            os._exit(1)


shared = listener()
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
while True:
    if os.fork() == 0:
        serve(Liar, shared)
    os.wait()
