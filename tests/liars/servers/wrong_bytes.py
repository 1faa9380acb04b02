#!/usr/bin/env python3
"""Answers one request in fifty with a body of the right length and the wrong bytes."""

from honest import BODY, Honest, answer, serve


class Liar(Honest):
    def answer(self, close: bool) -> None:
        wrong = self.count % 50 == 0
        self.transport.write(answer(BODY[::-1] if wrong else BODY, close=close))


serve(Liar)
