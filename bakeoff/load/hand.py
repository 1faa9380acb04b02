"""A thread that does what is asked of it, and does not keep the program from ending."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

_T = TypeVar("_T")


class Hand:
    """A thread that does one thing after the other, called `name`."""

    def __init__(self, name: str) -> None:
        self._todo: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def do(self, what: Callable[[], _T]) -> "Future[_T]":
        """Do it when what was asked before is done."""
        future: Future[_T] = Future()

        def run() -> None:
            try:
                future.set_result(what())
            except BaseException as error:
                future.set_exception(error)

        self._todo.put(run)
        return future

    def end(self) -> None:
        """End when all is done."""
        self._todo.put(None)

    def _work(self) -> None:
        while what := self._todo.get():
            what()
