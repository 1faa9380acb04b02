"""curl's command line, as people type it and as browsers copy it."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote_plus

from bakeoff.model.errors import BadUsage, nearest
from bakeoff.traffic.recording import Recording, Request, method_of, read_bytes, target_of
from bakeoff.traffic.shell_words import commands

_FORM = "application/x-www-form-urlencoded"
# Options that change curl's operation, not its requests.
_IGNORED_FLAGS = {
    *("-s", "-S", "-k", "-v", "-i", "-f", "-g", "-N", "-#", "-0", "-4", "-6", "-O", "-J", "-q"),
    *("--silent", "--show-error", "--insecure", "--verbose", "--include", "--fail", "--globoff"),
    *("--no-buffer", "--progress-bar", "--http1.0", "--http1.1", "--http2", "--http3", "--ipv4"),
    *("--ipv6", "--remote-name", "--fail-with-body", "--no-progress-meter", "--path-as-is"),
    *("--http2-prior-knowledge", "--no-keepalive", "--tcp-nodelay", "--ssl-no-revoke", "--raw"),
    *("--tlsv1.2", "--tlsv1.3", "--remote-header-name", "--disable", "--anyauth", "--basic"),
}
_IGNORED_VALUES = {
    *("-o", "-m", "-w", "-x", "-E", "-c", "-D", "-K", "-y", "-Y", "-z", "-C"),
    *("--output", "--max-time", "--connect-timeout", "--write-out", "--proxy", "--cacert"),
    *("--cert", "--key", "--resolve", "--retry", "--retry-delay", "--cookie-jar", "--interface"),
    *("--dump-header", "--max-redirs", "--ciphers", "--limit-rate", "--keepalive-time"),
    *("--capath", "--cert-type", "--unix-socket", "--connect-to", "--proxy-user", "--stderr"),
}
_REFUSED = {
    "-F": "a form with files: save its body with `--trace`, and send it with --data-binary @FILE",
    "-T": "an upload: send the file with --data-binary @FILE and -X PUT",
    "-K": "a file of options: write them out",
}
_LONG = {
    **{"--request": "-X", "--header": "-H", "--data": "-d", "--data-ascii": "-d"},
    **{"--cookie": "-b", "--user": "-u", "--user-agent": "-A", "--referer": "-e"},
    **{"--get": "-G", "--head": "-I", "--range": "-r", "--form": "-F", "--upload-file": "-T"},
    **{"--config": "-K", "--location": "-L", "--form-string": "-F"},
}


@dataclass
class _Command:
    """The options of one command."""

    urls: list[str] = field(default_factory=list)
    method: str | None = None
    headers: list[tuple[str, str | None]] = field(default_factory=list)
    """A value of None removes a header of curl's own."""
    data: list[bytes] = field(default_factory=list)
    json: bool = False
    in_query: bool = False
    head: bool = False
    cookies: list[str] = field(default_factory=list)
    follows: bool = False


def read_curl(text: str) -> Recording:
    """The requests of one or several curl commands.

    Raises `BadUsage` for any other text, `BadFile` for a file that it names.
    """
    if '^"' in text or "^\n" in text:
        raise BadUsage("curl: this is quoted for cmd.exe; copy it as cURL for bash")
    recording = Recording("curl")
    for words in commands(text):
        if Path(words[0]).name not in ("curl", "curl.exe"):
            raise BadUsage(
                f"curl: `{words[0][:40]}` is not a curl command, which begins with curl; put a URL "
                "that has & in quotes"
            )
        command = _options(words[1:])
        if not command.urls:
            raise BadUsage("curl: the command has no URL")
        for url in command.urls:
            host, request = _request(command, url)
            if recording.host not in (None, host):
                recording.notes.append(f"{host} is another host; all are sent to the same server")
            recording.host = recording.host or host
            recording.requests[request] += 1
        if command.follows:
            recording.notes.append("redirects (-L) are not followed: they count as answers")
    return recording


def _options(words: list[str]) -> _Command:
    command = _Command()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            command.urls.append(word)
            continue
        name = _LONG.get(word, word)
        takes_value = {*_VALUES, *_IGNORED_VALUES, *_REFUSED}
        if word[1] != "-" and word[2:] and word[:2] in takes_value | {*_FLAGS} | _IGNORED_FLAGS:
            # `-sXPOST` is `-s -X POST`.
            name, more = word[:2], word[2:]
            rest.insert(0, more if name in takes_value else f"-{more}")
        if name in _REFUSED:
            raise BadUsage(f"curl: {name} can't be taken: it is {_REFUSED[name]}")
        if name in _FLAGS:
            _FLAGS[name](command)
        elif name not in _IGNORED_FLAGS:
            if name not in takes_value:
                known = [*_LONG, *_VALUES, *_FLAGS]
                raise BadUsage(
                    f"curl: {word[:40]} is not an option that is known here"
                    f"{nearest(word, known, 'known are')}"
                )
            if not rest:
                raise BadUsage(f"curl: {word} needs a value")
            value = rest.pop(0)
            if name in _VALUES:
                _VALUES[name](command, value)
    return command


def _request(command: _Command, url: str) -> tuple[str, Request]:
    data = (b"" if command.json else b"&").join(command.data)
    if command.in_query and data:
        address, _, _ = url.partition("#")
        glue = "&" if "?" in address else "?"
        url, data = address + glue + data.decode(errors="replace"), b""
    target = target_of(url if "://" in url else f"http://{url}")
    if target is None or target[0] is None:
        raise BadUsage(f"curl: `{url[:60]}` is not an http:// or https:// URL")
    usual = "HEAD" if command.head else "POST" if command.data and not command.in_query else "GET"
    method = method_of(command.method or usual)
    if method is None:
        raise BadUsage(f"curl: -X {command.method}: is not a method, which has letters only")
    return target[0], Request(method, target[1], _headers(command, bool(data)), data)


def _headers(command: _Command, has_body: bool) -> tuple[tuple[str, str], ...]:
    given = {name.lower() for name, _ in command.headers}
    usual: list[tuple[str, str]] = [("Accept", "application/json" if command.json else "*/*")]
    if has_body:
        usual.append(("Content-Type", "application/json" if command.json else _FORM))
    if command.cookies:
        usual.append(("Cookie", "; ".join(command.cookies)))
    kept = [(name, value) for name, value in usual if name.lower() not in given]
    return (*kept, *((name, value) for name, value in command.headers if value is not None))


def _header(command: _Command, text: str) -> None:
    if text.startswith("@"):
        raise BadUsage(f"curl: -H {text[:40]}: a file of headers can't be taken: write them out")
    name, colon, value = text.partition(":")
    if colon:
        command.headers.append((name.strip(), value.strip() or None))
    elif text.endswith(";"):
        command.headers.append((text[:-1].strip(), ""))
    else:
        raise BadUsage(f"curl: -H '{text[:40]}': a header is 'NAME: VALUE'")


def _data(command: _Command, text: str) -> None:
    data = _bytes(text)
    if text.startswith("@"):
        # curl's own rule: -d is for forms, --data-binary for bytes.
        data = data.replace(b"\r", b"").replace(b"\n", b"").replace(b"\0", b"")
    command.data.append(data)


def _bytes(text: str) -> bytes:
    if not text.startswith("@"):
        return text.encode(errors="surrogateescape")
    if text == "@-":
        raise BadUsage("curl: @- reads the command's own input; name a file")
    return read_bytes(Path(text[1:]))


def _urlencoded(command: _Command, text: str) -> None:
    name, equals, value = text.partition("=")
    if not equals and "@" in text:
        name, _, file = text.partition("@")
        equals, value = "=" if name else "", read_bytes(Path(file)).decode(errors="replace")
    elif not equals:
        name, value = "", text
    command.data.append(
        f"{name}{equals if name else ''}{quote_plus(value, errors='replace')}".encode()
    )


def _json(command: _Command, text: str) -> None:
    command.json = True
    command.data.append(_bytes(text))


def _cookie(command: _Command, text: str) -> None:
    if "=" not in text:
        raise BadUsage(
            f"curl: -b {text[:40]}: a file of cookies can't be taken: write -b 'NAME=VALUE'"
        )
    command.cookies.append(text)


def _user(command: _Command, text: str) -> None:
    encoded = base64.b64encode(text.encode(errors="surrogateescape")).decode()
    command.headers.append(("Authorization", f"Basic {encoded}"))


def _named(name: str, before: str = "") -> Callable[[_Command, str], None]:
    return lambda command, text: command.headers.append((name, f"{before}{text}"))


_FLAGS: dict[str, Callable[[_Command], None]] = {
    "-G": lambda command: setattr(command, "in_query", True),
    "-I": lambda command: setattr(command, "head", True),
    "-L": lambda command: setattr(command, "follows", True),
    "--compressed": lambda command: command.headers.append(("Accept-Encoding", "gzip")),
}
_VALUES: dict[str, Callable[[_Command, str], None]] = {
    "-X": lambda command, text: setattr(command, "method", text),
    "--url": lambda command, text: command.urls.append(text),
    "-H": _header,
    "-d": _data,
    "--data-raw": lambda command, text: command.data.append(text.encode(errors="surrogateescape")),
    "--data-binary": lambda command, text: command.data.append(_bytes(text)),
    "--data-urlencode": _urlencoded,
    "--json": _json,
    "-b": _cookie,
    "-u": _user,
    "-A": _named("User-Agent"),
    "-e": _named("Referer"),
    "-r": _named("Range", "bytes="),
    "--oauth2-bearer": _named("Authorization", "Bearer "),
}
