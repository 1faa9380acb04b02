#!/usr/bin/env python3
"""Sends half a chunk and then nothing, to one request after every second under load."""

from honest import Honest, Loaded, serve

HALF = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd\r\nHello,"
LOADED = Loaded()


class Liar(Honest):
    def answer(self, close: bool) -> None:
        if LOADED.request() > 1.0:
            LOADED.seconds = 0.0
            self.transport.write(HALF)
        else:
            super().answer(close)


serve(Liar)
