"""Linear circuits: a bit matrix as a straight-line program with the fewest XOR gates."""

from aesmith.circuits.linear.paar import paar
from aesmith.circuits.linear.program import LinearProgram, smallest_depth

__all__ = ["LinearProgram", "paar", "smallest_depth"]
