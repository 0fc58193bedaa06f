"""Design spaces, sweeps, the result store, Pareto fronts, recommendation."""
