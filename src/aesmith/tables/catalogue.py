"""All published tables by name."""

from __future__ import annotations

from aesmith.errors import not_one_of
from aesmith.tables import ghash, lin2023, ueno2016, ueno2020, wang2010, zhang2004
from aesmith.tables.fpga import FpgaTable
from aesmith.tables.model import Table

TABLES = {
    table.name: table
    for table in (
        *ueno2020.TABLES,
        *ueno2016.TABLES,
        *lin2023.TABLES,
        *zhang2004.TABLES,
        *wang2010.TABLES,
        ghash.TABLE,
    )
}
"""The tables that are measured in a cell library."""

FPGA_TABLES = {table.name: table for table in zhang2004.FPGA_TABLES}
"""The tables that are measured on an FPGA."""


def table_by_name(name: str) -> Table | FpgaTable:
    """The table of that name. Raises RequestError, listing the valid names, if there is none."""
    every: dict[str, Table | FpgaTable] = {**TABLES, **FPGA_TABLES}
    if name not in every:
        raise not_one_of("table", name, every)
    return every[name]
