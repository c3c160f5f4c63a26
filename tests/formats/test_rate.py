from __future__ import annotations

import pytest

from railwise.formats.rate import EXPECTED_RATE, parse_rate

G = 10**9


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("400Gbps", 400 * G),
        ("900GBps", 7200 * G),
        ("50 GB/s", 400 * G),
        ("1.6Tbit/s", 1600 * G),
        ("100Mb/s", 100 * 10**6),
        ("1.8TB/s", 14_400 * G),
    ],
)
def test_bits_and_bytes_are_told_apart_by_the_capital(text: str, bits: int) -> None:
    assert parse_rate(text) == bits


BAD = ["", "400", "Gbps", "400gbps", "0Gbps", "-1Gbps", "1e9Gbps", "9" * 50 + "Gbps", "9" * 30 + "Gbps"]


@pytest.mark.parametrize("text", BAD)
def test_anything_else_says_what_was_expected(text: str) -> None:
    with pytest.raises(ValueError, match=r"^expected a bandwidth") as error:
        parse_rate(text)
    assert str(error.value) == EXPECTED_RATE
