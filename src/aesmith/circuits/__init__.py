"""Straight-line circuits over named gates: build, evaluate, count, optimise, emit."""
