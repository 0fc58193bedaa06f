import gzip
from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.technology.liberty import parse_liberty, read_text, split_arguments

TEXT = """
/* a comment { with braces } */
library ("x y") {
  time_unit : "1ns";  // to the end of the line
  bare : 0.5 ;
  no_semicolon : true
  long : "first \\
 second";
  capacitive_load_unit (1, ff);
  define (a, b, string);
  define (c, d, float)
  cell (A) { area : 1; pin (P, Q) { direction : input } }
  cell ("B") /* between */ { values ("1, 2", \\
      "3, 4"); }
  empty () { }
};
"""


def test_groups_attributes_and_arguments_are_found() -> None:
    (library,) = parse_liberty(TEXT, "text")
    assert library.label == "x y"
    assert library.attributes["time_unit"] == "1ns"
    assert library.attributes["bare"] == "0.5"
    assert library.attributes["no_semicolon"] == "true"
    assert library.attributes["long"].split() == ["first", "second"]
    assert split_arguments(library.complex["capacitive_load_unit"][0]) == ["1", "ff"]
    assert [split_arguments(raw)[0] for raw in library.complex["define"]] == ["a", "c"]
    assert [cell.label for cell in library.all("cell")] == ["A", "B"]
    first, second = library.all("cell")
    assert first.attributes == {"area": "1"}
    assert first.groups[0].arguments == ["P", "Q"]
    assert first.groups[0].attributes == {"direction": "input"}
    assert split_arguments(second.complex["values"][0]) == ["1, 2", "3, 4"]
    assert library.first("empty") is not None
    assert library.first("nothing") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not a Liberty file"),
        ("module m(input a); endmodule", "is not a Liberty file"),
        ("library x { }", "is not a Liberty file"),
        ("library (x) {\n a : 1;\n", r"ends inside the group 'library \(x\)' that line 1 opens"),
        ("library (x) {\n cell (y) {\n a : 1;\n }\n", r"ends inside the group 'library \(x\)'"),
        ("library (x) {\n cell (y) {\n a : 1;\n", r"ends inside the group 'cell \(y\)' that line 2 opens"),
        ("library (x) {\n a : 1;\n = 3;\n}", "line 3: neither a group, an attribute nor '}'.*= 3"),
        ("library (x) {\n values (1, 2;\n}", "line 2"),
        ('library (x) {\n a : "open;\n}', "line 2"),
    ],
)
def test_what_is_no_liberty_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(RequestError, match=says):
        parse_liberty(text, "text")


def test_a_broken_file_is_refused_at_once() -> None:
    text = "library (x) {" + " \n" * 50_000 + "/* " + "* /" * 50_000 + " values (" + "1, " * 50_000
    with pytest.raises(RequestError):
        parse_liberty(text, "text")


def test_plain_and_compressed_files_read_the_same(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text(TEXT)
    (tmp_path / "packed").write_bytes(gzip.compress(TEXT.encode()))
    assert read_text(tmp_path / "plain") == read_text(tmp_path / "packed") == TEXT


def test_a_truncated_gzip_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "half.lib.gz"
    file.write_bytes(gzip.compress(TEXT.encode() * 100)[:-60])
    with pytest.raises(RequestError, match=r"half\.lib\.gz is a truncated or damaged gzip file"):
        read_text(file)


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(TEXT.encode() * 100))
    data[20] ^= 0xFF
    (tmp_path / "bad.gz").write_bytes(bytes(data))
    with pytest.raises(RequestError, match="truncated or damaged gzip"):
        read_text(tmp_path / "bad.gz")


@pytest.mark.parametrize("name", ["missing.lib", "."])
def test_an_unreadable_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(RequestError, match="cannot be read"):
        read_text(tmp_path / name)
