"""workloads/<name>.toml: the request, and the right answer."""

from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveInt
from typing_extensions import TypeAliasType

from bakeoff.model.base import Contract


Shape = TypeAliasType("Shape", "str | list[Shape] | dict[str, Shape]")
"""Of JSON: a type's name, an array of such elements, or an object with such values."""


class RequestSection(Contract):
    """The request; `path` is for a server whose contender.toml doesn't give one."""

    method: Annotated[str, Field(pattern=r"^[A-Z]+$")] = "GET"
    path: Annotated[str, Field(pattern=r"^/")] = "/"
    headers: dict[str, str] = {}
    body: str = ""


class ExpectSection(Contract):
    """The right answer. Without `body`, a contender's answers must be like its first.

    `body` is after decompression. `headers` has lower-case names; a header's value must begin with
    the value given here.
    """

    status: Annotated[int, Field(ge=200, le=599)] = 200
    body: str | None = None
    length_between: tuple[NonNegativeInt, NonNegativeInt] | None = None
    body_contains: tuple[str, ...] = ()
    json_: Annotated[Shape | None, Field(alias="json")] = None
    headers: dict[Annotated[str, Field(pattern=r"^[a-z0-9-]+$")], str] = {}


class DefaultsSection(Contract):
    """Defaults for the command line."""

    connections: PositiveInt = 64


class Workload(Contract):
    """One request that every contender of a race is sent."""

    name: str
    title: str
    request: RequestSection = RequestSection()
    expect: ExpectSection = ExpectSection()
    defaults: DefaultsSection = DefaultsSection()
