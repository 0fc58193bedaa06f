"""Response files of NIST's CAVP, and others of their form: records of fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


def records(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The records of a response file, fields in lower case; what stands in brackets, or behind them and before the
    first record, belongs to all records up to the next brackets."""
    common: dict[str, str] = {}
    record: dict[str, str] = {}
    for line in map(str.strip, lines):
        field, _, value = (part.strip() for part in line.partition("="))
        if line.startswith("["):
            if record:
                yield common | record
            record = {}
            fields = [part.partition("=") for part in line.strip("[]").split(",")]
            common |= {left.strip().lower(): right.strip() for left, _, right in fields}
        elif field.lower() == "count":
            if record:
                yield common | record
            record = {"count": value}
        elif line == "FAIL":
            record["fail"] = ""
        elif line and not line.startswith("#"):
            (record or common)[field.lower()] = value
    if record:
        yield common | record


def part(found: Mapping[str, str], *names: str, size: int | None = None) -> bytes:
    """The bytes of the first of these fields that the record has; the first `size` of them."""
    return bytes.fromhex(next((found[name] for name in names if name in found), ""))[:size]


def encrypts(record: Mapping[str, str], plain: str, other: str) -> bool:
    """Whether a record is one to encrypt: it has the plaintext before the ciphertext."""
    order = [*record]
    return plain in record and order.index(plain) < order.index(other)
