"""Vector sets of the Automated Cryptographic Validation Protocol (ACVP), answered by an engine's RTL or by models."""
