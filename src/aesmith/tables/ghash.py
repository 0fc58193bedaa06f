"""The multipliers of GHASH: what their forms take in gates, levels and area, after Bernstein (CRYPTO 2009).

What is published are gates of products of polynomials, not reduced. The forms in GF(2^128) stand beside figures of
prototypes, whose gates were counted, and which were mapped by the recipe `keep`, before these circuits were written:
one gate list for each, made without what is in `aesmith.circuits.multipliers`. A prototype's circuit need not be the
one here: other sums are shared.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from aesmith.circuits.circuit import Circuit
from aesmith.circuits.cost import depth
from aesmith.circuits.multipliers.field_128 import digit_step, lanes_step, multiplier, product_circuit
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import KEEP
from aesmith.publications import Publication
from aesmith.tables.designs import alone
from aesmith.tables.figures import ANDS, XORS, grouped, measured
from aesmith.tables.model import DESIGN, Figure, Gap, Row, Table, TableFindings, Value

PUBLICATION = Publication(
    "bernstein2009", "D. J. Bernstein", "Batch Binary Edwards", "Advances in Cryptology: CRYPTO", 2009
)

_GATES = ("and", "xor", "gates", "levels")
_NOT_REDUCED = "a product of polynomials by itself; its gates are what is published"


@cache
def _multiplier(splits: str) -> Circuit:
    return multiplier(splits).circuit


@cache
def _digit(digit: int, splits: str) -> Circuit:
    return digit_step(digit, splits).circuit


@cache
def _lanes(lanes: int, splits: str) -> Circuit:
    return lanes_step(lanes, splits).circuit


@cache
def _product(splits: str) -> Circuit:
    return product_circuit(splits)


def _gates(_findings: TableFindings, row: Row) -> Value:
    return Gap("no circuit") if row.circuit is None else float(len(row.circuit().gates))


def _levels(_findings: TableFindings, row: Row) -> Value:
    return Gap("no circuit") if row.circuit is None else float(depth(row.circuit()))


def _area_by_keep(findings: TableFindings, row: Row) -> Value:
    """The area by the recipe that the prototypes were mapped by, of the recipes that were tried."""
    found = findings.measurement(row)
    if isinstance(found, Gap):
        return found
    tried = next((entry for entry in found.candidates if entry.label == KEEP.name), None)
    if tried is None or tried.area_ge is None:
        return Gap(f"recipe {KEEP.name} was not tried" if tried is None else str(tried.failure))
    return tried.area_ge


def _row(name: str, label: str, circuit: Callable[[], Circuit], **published: float) -> Row:
    return Row(name, label, published, {DESIGN: alone(f"ghash_{name.replace('-', '_')}", circuit)}, circuit=circuit)


def _form(splits: str, ands: int, xors: int, levels: int, area: float | None = None) -> Row:
    published = dict(zip(_GATES, map(float, (ands, xors, ands + xors, levels)), strict=True))
    label = f"one clock, splits {splits}" if splits else "one clock, schoolbook"
    more = {} if area is None else {"area_keep": area}
    return _row(splits or "schoolbook", label, partial(_multiplier, splits), **published, **more)


def _digits(digit: int, splits: str, gates: int, levels: int, area: float) -> Row:
    name, how = (f"digit-{digit}{f'-{splits}' * bool(splits)}", f"splits {splits}" if splits else "schoolbook")
    label = f"{digit} bit{'s' * (digit > 1)} a clock, {how}"
    return _row(name, label, partial(_digit, digit, splits), gates=gates, levels=levels, area_keep=area)


def _of_a_product(splits: str, gates: int, who: str) -> Row:
    return Row(
        f"product-{splits}",
        f"product not reduced, splits {splits}",
        {"gates": float(gates)},
        circuit=partial(_product, splits),
        gap=_NOT_REDUCED,
        note=f"published by {who}",
    )


TABLE = Table(
    name="ghash-multipliers",
    title="multipliers of GF(2^128) for GHASH",
    publication=PUBLICATION,
    source="section 2",
    conditions="gates of products of polynomials that are not reduced",
    figures=(
        *grouped(
            "gates",
            Figure("and", "AND", 0, ANDS, best="least"),
            Figure("xor", "XOR", 0, XORS, best="least"),
            Figure("gates", "gates (all)", 0, _gates, ratio=True, best="least"),
            Figure("levels", "levels", 0, _levels, best="least"),
        ),
        *grouped(
            "area and delay",
            Figure("area_keep", "area by keep (GE)", 0, _area_by_keep, best="least"),
            Figure("area", "area (GE)", 0, measured("area_ge"), best="least"),
            Figure("delay", "delay (ns)", 3, measured("input_to_output_ns"), best="least"),
        ),
    ),
    rows=(
        _of_a_product("kkkkkkk", 14_287, "Weimerskirch and Paar, 2006"),
        _of_a_product("kkkkk", 12_343, "Rodríguez-Henríquez and Koç, 2003"),
        _of_a_product("bbbbb", 11_620, "Bernstein, 2000 and 2009"),
        _form("", 16_384, 16_642, 11, 51_204),
        _form("oooo", 5_184, 8_486, 14, 22_944),
        _form("ooooo", 3_888, 8_969, 15, 22_508),
        _form("ooobb", 3_888, 8_540, 17, 21_671),
        _form("obbbb", 3_888, 8_295, 19, 21_235),
        _form("bbbbb", 3_888, 8_240, 22, 21_150),
        _digits(1, "", 259, 2, 397),
        _digits(8, "", 2_072, 6, 3_297),
        _digits(16, "bbb", 2_926, 13, 5_224),
        _digits(32, "bbbb", 4_738, 16, 8_504),
        _digits(64, "bbbb", 7_636, 18, 13_258),
        Row(
            "lanes-4-ooooo",
            "4 blocks per cycle, splits ooooo",
            {"gates": 41_377, "levels": 18},
            circuit=partial(_lanes, 4, "ooooo"),
            gap="of four lanes only gates and levels are stated",
        ),
    ),
    base=("schoolbook",),
    base_by="gates",
    optimise=(Optimise.AREA,),
    notes=(
        "of the forms in GF(2^128) “published” are figures of prototypes, counted and mapped by keep in NanGate 45 nm, "
        "typical corner, before these circuits were written",
        "levels count AND and XOR alike; XOR gates include the reduction",
        "area by keep is by the recipe of the prototypes; area and delay are of the smallest netlist of all recipes",
    ),
)
"""The table, for the catalogue."""
