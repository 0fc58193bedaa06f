"""One round a clock: a shell of registers, channels and sequencer around a data path and a key schedule."""
