"""The page on towers and offset says what the code computes."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "towers-and-offset.md"

FREE_NUMBERS = {"16", "60", "2015", "02", "03", "01", "10", "255"}
"""What is given and not computed: AES's own numbers, the words' width, a year, and the seconds of an example."""


@pytest.mark.thorough
def test_every_result_on_the_page_is_what_the_code_gives() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted > 25
    assert results.failed == 0


def test_every_number_in_the_text_is_a_result_on_the_page() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    results = " ".join(example.want for block in blocks for example in doctest.DocTestParser().get_examples(block))
    code = " ".join(example.source for block in blocks for example in doctest.DocTestParser().get_examples(block))
    text = re.sub(r"```.*?```", "", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL).split("## Sources")[0]
    computed = set(re.findall(r"0x[0-9a-f]+|\d+", results)) | set(re.findall(r"0x[0-9A-Fa-f]+", code.lower()))
    numbers = {number.replace(",", "") for number in re.findall(r"(?<![\w^])0x[0-9a-f]+|(?<![\w^])\d[\d,]*\d", text)}
    unexplained = numbers - computed - FREE_NUMBERS
    assert not unexplained
