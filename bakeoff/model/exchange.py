"""Exchanges that a workload may send in place of requests with HTTP answers."""

import base64
import binascii
from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator

from bakeoff.model.base import Contract
from bakeoff.model.protocol import Protocol


def _base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"is not base64: {error}") from None
    return text


Base64 = Annotated[str, AfterValidator(_base64)]


class Exchange(Contract):
    """One message, sent again and again, and its right response."""

    kind: ClassVar[str]
    """Its name in sentences."""
    carriers: ClassVar[tuple[Protocol, Protocol]]
    """The protocols that carry it, in cleartext and over TLS."""

    @property
    @abstractmethod
    def request(self) -> Mapping[str, Any]:
        """The keys of the request that carries it."""

    @property
    @abstractmethod
    def body(self) -> bytes:
        """The message as it is sent."""

    @property
    @abstractmethod
    def sends(self) -> str:
        """What is sent, in a few words."""

    @property
    @abstractmethod
    def returns(self) -> str:
        """The expected response, in a few words."""
