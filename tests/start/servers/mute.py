"""Accepts connections, says a line on its standard output, and never answers."""

import socket
import sys
import time

print("here I am", flush=True)
with socket.create_server((sys.argv[2], int(sys.argv[1]))):
    time.sleep(600)
