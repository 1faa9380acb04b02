"""site.json: the files of a static site that are ours. Schema bakeoff.site/1."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from bakeoff.model.base import Contract


class SitePage(Contract):
    """A page that stays while its sources do: `made_of` is a hash of them.

    `files` are its own and those beside it, as paths in the site; `leads` are the addresses of the
    views to which it links, as in the application.
    """

    made_of: str
    files: tuple[str, ...]
    leads: tuple[str, ...]


class Site(Contract):
    """The files of `bakeoff explore --export`, as paths in the site: the next export replaces them.

    `made_by` is a hash of that code, and of its options. `pages` are those that need not be made
    again, by their addresses; `files` are all other files.
    """

    schema_: Literal["bakeoff.site/1"] = Field("bakeoff.site/1", alias="schema")
    bakeoff: str
    made_by: str = ""
    files: tuple[str, ...]
    pages: Mapping[str, SitePage] = Field(default_factory=dict)

    def all_files(self) -> Iterator[str]:
        yield from self.files
        for page in self.pages.values():
            yield from page.files
