#!/usr/bin/env python3
"""Answers one request in a thousand with another body."""

from honest import Honest, answer, serve


class Liar(Honest):
    def answer(self, close: bool) -> None:
        if self.count % 1000 == 0:
            self.transport.write(answer(b"Goodbye", close=close))
        else:
            super().answer(close)


serve(Liar)
