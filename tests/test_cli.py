"""The command line keeps its promises: exit status, JSON on stdout and nothing else, errors that say what to do."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from aesmith import __version__
from aesmith.assurance.plan import ScenarioReport, SimulationReport, Waveform
from aesmith.cli import VERBS, run
from aesmith.errors import ToolError
from aesmith.explore.points import frame
from aesmith.publish.acceptance import Check, CheckOutcome
from aesmith.technology.registry import embedded_path

PRESET = "ueno2020-enc"


@dataclass(frozen=True)
class Outcome:
    """What a command line came to."""

    status: int
    out: str
    err: str

    @property
    def value(self) -> object:
        """The JSON on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, object]:
        """The JSON error on stderr."""
        error = json.loads(self.err)["error"]
        assert isinstance(error, dict)
        return error


class Shell:
    """Runs command lines in an empty folder with an empty configuration."""

    def __init__(self, folder: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._captured = captured

    def __call__(self, *arguments: str) -> Outcome:
        self._captured.readouterr()
        status = run([str(argument) for argument in arguments])
        out, err = self._captured.readouterr()
        return Outcome(status, out, err)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")
    return Shell(tmp_path / "here", capsys)


def test_the_version_is_printed(shell: Shell) -> None:
    assert shell("--version") == Outcome(0, f"aesmith {__version__}\n", "")


@pytest.mark.parametrize("verb", [(), *((verb,) for verb in VERBS), ("library", "add")], ids=" ".join)
def test_every_verb_has_help(shell: Shell, verb: tuple[str, ...]) -> None:
    outcome = shell(*verb, "--help")
    assert outcome.status == 0
    assert outcome.out.startswith(" ".join(("Usage: aesmith", *verb, "[")))


def test_help_waits_for_no_verb() -> None:
    """What a verb needs is imported when it is called: help loads only what prints it."""
    program = "import sys; from aesmith.cli import run; run(['--help']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = ran.stdout.splitlines()[-1].split()
    assert "typer" in loaded
    assert not [name for name in loaded if name.startswith("aesmith.commands")]
    heavy = {"jinja2", "numba", "numpy", "pandas", "pydantic", "pyosys", "rich", "scipy", "sqlalchemy"}
    assert heavy.isdisjoint(loaded)


@pytest.mark.parametrize("verb", ["list", "doctor"])
def test_short_verbs_load_nothing_that_takes_long(verb: str) -> None:
    """What a simulation, a synthesis or a data frame needs is no matter of lists."""
    arguments = {"list": ["list", "cores", "--json"], "doctor": ["doctor", "--json"]}[verb]
    program = f"import sys; from aesmith.cli import run; run({arguments}); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = ran.stdout.splitlines()[-1].split()
    heavy = {"cocotb", "cryptography", "distributed", "jinja2", "llvmlite", "numba", "pandas", "pyarrow", "pyosys"}
    assert heavy.isdisjoint(loaded), heavy & set(loaded)
    assert "scipy" not in loaded


def test_a_list_of_cores_makes_no_circuits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources of a core are made when they are read."""

    def fails(*_: object, **__: object) -> None:
        raise AssertionError("a circuit was made for a list")

    for module in ("specification.encryption_parts", "specification.unified_parts", "specification.lutz_parts"):
        monkeypatch.setattr(f"aesmith.cores.round_based.{module}", fails)
    assert run(["list", "cores"]) == 0
    with pytest.raises(AssertionError, match="for a list"):
        run(["build", "mathew2011-encdec", "--no-measure"])


@pytest.mark.parametrize("verb", [(), ("list",), ("list", "cores"), ("measure",), ("explore", "show")], ids=" ".join)
def test_short_help_is_help(shell: Shell, verb: tuple[str, ...]) -> None:
    assert shell(*verb, "-h") == shell(*verb, "--help")


NEARLY = """
lst                                        | list
list core                                  | cores
measure ueno2020-enc --libary x            | --library
measure ueno2020-en                        | ueno2020-enc
measure ueno2020-enc --optimise aera       | area
measure ueno2020-enc --library Generic45x  | generic45
library show generic                       | generic45
library remove minne                       | mine
fpga ueno2020-enc --device ecp5-85         | ecp5-85k
reproduce ueno-tabel1                      | ueno-table1
pipeline canright205                       | canright2005
search linear mixcolumn                    | mixcolumns
search offset --inverter ueno2105          | ueno2015
explore run familes                        | families
explore show --store s.sqlite --sort area  | area_ge
recommend --points preset                  | presets
recommend --points presets --library gen45 | generic45
recommend --mode gmc                       | gcm
"""


@pytest.mark.parametrize("line", NEARLY.strip().splitlines())
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(
    shell: Shell, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, _, name = (part.strip() for part in line.partition("|"))
    if "remove" in arguments:
        shell("library", "add", "mine", str(embedded_path()))
    if "s.sqlite" in arguments:
        monkeypatch.setattr("aesmith.commands.explore_results._points", lambda *_: frame([]))
        _ = tmp_path
    outcome = shell(*arguments.split())
    assert outcome.status == 2
    assert "did you mean" in outcome.err
    assert name in outcome.err.rpartition("did you mean")[2]


@pytest.mark.parametrize(
    ("words", "offered"),
    [("bu", "build"), ("build ueno2020-encd", "ueno2020-encdec"), ("measure x --opt", "--optimise"),
     ("measure x --library gen", "generic45"), ("pipeline canr", "canright2005"), ("reproduce wang", "wang-table3"),
     ("list c", "cores")],
)  # fmt: skip
def test_a_shell_completes_what_is_typed(
    words: str, offered: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["aesmith", *words.split()]
    monkeypatch.setenv("_AESMITH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(typed))
    monkeypatch.setenv("COMP_CWORD", str(len(typed) - 1))
    with pytest.raises(SystemExit) as ended:
        run([])
    assert ended.value.code in (0, None)
    assert offered in capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("cores", PRESET),
        ("families", "round-based"),
        ("sboxes", "canright2005"),
        ("libraries", "generic45"),
        ("devices", "xcup"),
        ("boards", "ulx3s"),
    ],
)
def test_lists_are_tables_for_people_and_json_for_machines(shell: Shell, what: str, name: str) -> None:
    assert name in shell("list", what).out
    entries = shell("list", what, "--json").value
    assert isinstance(entries, list)
    assert name in [entry["name"] for entry in entries]


def test_a_listed_core_states_its_facts(shell: Shell) -> None:
    entries = shell("list", "cores", "--json").value
    assert isinstance(entries, list)
    core = next(entry for entry in entries if entry["name"] == PRESET)
    assert (core["key_bits"], core["directions"]) == ([128], ["encrypt"])
    assert (core["cycles_per_block"], core["latency_cycles"]) == (10, 11)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("build gcm-10gb", "must be one of gcm-10g, gcm-100g"),
        ("build gcm-10gb", "not 'gcm-10gb'; did you mean gcm-10g?"),
        ("measure gcm10g", "did you mean gcm-10g?"),
        ("measure cmac", "did you mean cmac-small?"),
        ("build canright2005", "core or engine: canright2005 is an S-box: must be one of"),
        ("verify canrigth2005", "did you mean canright2005 (an S-box)?"),
        ("pipeline gcm-10g --stages 2", "sbox: gcm-10g is an engine: must be one of"),
        ("pipeline ueno2020-en --stages 2", "did you mean ueno2020-enc (a core)?"),
    ],
)
def test_names_of_all_lists_are_near_and_few(shell: Shell, line: str, says: str) -> None:
    outcome = shell(*line.split())
    assert outcome.status == 2
    assert says in outcome.err
    assert len(outcome.err) < 400


@pytest.mark.parametrize("verb", ["build", "verify", "measure"])
def test_an_unknown_core_is_answered_with_the_known_ones(shell: Shell, verb: str) -> None:
    outcome = shell(verb, "ueno2021-enc")
    assert outcome.status == 2
    assert outcome.out == ""
    assert "core or engine: must be one of ueno2020-enc, " in outcome.err
    assert len(outcome.err) < 400
    assert "did you mean ueno2020-enc?" in outcome.err
    assert "Traceback" not in outcome.err


SPECIFICATIONS = {
    "unknown field": (f'preset = "{PRESET}"\nsbox = "table"\n', "sbox: there is no such field; the fields are"),
    "key size": (f'preset = "{PRESET}"\nkey_bits = 512\n', "key_bits: must be"),
    "out of range": (f'preset = "{PRESET}"\ngamma = 256\n', "gamma: must be"),
    "no TOML": ("gamma = = 1\n", "is not TOML"),
    "unknown preset": ('preset = "nix"\n', "preset: must be one of"),
}


@pytest.mark.parametrize("case", SPECIFICATIONS)
@pytest.mark.parametrize("verb", ["build", "verify", "measure"])
def test_a_wrong_specification_is_refused_before_any_work(shell: Shell, verb: str, case: str) -> None:
    text, message = SPECIFICATIONS[case]
    (shell.folder / "mine.toml").write_text(text)
    outcome = shell(verb, "mine.toml", "--json")
    assert outcome.status == 2
    assert outcome.out == ""
    assert message in str(outcome.error["message"])
    assert outcome.error["kind"] == "RequestError"
    assert [file.name for file in shell.folder.iterdir()] == ["mine.toml"]


def liberty_files(folder: Path) -> dict[str, tuple[Path, str]]:
    """Case -> (file, what the error must say)."""
    good = embedded_path().read_bytes()
    cases = {
        "not Liberty": (b"<html>", "not a Liberty file"),
        "empty": (b"", "Liberty"),
        "no cells": (b"library (x) { }", "cell"),
        "truncated gzip": (gzip.compress(good)[:2000], "gzip"),
        "cut off": (good[:4000], ""),
    }
    files = {}
    for name, (content, message) in cases.items():
        file = folder / f"{name.replace(' ', '_')}.lib"
        file.write_bytes(content)
        files[name] = (file, message)
    return files


@pytest.mark.parametrize("case", ["not Liberty", "empty", "no cells", "truncated gzip", "cut off"])
@pytest.mark.parametrize("verb", ["build", "measure", "library add"])
def test_a_library_that_will_not_do_is_refused_before_any_work(
    shell: Shell, verb: str, case: str, tmp_path: Path
) -> None:
    file, message = liberty_files(tmp_path)[case]
    arguments = ("library", "add", "mine", file) if verb == "library add" else (verb, PRESET, "--liberty", file)
    outcome = shell(*map(str, arguments))
    assert outcome.status == 2
    assert message in outcome.err
    assert file.name in outcome.err
    assert "Traceback" not in outcome.err
    assert list(shell.folder.iterdir()) == []
    assert "mine" not in shell("list", "libraries").out


@pytest.mark.parametrize("kind", ["flip_flop", "xor"])
def test_a_library_without_flip_flops_or_xor_gates_is_refused(shell: Shell, kind: str, tmp_path: Path) -> None:
    text = embedded_path().read_text()
    marker = {"flip_flop": "cell (DFF", "xor": "cell (X"}[kind]
    head, *cells = text.split("  cell (")
    kept = [cell for cell in cells if not f"cell ({cell}".startswith(marker)]
    tail = "" if kept[-1] == cells[-1] else "}\n"
    file = tmp_path / "poor.lib"
    file.write_text(head + "".join(f"  cell ({cell}" for cell in kept) + tail)
    outcome = shell("measure", PRESET, "--liberty", str(file))
    assert outcome.status == 2
    assert {"flip_flop": "flip-flop", "xor": "XOR"}[kind].lower() in outcome.err.lower()


def test_a_library_is_registered_shown_and_forgotten(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "mine.lib.gz"
    file.write_bytes(gzip.compress(embedded_path().read_bytes()))
    assert shell("library", "add", "mine", str(file)).status == 0
    assert str(file) in shell("library", "list", "--json").out
    shown = shell("library", "show", "mine", "--json").value
    assert isinstance(shown, dict)
    assert shown["gate_equivalent_cell"] == "NAND2_X1"
    assert shell("library", "remove", "mine").status == 0
    assert shell("library", "show", "mine").status == 2


def test_two_libraries_at_once_are_refused(shell: Shell) -> None:
    outcome = shell("measure", PRESET, "--library", "generic45", "--liberty", str(embedded_path()))
    assert outcome.status == 2
    assert "not both" in outcome.err


def test_usage_errors_are_json_too(shell: Shell) -> None:
    outcome = shell("measure", PRESET, "--optimise", "fast", "--json")
    assert (outcome.status, outcome.out) == (2, "")
    assert "'area', 'area-speed', 'speed', 'area-kept', 'area-speed-kept'" in str(outcome.error["message"])
    assert outcome.error["exit_status"] == 2


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "my_core"
    assert run(["build", PRESET, "--name", "my_core", "--no-measure", "--out", str(folder), "--json"]) == 0
    return folder


def test_a_build_says_where_everything_is(shell: Shell) -> None:
    outcome = shell("build", PRESET, "--name", "mine", "--no-measure", "--json")
    assert outcome.status == 0
    made = outcome.value
    assert isinstance(made, dict)
    assert made["folder"] == str(shell.folder / "mine")
    assert Path(str(made["datasheet"])).is_file()
    assert sorted(made["files"]) == sorted(
        str(file.relative_to(shell.folder / "mine")) for file in (shell.folder / "mine").rglob("*") if file.is_file()
    )
    again = shell("build", PRESET, "--name", "mine", "--no-measure")
    assert again.status == 0
    assert "mine/datasheet.md" in again.out


def test_a_foreign_folder_is_left_alone(shell: Shell) -> None:
    (shell.folder / "thesis").mkdir()
    (shell.folder / "thesis" / "chapter1.tex").write_text("It was a dark and stormy night.")
    outcome = shell("build", PRESET, "--out", "thesis", "--force")
    assert outcome.status == 2
    assert "no earlier build (chapter1.tex)" in outcome.err
    assert [file.name for file in (shell.folder / "thesis").iterdir()] == ["chapter1.tex"]


def test_an_empty_name_is_refused_and_not_taken_for_none(shell: Shell) -> None:
    outcome = shell("build", PRESET, "--name", "", "--no-measure", "--json")
    assert outcome.status == 2
    assert outcome.error["message"] == (
        "name: must be letters, digits and _, begin with a letter and not with aesmith_, not ''"
    )
    assert list(shell.folder.iterdir()) == []


def test_an_unwritable_folder_is_named(shell: Shell) -> None:
    (shell.folder / "file").write_text("")
    outcome = shell("build", PRESET, "--out", "file/below", "--json")
    assert outcome.status == 2
    assert "file is not a folder" in str(outcome.error["message"])


def test_a_build_cannot_be_built(shell: Shell, package: Path) -> None:
    outcome = shell("build", str(package))
    assert outcome.status == 2
    assert "core or engine: must be one of" in outcome.err


def report(package: Path, *, failure: str = "", waveform: Waveform | None = None) -> SimulationReport:
    scenarios = (
        ScenarioReport("known-answers", 408, 4087, 0.1, "", ""),
        ScenarioReport("random-stalls", 1000, 12557, 0.2, failure, ""),
    )
    return SimulationReport(package.name, "0" * 64, 128, 7, scenarios, (), waveform, {"verilator": "5"}, 1.0, 2.0)


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch, package: Path) -> list[tuple[str, object]]:
    """Takes the simulator's place; holds what it was asked for, and finds the core right unless `wrong` is in it."""
    asked: list[tuple[str, object]] = []

    def simulate(design: object, work_dir: Path, plan: object, _progress: object) -> SimulationReport:
        asked.append((getattr(design, "source_hash", ""), plan))
        work_dir.mkdir(parents=True)
        wave = work_dir / "my_core-random-stalls.vcd"
        wave.write_text("$end")
        texts = "".join(source.text for source in getattr(design, "sources", ()))
        if "WRONG" not in texts:
            return report(package)
        recorded = Waveform(wave, "random-stalls", 120) if getattr(plan, "waves", False) else None
        return report(package, failure="block 3 came out wrong", waveform=recorded)

    monkeypatch.setattr("aesmith.assurance.simulation.simulate", simulate)
    monkeypatch.setattr("aesmith.assurance.simulator.find_tools", lambda: None)
    return asked


def test_a_right_core_is_verified(shell: Shell, package: Path, simulated: list[tuple[str, object]]) -> None:
    outcome = shell("verify", str(package), "--seed", "7", "--random", "50")
    assert outcome.status == 0
    assert "passed" in outcome.out
    assert "12,557" in outcome.out
    assert (getattr(simulated[0][1], "seed", 0), getattr(simulated[0][1], "random_pairs", 0)) == (7, 50)


@pytest.mark.usefixtures("simulated")
def test_a_wrong_core_gives_exit_status_1_and_a_waveform(shell: Shell, package: Path) -> None:
    source = package / "rtl" / "my_core.sv"
    right = source.read_text()
    source.write_text(f"{right}// WRONG\n")
    try:
        outcome = shell("verify", str(package), "--waves", "--json")
    finally:
        source.write_text(right)
    assert outcome.status == 1
    found = outcome.value
    assert isinstance(found, dict)
    assert found["passed"] is False
    assert found["changed_files"] == ["rtl/my_core.sv"]
    assert found["waveform"] == "my_core-random-stalls.vcd"
    assert (shell.folder / "my_core-random-stalls.vcd").exists()
    assert "fails 1 of 2 scenarios; first random-stalls: block 3 came out wrong" in str(outcome.error["message"])
    assert outcome.error["kind"] == "CheckError"


@pytest.mark.usefixtures("simulated")
@pytest.mark.parametrize("path", ["my_core.v", "tb/Makefile"])
def test_a_package_is_not_verified_if_what_it_ships_beside_the_sources_is_another(
    shell: Shell, package: Path, path: str
) -> None:
    right = (package / path).read_text()
    (package / path).write_text(right.replace(" ^ ", " & ", 1) if path == "my_core.v" else f"{right}\n")
    try:
        outcome = shell("verify", str(package), "--json")
    finally:
        (package / path).write_text(right)
    assert outcome.status == 1
    assert path in str(outcome.error["message"])
    assert isinstance(outcome.value, dict)
    assert [file["path"] for file in outcome.value["files"] if file["wrong"]] == [path]


@pytest.mark.usefixtures("simulated")
def test_a_build_that_is_verified_says_so_in_its_datasheet(shell: Shell) -> None:
    assert shell("build", PRESET, "--no-measure", "--verify", "--out", "mine").status == 0
    sheet = (shell.folder / "mine" / "datasheet.md").read_text()
    assert "| random-stalls | 1,000 | 12,557 | passed |" in sheet


@pytest.mark.usefixtures("simulated")
def test_a_build_that_fails_verification_leaves_nothing(
    shell: Shell, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aesmith.assurance.simulation.simulate", lambda *_: report(package, failure="wrong"))
    outcome = shell("build", PRESET, "--no-measure", "--verify", "--out", "mine")
    assert outcome.status == 1
    assert list(shell.folder.iterdir()) == []


def test_a_missing_compiler_is_named_with_its_package(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(shell.folder))
    for verb in (("verify", PRESET), ("build", PRESET, "--verify"), ("demo",)):
        outcome = shell(*verb)
        assert outcome.status == 3
        assert "apt install" in outcome.err
        assert "g++" in outcome.err
        assert list(shell.folder.iterdir()) == []


def test_a_failing_tool_gives_exit_status_3(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: object, **__: object) -> None:
        raise ToolError("yosys: it broke")

    monkeypatch.setattr("aesmith.api.measuring.obtain", measure)
    outcome = shell("build", PRESET, "--json")
    assert outcome.status == 3
    assert outcome.error == {"kind": "ToolError", "message": "yosys: it broke", "exit_status": 3}
    assert list(shell.folder.iterdir()) == []


def test_an_interrupted_build_leaves_nothing(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("aesmith.api.measuring.obtain", measure)
    outcome = shell("build", PRESET)
    assert outcome.status == 130
    assert outcome.err.endswith("aesmith: interrupted; nothing was left half-written\n")
    assert list(shell.folder.iterdir()) == []


@pytest.mark.thorough(but=1)
@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_real_build_cleanly(tmp_path: Path, number: signal.Signals, status: int) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    (tmp_path / "here").mkdir()
    command = [sys.executable, "-c", "from aesmith.cli import main; main()", "build", PRESET]
    with subprocess.Popen(
        command, cwd=tmp_path / "here", env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        while process.poll() is None and not list((tmp_path / "tmp").glob("aesmith-*/measure-area/*/*.log")):
            time.sleep(0.1)
        process.send_signal(number)
        _, err = process.communicate()
    assert process.returncode == status, err
    assert "Traceback" not in err
    assert list((tmp_path / "here").iterdir()) == []
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ((CheckOutcome.PASSED, CheckOutcome.SKIPPED), 0),
        ((CheckOutcome.FAILED, CheckOutcome.STOPPED), 1),
        ((CheckOutcome.PASSED, CheckOutcome.STOPPED), 3),
    ],
)
def test_a_package_is_examined_and_the_status_says_what_came_of_it(
    shell: Shell, package: Path, monkeypatch: pytest.MonkeyPatch, outcomes: tuple[CheckOutcome, ...], status: int
) -> None:
    checks = tuple(Check(name, outcome, "so it is", 0.5) for name, outcome in zip("ab", outcomes, strict=True))
    monkeypatch.setattr("aesmith.commands.build.accept", lambda *_, **__: checks)
    machine, person = shell("check-package", str(package), "--json"), shell("check-package", str(package))
    assert machine.status == person.status == status
    assert isinstance(machine.value, dict)
    assert machine.value["passed"] is (status == 0)
    assert [check["outcome"] for check in machine.value["checks"]] == list(outcomes)
    assert "so it is" in person.out
    assert status == 0 or "my_core: " in person.err


def test_what_is_no_package_is_not_examined(shell: Shell, package: Path) -> None:
    assert shell("check-package", ".").status == 2
    outcome = shell("check-package", str(package), "--certificate", "nowhere")
    assert outcome.status == 2
    assert "there is no nowhere/certificate.json" in outcome.err
