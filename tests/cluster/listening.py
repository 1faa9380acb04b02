"""What answers at a port as the head of a Ray cluster does, until it goes."""

import socket
import threading

SETTINGS = bytes(3) + b"\x04" + bytes(5)
"""HTTP/2 begins with it."""


class Listening:
    """It answers until `go`; or it goes as soon as somebody connects."""

    def __init__(self, goes_at_once: bool = False) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._goes_at_once = goes_at_once
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def go(self) -> None:
        """Be gone: the port refuses."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve(self) -> None:
        while self._socket.fileno() >= 0:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                if self._goes_at_once:
                    self.go()
                elif connection.recv(64):
                    connection.sendall(SETTINGS)
