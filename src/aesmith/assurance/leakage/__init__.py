"""Leakage assessment: what the power of a mapped netlist, glitches included, tells of the data."""
