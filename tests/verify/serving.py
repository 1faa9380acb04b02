"""Small servers of a test's own, and what the stages before verify hand on about them."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bakeoff.model.plan import Attached, Entry
from bakeoff.model.receipt import Handle

Serve = Callable[[socket.socket], None]


@contextmanager
def serving(serve: Serve) -> Iterator[int]:
    """The port of a server that calls `serve` with each connection, in a thread of its own."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def handle_and_entry(name: str, port: int) -> tuple[Handle, Entry]:
    address = f"127.0.0.1:{port}"
    attached = Attached(host=address, port=port, address=address, path="/")
    entry = Entry(name=name, title=name, origin="url", attached=attached, path="/")
    return Handle(name=name, address=address, host=address, port=port), entry
