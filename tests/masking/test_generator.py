"""The models of Trivium and Bivium give the key streams that were published."""

from __future__ import annotations

import pytest

from aesmith.masking.generator import StreamCipher, key_stream, key_stream_bytes

TRIVIUM, BIVIUM = StreamCipher

# eSTREAM, Trivium with keys and IVs of 80 bits: set and vector, and where in the key stream the bytes are.
PUBLISHED = [
    (
        "set 1, vector 0",
        "80000000000000000000",
        "00000000000000000000",
        {
            0: "38EB86FF730D7A9CAF8DF13A4420540DBB7B651464C87501552041C249F29A64"
            "D2FBF515610921EBE06C8F92CECF7F8098FF20CCCC6A62B97BE8EF7454FC80F9",
            448: "EBF14772061C210843C18CEA2D2A275AE02FCB18E5D7942455FF77524E8A4CA5"
            "1E369A847D1AEEFB9002FCD02342983CEAFA9D487CC2032B10192CD416310FA4",
        },
    ),
    (
        "set 1, vector 9",
        "00400000000000000000",
        "00000000000000000000",
        {
            0: "61208D286BC1DC431171EDA5CAF79D9560B18ACEF26484417B651A47A3F7A803"
            "53F79AF8656DA4301A5E5A02E04265B182C67F5891220349F8CD1CD06597B77E"
        },
    ),
    (
        "set 2, vector 0",
        "00000000000000000000",
        "00000000000000000000",
        {
            0: "FBE0BF265859051B517A2E4E239FC97F563203161907CF2DE7A8790FA1B2E9CD"
            "F75292030268B7382B4C1A759AA2599A285549986E74805903801A4CB5A5D4F2",
            192: "0F1BE95091B8EA857B062AD52BADF47784AC6D9B2E3F85A9D79995043302F0FD"
            "F8B76E5BC8B7B4F0AA46CD20DDA04FDD197BC5E1635496828F2DBFB23F6BD5D0",
            448: "68450EB0910A98EF1853E0FC1BED8AB6BB08DF5F167D34008C2A85284D4B886D"
            "D56883EE92BF18E69121670B4C81A5689C9B0538373D22EB923A28A2DB44C0EB",
        },
    ),
    ("set 2, vector 9", "09090909090909090909", "00000000000000000000", {0: "AB97616E7BAF0921F424B2573BFA15BD"}),
    (
        "set 5, vector 0",
        "00000000000000000000",
        "80000000000000000000",
        {
            0: "F8901736640549E3BA7D42EA2D07B9F49233C18D773008BD755585B1A8CBAB86"
            "C1E9A9B91F1AD33483FD6EE3696D659C9374260456A36AAE11F033A519CBD5D7",
            256: "D94389A90E6F3BF2BB4C8B057339AAD8AA2FEA238C29FCAC0D1FF1CB2535A070"
            "58BA995DD44CFC54CCEC54A5405B944C532D74E50EA370CDF1BA1CBAE93FC0B5",
        },
    ),
    (
        "set 6, vector 0",
        "0053A6F94C9FF24598EB",
        "0D74DB42A91077DE45AC",
        {
            0: "F4CD954A717F26A7D6930830C4E7CF0819F80E03F25F342C64ADC66ABA7F8A8E"
            "6EAA49F23632AE3CD41A7BD290A0132F81C6D4043B6E397D7388F3A03B5FE358",
        },
    ),
]


@pytest.mark.parametrize(("key", "iv", "stream"), [case[1:] for case in PUBLISHED], ids=[case[0] for case in PUBLISHED])
def test_trivium_gives_the_published_key_streams(key: str, iv: str, stream: dict[int, str]) -> None:
    expected = {at: bytes.fromhex(part) for at, part in stream.items()}
    end = max(at + len(part) for at, part in expected.items())
    found = key_stream_bytes(TRIVIUM, bytes.fromhex(key), bytes.fromhex(iv), end)
    assert {at: found[at : at + len(part)] for at, part in expected.items()} == expected


@pytest.mark.parametrize(
    ("key", "iv", "stream"),
    [
        ("f" * 20, "f" * 20, "30d0e5ede563dee67884718977510a4c22661cf128d8f75af4a2708276014d83"),
        ("f" * 10 + "0" * 10, "0" * 10 + "f" * 10, "debe55784f853606399af3f6f4b8d0a706963a91f2ba4c687baea16da074f3c3"),
    ],
    ids=["all ones", "halves"],
)
def test_bivium_gives_what_another_implementation_gives(key: str, iv: str, stream: str) -> None:
    """Vectors of the CLAASP library, where bit 0 of key, IV and stream is the most significant; eSTREAM has none."""
    bits = [[int(value, 16) >> (79 - i) & 1 for i in range(80)] for value in (key, iv)]
    made = key_stream(BIVIUM, *bits)
    assert sum(next(made) << (255 - i) for i in range(256)) == int(stream, 16)


def test_words_are_as_many_cases_at_once() -> None:
    keys, ivs = [0x0123456789ABCDEF0123, 0x55], [7, 0xFEDCBA98765432100FED]

    def side_by_side(values: list[int]) -> list[int]:
        return [sum((value >> i & 1) << case for case, value in enumerate(values)) for i in range(80)]

    both = key_stream(TRIVIUM, side_by_side(keys), side_by_side(ivs), 0b11)
    found = [next(both) for _ in range(160)]
    for case, (key, iv) in enumerate(zip(keys, ivs, strict=True)):
        alone = key_stream_bytes(TRIVIUM, key.to_bytes(10, "little"), iv.to_bytes(10, "little"), 20)
        assert sum((word >> case & 1) << i for i, word in enumerate(found)) == int.from_bytes(alone, "little")
