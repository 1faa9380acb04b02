"""gevent's own WSGI server in one process: a greenlet per connection."""

import os
from socket import AF_INET, IPPROTO_TCP, TCP_NODELAY

from app import app
from gevent.pywsgi import WSGIServer

address = os.environ["HOST"], int(os.environ["PORT"])
listener = WSGIServer.get_listener(address, backlog=4096, family=AF_INET)
# gevent leaves Nagle's algorithm on, and head and body are two writes. Linux hands the option of
# the listening socket down to the connections.
listener.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)

WSGIServer(listener, app, log=None).serve_forever()
