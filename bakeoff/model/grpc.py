"""A call of gRPC: a workload's table, and messages as JSON and as bytes."""

import base64
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, JsonValue, PositiveInt, model_validator

from bakeoff.model.base import IfGiven
from bakeoff.model.exchange import Base64, Exchange
from bakeoff.model.protocol import Protocol

TYPE = "application/grpc"
PREFIX_BYTES = 5
"""Before a message: a flag, 1 if it is compressed, and its length."""
OF_CALL = frozenset({"content-type", "te", "grpc-timeout", "grpc-encoding"})
"""Headers that metadata can't have."""


class GrpcSection(Exchange):
    """A gRPC call, in place of `[request]` and `[expect]`: unary, or with a stream of responses.

    It has one of `message` and `message_base64`, and at most one of `response` and
    `response_base64`. Without a response, each server's answers must be like its first.
    """

    kind: ClassVar[str] = "gRPC"
    carriers: ClassVar[tuple[Protocol, Protocol]] = ("h2c", "h2")

    method: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*/[A-Za-z_][A-Za-z0-9_]*$")]
    """The method: `package.Service/Method`."""
    message: IfGiven[dict[str, JsonValue]] = None
    """The message to send, by the names of its fields; it needs `proto`."""
    message_base64: IfGiven[Base64] = None
    """The message to send, as it is encoded."""
    response: IfGiven[dict[str, JsonValue]] = None
    """The right response, by the names of its fields; it needs `proto`."""
    response_base64: IfGiven[Base64] = None
    """The right response, as it is encoded."""
    responses: IfGiven[PositiveInt] = None
    """How many messages a streaming method answers with; each is measured."""
    proto: IfGiven[str] = None
    """The file that declares the method, relative to the workload's: a .proto, or a set of
    descriptors as `protoc --include_imports --descriptor_set_out` writes it."""
    metadata: dict[Annotated[str, Field(pattern=r"^[a-z0-9-]+$")], str] = {}
    """Headers to send, such as `authorization`."""
    timeout_ms: IfGiven[Annotated[int, Field(ge=1, le=60_000)]] = None
    """The deadline of each call, which the server gets, too."""
    descriptors_base64: IfGiven[str] = None
    """The set of descriptors, base64, as plans have it."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.message is None and self.message_base64 is None:
            raise ValueError("has no message: give `message` with `proto`, or `message_base64`")
        if self.descriptors_base64:
            return self
        for name in ("message", "response"):
            if getattr(self, name) is None:
                continue
            if getattr(self, f"{name}_base64") is not None:
                raise ValueError(f"has `{name}` and `{name}_base64`; keep one of them")
            if self.proto is None:
                raise ValueError(f"has `{name}`, but no `proto` that says how it is encoded")
        if self.responses and (self.response is not None or self.response_base64 is not None):
            raise ValueError("has `responses`, which are counted, beside a single right response")
        for name in self.metadata:
            if name in OF_CALL:
                raise ValueError(f"has `{name}` in its metadata, which every call sends itself")
        return self

    @property
    def request(self) -> Mapping[str, Any]:
        timeout = {"grpc-timeout": f"{self.timeout_ms}m"} if self.timeout_ms else {}
        headers = {"content-type": TYPE, "te": "trailers", **timeout, **self.metadata}
        return {"method": "POST", "path": f"/{self.method}", "headers": headers}

    @property
    def body(self) -> bytes:
        """The message behind its prefix, once it is encoded."""
        return framed(base64.b64decode(self.message_base64 or ""))

    @property
    def sends(self) -> str:
        return f"gRPC {self.method}"

    @property
    def returns(self) -> str:
        if self.responses:
            return f"grpc-status 0, messages: {self.responses}"
        given = self.response is not None or self.response_base64 is not None
        return f"grpc-status 0, {'a given' if given else 'one'} message"


def framed(message: bytes) -> bytes:
    return b"\0" + len(message).to_bytes(4) + message


def encoded(
    descriptors: bytes, method: str, side: Literal["input", "output"], value: Mapping[str, Any]
) -> bytes:
    """A message of a method, as it is sent. Raises ValueError with what is wrong with it."""
    from google.protobuf import json_format
    from google.protobuf.message import EncodeError

    message = message_class(descriptors, method, side)()
    try:
        json_format.ParseDict(dict(value), message)
        return bytes(message.SerializeToString(deterministic=True))
    except (json_format.ParseError, EncodeError) as error:
        raise ValueError(f"is not a message {message.DESCRIPTOR.full_name}: {error}") from None


def decoded(
    descriptors: bytes, method: str, side: Literal["input", "output"], data: bytes
) -> dict[str, Any]:
    """A message of a method by the names of its fields. Raises ValueError."""
    from google.protobuf import json_format
    from google.protobuf.message import DecodeError

    message = message_class(descriptors, method, side)()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise ValueError(f"is not a message {message.DESCRIPTOR.full_name}: {error}") from None
    return dict(json_format.MessageToDict(message, preserving_proto_field_name=True))


def message_class(descriptors: bytes, method: str, side: Literal["input", "output"]) -> Any:
    """The class of a method's messages. Raises ValueError."""
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(getattr(_declared(descriptors, method), f"{side}_type"))


def check_streams(descriptors: bytes, method: str, responses: int | None) -> None:
    """Raise ValueError if the method does not take one message, or answers differently."""
    found = _declared(descriptors, method)
    if found.client_streaming:
        raise ValueError(f"declares {method} as a stream of requests; one message is sent")
    if found.server_streaming and responses is None:
        raise ValueError(
            f"declares {method} as a stream of responses: say how many (`responses`, --events)"
        )
    if responses and not found.server_streaming:
        raise ValueError(f"declares {method} with one response, not {responses}")


def _declared(descriptors: bytes, method: str) -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool
    from google.protobuf.message import DecodeError

    pool = descriptor_pool.DescriptorPool()
    try:
        files = descriptor_pb2.FileDescriptorSet.FromString(descriptors)
        for file in files.file:
            pool.Add(file)
    except (DecodeError, TypeError) as error:
        raise ValueError(f"has no set of descriptors: {error}") from None
    service, _, name = method.partition("/")
    try:
        return pool.FindServiceByName(service).FindMethodByName(name)
    except KeyError:
        declared = sorted(
            f"{file.package + '.' if file.package else ''}{each.name}/{own.name}"
            for file in files.file
            for each in file.service
            for own in each.method
        )
        there = f"there are {', '.join(declared)}" if declared else "there is no service"
        raise ValueError(f"declares no {method}: {there} in it") from None
