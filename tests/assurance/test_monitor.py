"""The monitor knows which block is under which key, what the result is, and when a rule of the channels is broken."""

import pytest

from aesmith.assurance.plan import CoreFacts
from aesmith.assurance.testbench.monitor import Monitor, RuleError
from aesmith.reference.golden import decrypt, encrypt

KEY_A, KEY_B = bytes(range(16)), bytes(range(16, 32))
BLOCK_1, BLOCK_2 = bytes(range(32, 48)), bytes(range(48, 64))


def number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def monitor(width: int = 128) -> Monitor:
    return Monitor(CoreFacts("core", 128, width, width, True, True, 10, 11))


def with_key_and_block() -> Monitor:
    heard = monitor()
    heard.key_taken(1, number(KEY_A))
    heard.block_taken(2, number(BLOCK_1), False)
    return heard


def test_a_block_belongs_to_the_last_key_before_it() -> None:
    heard = monitor()
    heard.key_taken(1, number(KEY_A))
    heard.key_taken(2, number(KEY_B))
    heard.block_taken(3, number(BLOCK_1), False)
    heard.result(13, number(encrypt(KEY_B, BLOCK_1)), True)
    assert not heard.in_flight
    assert heard.finished[0].offered == 13


def test_a_key_in_the_same_clock_or_later_is_not_the_block_s() -> None:
    heard = monitor()
    heard.key_taken(1, number(KEY_A))
    heard.block_taken(2, number(BLOCK_1), False)
    heard.key_taken(2, number(KEY_B))
    with pytest.raises(RuleError, match=f"expected {encrypt(KEY_A, BLOCK_1).hex()}.*same clock as the block"):
        heard.result(12, number(encrypt(KEY_B, BLOCK_1)), True)


def test_a_result_under_a_key_accepted_later_is_named_so() -> None:
    heard = with_key_and_block()
    heard.key_taken(5, number(KEY_B))
    with pytest.raises(RuleError, match=f"under key {KEY_B.hex()} of clock 5, accepted after the block"):
        heard.result(12, number(encrypt(KEY_B, BLOCK_1)), True)


def test_a_block_before_any_key_is_wrong_also_after_a_reset() -> None:
    heard = with_key_and_block()
    heard.reset()
    with pytest.raises(RuleError, match="before any key"):
        heard.block_taken(20, number(BLOCK_1), False)


def test_a_result_of_the_other_direction_is_named_so() -> None:
    heard = with_key_and_block()
    with pytest.raises(RuleError, match="other direction"):
        heard.result(12, number(decrypt(KEY_A, BLOCK_1)), True)


def test_a_lost_block_is_noticed_by_its_successor() -> None:
    heard = with_key_and_block()
    heard.block_taken(3, number(BLOCK_2), False)
    with pytest.raises(RuleError, match="block 1 after it"):
        heard.result(13, number(encrypt(KEY_A, BLOCK_2)), True)


def test_a_repeated_result_is_named_so() -> None:
    heard = with_key_and_block()
    result = number(encrypt(KEY_A, BLOCK_1))
    heard.result(12, result, True)
    with pytest.raises(RuleError, match=r"no block in flight.*once more"):
        heard.result(13, result, True)


def test_any_other_wrong_result_says_block_key_and_difference() -> None:
    heard = with_key_and_block()
    wrong = number(encrypt(KEY_A, BLOCK_1)) ^ 0b101
    with pytest.raises(RuleError, match=f"{BLOCK_1.hex()} .*{KEY_A.hex()}.*got {wrong:032x}; 2 of 128 bits differ"):
        heard.result(12, wrong, True)


def test_a_stalled_result_must_stay() -> None:
    heard = with_key_and_block()
    heard.result(12, number(encrypt(KEY_A, BLOCK_1)), False)
    with pytest.raises(RuleError, match="block_valid_o fell"):
        heard.no_result()
    with pytest.raises(RuleError, match="block_o changed"):
        heard.result(13, number(encrypt(KEY_A, BLOCK_1)) ^ 1, True)
    heard.result(14, number(encrypt(KEY_A, BLOCK_1)), True)
    assert heard.finished[0].offered == 12


def test_a_result_may_not_come_in_the_clock_of_its_block() -> None:
    heard = monitor()
    heard.key_taken(1, number(KEY_A))
    with pytest.raises(RuleError, match="no block in flight"):
        heard.result(2, number(encrypt(KEY_A, BLOCK_1)), True)


def test_bytes_are_gathered_byte_0_first_under_the_key_before_the_first() -> None:
    heard = monitor(8)
    for clock, byte in enumerate(KEY_A):
        heard.key_taken(clock, byte)
    heard.block_taken(20, BLOCK_1[0], False)
    for clock, byte in enumerate(KEY_B):
        heard.key_taken(21 + clock, byte)
    for clock, byte in enumerate(BLOCK_1[1:]):
        heard.block_taken(40 + clock, byte, False)
    for clock, byte in enumerate(encrypt(KEY_A, BLOCK_1)):
        heard.result(60 + clock, byte, True)
    assert (heard.finished[0].taken, heard.finished[0].offered) == (20, 75)


def test_half_a_key_is_no_key() -> None:
    heard = monitor(8)
    for clock, byte in enumerate(KEY_A[:15]):
        heard.key_taken(clock, byte)
    with pytest.raises(RuleError, match="before any key"):
        heard.block_taken(20, 0, False)
