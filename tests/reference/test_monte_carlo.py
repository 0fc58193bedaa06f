"""The golden model's Monte Carlo chains end where the published ones do."""

from itertools import islice

import pytest

from aesmith.reference.monte_carlo import OUTER_ROUNDS, monte_carlo, published_record


@pytest.mark.parametrize("decrypting", [False, True])
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_the_hundredth_round_is_the_published_one(key_bits: int, decrypting: bool) -> None:
    record = published_record(key_bits, decrypting=decrypting)
    *_, last = islice(monte_carlo(record.key, record.start, decrypting=decrypting), OUTER_ROUNDS)
    assert last.result == record.final_result
