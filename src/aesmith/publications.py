"""The publications that the designs in this project come from, each known by *first author + year*."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Publication:
    """A citation: `key` is first author + year, for example `canright2005`."""

    key: str
    authors: str
    title: str
    venue: str
    year: int

    def __str__(self) -> str:
        return f"{self.authors}, “{self.title}”, {self.venue}, {self.year}"


PUBLICATIONS = {
    publication.key: publication
    for publication in (
        Publication(
            "fips197",
            "National Institute of Standards and Technology",
            "Advanced Encryption Standard (AES)",
            "FIPS 197",
            2001,
        ),
        Publication("canright2005", "D. Canright", "A Very Compact S-Box for AES", "CHES 2005, LNCS 3659", 2005),
        Publication(
            "ueno2015",
            "R. Ueno, N. Homma, Y. Sugawara, Y. Nogami, T. Aoki",
            "Highly Efficient GF(2^8) Inversion Circuit Based on Redundant GF Arithmetic and Its Application to AES Design",
            "CHES 2015, LNCS 9293",
            2015,
        ),
        Publication(
            "ueno2020",
            "R. Ueno, S. Morioka, N. Miura, K. Matsuda, M. Nagata, S. Bhasin, Y. Mathieu, T. Graba, J.-L. Danger, N. Homma",
            "High Throughput/Gate AES Hardware Architectures Based on Datapath Compression",
            "IEEE Transactions on Computers 69(4)",
            2020,
        ),
    )
}
