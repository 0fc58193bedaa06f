"""A package has all that is promised, says where it comes from, and is the same bytes every time."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import aesmith
from aesmith import __version__
from aesmith.assurance.standalone import standalone_testbench
from aesmith.cores.design import Clocks, CoreDesign, Direction, SourceFile
from aesmith.cores.ports import (
    ByteOrder,
    Channel,
    Line,
    Meaning,
    Payload,
    PayloadKind,
    PortDirection,
    Ports,
    Reset,
    as_values,
)
from aesmith.cores.specification import build_design, load_specification, parse_specification
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.measurement import Measurement, Optimise, PlacedFigures, conditions
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import synthesise
from aesmith.flow.verilog2005 import verilog2005
from aesmith.publish import package
from aesmith.publish.datasheet import MOST_STEPS, condensed, datasheet, figure_rows, picture_of
from aesmith.publish.descriptions import Evidence, constraints, core_description, manifest_text, read_build
from aesmith.publish.package import CLEAR_STEP, NOT_EXAMINED, STEPS, examine_files, package_files, write_files
from aesmith.publish.trace import Step
from aesmith.technology.registry import embedded_path, library_by
from aesmith.timing import static

BENCH = (SourceFile("tb_tiny.sv", "module tb_tiny;\nendmodule\n"), SourceFile("vectors.hex", "00\n"))


@pytest.fixture(scope="module")
def files(tiny: CoreDesign, measurement: Measurement, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return package_files(tiny, BENCH, Evidence((measurement,), "All was well."), tmp_path_factory.mktemp("work"))


@pytest.fixture
def build(files: dict[str, str], tmp_path: Path) -> Path:
    write_files(files, tmp_path)
    return tmp_path


def test_a_package_has_all_its_files(files: dict[str, str]) -> None:
    assert set(files) == {
        "rtl/tiny_substitute.sv",
        "rtl/tiny_mix.sv",
        "rtl/tiny_control.sv",
        "rtl/tiny.sv",
        "tiny.v",
        "tiny.sdc",
        "tiny.core",
        "Bender.yml",
        "layout/config.yaml",
        "layout/config.mk",
        "layout/constraint.sdc",
        "cocotb/run.py",
        "cocotb/test_tiny.py",
        "tb/tb_tiny.sv",
        "tb/vectors.hex",
        "diagram.svg",
        "waveform.svg",
        "datasheet.md",
        "manifest.json",
    }


def test_a_register_that_a_clear_forgets_is_named_and_nothing_is_built(tmp_path: Path) -> None:
    design = build_design(parse_specification({"preset": "boyar2010-enc", "clear": True}), "core", "core")
    sources = [
        replace(source, text=source.text.replace("state_q <= '0;", "state_q[15:1] <= '0;")) for source in design.sources
    ]
    steps: list[str] = []
    with pytest.raises(CheckError, match=r"core: clear: register \S*state_q\S* after clear_i depends on what"):
        package_files(replace(design, sources=tuple(sources)), (), Evidence(), tmp_path, steps.append)
    assert steps == [CLEAR_STEP]


def test_the_same_request_gives_the_same_bytes(
    files: dict[str, str], tiny: CoreDesign, measurement: Measurement, tmp_path: Path
) -> None:
    steps: list[str] = []
    slower = replace(measurement, candidates=())
    assert package_files(tiny, BENCH, Evidence((slower,), "All was well."), tmp_path, steps.append) == files
    assert tuple(steps) == STEPS


def test_no_file_holds_a_path_of_this_machine_or_a_date(files: dict[str, str], tiny: CoreDesign) -> None:
    for name, text in files.items():
        assert not re.search(r"/(tmp|home|work|root|usr)/|20\d\d-\d\d-\d\d|\d\d:\d\d:\d\d", text), name
    assert tiny.name == "tiny"


def test_every_module_has_the_builds_prefix(files: dict[str, str]) -> None:
    modules = re.findall(
        r"^module\s+(\w+)", files["tiny.v"] + "".join(files[f] for f in files if f.startswith("rtl")), re.M
    )
    assert modules
    assert all(module == "tiny" or module.startswith("tiny_") for module in modules)


def test_the_manifest_lists_every_file_with_its_hash(files: dict[str, str]) -> None:
    manifest = json.loads(files["manifest.json"])
    listed = {entry["path"]: entry["sha256"] for entry in manifest["files"]}
    assert listed == {
        name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items() if name != "manifest.json"
    }


def test_the_manifest_states_the_core(files: dict[str, str], tiny: CoreDesign) -> None:
    manifest = json.loads(files["manifest.json"])
    assert manifest["version"] == __version__
    assert manifest["source_hash"] == tiny.source_hash
    fields = (
        "name",
        "top",
        "key_bits",
        "directions",
        "block_width",
        "cycles_per_block",
        "latency_cycles",
        "worst_latency_cycles",
        "clocks",
        "parameters",
    )
    assert {field: manifest[field] for field in fields} == {
        "name": "tiny",
        "top": "tiny",
        "key_bits": [128],
        "directions": ["encrypt"],
        "block_width": 128,
        "cycles_per_block": 10,
        "latency_cycles": 11,
        "worst_latency_cycles": 11,
        "clocks": [
            {
                "key_bits": 128,
                "direction": "encrypt",
                "cycles_per_block": 10,
                "latency_cycles": 11,
                "worst_latency_cycles": 11,
            }
        ],
        "parameters": {"sbox": "none", "rounds": 10},
    }
    assert manifest["ports"] == as_values(tiny.ports)


def test_what_it_was_made_from_changes_the_hash(files: dict[str, str], tiny: CoreDesign, tmp_path: Path) -> None:
    other = json.loads(package_files(tiny, BENCH, Evidence(), tmp_path)["manifest.json"])
    manifest = json.loads(files["manifest.json"])
    assert other["made_from"] != manifest["made_from"]
    assert other["source_hash"] == manifest["source_hash"]


def test_a_build_reads_back_as_the_design_it_was_made_of(build: Path, tiny: CoreDesign) -> None:
    read = read_build(build)
    assert read.design == tiny
    assert read.changed == ()


def test_clocks_of_each_key_size_and_direction_are_read_back(build: Path, tiny: CoreDesign) -> None:
    manifest = json.loads((build / "manifest.json").read_text())
    assert [(row["cycles_per_block"], row["latency_cycles"]) for row in manifest["clocks"]] == [(10, 11)]
    manifest["clocks"][0] |= {"latency_cycles": 12, "worst_latency_cycles": 13}
    (build / "manifest.json").write_text(json.dumps(manifest))
    assert read_build(build).design == replace(tiny, other_clocks={(128, Direction.ENCRYPT): Clocks(10, 12, 13)})
    slower = manifest | {"worst_latency_cycles": 14, "clocks": []}
    (build / "manifest.json").write_text(json.dumps(slower))
    assert read_build(build).design == replace(tiny, latency_spread=3)
    del slower["worst_latency_cycles"]
    (build / "manifest.json").write_text(json.dumps(slower))
    assert read_build(build).design == tiny  # a build of an earlier version


def test_the_datasheet_has_the_three_clocks(files: dict[str, str]) -> None:
    head = "| direction | key | block to block | first block | slowest block |\n|---|---|---|---|---|\n"
    assert head + "| encrypt | 128 bits | 10 | 11 | 11 |\n\nSender and receiver" in files["datasheet.md"]


def test_an_edited_source_is_read_and_told(build: Path) -> None:
    (build / "rtl" / "tiny_mix.sv").write_text("// mine\n")
    (build / "tiny.sdc").unlink()
    read = read_build(build)
    assert read.changed == ("rtl/tiny_mix.sv", "tiny.sdc")
    assert "// mine\n" in [source.text for source in read.design.sources]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not the manifest of a build"),
        ("[]", "is not the manifest of a build"),
        ('{"generator": "aesmith", "format": 99}', "format 2"),
        ('{"generator": "aesmith", "format": 2}', "is not the manifest of a build"),
    ],
)
def test_a_damaged_manifest_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(RequestError, match=message):
        read_build(tmp_path)


def test_a_folder_without_manifest_is_no_build(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"manifest\.json is missing"):
        read_build(tmp_path)


HOSTILE = (
    {"name": "tiny; shell touch owned", "top": "tiny; shell touch owned"},
    {"name": "tiny\nshell touch owned"},
    {"name": "my core"},
    {"name": "module"},
    {"name": 7},
    {"top": "other"},
    {"sources": ["../secret.sv"]},
    {"sources": ["/etc/passwd"]},
    {"sources": ["rtl/tiny.sv; shell touch owned"]},
    {"sources": ["rtl/tiny.sv\nshell touch owned"]},
    {"sources": ["rtl/ti ny.sv"]},
    {"sources": ["rtl/-o.sv"]},
    {"sources": [None]},
    {"files": [{"path": "../../etc/passwd", "sha256": ""}]},
    {"files": [{"path": "a\nb", "sha256": ""}]},
    {"sources": []},
    {"sources": ["rtl/tiny.sv", "rtl/tiny.sv"]},
    {"sources": ["rtl"]},
    {"key_bits": []},
    {"key_bits": "128"},
    {"key_bits": [128.9]},
    {"key_bits": [256, 128]},
    {"directions": ["encrypt", "encrypt"]},
    {"block_width": 8},
    {"cycles_per_block": 0},
    {"latency_cycles": 10**30},
    {"latency_cycles": True},
    {"worst_latency_cycles": 10},
    {"worst_latency_cycles": "11"},
    {"worst_latency_cycles": 10**30},
    {"ports": None},
    {"remarks": 5},
)


@pytest.mark.parametrize("odd", HOSTILE, ids=str)
def test_a_manifest_gives_no_name_that_a_build_would_not_have(build: Path, odd: dict[str, object]) -> None:
    manifest = json.loads((build / "manifest.json").read_text())
    (build / "manifest.json").write_text(json.dumps(manifest | odd))
    with pytest.raises(RequestError):
        read_build(build)


def test_a_manifest_that_was_edited_is_told(build: Path) -> None:
    manifest = json.loads((build / "manifest.json").read_text())
    (build / "manifest.json").write_text(json.dumps(manifest | {"key_bits": [128, 192]}))
    assert read_build(build).changed == ("manifest.json",)


@pytest.fixture
def shipped(files: dict[str, str], tiny: CoreDesign, tmp_path: Path) -> Path:
    """A build with the test bench that builds have."""
    benches = {f"tb/{source.name}": source.text for source in standalone_testbench(tiny)}
    held = {path: text for path, text in files.items() if not path.startswith("tb/") and path != "manifest.json"}
    held |= benches
    write_files(
        {**held, "manifest.json": manifest_text(tiny, standalone_testbench(tiny), Evidence(), held)}, tmp_path / "tiny"
    )
    return tmp_path / "tiny"


def test_each_file_that_a_build_ships_is_caught_when_edited_or_said_not_to_be_examined(
    shipped: Path, tmp_path: Path
) -> None:
    whole = examine_files(read_build(shipped), tmp_path, sources="simulated")
    assert not [file for file in whole if file.wrong or file.edited]
    (shipped / "rtl" / "stray.sv").write_text("module stray; endmodule\n")
    for path in read_build(shipped).listed:
        right = (shipped / path).read_text()
        (shipped / path).write_text(right.replace(" ^ ", " & ", 1) if path == "tiny.v" else f"{right} ")
        known = None if path == "tiny.v" else "proved"
        found = examine_files(read_build(shipped), tmp_path, sources="simulated", one_file=known)
        (shipped / path).write_text(right)
        by_path = {file.path: file for file in found}
        assert by_path[path].edited, path
        caught = path == "tiny.v" or path.startswith(("tb/", "cocotb/"))
        assert [file.path for file in found if file.wrong] == [path] * caught
        if path == "tiny.v":
            assert "one-file Verilog: module" in by_path[path].wrong
        elif caught:
            what = "the test bench" if path.startswith("tb/") else "what such a design is given"
            assert f"is not {what}" in by_path[path].wrong
        else:
            assert by_path[path].examined == ("simulated" if path.startswith("rtl/") else NOT_EXAMINED)
        assert by_path["rtl/stray.sv"].examined == f"{NOT_EXAMINED}: no file of the build"


def test_a_one_file_verilog_that_simulators_read_in_another_way_is_caught(shipped: Path, tmp_path: Path) -> None:
    right = (shipped / "tiny.v").read_text()
    never = "module tiny (\n"
    listed = f"module other (input a, b, output reg c);\n  always @(a) c = a ^ b;\nendmodule\n{never}"
    for why, old, new in (
        ("a delay", "  assign ", "  assign #1000 "),
        ("at once", " <= ", " = "),
        ("only when", never, listed),
        ("obey", never, f"// synopsys translate_off\n{never}"),
    ):
        assert old in right
        (shipped / "tiny.v").write_text(right.replace(old, new))
        found = examine_files(read_build(shipped), tmp_path, sources="simulated")
        assert why in str([file.wrong for file in found if file.wrong])


def test_a_file_that_is_gone_is_told(build: Path, tmp_path: Path) -> None:
    (build / "tiny.sdc").unlink()
    found = examine_files(read_build(build), tmp_path, sources="simulated", one_file="proved")
    assert {file.path: file.wrong for file in found}["tiny.sdc"] == "is missing"


def test_the_datasheet_says_what_was_measured_and_under_which_conditions(files: dict[str, str]) -> None:
    sheet = files["datasheet.md"]
    for words in (
        "| period, register to register | 2.000 ns |",
        "library paper",
        "corner typical",
        "recipe `keep`",
        "yosys 1",
        "No wires.",
    ):
        assert words in sheet


def test_what_was_placed_has_its_figures_and_its_picture(
    tiny: CoreDesign, measurement: Measurement, tmp_path: Path
) -> None:
    placed = PlacedFigures(
        technology="made_up", source="a guess", utilisation=0.7, core_width_um=40.0, core_height_um=39.2, wire_mm=1.5,
        half_perimeter_mm=1.2, area_ge=1234.0, period_ns=1.25, period_with_ports_ns=1.5, wired_period_ns=1.75,
        throughput_gbps=10.24, efficiency_kbps_per_ge=None, turns=3, stands=True, seed=1,
    )  # fmt: skip
    wired = replace(measurement, placed=placed)
    drawing = picture_of(wired)
    evidence = Evidence((wired,), "All was well.", {drawing: "<svg/>"})
    files = package_files(tiny, BENCH, evidence, tmp_path / "work")
    sheet = files["datasheet.md"]
    for line in (
        "| area | 1,234 GE |",
        "| period, register to register | 1.250 ns |",
        "| efficiency | not measured |",
        f"]({drawing})",
    ):
        assert line in sheet, line
    assert "| core | 40.0 × 39.2 µm, 70% cells |" in sheet
    without = package_files(tiny, BENCH, Evidence((wired,), "All was well."), tmp_path / "other")
    assert "| period, register to register | 1.250 ns |" in without["datasheet.md"]
    assert drawing not in without["datasheet.md"]

    (tmp_path / "tiny").mkdir()
    write_files(files, tmp_path / "tiny")
    build = read_build(tmp_path / "tiny")
    assert build.evidence.pictures == {drawing: "<svg/>"}
    assert build.evidence.measurements[0].placed == placed
    (tmp_path / "tiny" / drawing).write_text("<svg>another</svg>")
    assert read_build(tmp_path / "tiny").changed == (drawing,)
    (tmp_path / "tiny" / drawing).unlink()
    with pytest.raises(RequestError, match=f"{drawing} is missing; build it again"):
        read_build(tmp_path / "tiny")


def test_a_gap_is_called_a_gap(measurement: Measurement) -> None:
    rows = {row.label: row.value for row in figure_rows(measurement)}
    assert rows["– input to register"] == "not measured: no such path"


def test_published_figures_stand_apart_from_measured_ones(files: dict[str, str]) -> None:
    measured, _, published = files["datasheet.md"].partition("## Published figures")
    assert "719.64" in published
    assert "719.64" not in measured


def test_a_datasheet_without_figures_names_the_command_that_measures(tiny: CoreDesign, tmp_path: Path) -> None:
    sheet = package_files(tiny, (), Evidence(), tmp_path)["datasheet.md"]
    assert "Not measured. `aesmith measure`" in sheet
    assert "Not verified yet: `aesmith verify`" in sheet
    assert "`tb/`" not in sheet


def test_the_datasheet_explains_every_port(files: dict[str, str], tiny: CoreDesign) -> None:
    rows = re.findall(r"\| `(\w+)` \| (input|output) \| (\d+) \| (.+) \|", files["datasheet.md"])
    assert rows == [(port.name, str(port.direction), str(port.bits), port.text) for port in tiny.ports]


def test_constraints_have_a_period_that_the_measured_netlist_meets_with_its_ports(
    tiny: CoreDesign, measurement: Measurement
) -> None:
    text = constraints(tiny, measurement)
    assert "set clock_period 2.357" in text, "1.5 ns to an output are 70 % of a period, of which 10 % are spare"
    assert "set boundary_share 0.3\n" in text
    assert "between its registers alone it takes 2.000" in text
    quick = replace(measurement, register_to_output_ns=1.3, input_to_output_ns=0.7)
    assert "set clock_period 2.200" in constraints(tiny, quick)
    assert "set clock_period 4.125" in constraints(tiny, replace(measurement, input_to_output_ns=1.5))
    assert "placeholder" in constraints(tiny, None)


@pytest.mark.thorough(but=1)
@pytest.mark.skipif(shutil.which("sta") is None, reason="OpenSTA is not installed (apt install opensta)")
@pytest.mark.parametrize("preset", ["serial-small-enc", "gueron2016-native-enc"])
def test_the_netlist_that_was_measured_meets_the_constraints_that_are_shipped(
    preset: str, measurement: Measurement, tmp_path: Path
) -> None:
    design, library = build_design(load_specification(preset), "core", preset), library_by("generic45")
    netlist = synthesise(design, library, KEEP, None, tmp_path)
    timing = static.analyse(netlist.json, library)
    measured = replace(
        measurement,
        period_ns=timing.period_ns,
        input_to_register_ns=timing.input_to_register_ns,
        register_to_output_ns=timing.register_to_output_ns,
        input_to_output_ns=timing.input_to_output_ns,
        conditions=conditions(library, Optimise.AREA, 1, timing),
    )
    sdc = constraints(design, measured)
    assert timing.period_ns is not None
    before = re.sub(r"set clock_period \S+", f"set clock_period {0.9 * timing.period_ns:.3f}", sdc)
    slacks = []
    for name, text in (("shipped", sdc), ("shorter", before)):
        (tmp_path / f"{name}.sdc").write_text(text)
        (tmp_path / "run.tcl").write_text(
            f"read_liberty {embedded_path()}\nread_verilog netlist.v\nlink_design core\nread_sdc {name}.sdc\n"
            "report_worst_slack\nreport_checks -path_delay min\nexit\n"
        )
        command = ["sta", "-no_splash", "-exit", "run.tcl"]
        ran = subprocess.run(
            command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
        )
        assert not re.search(r"warning|error", ran.stdout + ran.stderr, re.IGNORECASE)
        slacks.append(float(re.findall(r"worst slack (\S+)", ran.stdout)[0]))
        assert re.search(r"slack \(MET\)\s*$", ran.stdout), "hold of all paths"
    assert slacks[0] > 0 > slacks[1]
    assert slacks[0] < 0.25 * timing.period_ns, "constraints that nothing comes near are none"


def test_constraints_are_of_the_ports_that_the_design_states(tiny: CoreDesign) -> None:
    assert "decrypt_i" not in constraints(tiny, None)
    stream = Channel(
        "text",
        PortDirection.INPUT,
        (
            Payload("s_tdata", 64, Meaning.STREAM),
            Payload("s_tlast", 1, Meaning.LAST, PayloadKind.CONTROL),
            Payload("key", 128, Meaning.KEY, PayloadKind.SHARE, shares=2),
        ),
        Line("s_tvalid"),
        Line("s_tready"),
        ByteOrder.FIRST_BYTE_LOW,
    )
    text = constraints(replace(tiny, ports=Ports("aclk", Reset("rst", 1, synchronous=True), (stream,))), None)
    assert "create_clock -name aclk -period $clock_period [get_ports aclk]" in text
    assert "set inputs [get_ports {rst s_tvalid s_tdata[*] s_tlast key[*]}]" in text
    assert "set outputs [get_ports {s_tready}]" in text
    assert "false_path" not in text, "a synchronous reset is an input like the others"


@pytest.mark.parametrize(("active", "asserting"), [(0, "-fall_from"), (1, "-rise_from")])
def test_only_the_edge_that_asserts_a_reset_is_no_path(tiny: CoreDesign, active: int, asserting: str) -> None:
    text = constraints(replace(tiny, ports=replace(tiny.ports, reset=Reset("rst", active))), None)
    assert re.findall(r"^set_false_path .*", text, re.MULTILINE) == [f"set_false_path {asserting} [get_ports rst]"]
    assert re.search(r"set inputs \[get_ports \{rst ", text), "its release comes with the clock, as inputs do"


def test_what_a_user_has_to_set_stands_at_the_top_of_the_constraints(
    tiny: CoreDesign, measurement: Measurement
) -> None:
    measured = replace(measurement, conditions=("no wires", "inputs change within 0.03 ns, outputs drive 6.4 fF"))
    text = constraints(tiny, measured)
    top = dict(re.findall(r"^set (\w+) (\S+)", text[: text.index("\nset_units")], re.MULTILINE))
    assert top == {
        "clock_period": "2.357",
        "setup_uncertainty": "0.075",  # half of 70 % of 2.357 ns, less 1.5 ns to an output
        "hold_uncertainty": "0.000",
        "boundary_share": "0.3",
        "earliest_share": "0.1",
        "output_hold": "0.000",
        "input_transition": "0.03",
        "output_load": "6.4",
    }
    rest = text[text.index("\nset_units") :]
    assert not re.search(r"[^\w][0-9]", rest), "no figure stands anywhere else"
    assert {name for name in top if f"${name}" in rest} == {*top}, "each is used"
    assert "placeholders" in constraints(tiny, measurement), "these conditions state no surroundings"


@pytest.mark.skipif(shutil.which("sta") is None, reason="OpenSTA is not installed (apt install opensta)")
def test_the_release_of_reset_is_timed(tiny: CoreDesign, tmp_path: Path) -> None:
    synthesise(tiny, library_by("generic45"), KEEP, None, tmp_path)
    sdc = constraints(tiny, None)
    variants = {
        "shipped": sdc,
        "late": sdc + "set_input_delay -max 9.95 -clock clk_i [get_ports rst_ni]\n",
        "untimed": re.sub(r"set_false_path -fall_from", "set_false_path -from", sdc),
    }
    found = {}
    for name, text in variants.items():
        (tmp_path / f"{name}.sdc").write_text(text)
        (tmp_path / "run.tcl").write_text(
            f"read_liberty {embedded_path()}\nread_verilog netlist.v\nlink_design tiny\nread_sdc {name}.sdc\n"
            "check_setup -verbose\nreport_check_types -recovery -removal -verbose\nexit\n"
        )
        command = ["sta", "-no_splash", "-exit", "run.tcl"]
        ran = subprocess.run(
            command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
        )
        assert not re.search(r"warning|error", ran.stdout + ran.stderr, re.IGNORECASE)
        found[name] = {
            (start, check): verdict
            for start, check, verdict in re.findall(
                r"Startpoint: (\w+).*?\nEndpoint: \w+ \((recovery|removal) check.*?\((MET|VIOLATED)\)",
                ran.stdout,
                re.DOTALL,
            )
        }
    assert found["shipped"] == {("rst_ni", "recovery"): "MET", ("rst_ni", "removal"): "MET"}
    assert found["late"] == {("rst_ni", "recovery"): "VIOLATED", ("rst_ni", "removal"): "MET"}
    assert not found["untimed"], "what a false path from the port takes away"


def test_fusesoc_gets_every_source_in_compile_order(files: dict[str, str], tiny: CoreDesign) -> None:
    core = files["tiny.core"]
    assert core.startswith("CAPI=2:\n")
    assert yaml.safe_load(core)["filesets"]["rtl"]["files"] == [f"rtl/{source.name}" for source in tiny.sources]
    assert "toplevel: tb_tiny" in core
    assert "copyto: vectors.hex" in core


def test_fusesoc_proves_what_can_be_proved(files: dict[str, str]) -> None:
    """The whole package goes where the proof runs; engines of modes without a proof have no such target."""
    described = yaml.safe_load(files["tiny.core"])
    assert {*described["filesets"]["package"]["files"]} == {*files}
    [prove] = described["targets"]["formal"]["hooks"]["pre_build"]
    assert described["scripts"][prove]["cmd"] == ["aesmith", "verify", f"src/aesmith_aes_tiny_{__version__}", "--prove"]
    without = yaml.safe_load(core_description(aesmith.engine("kw-compact").design, [], [], "", ()))
    assert "formal" not in without["targets"]
    assert "scripts" not in without


def test_whoever_waits_for_fusesoc_is_told_that_its_tools_run(files: dict[str, str], tmp_path: Path) -> None:
    """By what edalize does with the option: a Makefile whose commands have $(EDALIZE_LAUNCHER) before them."""
    core = files["tiny.core"]
    assert len(re.findall(r"flow_make_options: (?:&|\*)telling$", core, re.MULTILINE)) == 3
    folded = re.search(r"&telling\n +- >-\n((?: {10}.*\n)+)", core)
    assert folded is not None
    option = " ".join(line.strip() for line in folded[1].splitlines()).replace("sleep 5", "sleep 0.3")
    makefile = "good:\n\t$(EDALIZE_LAUNCHER) sleep 1\n\nbad:\n\t$(EDALIZE_LAUNCHER) sh -c 'exit 7'\n"
    (tmp_path / "Makefile").write_text(makefile)

    def made(target: str, **more: str) -> subprocess.CompletedProcess[str]:
        surroundings = {name: text for name, text in os.environ.items() if not name.startswith("MAKE")} | more
        command = ["make", "-s", option, target]
        return subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)

    waited = made("good")
    assert (waited.returncode, waited.stderr) == (0, "")
    assert re.fullmatch(r"(  still running, \d+ s\n){2,3}", waited.stdout)
    assert "Error 7" in made("bad").stderr, "a tool's failure is the launcher's"
    assert "still running" in made("good", EDALIZE_LAUNCHER="env A=b").stdout, "the user's own launcher stays"


def test_a_core_that_is_slower_than_stated_is_not_packaged(tiny: CoreDesign, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match="cycles_per_block is stated as 9"):
        package_files(replace(tiny, cycles_per_block=9), (), Evidence(), tmp_path)


def test_a_one_file_verilog_that_is_not_the_sources_is_not_delivered(
    tiny: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*arguments: object) -> str:
        text = verilog2005(*arguments)  # type: ignore[arg-type]
        assert "^" in text
        return text.replace("^", "|", 1)

    monkeypatch.setattr(package, "verilog2005", wrong)
    with pytest.raises(CheckError, match=r"one-file Verilog: module .* is not the sources'"):
        package_files(tiny, BENCH, Evidence(), tmp_path)


def test_a_datasheet_says_what_is_not_protected_and_names_a_known_patent(tiny: CoreDesign) -> None:
    design = replace(tiny, parameters={"sbox": "maximov2019"})
    text = datasheet(design, modules=(), steps=(), measurements=(), verification="")
    assert "not protected against power analysis" in text
    assert "EP3957023" in text
    assert "One is known" not in datasheet(tiny, modules=(), steps=(), measurements=(), verification="")


def test_a_datasheet_names_its_clocks_at_its_head(tiny: CoreDesign, measurement: Measurement) -> None:
    """Inside the core alone, with its ports, and what the constraints ask for: three figures, each by its name."""
    slow = replace(measurement, register_to_output_ns=2.5)
    head = datasheet(tiny, modules=(), steps=(), measurements=(slow,)).split("## Block diagram")[0]
    assert "**Fmax, register to register, 500.0 MHz** (2.000 ns)" in head
    assert "**Fmax, with ports, 400.0 MHz** (2.500 ns)" in head
    assert "`tiny.sdc` asks for 254.5 MHz (3.929 ns)" in head
    assert "set clock_period 3.929" in constraints(tiny, slow)
    assert "Fmax" not in datasheet(tiny, modules=(), steps=()).split("## Block diagram")[0]
    rows = {row.label: row.value for row in figure_rows(slow)}
    assert rows["period, register to register"] == "2.000 ns"
    assert rows["period, with ports"] == "2.500 ns"
    assert rows["Fmax, register to register"] == "500.0 MHz"
    assert rows["Fmax, with ports"] == "400.0 MHz"
    assert not {"period", "fmax"} & {label.lower() for label in rows}, "neither stands without its name"


def test_many_steps_are_one_row_for_what_happens_at_the_ports(tiny: CoreDesign) -> None:
    busy = [Step(clock, clock, "busy", ("a_q", "b_q") if clock % 2 else ("b_q", "c_q")) for clock in range(2, 40)]
    steps = [Step(1, 1, "block taken", ("a_q",)), *busy, Step(40, 40, "result delivered", ())]
    assert list(condensed(steps)) == [steps[0], Step(2, 39, "busy", ("a_q", "b_q", "c_q")), steps[-1]]
    assert condensed(steps[:MOST_STEPS]) == steps[:MOST_STEPS]
    assert "| 2–39 | busy | `a_q`, `b_q`, `c_q` |" in datasheet(tiny, modules=(), steps=steps)


def test_a_datasheet_begins_with_what_an_integrator_needs(tiny: CoreDesign) -> None:
    sections = re.findall(r"^## (.*)$", datasheet(tiny, modules=(), steps=()), re.MULTILINE)
    assert sections[:3] == ["At a glance", "Interface", "Cycles"]
    assert sections.index("Security") < sections.index("Block diagram")
    text = datasheet(tiny, modules=(), steps=())
    assert "| security | timing independent of key and data; no protection against power analysis" in text


def _security(preset: str, **fields: object) -> str:
    values = load_specification(preset).model_dump(mode="json") | fields
    design = build_design(parse_specification(values), "core", preset)
    text = datasheet(design, modules=(), steps=(), measurements=(), verification="")
    return text.split("## Security")[1].split("\n## ")[0]


def test_a_masked_core_says_what_its_masking_covers() -> None:
    first = _security("masked-round-gated-enc")
    assert "masked at order 1 (first order)" in first
    assert "glitch-extended probing model, before layout, one probe reveals nothing" in first
    assert re.search(r"The \d+ fresh bits per cycle come from a generator that is not part of the core", first)
    second = _security("masked-round-gated-enc", order=2)
    assert "masked at order 2 against" in second
    assert "any 2 probes reveal nothing" in second
    inside = _security("masked-round-gated-trivium-enc")
    assert "generator in the core; neither it nor its seed is masked" in inside
    held = _security("masked-round-gated-enc", order=2, clock_gates=False)
    assert "nothing is shown of its protection" in held
    assert "reveal" not in held
    for text in (first, second, inside, held):
        assert "not protected against power analysis" not in text
        assert "faults" in text


def test_a_core_that_shares_nothing_is_not_called_masked() -> None:
    text = _security("gueron2016-native-enc")
    assert "It is not protected against power analysis, EM analysis or faults." in text
    assert "masked" not in text


def test_a_full_disk_is_told_by_the_file_that_had_no_room(tmp_path: Path) -> None:
    (tmp_path / "core.v").symlink_to("/dev/full")
    with pytest.raises(ToolError, match=r"core\.v cannot be written \(No space left on device\); free"):
        write_files({"core.v": "module core; endmodule\n"}, tmp_path)
