"""site.json: the files of a static site that are ours. Schema bakeoff.site/1."""

from typing import Literal

from pydantic import Field

from bakeoff.model.base import Contract


class Site(Contract):
    """What `bakeoff explore --export` wrote, as paths in the site: the next export replaces it."""

    schema_: Literal["bakeoff.site/1"] = Field("bakeoff.site/1", alias="schema")
    bakeoff: str
    files: tuple[str, ...]
