"""Simulation of designs made of channels, and of stream engines against the models of their modes."""
