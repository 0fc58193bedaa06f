"""What a hostile or hasty user gives: one line that names the thing, status 2 or 3, and nothing written."""

from __future__ import annotations

import gzip
import shlex
import sqlite3
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.technology.registry import embedded_path

GOOD = embedded_path().read_text()
NAND = "  cell (NAND2_X1) {\n    "
CORE = 'preset = "ueno2020-enc"\n'
PIPE = 'architecture = "subpipelined"\nstages = 2\n'
LONG = "x" * 300

FIELDS = {
    CORE: {
        "gamma": (
            "1.5",
            "nan",
            "inf",
            "-1",
            "0",
            "99999999999999999999",
            '"x"',
            "true",
            "2020-01-01",
            "[1]",
            "{a = 1}",
        ),
        "directions": ("[]", '["encrypt", "encrypt"]', '"encrypt"', '["up"]', "3"),
        "key_bits": ("129", "[]", "-128", '"128"'),
        "gama": ("3",),
    },
    PIPE: {
        "skid_entries": ("-1", "0", "9", "1.5"),
        "rounds_in_loop": ("3", "0"),
        "directions": ("[]", '["encrypt", "decrypt", "encrypt"]', '["decrypt", "decrypt"]'),
        "sbox": ("5", '"canrigth2005"', '""'),
    },
    'architecture = "subpipelined"\n': {"stages": ("0", "99", '"two"', "nan")},
    'architecture = "standard-enc"\n': {"sbox": ('"nosuch"',), "mix_columns_levels": ("0", '"x"')},
    "": {"architecture": ('"ueno2020-encdce"', "7"), "preset": ("[1]", '"nix"')},
}
"""What the file has besides -> field -> values that it must not have."""

VALUES = [
    (base, field, value) for base, fields in FIELDS.items() for field, values in fields.items() for value in values
]

LINES = """
build                                            | Missing argument 'SPEC'
build nix                                        | core or engine: must be one of
build ''                                         | in all)
build ueno2020-enk                               | did you mean ueno2020-enc?
build -- -rf                                     | not '-rf'
build ../x                                       | not '../x'
build 'CORE;ls'                                  | not 'ueno2020-enc;ls'
build ueno2020-encé                              | not 'ueno2020-encé'
build LONG                                       | core or engine: must be one of
build empty.toml                                 | architecture: must be one of
build binary.toml                                | specification binary.toml: is not TOML
build bad.toml                                   | is not TOML (Invalid value (at line 1, column 9))
build twice.toml                                 | is not TOML
build folder.toml                                | cannot be read (Is a directory)
build huge.toml                                  | has too long a number, or is nested too deeply
build deep.toml                                  | has too long a number, or is nested too deeply
build missing.toml                               | cannot be read (No such file or directory)
build dangling.toml                              | cannot be read (No such file or directory)
build CORE --name ''                             | name: must be letters
build CORE --name 1a                             | name: must be letters
build CORE --name module                         | reserved word
build CORE --name always_ff                      | reserved word
build CORE --name ../x                           | name: must be letters
build CORE --name 'a;b'                          | name: must be letters
build CORE --name 'a\\nb'                        | name: must be letters
build CORE --name=-rf                            | not '-rf'
build CORE --name é                              | not 'é'
build CORE --name LONG                           | File name too long
build CORE --name aesmith_x                      | not with aesmith_
build CORE --out file                            | file: is not a folder
build CORE --out file/x                          | file is not a folder
build CORE --out ''                              | '--out': must name a folder, as . names this one
build CORE --out /proc/x                         | cannot be written
build CORE --out LONG                            | File name too long
build CORE --out nobuild/../build                | holds files that are no earlier build (manifest.json)
build CORE --jobs 0                              | '--jobs': must be at least 1
build CORE --jobs -1                             | '--jobs': must be at least 1
build CORE --jobs x                              | '--jobs': must be a whole number
build CORE --jobs 1e9                            | '--jobs': must be a whole number
build CORE --no-measure --library generic45      | nothing to use --library for
build CORE --no-measure --store x                | nothing to use --store for
build CORE --library nix                         | 'nix' is neither a known name nor a file
build CORE --library ''                          | '' is neither a known name nor a file
build CORE --library generic45 --liberty cut.lib | not both
build CORE --liberty empty.lib                   | empty.lib is not a Liberty file
build CORE --liberty html.lib                    | html.lib is not a Liberty file
build CORE --liberty nocells.lib                 | holds no cells
build CORE --liberty cut.lib                     | cut.lib, line 114
build CORE --liberty binary.lib                  | binary.lib is not a Liberty file
build CORE --liberty folder.lib                  | folder.lib is no file
build CORE --liberty cut.lib.gz                  | truncated or damaged gzip file
build CORE --liberty missing.lib                 | missing.lib is not there
build CORE --liberty ''                          | give a Liberty file
build CORE --liberty units.lib                   | time_unit: must be a number with a unit
build CORE --liberty nan.lib                     | cell NAND2_X1: area: must be a finite number
build CORE --liberty negative.lib                | cell NAND2_X1: area: must not be negative
build CORE --store text.sqlite                   | text.sqlite is not a result store
build CORE --store other.sqlite                  | it has the tables shop
build CORE --store build                         | build is not a file that can be written
build CORE --store ''                            | is not a file that can be written
build CORE --store self                          | self: is a link that leads back to itself
build CORE --store file/x.sqlite                 | is not a file that can be written
build CORE --store mysql://u:secret@h/d          | as postgresql://HOST/NAME, not mysql://u:***@h/d
build CORE --store oracle://h/d                  | as postgresql://HOST/NAME
build CORE --store nix://h                       | as postgresql://HOST/NAME
build CORE --store sqlite://                     | as postgresql://HOST/NAME
build CORE --store ~nobody_x/store.sqlite        | there is no user nobody_x
build CORE --no-store --store x                  | nothing to use --store
build CORE --no-store --refresh                  | nothing to use --store or --refresh
build CORE extra                                 | extra argument
build CORE --nix                                 | No such option: --nix
measure CORE --optimise fast                     | 'fast' is not one of 'area', 'area-speed', 'speed', 'area-kept'
measure CORE --optimise ''                       | '' is not one of 'area'
measure CORE --power --clock 0                   | clock_mhz: must be 0.001 to 100000, not 0
measure CORE --power --clock -5                  | clock_mhz: must be 0.001 to 100000
measure CORE --power --clock nan                 | clock_mhz: must be 0.001 to 100000, not nan
measure CORE --power --clock 5MHz                | '--clock': must be a number
measure CORE --power --precision 0               | precision: must be 0.01 % to 50 %, not 0 %
measure CORE --power --precision nan             | not nan %
measure CORE --power --precision -1              | not -1 %
measure CORE --power --precision 1000            | not 1000 %
measure CORE --power --stimulus nix              | 'nix' is not one of 'random'
measure CORE --power --blocks missing            | blocks: missing cannot be read (No such file or directory)
measure CORE --power --power-picture build       | power-picture: build cannot be written (it is a folder)
measure CORE --power --power-picture no/x.svg    | there is no folder no
measure build                                    | build/manifest.json: is not the manifest of a build
measure build2                                   | build2/manifest.json: is not the manifest of a build
measure build3                                   | build3/manifest.json: is not the manifest of a build
measure build4                                   | is not the manifest of a build (a field is missing
measure CORE --utilisation 0.5                   | placed: the options for placement need --placed
measure CORE --placed --utilisation 2            | utilisation: must be from 0.1 to 0.95, not 2
measure CORE --placed --aspect 9                 | aspect: height over width must be from 0.25 to 4, not 9
measure CORE --placed --technology missing       | technology: missing cannot be read
measure CORE --proof-dir x                       | --proof-dir: nothing is proved
measure nobuild                                  | nobuild/manifest.json is missing
verify CORE --random 0                           | '--random': must be at least 1
verify CORE --random -1                          | '--random': must be at least 1
verify CORE --random x                           | '--random': must be a whole number
verify CORE --random 1000000000000               | '--random': must be at most 1000000
verify CORE --seed x                             | '--seed': must be a whole number
verify CORE --seed -1                            | seed: must be 0 to
verify CORE --seed 1e3                           | '--seed': must be a whole number
verify CORE --prove --proof-seconds 0            | '--proof-seconds': must be at least 1
verify CORE --prove --proof-seconds nan          | '--proof-seconds': must be
verify CORE --prove --proof-seconds inf          | '--proof-seconds': must be at most
verify CORE --prove --proof-dir file             | proof-dir: file cannot be made
verify CORE --prove --proof-dir file/x           | proof-dir: file/x cannot be made
verify CORE --prove --netlist missing.v          | there is no file missing.v
verify CORE --prove --waves                      | a proof has no use for --waves
verify CORE --prove --random 5                   | a proof has no use for --random
verify CORE --netlist missing.v                  | no use for it; give --prove or --probing too
verify masked-round-gated-enc --probing --netlist missing.v | there is no file missing.v
verify masked-round-gated-enc --probing --prove  | probing: it has no use for --prove
verify CORE --order 1                            | --order: is of probes; give --probing too
verify CORE --sample 5000                        | --sample: is of probes; give --probing too
verify masked-round-gated-enc --probing --transitions | --transitions: is of sampled probes; give --sample too
verify masked-round-gated-enc --probing --sample 5000 --order 1 | --order: sampled is one probe at a time
verify masked-round-gated-enc --probing --sample 10 | sample: must be 4096 to
verify CORE --export ''                          | '--export': must name a folder
verify CORE --prove --proof-dir ''               | '--proof-dir': must name a folder
recommend --minimise area --build ''             | '--build': must name a folder
verify CORE --proof-dir x                        | --proof-dir: a simulation has no use for it
check-proof nobuild                              | nobuild/certificate.json cannot be read (No such file or directory)
check-proof cert                                 | cert/certificate.json is no certificate
check-proof cert2                                | cert2/certificate.json is no certificate
check-proof cert3                                | cert3/rtl/passwd cannot be read (No such file or directory)
verify nobuild                                   | nobuild/manifest.json is missing
fpga CORE                                        | Missing option '--device'
fpga CORE --device nix                           | device: must be one of ecp5-25k
fpga CORE --device ecp5-k                        | did you mean ecp5-
fpga CORE --device ecp5-25k --seeds 0            | '--seeds': must be at least 1
fpga CORE --device ecp5-25k --seeds 100000       | '--seeds': must be at most 1000
fpga CORE --device ecp5-25k --speed 9            | speed: must be one of 6, 7, 8
fpga CORE --device ecp5-25k --target nan         | '--target': must be
fpga CORE --device ecp5-25k --target 0           | '--target': must be at least 1
fpga CORE --device ecp5-25k --timing-weight -1   | '--timing-weight': must be at least 0
reproduce                                        | Missing argument 'TABLE'
reproduce lin-table5                             | did you mean lin-table4?
reproduce lin-table4 --plot no/x.svg             | plot: no/x.svg cannot be written (there is no folder no)
explore run familes                              | did you mean families?
explore run missing.toml                         | cannot be read (No such file or directory)
explore run bad.toml                             | is not TOML
explore run nocores.toml                         | there must be at least one table [[cores]]
explore run deep.toml                            | has too long a number, or is nested too deeply
explore run range.toml                           | a range is {from = 1, to = 4, step = 1}
explore run colour.toml                          | colour: there is no such field
explore run families --workers 0                 | '--workers': must be at least 1
explore run families --library nix               | 'nix' is neither a known name nor a file
explore run families --verify maybe              | 'maybe' is not one of
explore show --store missing.sqlite              | there is no missing.sqlite
explore show --store text.sqlite                 | text.sqlite is not a result store
explore show --store mysql://h/d                 | as postgresql://HOST/NAME
explore export x.json                            | must end in .csv or .parquet
explore export no/x.csv                          | there is no folder no
explore diff nix nix2                            | store: there is no
explore nix                                      | No such command 'nix'
recommend --minimise nix                         | minimise: must be one of area
recommend --minimise area --maximise throughput  | not both
recommend --minimise area --min-throughput fast  | such as 10Gbps, not 'fast'
recommend --minimise area --min-throughput 0Gbps | min-throughput: must be above zero
recommend --minimise area --min-fmax nanMHz      | not 'nanMHz'
recommend --minimise area --mode gmc             | did you mean gcm?
recommend --minimise area --key 100              | key: must be of 128, 192, 256
recommend --minimise area --streams 0            | streams: must be 1 or more
recommend --minimise area --block-width 9        | block-width: must be 8 or 16 or 32 or 128
recommend --minimise area --budget soon          | budget: must be a number with a unit
recommend --minimise area --budget -5min         | not '-5min'
recommend --minimise area --points wrong.csv     | wrong.csv lacks the column
recommend --minimise area --clock 0MHz           | clock: must be above zero
report --points missing.csv                      | missing.csv cannot be read
report --points empty.csv                        | empty.csv is no table of points
report --points wrong.csv                        | lacks the column
report --points binary.parquet                   | binary.parquet
report --points folder.csv                       | folder.csv cannot be read (Is a directory)
report --points x.xls                            | must be
report --points families --store x               | not both
report --points families --library nix           | not in 'nix'
report --points families --out build             | out: build is a folder
report --points families --out no/x.html         | is in no folder that can be written
report --store missing.sqlite                    | there is no missing.sqlite
library add x self                               | self: is a link that leads back to itself
library add x missing.lib                        | cannot be read (No such file or directory)
library add '' html.lib                          | library name: must be
library add ../x html.lib                        | library name: must be
library add generic45 html.lib                   | library name: must be
library add 'a b' html.lib                       | library name: must be
library remove nix                               | 'nix' is not registered
library show ''                                  | '' is neither a known name nor a file
pipeline canrigth2005 --stages 2                 | did you mean canright2005?
pipeline canright2005 --stages 0                 | stages: must be 1 to 23
pipeline canright2005 --stages 1000              | not 1000
pipeline canright2005 --stages 2 --period 3      | stages, period:
pipeline canright2005 --period 0                 | period: must be at least 1
pipeline canright2005 --period nan               | not nan
pipeline canright2005 --function nix --stages 2  | not 'nix'
pipeline canright2005 --stages 2 --out build     | build cannot be written (Is a directory)
pipeline canright2005 --stages 2 --out no/x.sv   | cannot be written (No such file or directory)
pipeline canright2005 --stages 2 --name 'a;b' --out x.sv | name: must be letters
pipeline canright2005 --out x.sv                 | say with --stages or --period
search linear missing.json                       | map: must be
search linear empty.toml                         | there is no row
search linear binary.toml                        | cannot be read as text
search offset --inverter nix                     | inverter: must be one of
search nix                                       | No such command 'nix'
list nix                                         | No such command 'nix'
new sbox canright2005                            | there is canright2005 already
new family '../x'                                | must be lower-case letters
new sbox mine --out file                         | file: is not a folder
new core mine                                    | No such command 'core'
nix                                              | No such command 'nix'
--nix                                            | No such option: --nix
demo --out file                                  | file: is not a folder
"""
LEAKS = ("Traceback", "Errno", "Input should", "Value error", "should have", "MySQLdb", "secret", "random_pairs")


def cases() -> list[tuple[str, str]]:
    rows = [line.partition(" | ") for line in LINES.strip().splitlines()]
    return [(row[0].strip(), row[2].strip()) for row in rows]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that will not do."""
    here = tmp_path_factory.mktemp("bad")
    files: dict[str, str | bytes] = {
        "empty.toml": "",
        "binary.toml": b"\xff\xfe\0\1",
        "bad.toml": "gamma = = 1",
        "twice.toml": "key_bits = 128\nkey_bits = 256\n",
        "huge.toml": f'preset = "boyar2010-enc"\nsize = {"9" * 5000}\n',
        "deep.toml": f"a = {'[' * 3000}{']' * 3000}\n",
        "nocores.toml": 'name = "x"\n',
        "range.toml": '[[cores]]\nstages = {from = 1}\narchitecture = "subpipelined"\n',
        "colour.toml": "colour = 1\n",
        "empty.lib": "",
        "html.lib": "<html>",
        "nocells.lib": "library (x) { }",
        "cut.lib": GOOD[:4000],
        "binary.lib": b"\0\xff" * 500,
        "cut.lib.gz": gzip.compress(GOOD.encode())[:1000],
        "units.lib": GOOD.replace('time_unit : "1ns"', 'time_unit : "1parsec"'),
        "nan.lib": GOOD.replace(f"{NAND}area : ", f"{NAND}area : nan; was : "),
        "negative.lib": GOOD.replace(f"{NAND}area : ", f"{NAND}area : -"),
        "text.sqlite": "hello, this is no database, only words\n" * 30,
        "empty.csv": "",
        "wrong.csv": "a,b\n1,2\n",
        "binary.parquet": b"\0" * 100,
        "file": "x",
        "build/manifest.json": "{",
        "build2/manifest.json": '{"generator": "aesmith", "format": 2}',
        "build3/manifest.json": "[]",
        "build4/manifest.json": "[" * 100_000,
        "cert/certificate.json": "{}",
        "cert2/certificate.json": "[" * 100_000,
        "cert3/certificate.json": '{"format": "aesmith certificate 1", "engine": "walk", "sources": {"../passwd": 1}}',
    }
    for name, content in files.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_bytes(content.encode() if isinstance(content, str) else content)
    for name in ("folder.toml", "folder.lib", "folder.csv", "nobuild"):
        (here / name).mkdir()
    (here / "dangling.toml").symlink_to("nowhere")
    (here / "self").symlink_to("self")
    connection = sqlite3.connect(here / "other.sqlite")
    connection.execute("CREATE TABLE shop (x)")
    connection.commit()
    connection.close()
    return here


@pytest.fixture
def refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> object:
    """Runs a command line in `folder`, and gives its status and the line it ends with."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def answer(*arguments: str) -> tuple[int, str]:
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
        status = run(list(arguments))
        out, err = capsys.readouterr()
        assert out == ""
        lines = err.splitlines()
        assert [line.startswith("aesmith: ") for line in lines] == [False] * (len(lines) - 1) + [True], err
        assert not [leak for leak in LEAKS if leak in err], err
        assert before == {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
        assert not (tmp_path / "config").exists()
        return status, lines[-1]

    return answer


def test_there_are_150_and_more() -> None:
    assert len(cases()) + len(VALUES) >= 150


@pytest.mark.parametrize(("line", "says"), cases(), ids=lambda value: value[:60])
def test_bad_input_is_answered_in_a_line(refused, line: str, says: str) -> None:  # type: ignore[no-untyped-def]
    words = [word.replace("CORE", "ueno2020-enc").replace("LONG", LONG) for word in shlex.split(line)]
    words = [word.replace("\\n", "\n") for word in words]
    status, told = refused(*words)
    assert status == 2
    assert says in told


@pytest.mark.parametrize(("base", "field", "value"), VALUES)
def test_a_field_out_of_range_is_named_with_its_rule(  # type: ignore[no-untyped-def]
    refused, folder: Path, base: str, field: str, value: str
) -> None:
    (folder / "mine.toml").write_text(f"{base}{field} = {value}\n".replace("stages = 2\nstages", "stages"))
    status, told = refused("build", "mine.toml")
    assert status == 2
    assert told.startswith(f"aesmith: specification mine.toml: {field}: ")
    assert "must " in told or "there is no such field" in told


@pytest.mark.parametrize(
    ("given", "meant"),
    [(f'{CORE}gama = 3\n', "gamma"), (f'{PIPE}sbox = "canrigth2005"\n', "canright2005"),
     ('preset = "ueno2020-enk"\n', "ueno2020-enc")],
)  # fmt: skip
def test_a_slip_is_answered_with_what_was_meant(refused, folder: Path, given: str, meant: str) -> None:  # type: ignore[no-untyped-def]
    (folder / "mine.toml").write_text(given)
    assert refused("measure", "mine.toml")[1].endswith(f"did you mean {meant}?")
