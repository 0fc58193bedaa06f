"""A checker of certificates that shares no code with the prover; `tests/check_proof` holds it to that.

    circuit.py         sources to gates, by a Yosys script of its own; what a clear does to them
    forms.py           sums of bits of keys, blocks and functions of single bytes; FIPS-197 on them
    interface.py       the block interface, clock by clock
    clock.py           one clock of the gates, on levels and forms
    walk.py            the check of a walk: its states are all there are
    pipeline_clock.py  one clock of a pipeline
    slots.py           the check of a slot proof: its states are all that a block, or a slot without one, can be in

What a certificate is, what is checked of it and why that suffices is said in docs/certificate.md.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from aesmith.check_proof.circuit import elaborate_sources, in_function, without_clear
from aesmith.check_proof.interface import SHOWN, CoreClaim
from aesmith.check_proof.slots import SlotCheck
from aesmith.check_proof.walk import WalkCheck
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.scratch import work_folder

FORMAT = "aesmith certificate 1"


class Accepted(NamedTuple):
    """What was checked: of which core, which is its top module, of which sources, how many states and clocks, and the
    bound of each promise in clocks."""

    name: str
    sources: tuple[str, ...]
    claim: CoreClaim
    states: int
    clocks: int
    bounds: dict[str, int]


def check_certificate(file: Path, rtl: Path) -> Accepted:
    """Check a certificate against the sources in the folder `rtl`.

    Raises RequestError for files that cannot be read, CheckError, naming it, for a certificate that does not hold,
    ToolError without Yosys and for what this checker does not do.
    """
    try:
        certificate = json.loads(file.read_text(encoding="utf-8"))
        form, engine = certificate["format"], certificate["engine"]
        sources = {name: (rtl / Path(name).name).read_bytes() for name in certificate["sources"]}
    except OSError as error:
        raise RequestError(f"check-proof: {error.filename} cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RequestError(f"check-proof: {file} is no certificate") from error
    if form != FORMAT:
        raise RequestError(f"check-proof: {file} has the format {form!r}, and not {FORMAT!r}")
    engines: dict[str, type[WalkCheck | SlotCheck]] = {"walk": WalkCheck, "slots": SlotCheck}
    if engine not in engines:
        raise ToolError(f"check-proof: {file} is of the engine {engine!r}, and not checked")
    try:
        for name, text in sources.items():
            if hashlib.sha256(text).hexdigest() != certificate["sources"][name]:
                raise CheckError(f"{name} is not the source that was proved: its SHA-256 is another")
        name = certificate["name"]
        if name != certificate["top"]:
            raise CheckError(f"it is of the module {certificate['top']!r}, under the name {name!r}")
        claim = CoreClaim.of(certificate)
        with work_folder() as work:
            circuit = elaborate_sources(sources, name, work)
        if certificate.get("scan_enable"):
            circuit = in_function(circuit)
        if claim.clear:
            circuit = without_clear(circuit, SHOWN)
        return Accepted(name, tuple(sources), claim, *engines[engine](circuit, claim, certificate).check())
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise CheckError(f"the certificate is not well formed ({_told(error)})") from error


def _told(error: Exception) -> str:
    """What is wrong with a field, as far as an exception says it."""
    return f"{error} is not there" if isinstance(error, KeyError) else str(error)
