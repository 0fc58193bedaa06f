"""Byte-serial cores: 8-bit channels and data path, one or two S-boxes."""
