"""Findings of the judge as data: a code of `model/findings`, its values, and its reasons."""

from typing import Self

from pydantic import model_validator

from bakeoff.model.base import Contract, IfAny
from bakeoff.model.findings import CODES
from bakeoff.model.findings.values import Value


class Finding(Contract):
    """A code and its values: see finding.schema.json.

    `because` has the findings on which this one rests. If it has one for each of `names`, they are
    those contenders' own, which then need not be repeated for each.
    """

    code: str
    values: dict[str, Value] = {}
    because: IfAny[tuple["Finding", ...]] = ()

    @classmethod
    def of(cls, code: str, *because: Self, **values: Value) -> Self:
        """`Finding.of("died", how="SIGKILL")`."""
        return cls(code=code, values=values, because=because)

    def tells(self, name: str, own: "Finding") -> bool:
        """Whether this finding contains `own`, a finding on one contender."""
        names = self.values.get("names")
        if not isinstance(names, list) or len(names) != len(self.because):
            return False
        return (name, own) in zip(names, self.because, strict=True)

    @model_validator(mode="after")
    def _is_registered(self) -> Self:
        code = CODES.get(self.code)
        if code is None:
            raise ValueError(f"`code` is {self.code}, which is none of finding.schema.json's")
        if set(self.values) != set(code.values):
            raise ValueError(f"`values` of {self.code} are {', '.join(code.values) or 'none'}")
        return self
