"""Answers every connection, in the foreground."""

import socket
import sys

with socket.create_server((sys.argv[2], int(sys.argv[1]))) as server:
    while True:
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
