"""The WSGI application: a path, its answer."""

HELLO = b"Hello, World!"


def app(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/":
        status, body = "200 OK", HELLO
    elif path == "/empty":
        status, body = "200 OK", b""
    else:
        status, body = "404 Not Found", b"Not Found"
    start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    # WSGI leaves it to the application to give HEAD no body.
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
