#!/usr/bin/env python3
"""Is right at first, and under load refuses to work, very fast: status 500."""

from honest import Honest, answer, serve

REFUSAL = answer(b"", "500 Internal Server Error", close=False)


class Liar(Honest):
    def answer(self, close: bool) -> None:
        if self.count > 100 and not close:
            self.transport.write(REFUSAL)
        else:
            super().answer(close)


serve(Liar)
