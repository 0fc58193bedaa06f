"""What the gates of a circuit cost in a library: the circuits room's cost model, in ps and GE."""

from __future__ import annotations

from aesmith.circuits.circuit import Op
from aesmith.circuits.cost import CostModel
from aesmith.technology.cell import Cell, chain_transition, input_capacitance, mean_delay
from aesmith.technology.library import Library

_EXPRESSIONS = {
    Op.NOT: "!a",
    Op.NAND: "!(a & b)",
    Op.AND: "a & b",
    Op.NOR: "!(a | b)",
    Op.OR: "a | b",
    Op.XOR: "a ^ b",
    Op.XNOR: "!(a ^ b)",
    Op.MUX: "(s & b) | (!s & a)",
    Op.AND3: "a & b & c",
    Op.NAND3: "!(a & b & c)",
    Op.OR3: "a | b | c",
    Op.NOR3: "!(a | b | c)",
    Op.XOR3: "a ^ b ^ c",
}
# (gates it is made of where the library has no such cell, gates on its longest path); earlier ones come first.
_MADE_OF = {
    Op.AND: ((Op.NAND, Op.NOT), (Op.NAND, Op.NOT)),
    Op.OR: ((Op.NAND, Op.NOT, Op.NOT), (Op.NOT, Op.NAND)),
    Op.NOR: ((Op.OR, Op.NOT), (Op.OR, Op.NOT)),
    Op.MUX: ((Op.NAND, Op.NAND, Op.NAND, Op.NOT), (Op.NOT, Op.NAND, Op.NAND)),
    Op.AND3: ((Op.AND, Op.AND), (Op.AND, Op.AND)),
    Op.NAND3: ((Op.AND, Op.NAND), (Op.AND, Op.NAND)),
    Op.OR3: ((Op.OR, Op.OR), (Op.OR, Op.OR)),
    Op.NOR3: ((Op.OR, Op.NOR), (Op.OR, Op.NOR)),
    Op.XOR3: ((Op.XOR, Op.XOR), (Op.XOR, Op.XOR)),
}
_LOADS = 2


def cost_model(library: Library) -> CostModel:
    """Delay (ps) and area (GE) of each gate kind, with the smallest cell of that function.

    A delay is the mean over a cell's arcs and edges, with two NAND2 inputs as load and the input transition that a
    NAND2 with that load gives. A gate the library has no cell for costs what its parts do.
    """
    load = _LOADS * input_capacitance(library.nand2)
    slew = chain_transition(library.nand2, load)
    delay = {Op.ZERO: 0.0, Op.ONE: 0.0}
    area = {Op.ZERO: 0.0, Op.ONE: 0.0}
    for op, expression in _EXPRESSIONS.items():
        if (cell := library.smallest(expression)) is not None:
            delay[op] = 1000 * mean_delay(cell, slew, load)
            area[op] = library.area_ge(cell)
    for one, other in ((Op.XOR, Op.XNOR), (Op.XNOR, Op.XOR)):
        if one not in delay:
            delay[one], area[one] = delay[other] + delay[Op.NOT], area[other] + area[Op.NOT]
    for op, (parts, path) in _MADE_OF.items():
        if op not in delay:
            delay[op] = sum(delay[part] for part in path)
            area[op] = sum(area[part] for part in parts)
    flip_flop = library.flip_flop
    return CostModel(
        name=library.name,
        delay=delay,
        area=area,
        register_area=library.area_ge(flip_flop),
        delay_unit="ps",
        area_unit="GE",
        register_delay=1000 * (mean_delay(flip_flop, 0.0, load) + _setup(flip_flop, slew)),
    )


def _setup(cell: Cell, slew: float) -> float:
    tables = [
        table
        for arc in cell.arcs
        if arc.type in ("setup_rising", "setup_falling")
        for table in (arc.rise_constraint, arc.fall_constraint)
        if table is not None
    ]
    return max((table.at(0.0, slew) for table in tables), default=0.0)
