#!/usr/bin/env python3
"""After two thousand answers it listens on another port alone."""

import os

from honest import Honest, listener, serve

ANSWERS = 2000


class Liar(Honest):
    def answer(self, close: bool) -> None:
        super().answer(close)
        if self.count == ANSWERS:
            os.dup2(elsewhere.fileno(), first.fileno())
            for each in connections:
                each.close()

    def accepted(self) -> None:
        connections.append(self.transport)


first, elsewhere = listener(), listener(port=0)
connections = []
serve(Liar, first)
