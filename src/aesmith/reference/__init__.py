"""The golden model of AES, from a trusted library, and the standard test vectors."""
