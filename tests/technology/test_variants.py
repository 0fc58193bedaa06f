"""What other readers of Liberty accept is read, and reads as the same; what is wrong is named.

The variants are made of a small library: those that say the same in other words, and those that are wrong at one place.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.technology.cell import CellKind
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.reading.writer import liberty_text
from aesmith.technology.registry import embedded_path, library_by

Edit = Callable[[str], str]

CELLS = ("INV_X1", "BUF_X1", "NAND2_X1", "NAND2_X2", "XOR2_X1", "XNOR2_X1", "TIEHI_X1", "TIELO_X1", "DFF_X1", "DFFR_X1")


def small() -> str:
    """The embedded library with ten of its cells."""
    head, *cells = embedded_path().read_text().split("  cell (")
    kept = [f"  cell ({cell}" for cell in cells if cell.partition(")")[0] in CELLS]
    return head[head.index("library (") :] + "".join(kept) + "}\n"


def in_cell(text: str, cell: str, old: str, new: str, count: int = 1) -> str:
    """The text with a part of one cell exchanged, which must be there."""
    start = text.index(f"  cell ({cell})")
    end = text.index("\n  }\n", start) + 5
    inside = text[start:end]
    assert old in inside, f"{cell} has no {old!r}"
    return text[:start] + inside.replace(old, new, count) + text[end:]


def without_group(text: str, cell: str, group: str) -> str:
    """The text with all groups of this beginning taken out of one cell."""
    start = text.index(f"  cell ({cell})")
    end = text.index("\n  }\n", start) + 5
    inside = text[start:end]
    assert group in inside
    while group in inside:
        first = inside.rindex("\n", 0, inside.index(group)) + 1
        indent = len(inside[first:]) - len(inside[first:].lstrip(" "))
        last = inside.index("\n" + " " * indent + "}", first) + indent + 3
        inside = inside[:first] + inside[last:]
    return text[:start] + inside + text[end:]


_FILLERS = {
    "two spaces": "  ",
    "a tab": "\t",
    "a line": "\n",
    "an empty line": "\n\n",
    "a backslash": "\\\n",
    "a backslash and CR": " \\\r\n ",
    "a comment": "/* c */",
    "a comment of signs": '/* { " ) ; } */',
    "a line comment": '// ) " {\n',
}
_PLACES: dict[str, tuple[str, str]] = {
    "before a colon": (r"^( *\w+) :", r"\1{}:"),
    "after a colon": (r"^( *\w+ :) ", r"\1{}"),
    "between a name and its bracket": (r"^( *\w+) \(", r"\1{}("),
    "after a bracket": (r"^( *\w+ \()", r"\1{}"),
    "before a bracket closes": (r"^( *\w+ \([^()\n]*)\)", r"\1{})"),
    "before a brace": (r"\) \{$", "){}{{"),
    "between values": (r'^( *"[-\d., ]+"), \\\n', "\\1,{} \\\n"),
    "before a semicolon": (r'^( *\w+ : (?:"[^"\n]*"));', r"\1{};"),
}


def same() -> Iterator[tuple[str, Edit]]:
    """Edits after which the library says the same, by name."""
    for place, (pattern, made) in _PLACES.items():
        for name, filler in _FILLERS.items():
            if place.endswith("a semicolon") and name == "a line comment":
                continue
            new = made.replace("{}", filler.replace("\\", r"\\")).replace("{{", "{")
            yield f"{name} {place}", _substitute(pattern, new)
    for name, (pattern, new) in {
        "no semicolons": (r";$", ""),
        "semicolons after braces": (r"\}$", "};"),
        "two semicolons": (r";$", ";;"),
        "no spaces at colons": (r"^( *\w+) : ", r"\1:"),
        "tabs at the beginning": (r"^ +", "\t"),
        "spaces at the end": (r"$", "  "),
        "a line each for the brace": (r" \{$", "\n{"),
        "quoted values": (r"^( *\w+ : )([\w.]+);", r'\1"\2";'),
        "quoted cells and pins": (r"^( *(?:cell|pin) )\((\w+)\)", r'\1("\2")'),
        "quoted attributes": (r"^( *)(\w+) : ", r'\1"\2" : '),
        "values without commas between rows": (r'", \\\n', '" \\\n'),
        "values without backslashes": (r" \\\n", "\n"),
        "values between spaces": (r"(?<=\d), (?=[-\d])", "  "),
        "values between commas alone": (r"(?<=\d), (?=[-\d])", ","),
        "values between tabs": (r"(?<=\d), (?=[-\d])", ",\t"),
        "values a string each": (r"(?<=\d), (?=[-\d])", '", "'),
        "values in one string": (r'", \\\n *"', ", "),
        "values with a comma at the end": (r'(\d)"(, \\$|\); \}$)', r'\1,"\2'),
        "values on several lines of a string": (r"(?<=\d), (?=[-\d])", ", \\\n"),
        "a comment in a string list": (r'", \\\n', '", /* "9, 9" */ \\\n'),
        "numbers with an exponent": (r"(?<=: )(\d+\.\d+);", r"\1e0;"),
        "numbers with a sign": (r"(?<=: )(\d+\.\d+);", r"+\1;"),
        "functions in brackets": (r'function : "([^"]*)"', r'function : "(((\1)))"'),
        "functions with spaces": (r'function : "([^"]*)"', r'function : "  \1 "'),
        "functions with names in brackets": (r'(function : "[^"]*?)\b([AB])\b', r"\1((\2))"),
        "functions with stars": (r'(function : "[^"]*) & ', r"\1*"),
        "functions with quoted names": (r'(function : "[^"]*?)\b([AB])\b', r'\1\\"\2\\"'),
        "functions over two lines": (r'(function : "[^"]*) (?=[&^])', "\\1 \\\\\n "),
        "functions without quotes": (r'function : "([^"]*)"', r"function : \1"),
    }.items():
        yield name, _substitute(pattern, new)
    for name, text in _IGNORED.items():
        yield f"{name} in the library", lambda library, text=text: library.replace("{\n", "{\n" + text + "\n", 1)
    for name in (
        "define",
        "three brackets",
        "an attribute of a user",
        "an expression",
        "an empty group",
        "a deep group",
    ):
        for where in ("cell", "pin", "timing"):
            yield f"{name} in each {where}", _substitute(rf"^( *{where} \([^)]*\) \{{)$", rf"\1 {_IGNORED[name]}")
    yield "CRLF", lambda text: text.replace("\n", "\r\n")
    yield "a byte-order mark", lambda text: "\ufeff" + text
    yield "comments around", lambda text: f"/* library (other) {{ */\n// x\n{text}\n// end\n/* end */"
    yield "a semicolon at the end", lambda text: text + ";\n"
    yield "dont_use : false", _substitute(r"^( *)area :", r"\1dont_use : false;\n\1area :")
    yield (
        "power pins",
        _substitute(r"^( *)area :", r"\1pg_pin (VDD) { voltage_name : VDD; pg_type : primary_power; }\n\1area :"),
    )


_IGNORED = {
    "define": 'define (mine, cell, string); define ("other", pin, float)',
    "define_group": "define_group (mine, library);",
    "three brackets": "foo (((a)));",
    "brackets five deep": "foo (((((a), b))));",
    "a string with quotes": r'comment2 : "the \"mini\" library";',
    "a string with brackets": r'comment2 : "a { b ( c ; */ /* //";',
    "a voltage_map": "voltage_map (VDD, 1.1); voltage_map (VSS, 0.0);",
    "an expression": "vimax : VDD + 0.5;",
    "an input_voltage": "input_voltage (cmos) { vil : 0.3 * VDD ; vih : 0.7 * VDD ; vimax : VDD + 0.5 ; }",
    "a bus type": "type (bus4) { base_type : array; data_type : bit; bit_width : 4; downto : true; }",
    "library_features": "library_features (report_delay_calculation, report_power_calculation);",
    "an attribute of a user": 'my-own.attr[3] : "x"; other_one : 0x1F; third : 1.5E-3',
    "an empty group": "nothing () { }",
    "a deep group": "a (b) { c (d) { e : 1; f (g) { h (i); } } }",
    "a waveform": 'normalized_driver_waveform (ndw) { index_1 ("0.1, 0.2"); values ("0, 1", "0, 1"); }',
    "a wire load": "wire_load (small) { capacitance : 0.1; slope : 1; fanout_length (1, 2); }",
    "an ocv table": 'ocv_sigma_cell_rise (t) { sigma_type : early; values ("1") }',
}


def _exchanged(old: str, new: str) -> Edit:
    return lambda text: text.replace(old, new)


def _substitute(pattern: str, new: str) -> Edit:
    def edit(text: str) -> str:
        changed = re.sub(pattern, new, text, flags=re.MULTILINE)
        assert changed != text, pattern
        return changed

    return edit


SAME = dict(same())


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return _read(tmp_path_factory.mktemp("plain"), small())


def _read(folder: Path, text: str) -> Library:
    (folder / "small.lib").write_bytes(text.encode())
    return read_library(folder / "small.lib")


@pytest.mark.parametrize("edit", SAME.values(), ids=SAME)
def test_the_same_in_other_words_is_the_same(edit: Edit, plain: Library, tmp_path: Path) -> None:
    text = edit(small())
    assert text != small()
    library = _read(tmp_path, text)
    assert library.notes == ()
    assert liberty_text(library) == liberty_text(plain)
    library.check_for_synthesis()


def test_there_are_as_many_variants_as_the_documentation_says() -> None:
    assert len(SAME) + len(ASIDE) + len(POWER) + len(REFUSED) >= 200


UNITS = {
    "1ps": ('time_unit : "1ns"', 'time_unit : "1ps"', "time"),
    "10ps": ('time_unit : "1ns"', 'time_unit : "10ps"', "time"),
    "100 ps": ('time_unit : "1ns"', 'time_unit : " 100 ps "', "time"),
    "1us": ('time_unit : "1ns"', "time_unit : 1us", "time"),
    "0.001ns": ('time_unit : "1ns"', 'time_unit : "0.001ns"', "time"),
    "pf": ("capacitive_load_unit (1, ff)", "capacitive_load_unit (1, pf)", "load"),
    "0.001 pf": ("capacitive_load_unit (1, ff)", 'capacitive_load_unit ("0.001", "pF")', "load"),
    "1 string": ("capacitive_load_unit (1, ff)", 'capacitive_load_unit ("10ff")', "load"),
}
FACTORS = {"1ps": 1e-3, "10ps": 1e-2, "100 ps": 0.1, "1us": 1e3, "0.001ns": 1e-3, "pf": 1e3, "0.001 pf": 1.0,
           "1 string": 10.0}  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_units_scale_figures_and_indices(unit: str, plain: Library, tmp_path: Path) -> None:
    old, new, what = UNITS[unit]
    assert old in small()
    cell, before = _read(tmp_path, small().replace(old, new)).cell("NAND2_X1"), plain.cell("NAND2_X1")
    time, load = (FACTORS[unit], 1.0) if what == "time" else (1.0, FACTORS[unit])
    table, known = cell.arcs[0].cell_rise, before.arcs[0].cell_rise
    assert table is not None
    assert known is not None
    assert table.values == pytest.approx(known.values * time)
    assert table.rows == pytest.approx(known.rows * time)
    assert table.columns == pytest.approx(known.columns * load)
    assert cell.pins["A"].rise == pytest.approx(before.pins["A"].rise * load)


NAMES = {
    "a dash": ("NAND2_X1", "NAND2-X1"),
    "brackets": ("NAND2_X1", "NAND2[1]"),
    "a dot": ("NAND2_X1", "NAND2.X1"),
    "quotes and a dash": ("NAND2_X1", '"NAND2-X1"'),
    "a digit first": ("NAND2_X1", '"2NAND"'),
}


@pytest.mark.parametrize("name", NAMES)
def test_cells_have_names_of_all_kinds(name: str, plain: Library, tmp_path: Path) -> None:
    old, new = NAMES[name]
    library = _read(tmp_path, small().replace(f"({old})", f"({new})"))
    assert library.notes == ()
    assert library.nand2.name == new.strip('"')
    assert library.gate_equivalent == plain.gate_equivalent


@pytest.mark.parametrize("pin", ["A[0]", "A-1", "A.x", "A_1[12]"])
@pytest.mark.parametrize("quoted", [False, True])
def test_pins_have_names_of_all_kinds(pin: str, quoted: bool, plain: Library, tmp_path: Path) -> None:
    text = small().replace("pin (A)", f'pin ("{pin}")' if quoted else f"pin ({pin})")
    text = text.replace("related_pin : A;", f'related_pin : "{pin}";' if quoted else f"related_pin : {pin};")
    inside = f'\\"{pin}\\"' if quoted else pin
    text = re.sub(r'((?:function|when) : "[^"]*?)\bA\b', lambda found: found[1] + inside, text)
    library = _read(tmp_path, text)
    assert library.notes == ()
    assert library.cell("NAND2_X1").inputs == (pin, "B")
    assert library.cell("NAND2_X1").arcs[0].related_pin == pin
    assert {cell.name: cell.kind for cell in library.cells.values()} == {
        cell.name: cell.kind for cell in plain.cells.values()
    }


_XOR_RISE = 'cell_rise (delay_x1) { values ( \\\n          "'
_SHORT = "cell_rise (delay_x1) { values ( \\\n"
ASIDE: dict[str, tuple[str, Edit, str]] = {}


def _aside(name: str, cell: str, old: str, new: str, says: str) -> None:
    ASIDE[name] = (cell, lambda text: in_cell(text, cell, old, new), says)


for _value, _says in {
    "0": "area: must be above 0, not 0",
    "-2": "area: must not be negative, not -2",
    "nan": "area: must be a finite number, not 'nan'",
    "inf": "area: must be a finite number, not 'inf'",
    "two": "area: must be a number, not 'two'",
    "1e30": "area: must be at most 1e.09, not 1e30",
    '""': "area: must be a number, not ''",
}.items():
    for _cell in ("XOR2_X1", "DFF_X1"):
        _aside(f"area {_value} of {_cell}", _cell, "area : ", f"area : {_value}; was : ", _says)
_aside("no area", "XOR2_X1", "area : ", "size : ", "has no area")
for _value, _says in {
    "nan": "values: must be numbers of at most 1e.09, not nan",
    "inf": "values: must be numbers of at most 1e.09, not inf",
    "-inf": "values: must be numbers of at most 1e.09, not -inf",
    "1e300": "values: must be numbers of at most 1e.09, not 1e.300",
    "x": "values: could not convert string to float: 'x'",
    "1 2": "50 values do not fit its axes .7 x 7.",
    "": "48 values do not fit its axes",
}.items():
    for _table in ("cell_rise", "cell_fall", "rise_transition", "fall_transition"):
        ASIDE[f"{_table} with {_value or 'one less'}"] = (
            "XOR2_X1",
            lambda text, table=_table, value=_value: re.sub(
                rf'(cell \(XOR2_X1\).*?{table} \(delay_x1\) \{{ values \( \\\n *")[-\d.]+,',
                rf"\g<1>{value}{',' * bool(value)}",
                text,
                count=1,
                flags=re.DOTALL,
            ),
            f"pin Z, timing: {_table}: {_says}",
        )
for _name, _new, _says in (
    ("a function with ?", 'function : "A ? B : 0"', "pin Z: function: 'A . B : 0' is no boolean expression at"),
    ("a function without an end", 'function : "(A ^ B"', "lacks a closing parenthesis"),
    ("an empty function", 'function : ""', "pin Z: function: '' is no boolean expression"),
    ("a function of no pin", 'function : "A ^ C"', "pin Z: function: 'A . C' names C, which is no pin of the cell"),
    ("a function of a state", 'function : "A ^ IQ"', "names IQ, which is no pin of the cell"),
    ("a function of brackets", f'function : "{"(" * 3000}A{")" * 3000}"', "has brackets inside brackets too deep"),
    ("a function of 20 pins", f'function : "{" ^ ".join(f"P{n}" for n in range(20))}"', "has 20 inputs; at most 16"),
):
    _aside(_name, "XOR2_X1", 'function : "A ^ B"', _new, _says)
for _name, _old, _new, _says in (
    (
        "a direction that is none",
        "direction : output",
        "direction : sideways",
        "pin Z: direction must be .* 'sideways'",
    ),
    ("an output without direction", "direction : output;", "", "pin Z: has no direction"),
    ("no related_pin", "related_pin : B;", "", "pin Z, timing: has no related_pin"),
    ("an empty related_pin", "related_pin : B;", 'related_pin : "";', "pin Z, timing: has no related_pin"),
    ("another related_pin", "related_pin : B;", "related_pin : C;", "timing: related_pin C is no pin of the cell"),
    ("timing of one pin alone", "related_pin : B;", "related_pin : A;", "pin Z: has no cell_rise from pin B"),
    (
        "a timing_type of three states",
        "related_pin : B;",
        "related_pin : B; timing_type : three_state_enable;",
        "pin Z: has no cell_rise from pin B",
    ),
    ("an edge in a gate", "related_pin : B;", "related_pin : B; timing_type : rising_edge;", "no cell_rise from pin B"),
    (
        "a rise alone",
        "related_pin : B;",
        "related_pin : B; timing_type : combinational_rise;",
        "no cell_fall from pin B",
    ),
    (
        "a when of no pin",
        "related_pin : B;",
        'related_pin : B; when : "!C";',
        "timing: when: '!C' names C, which is no",
    ),
    (
        "a when that is none",
        "related_pin : B;",
        'related_pin : B; when : "A==1";',
        "timing: when: 'A==1' is no boolean",
    ),
    ("a template that is not there", "cell_rise (delay_x1)", "cell_rise (other)", "its template other is not there"),
    (
        "a table without template",
        "cell_rise (delay_x1)",
        "cell_rise ()",
        "49 values do not fit its axes .none: 1 value.",
    ),
    ("a table of one value", "cell_rise (delay_x1)", "cell_rise (scalar)", "49 values do not fit its axes .none"),
    ("a table without values", "cell_rise (delay_x1) { values", "cell_rise (delay_x1) { worths", "has no values"),
    (
        "a falling index",
        "cell_rise (delay_x1) {",
        'cell_rise (delay_x1) { index_1 ("7, 6, 5, 4, 3, 2, 1");',
        "cell_rise: index_1: must rise from one to the next, not 7, 6, 5, 4, 3, 2, 1",
    ),
    (
        "an index of equal ones",
        "cell_rise (delay_x1) {",
        'cell_rise (delay_x1) { index_2 ("1, 2, 3, 4, 5, 5, 6");',
        "cell_rise: index_2: must rise from one to the next",
    ),
    (
        "an index with nan",
        "cell_rise (delay_x1) {",
        'cell_rise (delay_x1) { index_2 ("1, 2, 3, 4, 5, nan, 6");',
        "cell_rise: index_2: must be numbers",
    ),
    (
        "an index that is short",
        "cell_rise (delay_x1) {",
        'cell_rise (delay_x1) { index_2 ("1, 2, 3, 4, 5, 6");',
        "49 values do not fit its axes .7 x 6.",
    ),
    ("an empty index", "cell_rise (delay_x1) {", 'cell_rise (delay_x1) { index_2 (" ");', "index_2: must rise"),
    ("a negative capacitance", "capacitance : 2.7", "capacitance : -2.7", "pin A: capacitance: must not be negative"),
    ("a capacitance of nan", "capacitance : 2.7", "capacitance : nan", "pin A: capacitance: must be a finite number"),
    ("an enormous capacitance", "capacitance : 2.7", "capacitance : 1e30", "pin A: capacitance: must be at most"),
    (
        "a capacitance range",
        "capacitance : 2.7",
        "capacitance : 2.7; rise_capacitance_range (1, x)",
        "pin A: rise_capacitance_range: must be a number, not 'x'",
    ),
    (
        "a negative limit",
        "max_capacitance : 64",
        "max_capacitance : -64",
        "pin Z: max_capacitance: must not be negative",
    ),
    ("no name", "cell (XOR2_X1)", "cell ()", "has no name"),
):
    _aside(_name, "XOR2_X1", _old, _new, _says)
ASIDE["no name"] = ("", ASIDE["no name"][1], "has no name")
_aside("an input for nothing", "XOR2_X1", "    pin (Z) {", "    pin (C) { direction : input; }\n    pin (Z) {",
       "pin C: no output depends on it")  # fmt: skip
ASIDE["no delay"] = (
    "XOR2_X1",
    lambda text: in_cell(
        in_cell(text, "XOR2_X1", "cell_rise (delay_x1)", "cell_rise (scalar) { values (0); } was ()", -1),
        "XOR2_X1",
        "cell_fall (delay_x1)",
        "cell_fall (scalar) { values (-0.1); } was ()",
        -1,
    ),
    "pin Z: its delay from pin A is not above 0",
)
for _table in ("cell_rise", "cell_fall", "rise_transition", "fall_transition"):
    ASIDE[f"no {_table}"] = (
        "XOR2_X1",
        lambda text, table=_table: in_cell(text, "XOR2_X1", f"{table} (", "other (", -1),
        f"pin Z: has no {_table} from",
    )  # fmt: skip
ASIDE["no timing"] = (
    "XOR2_X1",
    lambda text: without_group(text, "XOR2_X1", "timing ("),
    "pin Z: has no cell_rise from",
)
for _variables in (
    ("total_output_net_capacitance", "related_out_total_output_net_capacitance"),
    ("related_out_total_output_net_capacitance", "total_output_net_capacitance"),
    ("equal_or_opposite_output_net_capacitance", "x"),
    ("input_transition_time", "total_output_net_capacitance"),
    ("connect_delay", "output_transition"),
):
    _names = ("input_net_transition", *_variables)
    _template = "lu_table_template (t3) { " + " ".join(
        f'variable_{n} : {name}; index_{n} ("1, 2");' for n, name in enumerate(_names, 1)
    )
    ASIDE[f"a table over {_variables[0]}, {_variables[1]}"] = (
        "XOR2_X1",
        lambda text, template=_template: in_cell(
            text, "XOR2_X1", "cell_rise (delay_x1) {", 'cell_rise (t3) { values ("1,2,3,4,5,6,7,8"); } other () {'
        ).replace("{\n", "{\n" + template + "}\n", 1),
        f"pin Z, timing: cell_rise: a table over {', '.join(_names)} is not taken",
    )
for _name, _old, _new, _says in (
    ("no setup", "timing_type : setup_rising", "timing_type : setup", "pin D: has no setup time .* to CK"),
    (
        "a setup to another pin",
        "related_pin : CK;\n        timing_type : setup",
        "related_pin : Q;\n  timing_type : setup",
        "pin D: has no setup time",
    ),
    (
        "no edge to the output",
        "timing_type : rising_edge",
        "timing_type : combinational",
        "pin Q: has no cell_rise from pin CK",
    ),
    (
        "an output of no state",
        'function : "IQ"',
        'function : "D"',
        "no output has the function IQ, which the ff group sets",
    ),
    ("an output of another state", 'function : "IQ"', 'function : "IX"', "names IX, which is no pin"),
    ("a clock that is no pin", 'clocked_on : "CK"', 'clocked_on : "C"', "clocked_on: 'C' names C, which is no pin"),
    ("data that is no pin", 'next_state : "D"', 'next_state : "X"', "next_state: 'X' names X, which is no pin"),
    (
        "a setup of nan",
        'setup_rising;\n        rise_constraint (constraint) { values ( \\\n          "',
        'setup_rising;\n        rise_constraint (constraint) { values ( \\\n          "nan, ',
        "pin D, timing: rise_constraint: values",
    ),
):
    _aside(_name, "DFF_X1", _old, _new, _says)
_XOR = "  cell (XOR2_X1) {"
ASIDE["twice, differently"] = (
    "XOR2_X1",
    _exchanged(_XOR, _XOR + " area : 9; }\n" + _XOR),
    "is defined twice, with different contents",
)


@pytest.mark.parametrize("name", ASIDE)
def test_a_cell_that_is_wrong_is_set_aside_with_its_reason(name: str, tmp_path: Path) -> None:
    cell, edit, says = ASIDE[name]
    library = _read(tmp_path, edit(small()))
    assert list(library.set_aside) == [cell]
    assert re.search(says, library.set_aside[cell].reason), library.set_aside[cell].reason
    [note] = library.notes
    assert "set aside 1 of " in note
    assert cell in note
    # The others are what they were, and synthesis has all it needs.
    known = _read(tmp_path, small().replace("cell (XOR2_X1)" if not cell else f"cell ({cell})", "unused (x)"))
    assert liberty_text(library) == liberty_text(known)
    library.check_for_synthesis()
    if cell:
        with pytest.raises(RequestError, match=f"library generic45: cell {cell} is set aside: "):
            library.cell(cell)


_ENERGY = 'rise_power (energy) { values ("'
POWER = {
    "nan": (_ENERGY, _ENERGY + "nan, ", "pin A, internal_power: rise_power: values: must be numbers"),
    "a word": (_ENERGY, _ENERGY + "x, ", "rise_power: values: could not convert"),
    "one more": (_ENERGY, _ENERGY + "1, ", "rise_power: 8 values do not fit its axes .7."),
    "another template": ("rise_power (energy)", "rise_power (other)", "its template other is not there"),
    "equal_or_opposite": ("rise_power (energy)", "rise_power (p2)", "rise_power: a table over .*equal_or_opposite"),
    "a cause that is no pin": (
        "related_pin : A;\n        rise_power",
        "related_pin : X;\n        rise_power",
        "X is no pin",
    ),
    "a when": ("internal_power () {", 'internal_power () { when : "!C";', "internal_power: when: '!C' names C"),
    "leakage": ("value : ", "value : nan; was : ", "leakage_power: value: must be a finite number"),
    "a state": ('when : "!A', 'when : "!C', "leakage_power: when: .* names C, which is no pin of the cell"),
    "the mean leakage": (
        "cell_leakage_power : ",
        "cell_leakage_power : much; was : ",
        "cell_leakage_power: must be a number",
    ),
}
_P2 = """{
  power_lut_template (p2) { variable_1 : input_transition_time; index_1 ("0.01, 0.1");
    variable_2 : equal_or_opposite_output_net_capacitance; index_2 ("1, 2"); }
"""


@pytest.mark.parametrize("name", POWER)
def test_power_that_is_wrong_is_set_aside_and_the_cell_is_used(name: str, plain: Library, tmp_path: Path) -> None:
    old, new, says = POWER[name]
    library = _read(tmp_path, in_cell(small(), "NAND2_X1", old, new).replace("{\n", _P2, 1))
    assert not library.set_aside
    assert list(library.without_power) == ["NAND2_X1"]
    assert re.search(says, library.without_power["NAND2_X1"]), library.without_power
    assert "set aside the power of 1 cell: NAND2_X1 (" in library.notes[0]
    assert library.cell("NAND2_X1").internal_power == ()
    assert liberty_text(library) == liberty_text(plain)


REFUSED: dict[str, tuple[Edit, str]] = {
    "two inputs and no area": (
        lambda text: in_cell(text, "NAND2_X1", "area : ", "size : "),
        "cell NAND2_X1: has no area; the cell is a two-input NAND, and the smallest of these is the gate equivalent",
    ),
    "the smallest NAND of area 0": (
        lambda text: in_cell(text, "NAND2_X1", "area : ", "area : 0; was : "),
        "cell NAND2_X1: area: must be above 0, not 0; the cell is a two-input NAND",
    ),
    "the smallest NAND without timing": (
        lambda text: without_group(text, "NAND2_X1", "timing ("),
        "cell NAND2_X1: pin Z: has no cell_rise from pin A; the cell is a two-input NAND",
    ),
    "no inverter that will do": (
        lambda text: in_cell(text, "INV_X1", "area : ", "area : nan; was : "),
        "lacks an inverter; .*; set aside are INV_X1 .area: must be a finite number, not 'nan'.",
    ),
    "no flip-flop with a setup": (
        _exchanged("setup_rising", "nothing"),
        "lacks a D flip-flop without scan or enable; .*; set aside are DFF_X1 .pin D: has no setup time",
    ),
    "no flip-flop with clear": (
        lambda text: without_group(text, "DFFR_X1", "ff ("),
        "lacks a D flip-flop with asynchronous clear",
    ),
    "a template that falls": (
        lambda text: text.replace('index_1 ("0.002, 0.005', 'index_1 ("0.005, 0.002'),
        "cell_rise: template delay_x1: index_1: must rise from one to the next, not 0.005, 0.002",
    ),
    "a template of equal ones": (
        lambda text: text.replace('index_2 ("0.5, 1.5', 'index_2 ("1.5, 1.5'),
        "cell_rise: template delay_x1: index_2: must rise from one to the next, not 1.5, 1.5",
    ),
    "no template": (_exchanged("template (delay_x1)", "template (d)"), "its template delay_x1 is not there"),
    "a time unit that is none": (_exchanged('"1ns"', '"1furlong"'), "time_unit: must be a number with a unit"),
    "a time unit of 0": (_exchanged('"1ns"', '"0ns"'), "time_unit: must be above 0, not '0ns'"),
    "a negative time unit": (_exchanged('"1ns"', '"-1ns"'), "time_unit: must be above 0"),
    "a load unit that is none": (lambda text: text.replace("(1, ff)", "(1, apples)"), "capacitive_load_unit: must be"),
    "a load unit of nothing": (_exchanged("(1, ff)", "()"), "capacitive_load_unit: must be a number"),
    "a voltage that is none": (_exchanged("voltage : 1.1", "voltage : high"), "voltage: must be a number"),
    "a negative voltage": (_exchanged("voltage : 1.1", "voltage : -1.1"), "voltage: must not be negative"),
    "thresholds that fall": (
        _exchanged("threshold_pct_rise : 80", "threshold_pct_rise : 10"),
        "slew thresholds: must rise within 0 to 100 %, not 20 to 10",
    ),
    "no cells": (lambda text: text.replace("  cell (", "  model ("), "holds no cells"),
    "no cell that will do": (_exchanged("area : ", "area : x"), "no cell can be used: cell INV_X1: area: must"),
    "no end": (lambda text: text.rstrip().removesuffix("}"), "is incomplete: it ends inside the group 'library"),
    "an end too many": (lambda text: text + "}\n", "neither a group, an attribute nor '}': '}'"),
    "a string without end": (_exchanged('"1V"', '"1V'), "line [0-9]+: neither a group"),
    "an include that is not there": (
        lambda text: text.replace("{\n", "{\n include_file (other.lib);\n", 1),
        "include_file: .*other.lib cannot be read",
    ),
    "an include of nothing": (
        lambda text: text.replace("{\n", "{\n include_file ();\n", 1), "include_file: must have one path, not .."
    ),
    "an include of itself": (
        lambda text: text.replace("{\n", "{\n include_file (small.lib);\n", 1), "include_file: .* go round in a circle"
    ),
    "cells before the library": (
        lambda text: "cell (A) { area : 1; }\n" + text, "cell A is outside a library; give the file with 'library"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_library_that_cannot_be_used_is_refused_by_name(name: str, tmp_path: Path) -> None:
    edit, says = REFUSED[name]
    text = edit(small())
    assert text != small()
    (tmp_path / "small.lib").write_text(text)
    with pytest.raises(RequestError, match=says) as refused:
        library_by(tmp_path / "small.lib")
    assert "small.lib" in str(refused.value)


@pytest.mark.parametrize("kind", ["LATCH", "SPECIAL", "PHYSICAL", "TRISTATE"])
def test_cells_that_nothing_uses_may_be_without_timing_and_area(kind: str, tmp_path: Path) -> None:
    inside = {
        "LATCH": 'latch (IQ, IQN) { enable : "G"; data_in : "D"; } pin (D, G) { direction : input; }'
        ' pin (Q) { direction : output; function : "IQ"; timing () { cell_rise (x) { } } }',
        "SPECIAL": "bus (D) { bus_type : b; direction : input; pin (D[0]) { } } pin (Q) { direction : output; }",
        "PHYSICAL": "pin (Z) { direction : output; timing () { } }",
        "TRISTATE": 'pin (E) { direction : input; } pin (Z) { direction : output; function : "E"; three_state : "E"; }',
    }[kind]
    library = _read(tmp_path, small().replace("  cell (INV_X1)", f"  cell (ODD) {{ {inside} }}\n  cell (INV_X1)"))
    assert library.notes == ()
    assert library.cell("ODD").kind is CellKind[kind]


def _parts(folder: Path) -> tuple[Path, Path]:
    """The small library in two files, of which the second is of other units."""
    text = small()
    start, end = text.index("  cell (DFF_X1)"), text.rindex("}")
    head = text[: text.index("  cell (")]
    (folder / "logic.lib").write_text(text[:start] + "}\n")
    (folder / "flops.lib.gz").write_bytes(gzip.compress((head + text[start:end] + "}\n").encode()))
    return folder / "logic.lib", folder / "flops.lib.gz"


def test_files_of_one_library_are_one(plain: Library, tmp_path: Path) -> None:
    logic, flops = _parts(tmp_path)
    with pytest.raises(RequestError, match="lacks a D flip-flop"):
        library_by(logic)
    library = library_by((logic, flops))
    assert liberty_text(library) == liberty_text(plain)
    assert library.files == (logic, flops)
    assert library.notes == ()


def test_library_groups_of_one_file_are_one(plain: Library, tmp_path: Path) -> None:
    logic, flops = _parts(tmp_path)
    both = _read(tmp_path, logic.read_text() + gzip.decompress(flops.read_bytes()).decode())
    assert liberty_text(both) == liberty_text(plain)
    assert both.digest == read_library((logic, flops)).digest


def test_cells_behind_a_library_belong_to_it(plain: Library, tmp_path: Path) -> None:
    """As libraries come that have a file a cell: one with the head, and the cells alone."""
    text = small()
    cut = text.index("  cell (XOR2_X1)")
    head, cells = text[:cut] + "}\n", text[cut : text.rindex("}")]
    assert liberty_text(_read(tmp_path, head + cells)) == liberty_text(plain)
    (tmp_path / "head.lib").write_text(head)
    (tmp_path / "cells.lib").write_text(cells)
    assert liberty_text(read_library((tmp_path / "head.lib", tmp_path / "cells.lib"))) == liberty_text(plain)
    with pytest.raises(RequestError, match=r"cells\.lib: cell XOR2_X1 is outside a library"):
        read_library((tmp_path / "cells.lib", tmp_path / "head.lib"))


def test_files_of_other_units_are_converted(tmp_path: Path) -> None:
    logic, _ = _parts(tmp_path)
    other = small().replace('"1ns"', '"100ps"').replace("INV_X1)", "INV_X9)").replace("NAND2_X2)", "NAND2_X9)")
    (tmp_path / "other.lib").write_text(other)
    library = read_library((logic, tmp_path / "other.lib"))
    fast, slow = library.cell("NAND2_X9").arcs[0].cell_rise, library.cell("NAND2_X2").arcs[0].cell_rise
    assert fast is not None
    assert slow is not None
    assert fast.values == pytest.approx(0.1 * slow.values)
    # Cells of the same name and the same text in other units are other cells.
    assert "XOR2_X1" in library.set_aside


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "voltage : 1.1",
            "voltage : 0.9",
            r"voltage: .*logic\.lib .generic45. has 1.1, .*other\.lib .generic45. has 0.9",
        ),
        (
            "temperature : 25",
            "temperature : 125",
            "temperature: .* has 25, .* has 125; files of one library must be of one",
        ),
        ("process : 1", "process : 2", "process: .* has 1, .* has 2"),
        ("lower_threshold_pct_rise : 20", "lower_threshold_pct_rise : 10", "slew_lower_threshold_pct_rise: .* has 20"),
    ],
)
def test_files_of_other_corners_are_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    logic, _ = _parts(tmp_path)
    (tmp_path / "other.lib").write_text(small().replace(old, new))
    with pytest.raises(RequestError, match=says):
        read_library((logic, tmp_path / "other.lib"))


def test_a_file_given_twice_is_refused(tmp_path: Path) -> None:
    logic, _ = _parts(tmp_path)
    with pytest.raises(RequestError, match=r"logic\.lib is given twice"):
        read_library((logic, logic))


def test_included_files_are_read_beside_the_one_that_includes_them(plain: Library, tmp_path: Path) -> None:
    text = small()
    cut, end = text.index("  cell (DFF_X1)"), text.rindex("}")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "flops.inc").write_text('include_file ("more.inc") ;')
    (tmp_path / "parts" / "more.inc").write_text(text[cut:end])
    library = _read(tmp_path, text[:cut] + 'include_file ("parts/flops.inc");\n}\n')
    assert liberty_text(library) == liberty_text(plain)
    # What is included counts: it is part of the digest, and is read again.
    (tmp_path / "parts" / "more.inc").write_text(text[cut:end].replace("DFF_X1", "DFF_X9"))
    again = read_library(tmp_path / "small.lib")
    assert again.digest != library.digest
    assert "DFF_X9" in again.cells


def test_tools_are_given_three_loads_at_least(tmp_path: Path) -> None:
    """ABC takes a slope from the first load to the last but one, and stops where they are the same."""
    text = in_cell(small(), "INV_X1", "cell_rise (delay_x1)", "cell_rise (scalar) { values (0.1); } was ()")
    other = 'cell_fall (delay_x1) { index_2 ("1, 3"); values ("' + ", ".join(["1, 2"] * 7) + '"); } was ()'
    text = liberty_text(_read(tmp_path, in_cell(text, "INV_X1", "cell_fall (delay_x1)", other)))
    given = text[text.index('cell ("INV_X1")') : text.index('cell ("BUF_X1")')]
    assert 'index_2 ("0.0, 0.5, 1.0");\n          values ("0.1, 0.1, 0.1", "0.1, 0.1, 0.1");' in given
    assert 'index_2 ("1.0, 2.0, 3.0");\n          values ("1.0, 1.5, 2.0",' in given


def test_what_tools_are_given_reads_as_what_was_read(plain: Library, tmp_path: Path) -> None:
    again = _read(tmp_path, liberty_text(plain))
    assert {cell.name: (cell.area, cell.inputs, cell.outputs) for cell in again.cells.values()} == {
        cell.name: (cell.area, cell.inputs, cell.outputs) for cell in plain.cells.values() if cell.name in again.cells
    }
    # The flip-flops have no timing in it: neither Yosys nor ABC reads any.
    assert {*plain.cells} - {*again.cells} == {"DFF_X1", "DFFR_X1"}
    for name in ("INV_X1", "XOR2_X1"):
        for ours, theirs in zip(plain.cell(name).arcs, again.cell(name).arcs, strict=True):
            assert ours.cell_rise is not None
            assert theirs.cell_rise is not None
            assert (ours.cell_rise.values == theirs.cell_rise.values).all()
            assert (ours.cell_rise.columns == theirs.cell_rise.columns).all()
