"""Finds secrets by their names or their form."""

import base64
import binascii
import re
from itertools import filterfalse, pairwise
from urllib.parse import unquote_plus

LEFT_OUT = "LEFT-OUT"
"""Replaces a secret in a path or a body, for the user to find and fill in."""
TOKEN = "a token"
"""The description of a secret without a name."""
_WORDS = {
    *("token", "secret", "password", "passwd", "pwd", "pass", "passphrase", "session", "sessionid"),
    *("sid", "jwt", "auth", "authorization", "apikey", "signature", "sig", "csrf", "xsrf"),
    *("credential", "credentials", "otp", "cookie", "csrftoken", "xsrftoken", "phpsessid"),
    *("jsessionid", "accesskey", "privatekey", "accesstoken", "idtoken", "refreshtoken"),
    *("passcode", "bearer"),
}
_LINKS = {"reset", "invite", "invitation", "verify", "confirm", "activate", "unsubscribe", "magic"}
"""The segment after one of these gives access to everyone who has it."""
_HASHES = {"sha", "md5", "checksum", "digest", "commit", "commits", "blob", "blobs"}
"""Values of these names look random, and are public."""
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_KEY_LENGTH = 16
"""A value called `key` is a secret from this length on."""
_SHORTEST, _SHORTEST_OF_ONE_CASE, _SHORTEST_IN_A_LINK = 24, 28, 16
"""The least length of a token. Ids are shorter: a ULID has 26 characters of one case, a Firestore
id 20."""
_ODD, _ODD_IN_A_LINK = 8, 6
"""At least this many of its characters are not part of a word, a number or an id."""
_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_ID = re.compile(r"\d+(?:[eE]\d*)?|[0-9a-f]{8,32}|[0-9A-F]{8,32}|\d{8}T\d{6}Z?")
_SPOKEN = re.compile(r"(?=.*[aeiouy])(?!.*[^aeiouy]{5})[a-z]{4,}", re.I)
_KNOWN = re.compile(
    r"eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bkey-[0-9a-f]{32}\b"
    r"|\b(?:[rs]k_live|[rs]k_test|gh[opsu]|github_pat|glpat|xox[abps])[_-][\w-]{16,}"
)
"""JSON web tokens, and keys of Amazon, Mailgun, Stripe, GitHub, GitLab and Slack."""
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)", re.S
)
_RUN = re.compile(r"[A-Za-z0-9_~+/.-]{23,}[A-Za-z0-9_~+/-]={0,2}")


def is_secret(name: str, value: str = "") -> bool:
    """Whether a header, a field of a form, or a key of an object holds a secret, by its name."""
    words = _words(name)
    pairs = {first + second for first, second in pairwise(words)}
    if _WORDS & {*words, *pairs} or _KNOWN.fullmatch(value):
        return True
    return words == ["key"] and len(value) >= _KEY_LENGTH


def is_known(text: str) -> bool:
    """Whether it contains a token of a kind that is known by its beginning."""
    return _KNOWN.search(text) is not None


def is_hash(name: str, value: str) -> bool:
    """Whether a value is a hash, by its name."""
    return bool(_HASHES & {*_words(name)}) and re.fullmatch(r"[\w+/=:-]+", value) is not None


def is_token(text: str) -> bool:
    """Whether a value looks like a token: random, and too long for an id.

    A UUID, a number, a slug, up to 32 hexadecimal digits and words in base64 don't.
    """
    if re.search(r"\s", text):
        return False
    if is_known(text):
        return True
    bare = _UUID.sub("", "/".join(filterfalse(_is_words, text.split("/"))))
    mixed = bare.lower() != bare and bare.upper() != bare
    return len(bare) >= (_SHORTEST if mixed else _SHORTEST_OF_ONE_CASE) and _odd(bare) >= _ODD


def called(name: str) -> str:
    """A secret's name for the user, unless the name is a secret itself."""
    return TOKEN if is_token(name) else f"`{name[:40]}`"


def is_link(segment: str, before: str) -> bool:
    """Whether a segment of a path is a secret because of the word before it: `/reset/3f2a…`."""
    if not (_LINKS & {*_words(before)} or is_secret(before)) or len(segment) < _SHORTEST_IN_A_LINK:
        return False
    if _ID.fullmatch(segment):
        return not segment.isdecimal()
    return bool(_UUID.search(segment)) or _odd(segment) >= _ODD_IN_A_LINK


def without_tokens(text: str) -> str:
    """`text`, with `LEFT_OUT` for parts that look like tokens, and for private keys."""
    return _RUN.sub(_without_token, _KNOWN.sub(LEFT_OUT, _PRIVATE_KEY.sub(LEFT_OUT, text)))


def _without_token(run: re.Match[str]) -> str:
    if not is_token(run[0]):
        return run[0]
    # In a path, the segments around it stay.
    odd = [chunk for chunk in re.finditer(r"[A-Za-z0-9]+", run[0]) if _odd(chunk[0])]
    begin = run[0].rfind("/", 0, odd[0].start()) + 1
    end = run[0].find("/", odd[-1].end())
    return run[0][:begin] + LEFT_OUT + (run[0][end:] if end >= 0 else "")


def _words(name: str) -> list[str]:
    return [word.lower() for word in _PIECE.findall(unquote_plus(name))]


def _odd(text: str) -> int:
    """How many characters are not part of a word, a number or an id."""
    return sum(map(_odd_of_chunk, re.findall(r"[A-Za-z0-9]+", text)))


def _odd_of_chunk(chunk: str) -> int:
    pieces = _PIECE.findall(chunk)
    if _ID.fullmatch(chunk) or (len(pieces) < 3 and len(chunk) <= _SHORTEST):
        return 0
    if chunk.isalpha() and len(chunk) >= 3.5 * len(pieces):
        return 0  # A name in camel case.
    return sum(len(piece) for piece in pieces if not _SPOKEN.fullmatch(piece))


def _is_words(text: str) -> bool:
    """Whether it is readable in base64, as are ids and cursors of many APIs: `User:123`."""
    if len(text) < _SHORTEST:
        return False
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        decoded = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return False
    return decoded.isprintable() and not (is_secret(decoded) or is_token(decoded))
