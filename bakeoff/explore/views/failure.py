"""What is shown in place of a view that can't be."""

from dataclasses import dataclass
from typing import ClassVar

from bakeoff.explore.page import Page


@dataclass(frozen=True, kw_only=True)
class FailurePage(Page):
    """Why, as `alarm`."""

    template: ClassVar[str] = "failure.html"
    is_shared: ClassVar[bool] = False
