"""Gunicorn's settings."""

import os

bind = f"{os.environ['HOST']}:{os.environ['PORT']}"
backlog = 4096
if os.environ.get("PROTOCOL") == "h1-tls":
    certfile = os.environ["TLS_CERT"]
    keyfile = os.environ["TLS_KEY"]
    ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"  # of TLS 1.2; openssl.cnf has that of 1.3

# The number of processes comes from WEB_CONCURRENCY, gunicorn's own variable for it.
worker_class = "aiohttp.GunicornWebWorker"
max_requests = 0  # never restart a worker in the middle of a load

# The load rotates over contenders: a connection waits for its next turn.
keepalive = 300
# After SIGTERM a worker would wait for idle connections; when a load is over no request comes.
graceful_timeout = 0

accesslog = None
loglevel = "warning"
# One socket per user's home: two copies would fight for it.
control_socket_disable = True
