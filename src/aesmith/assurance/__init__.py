"""Proof that a core is AES: simulation against the reference, and the testbench that travels with each build."""
