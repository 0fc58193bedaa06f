"""What only tests and benchmarks use: oracles to compare with, and ways to look into a core."""
