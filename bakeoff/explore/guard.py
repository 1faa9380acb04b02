"""Access to the explorer: with the token, under one of its names, from one of its pages.

Other pages in the same browser can send requests here too, and a name on the web may lead to
127.0.0.1 (DNS rebinding). So a request needs the secret, the explorer's Host and, if it has an
Origin, the explorer's.
"""

import hmac
import ipaddress
import socket
from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bakeoff.report.charts import flames

LOOPBACK = ("127.0.0.1", "localhost", "::1")
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}"
)
_FLAMES = b64encode(sha256(flames.SCRIPT.encode()).digest()).decode()
PICTURE_POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_FLAMES}';"
    " sandbox allow-scripts"
)
"""For a picture that is opened by itself: it has its own style, and only the script of our flame
graphs may run in it, which has no origin there."""
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True)
class Guard:
    """Lets a request through to the application, or answers 403 in its place.

    With `others`, who connect from other machines, the Host may be any address, and this machine's
    name: an address can't be rebound.
    """

    port: int
    others: bool = False
    token: str = field(default_factory=lambda: token_urlsafe(24))

    @property
    def cookie(self) -> str:
        """The cookie's name: ports of one host share their cookies."""
        return f"bakeoff-{self.port}"

    def around(self, application: ASGIApp) -> ASGIApp:
        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await application(scope, receive, send)
                return
            refusal = self.refusal(scope)
            await (refusal or application)(scope, receive, _with_headers(scope, send))

        return guarded

    def refusal(self, scope: Scope) -> Response | None:
        """The answer to a refused request; a right token is put into a cookie."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self.is_ours(host):
            return _no("This is not the address that bakeoff explore listens on.")
        if not self._from_us(headers, host):
            return _no("This was sent by a page of another site.")
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token")
        if given is None:
            return None if self.holds(_cookie(headers, self.cookie)) else _no(_NO_TOKEN)
        if not self.holds(given) or scope["method"] != "GET":
            return _no("The token is not this explorer's. It has a new one each time it starts.")
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        path = "/" + scope.get("raw_path", scope["path"].encode()).decode("latin-1").lstrip("/")
        answer = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
        return answer

    def is_ours(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.port or "@" in host or "/" in host:
            return False
        return name in LOOPBACK or (self.others and (_is_address(name) or name == _own_name()))

    def holds(self, given: str) -> bool:
        """Whether that is the token; the duration of the check reveals nothing."""
        return hmac.compare_digest(given.encode(), self.token.encode())

    def seal(self, deed: str) -> str:
        """The seal of a form that requests `deed`: only our pages can have it."""
        return hmac.new(self.token.encode(), deed.encode(), "sha256").hexdigest()

    def allows(self, deed: str, seal: str, headers: Headers) -> bool:
        """Whether a form's request is permitted: `seal` is its own, and our page has sent it.

        Every browser sends the origin of a form.
        """
        ours = "origin" in headers and self._from_us(headers, headers.get("host", ""))
        return ours and hmac.compare_digest(seal.encode(), self.seal(deed).encode())

    def _from_us(self, headers: Headers, host: str) -> bool:
        origin = headers.get("origin")
        return origin is None or origin == f"http://{host}"


_NO_TOKEN = (
    "This page needs the link that bakeoff explore printed, with its token. If you have opened that"
    " in this browser already, and came here from another site:"
)


def _no(why: str) -> Response:
    # The link is on one of our own pages, so the browser sends the cookie along.
    again = ' <a href="">open this page again</a>.' if why is _NO_TOKEN else ""
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Not let in · bakeoff</title>'
        f"<h1>Not let in</h1><p>{why}{again}</p></html>"
    )
    return HTMLResponse(page, status_code=403)


def _with_headers(scope: Scope, send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            embeds = "/embed/" in scope["path"]
            policy = POLICY.format(ancestors="'self'" if embeds else "'none'")
            is_picture = headers.get("content-type", "").startswith("image/svg")
            headers["content-security-policy"] = PICTURE_POLICY if is_picture else policy
            headers.setdefault("cache-control", "private, no-cache")
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sending


def _cookie(headers: Headers, name: str) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own_name() -> str:
    return socket.gethostname().lower()
