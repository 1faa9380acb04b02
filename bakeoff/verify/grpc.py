"""An answer to a gRPC call, compared with what a workload expects."""

import base64
import json
from urllib.parse import unquote

from bakeoff.model.grpc import PREFIX_BYTES, TYPE, GrpcSection, decoded
from bakeoff.verify.exchange import Answer

STATUSES = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)
_SHOWN = 60


def fault(answer: Answer, grpc: GrpcSection) -> str:
    """What is wrong with it; empty: nothing."""
    kind = answer.header("content-type")
    if kind.partition(";")[0].partition("+")[0].strip().lower() != TYPE:
        return f"answered with content-type: {kind or '(none)'}, not {TYPE}"
    if grpc.responses:
        return _status(answer) or _stream(answer.body, grpc.responses)
    return _status(answer) or _framing(answer.body) or _message(answer.body[PREFIX_BYTES:], grpc)


def _status(answer: Answer) -> str:
    # If it has a body, its status follows the body.
    said = dict(answer.trailers if answer.body else (*answer.headers, *answer.trailers))
    status = said.get("grpc-status")
    if status is None:
        early = answer.header("grpc-status")
        where = ", but in its head, before the message" if early else ""
        return f"answered without a grpc-status in its trailers{where}"
    if status == "0":
        return ""
    name = STATUSES[int(status)] if status.isdecimal() and int(status) < len(STATUSES) else ""
    message = unquote(said.get("grpc-message", ""))
    return f"answered with grpc-status {f'{status} {name}'.strip()}{message and f': {message}'}"


def _framing(body: bytes) -> str:
    """Why a body isn't one uncompressed message behind its prefix."""
    if not body:
        return "answered with grpc-status 0, but without a message"
    if len(body) < PREFIX_BYTES:
        return f"answered with {len(body)} bytes, and a message begins with {PREFIX_BYTES}"
    flag, length = body[0], int.from_bytes(body[1:PREFIX_BYTES])
    came = len(body) - PREFIX_BYTES
    if flag == 1:
        return "answered with a compressed message, which was not offered"
    if flag:
        return f"answered with a message whose flag is {flag}, not 0"
    if length == came:
        return ""
    rest = body[PREFIX_BYTES + length :]
    if rest and not _framing(rest):
        return "answered with two messages, not one"
    return f"answered with a message of {length} bytes by its prefix, and {came} came"


def _stream(body: bytes, responses: int) -> str:
    """Why a body isn't this many uncompressed messages, each behind its prefix."""
    count, rest = 0, body
    while rest:
        end = PREFIX_BYTES + int.from_bytes(rest[1:PREFIX_BYTES])
        if wrong := _framing(rest[:end]):
            return f"{wrong}, after {count}"
        count, rest = count + 1, rest[end:]
    return "" if count == responses else f"answered with {count} messages, not {responses}"


def _message(message: bytes, grpc: GrpcSection) -> str:
    """A response that isn't the right one. Equal messages may be encoded in several ways."""
    if grpc.response_base64 is None:
        return ""
    right = base64.b64decode(grpc.response_base64)
    if message == right:
        return ""
    if not grpc.descriptors_base64:
        return f"answered {_hex(message)}, not {_hex(right)}"
    descriptors = base64.b64decode(grpc.descriptors_base64)
    try:
        own, other = (
            json.dumps(decoded(descriptors, grpc.method, "output", data), sort_keys=True)
            for data in (message, right)
        )
    except ValueError as error:
        return f"answered {_hex(message)}, which {error}"
    return "" if own == other else f"answered {own}, not {other}"


def _hex(message: bytes) -> str:
    more = f"… ({len(message)} bytes)" if len(message) > _SHOWN else ""
    return f"{message[:_SHOWN].hex(' ') or 'an empty message'}{more}"
