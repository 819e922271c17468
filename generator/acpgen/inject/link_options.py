"""What a marker keeps besides the name of its region: where links lead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

ENDINGS: Mapping[str, str] = {"md": ".md", "html": ".html", "none": ""}
"""The suffix of the pages that links lead to, by its name."""

_PLAIN = "/:#?&=@+,;!$'()[]~"


class OptionError(ValueError):
    """An option of a marker is unknown, used twice or has a wrong value."""


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """The options of a region.

    `links` is the place of the generated pages: a URL, an absolute path, or a folder as seen from
    the page; without it there are no links. `ending` is a name of ENDINGS, `md` without it.
    """

    links: str | None = None
    ending: str | None = None

    @classmethod
    def read(cls, words: Iterable[str]) -> LinkOptions:
        """Read options as a marker has them, each `NAME=VALUE`.

        Raises:
            OptionError: an option is unknown, used twice or has a wrong value.
        """
        found: dict[str, str] = {}
        for word in words:
            name, _, value = word.partition("=")
            if name not in ("links", "ending"):
                raise OptionError(f"has the option {name}; there are links=PLACE and ending=md")
            if name in found:
                raise OptionError(f"has the option {name} twice")
            if not value:
                raise OptionError(f"has no value behind {name}=; write one, or remove the option")
            found[name] = unquote(value)
        ending = found.get("ending")
        if ending is not None and ending not in ENDINGS:
            raise OptionError(f"has ending={ending}; write one of {', '.join(ENDINGS)}")
        return cls(found.get("links"), ending)

    def __str__(self) -> str:
        """The options as `read` takes them; characters that could end a marker are escaped."""
        links = None if self.links is None else quote(self.links, safe=_PLAIN)
        parts = (("links", links), ("ending", self.ending))
        return " ".join(f"{name}={value}" for name, value in parts if value is not None)

    @property
    def base(self) -> str | None:
        """The start of each link; None without links."""
        return None if self.links is None else f"{self.links.rstrip('/')}/"

    @property
    def suffix(self) -> str:
        """The suffix of the pages that links lead to."""
        return ENDINGS[self.ending or "md"]

    def replaced_by(self, other: LinkOptions) -> LinkOptions:
        """These options, with those that another one has."""
        return LinkOptions(other.links or self.links, other.ending or self.ending)
