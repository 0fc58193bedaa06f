"""Proofs of masked cores: by what their shares sum to."""
