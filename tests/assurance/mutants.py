"""What each broken stand-in (`+mutant=N` of standin_iterative.sv) does wrong, and what must be said of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """`number` is the plusarg's value; `message` is a regular expression for the first failure's text."""

    number: int
    name: str
    message: str


MUTANTS = (
    Mutant(1, "one S-box bit", "expected .* got "),
    Mutant(2, "one round constant", "expected .* got "),
    Mutant(3, "ignores block_ready_i", "block_valid_o fell"),
    Mutant(4, "72 key bits stuck at the key of FIPS-197 C.1", "expected .* got "),
    Mutant(5, "payload changes while stalled", "block_o changed"),
    Mutant(6, "offers some results twice", "no block in flight|result of the block before"),
    Mutant(7, "uses a key taken in the same clock", "accepted after the block"),
    Mutant(8, "one clock slower than it says", "latency_cycles: the design says 11, encryption took 12"),
    Mutant(9, "uses a key taken while the block is in flight", "accepted after the block"),
    Mutant(10, "takes a block before any key", "before any key"),
    Mutant(11, "reset leaves the block in flight", "no block in flight"),
    Mutant(12, "decrypt_i not sampled with the block", "other direction|block_o changed"),
    Mutant(13, "block_valid_o waits for block_ready_i", "waits for block_ready_i"),
    Mutant(14, "takes a key without key_valid_i", "expected .* got "),
    Mutant(15, "takes a block while its result is stalled", "block_valid_o fell|block_o changed"),
    Mutant(16, "stops after 600 blocks", "deadlock"),
    Mutant(17, "key_ready_o waits for a block", "deadlock"),
    Mutant(18, "one clock more for some data", "depends on"),
    Mutant(19, "one inverse S-box bit", "expected .* got "),
)
