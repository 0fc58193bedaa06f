"""Linear circuits: a bit matrix as a straight-line program with the fewest XOR gates."""

from aesmith.circuits.linear.paar import paar
from aesmith.circuits.linear.program import LinearProgram, smallest_depth
from aesmith.circuits.linear.search import LinearSearch, Progress, best, search
from aesmith.circuits.linear.stored import stored

__all__ = ["LinearProgram", "LinearSearch", "Progress", "best", "paar", "search", "smallest_depth", "stored"]
