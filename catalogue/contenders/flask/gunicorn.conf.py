"""Gunicorn's settings; the contender `gunicorn` says why its worker is gthread with 4 threads."""

import os

bind = f"{os.environ['HOST']}:{os.environ['PORT']}"
backlog = 4096
if os.environ.get("PROTOCOL") == "h1-tls":
    certfile = os.environ["TLS_CERT"]
    keyfile = os.environ["TLS_KEY"]
    ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"  # of TLS 1.2; openssl.cnf has that of 1.3

# The number of processes comes from WEB_CONCURRENCY, gunicorn's own variable for it.
worker_class = "gthread"
threads = 4

# Per process, since one process may get every connection. Gunicorn answers "Connection: close"
# once more than worker_connections - threads of them are idle.
worker_connections = 8192
max_requests = 0  # never restart a worker in the middle of a load

# The load rotates over contenders: a connection waits for its next turn.
keepalive = 300
# After SIGTERM a worker would hold idle connections for 2 s more, for a request that may come.
# When a load is over there is none.
graceful_timeout = 0

accesslog = None
loglevel = "warning"
# One socket per user's home: two copies would fight for it.
control_socket_disable = True
