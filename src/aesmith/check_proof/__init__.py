"""A checker of certificates that shares no code with the prover; `tests/check_proof` holds it to that.

    circuit.py    sources to gates, by a Yosys script of its own
    forms.py      sums of bits of keys, blocks and functions of single bytes; FIPS-197 on them
    interface.py  the block interface, clock by clock
    walk.py       the check of a certificate's states

What a certificate is, what is checked of it and why that suffices is said in docs/certificate.md.
"""
