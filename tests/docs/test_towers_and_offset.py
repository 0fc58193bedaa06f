"""The page on towers and offset, and that on linear maps, say what the code computes."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "towers-and-offset.md"
PAGES = (PAGE, DOCS / "evidence" / "linear-maps.md")

FREE_NUMBERS = {"16", "60", "2015", "02", "03", "01", "10", "255"}
"""What is given and not computed: AES's own numbers, the words' width, a year, and the seconds of an example."""


@pytest.mark.thorough
def test_every_result_on_the_pages_is_what_the_code_gives() -> None:
    flags = doctest.NORMALIZE_WHITESPACE
    results = [doctest.testfile(str(page), module_relative=False, optionflags=flags) for page in PAGES]
    assert sum(result.attempted for result in results) > 25
    assert [result.failed for result in results] == [0, 0]


def test_every_number_in_the_text_is_a_result_on_the_page() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    blocks = re.findall(r"```python\n(.*?)```", pages, flags=re.DOTALL)
    results = " ".join(example.want for block in blocks for example in doctest.DocTestParser().get_examples(block))
    code = " ".join(example.source for block in blocks for example in doctest.DocTestParser().get_examples(block))
    text = re.sub(r"```.*?```", "", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL).split("## Sources")[0]
    computed = set(re.findall(r"0x[0-9a-f]+|\d+", results)) | set(re.findall(r"0x[0-9A-Fa-f]+", code.lower()))
    numbers = {number.replace(",", "") for number in re.findall(r"(?<![\w^])0x[0-9a-f]+|(?<![\w^])\d[\d,]*\d", text)}
    unexplained = numbers - computed - FREE_NUMBERS
    assert not unexplained
