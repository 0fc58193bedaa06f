"""Response files of NIST's CAVP, and others of their form: records of fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from aesmith.errors import RequestError


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
    """The bytes of the first of these fields that the record has, none if it has none; the first `size` of them. Raises
    RequestError for other text than hexadecimal digits."""
    name = next((name for name in names if name in found), None)
    return b"" if name is None else needed(found, name)[:size]


def needed(found: Mapping[str, str], name: str) -> bytes:
    """The bytes of a field. Raises RequestError if the record lacks it, or has other text than hexadecimal digits."""
    try:
        return bytes.fromhex(_field(found, name))
    except ValueError as error:
        rule = "must be whole bytes in hexadecimal digits"
        raise RequestError(f"{name.upper()}: {rule}, not {found[name]!r}") from error


def number(found: Mapping[str, str], name: str) -> int:
    """The number in a field. Raises RequestError if the record lacks it, or it is no number of 0 or more."""
    text = _field(found, name)
    if not text.isdecimal():
        raise RequestError(f"{name.upper()}: must be a number of 0 or more, not {text!r}")
    return int(text)


def _field(found: Mapping[str, str], name: str) -> str:
    if name not in found:
        raise RequestError(f"{name.upper()}: is missing")
    return found[name]


def encrypts(record: Mapping[str, str], plain: str, other: str) -> bool:
    """Whether a record is one to encrypt: it has the plaintext before the ciphertext. Raises RequestError if it has no
    ciphertext."""
    _field(record, other)
    order = [*record]
    return plain in record and order.index(plain) < order.index(other)
