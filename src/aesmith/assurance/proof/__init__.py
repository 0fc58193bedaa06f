"""Proofs that a core is AES: for all keys, all blocks, all interleavings of handshakes."""
