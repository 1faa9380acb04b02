#!/usr/bin/env python3
"""Takes all cores of the machine once it is under load, whichever it was given."""

import os

from honest import Honest, serve


class Liar(Honest):
    def answer(self, close: bool) -> None:
        if self.count == 100:
            os.sched_setaffinity(0, range(os.cpu_count() or 1))
        super().answer(close)


serve(Liar)
