"""The known answers are complete, each is once there, and each says where it comes from."""

import pytest

from aesmith.errors import RequestError
from aesmith.reference.known_answers import Suite, aesavs, fips197, known_answers, parse_rsp, sp800_38a

# Records of AESAVS: Appendix B.1-B.3 (GFSbox 7, 6, 5), C.1-C.3 (KeySbox 21, 24, 16), D (128 texts), E (a key a bit).
RECORDS = {
    128: {Suite.GFSBOX: 7, Suite.KEYSBOX: 21, Suite.VARTXT: 128, Suite.VARKEY: 128, Suite.MMT: 55},
    192: {Suite.GFSBOX: 6, Suite.KEYSBOX: 24, Suite.VARTXT: 128, Suite.VARKEY: 192, Suite.MMT: 55},
    256: {Suite.GFSBOX: 5, Suite.KEYSBOX: 16, Suite.VARTXT: 128, Suite.VARKEY: 256, Suite.MMT: 55},
}


@pytest.mark.parametrize("key_bits", RECORDS)
@pytest.mark.parametrize("suite", Suite)
def test_aesavs_has_the_records_of_its_appendices_in_both_directions(key_bits: int, suite: Suite) -> None:
    cases = aesavs(key_bits, suite)
    for section in ("ENCRYPT", "DECRYPT"):
        assert sum(section in case.source for case in cases) == RECORDS[key_bits][suite]


@pytest.mark.parametrize(("key_bits", "examples"), [(128, 2), (192, 1), (256, 1)])
def test_fips197_has_its_examples(key_bits: int, examples: int) -> None:
    assert len(fips197(key_bits)) == examples


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_sp800_38a_gives_four_blocks_of_each_mode(key_bits: int) -> None:
    sources = [case.source for case in sp800_38a(key_bits)]
    assert [sum(mode in source for source in sources) for mode in ("ECB", "CBC", "CTR")] == [4, 4, 4]


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_no_pair_is_there_twice_and_all_have_the_key_size(key_bits: int) -> None:
    cases = known_answers(key_bits)
    assert len({(case.key, case.plaintext) for case in cases}) == len(cases) > 400
    assert {8 * len(case.key) for case in cases} == {key_bits}
    assert {(len(case.plaintext), len(case.ciphertext)) for case in cases} == {(16, 16)}


def test_variable_keys_reach_every_key_bit() -> None:
    seen = 0
    for case in known_answers(128):
        seen |= int.from_bytes(case.key, "big")
    assert seen == (1 << 128) - 1


def test_a_response_file_is_read_by_section_and_record() -> None:
    text = "# CAVS\n[ENCRYPT]\n\nCOUNT = 0\nKEY = 00\nCOUNT = 1\nKEY = 01\n[DECRYPT]\nCOUNT = 0\nKEY=02\n"
    assert list(parse_rsp(text)) == [
        ("ENCRYPT", {"COUNT": "0", "KEY": "00"}),
        ("ENCRYPT", {"COUNT": "1", "KEY": "01"}),
        ("DECRYPT", {"COUNT": "0", "KEY": "02"}),
    ]


@pytest.mark.parametrize("vectors", [known_answers, fips197, sp800_38a])
def test_a_key_size_that_aes_has_not_is_refused(vectors: object) -> None:
    with pytest.raises(RequestError, match="key_bits: must be 128, 192 or 256, not 160"):
        vectors(160)  # type: ignore[operator]
