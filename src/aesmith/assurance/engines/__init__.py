"""Proofs of engines of modes, with their cores as black boxes."""
