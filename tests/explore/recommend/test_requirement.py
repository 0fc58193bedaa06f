"""Quantities are read as people write them, and what is unclear is asked about."""

import pytest

from aesmith.errors import RequestError
from aesmith.explore.recommend import requirement as q


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (q.THROUGHPUT, "10Gbps", 10),
        (q.THROUGHPUT, "10 gbit/s", 10),
        (q.THROUGHPUT, "800mbps", 0.8),
        (q.THROUGHPUT, "1.25 GB/s", 10),
        (q.THROUGHPUT, "2e1Gbps", 20),
        (q.AREA, "12kGE", 12000),
        (q.AREA, "12_500", 12500),
        (q.TIME, "25ns", 25),
        (q.TIME, ".5 us", 500),
        (q.CLOCKS, "11 cycles", 11),
        (q.FREQUENCY, "1.2GHz", 1200),
        (q.POWER, "2mW", 2000),
        (q.POWER, "300µW", 300),
        (q.ENERGY, "40pJ", 40),
        (q.DURATION, "1.5h", 5400),
    ],
)
def test_quantities_are_read(kind: q.Kind, text: str, value: float) -> None:
    assert kind.parse(text, "x") == pytest.approx(value)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (q.THROUGHPUT, "10", "number with a unit .Tbps, Gbps.*such as 10Gbps, not '10'"),
        (q.THROUGHPUT, "fast", "min-throughput: must be"),
        (q.THROUGHPUT, "10gb/s", "write Gb/s or GB/s"),
        (q.THROUGHPUT, "10 GHz", "such as 10Gbps, not '10 GHz'"),
        (q.THROUGHPUT, "-3Gbps", "must be"),
        (q.THROUGHPUT, "0Gbps", "above zero"),
        (q.THROUGHPUT, "1,5Gbps", "decimals with a point"),
        (q.POWER, "2MW", "M is mega; write mW"),
        (q.AREA, "1e999", "must be a number"),
        (q.AREA, "", "with a unit or without"),
    ],
)
def test_what_is_unclear_is_refused(kind: q.Kind, text: str, message: str) -> None:
    with pytest.raises(RequestError, match=message) as error:
        kind.parse(text, "min-throughput")
    assert str(error.value).startswith("min-throughput: ")


@pytest.mark.parametrize(
    ("value", "text"),
    [(8412.4, "8,412 GE"), (0.60214, "0.6021 GE"), (12.5, "12.5 GE"), (0.0, "0 GE"), (998.96, "999 GE"), (7, "7 GE")],
)
def test_quantities_are_written_with_four_digits(value: float, text: str) -> None:
    assert q.written(value, "GE") == text
