"""Power of a mapped netlist, glitches included: simulation on delays, and energies from the library's tables."""
