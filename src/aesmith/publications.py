"""Publications: how they are cited, and what their tables print, slips included.

The citation of an S-box or a core stands in a module of its own; here is the standard's, and what a citation is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Publication:
    """A citation: `key` is first author + year, for example `canright2005`. `authors` are initials and surnames."""

    key: str
    authors: str
    title: str
    venue: str
    year: int

    def __str__(self) -> str:
        return f"{self.authors}, “{self.title}”, {self.venue}, {self.year}"

    @property
    def short(self) -> str:
        """As a text cites it: `Ueno et al., 2020`, `Wang and Heys, 2010`."""
        names = [" ".join(word for word in author.split() if "." not in word) for author in self.authors.split(", ")]
        who = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."
        return f"{who}, {self.year}"


@dataclass(frozen=True)
class Correction:
    """A printed figure that contradicts others of its row, and what they imply."""

    figure: str
    printed: float
    corrected: float
    reason: str


def corrected(printed: Mapping[str, float], corrections: Sequence[Correction]) -> dict[str, float]:
    """The figures of a row with its slips put right."""
    return {**printed, **{correction.figure: correction.corrected for correction in corrections}}


@dataclass(frozen=True)
class PublishedRow:
    """A row of a publication's table: `label` and figures as printed, by name. `source` names the table."""

    publication: Publication
    source: str
    label: str
    printed: Mapping[str, float]
    corrections: tuple[Correction, ...] = ()

    @property
    def stated(self) -> dict[str, float]:
        """The figures with the slips put right."""
        return corrected(self.printed, self.corrections)

    def citation(self, *figures: str) -> str:
        """Where these figures are printed, and which of them are slips."""
        slips = "".join(
            f"; {slip.figure} is printed as {slip.printed:.2f}, a slip for {slip.corrected:.2f}: {slip.reason}"
            for slip in self.corrections
            if slip.figure in figures
        )
        return f"{self.publication.short}, {self.source}, row “{self.label}”{slips}"


FIPS_197 = Publication(
    "fips197",
    "National Institute of Standards and Technology",
    "Advanced Encryption Standard (AES)",
    "FIPS 197",
    2001,
)
