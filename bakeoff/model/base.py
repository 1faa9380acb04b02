"""What every contract shares: unknown keys are refused, and values never change."""

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bakeoff.model.errors import BadFile

T = TypeVar("T")
IfGiven = Annotated[T | None, Field(exclude_if=lambda given: given is None)]
"""A field that is in JSON only if it is not None."""
IfAny = Annotated[T, Field(exclude_if=lambda given: not given)]
"""A field that is in JSON only if it is neither empty nor False."""


class Contract(BaseModel):
    """A value that crosses a border: a file, a line of the protocol, a stage's result."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        serialize_by_alias=True,
        validate_by_name=True,
        # Built when first used: no command uses all contracts, and all together take half a second.
        defer_build=True,
    )

    def to_json(self) -> str:
        """One line of JSON that `from_json` reads back to an equal value."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str | bytes, where: Path | str) -> Self:
        """Read one JSON value. `where` is named in the error. Raises `BadFile`."""
        try:
            value = json.loads(text)
        except ValueError as error:
            raise BadFile(where, None, f"is not JSON: {error}") from None
        return cls.checked(value, where)

    @classmethod
    def read_json(cls, path: Path) -> Self:
        """Read a JSON file. Raises `BadFile`."""
        try:
            return cls.from_json(path.read_bytes(), path)
        except OSError as error:
            raise BadFile(path, None, f"can't be read: {error.strerror}") from None

    @classmethod
    def read_toml(cls, path: Path) -> Self:
        """Read a TOML file. Raises `BadFile` that names the file and the key."""
        try:
            value = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadFile(path, None, f"can't be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            why = f"is not TOML: byte {error.start} is not UTF-8 text"
            raise BadFile(path, None, why) from None
        except tomllib.TOMLDecodeError as error:
            raise BadFile(path, None, f"is not TOML: {error}") from None
        return cls.checked(value, path)

    @classmethod
    def checked(cls, value: Any, where: Path | str) -> Self:
        """`value` as this contract, or `BadFile` for its first fault."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise BadFile.from_validation(where, cls, error) from None
