"""workloads/<name>.toml: what is asked, and which answer is right."""

from typing import Annotated

from pydantic import Field, PositiveInt

from bakeoff.model.base import Contract


class RequestSection(Contract):
    """The request; `path` is for a server whose contender.toml doesn't give one."""

    method: Annotated[str, Field(pattern=r"^[A-Z]+$")] = "GET"
    path: Annotated[str, Field(pattern=r"^/")] = "/"
    headers: dict[str, str] = {}
    body: str = ""


class ExpectSection(Contract):
    """The right answer. Without `body`, the first answer of each contender is its own measure.

    `body` is that after decompression. `headers` has lower-case names; a value must begin with what
    is given.
    """

    status: Annotated[int, Field(ge=200, le=599)] = 200
    body: str | None = None
    headers: dict[Annotated[str, Field(pattern=r"^[a-z0-9-]+$")], str] = {}


class DefaultsSection(Contract):
    """What a race takes where the command line is silent."""

    connections: PositiveInt = 64


class Workload(Contract):
    """One question that every contender of a race is asked."""

    name: str
    title: str
    request: RequestSection = RequestSection()
    expect: ExpectSection = ExpectSection()
    defaults: DefaultsSection = DefaultsSection()
