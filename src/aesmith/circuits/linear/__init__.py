"""Linear circuits: a bit matrix as a straight-line program with the fewest XOR gates."""

from aesmith.circuits.linear.heuristics import paar
from aesmith.circuits.linear.program import LinearProgram, smallest_depth
from aesmith.circuits.linear.search import LinearSearch, SearchProgress, best, search_program
from aesmith.circuits.linear.store import linear_map, shallow

__all__ = [
    "LinearProgram",
    "LinearSearch",
    "SearchProgress",
    "best",
    "linear_map",
    "paar",
    "search_program",
    "shallow",
    "smallest_depth",
]
