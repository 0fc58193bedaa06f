"""The driver in Rust: the C driver's script passes with it on the RTL, wrong ones are found, its registers are those of
the header."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.object_cache import object_cache
from tests.peripheral.conftest import small, wrong_one
from tests.peripheral.test_driver import MESSAGES, long_header, vectors

import aesmith
from aesmith.flow.verilator import find_verilator
from aesmith.modes.engine import StreamEngine
from aesmith.modes.registers import mode_number
from aesmith.peripheral.bench import peripheral_testbench
from aesmith.peripheral.files import peripheral_files, registers_header
from aesmith.peripheral.rust import registers_module
from aesmith.peripheral.scripts import standalone_script


def has_rust() -> bool:
    """Whether rustc runs: rustup puts one on the path that may have no toolchain."""
    rustc = shutil.which("rustc")
    return rustc is not None and not subprocess.run([rustc, "--version"], check=False, capture_output=True).returncode


needs_rust = pytest.mark.skipif(not has_rust(), reason="rustc is not installed")
STRICT = ("--edition", "2021", "-D", "warnings", "--crate-type", "rlib", "--crate-name", "my_aes")


def several(bus: str = "axi4-lite", **fields: object) -> StreamEngine:
    """An engine of several modes with all that changes the driver."""
    given = {"release": "cut-through", "clear": True, "self_test": "on_reset", "key_slots": 2, "data_streams": True}
    return aesmith.engine("multi-compact", name="my_aes", bus=bus, **(given | fields)).design


def written(engine: StreamEngine, folder: Path, script: list[str] | None = None) -> Path:
    """A package's crate, bench and sources, and the folder of the bench."""
    bench = peripheral_testbench(engine, script)
    files = peripheral_files(engine) | {f"tb/{source.name}": source.text for source in bench}
    for path, text in (files | {f"rtl/{source.name}": source.text for source in engine.sources}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder / "tb"


def made(bench: Path) -> subprocess.CompletedProcess[str]:
    """`make rust` in a bench."""
    environment = {**os.environ, **find_verilator().environment(), **object_cache()}
    for inherited in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        environment.pop(inherited, None)
    command = ["make", "rust"]
    return subprocess.run(command, cwd=bench, env=environment, capture_output=True, text=True, timeout=900, check=False)


@pytest.mark.thorough(but=("small",))
@pytest.mark.parametrize("kind", ["small", "several"])
def test_its_registers_are_those_of_the_header(kind: str) -> None:
    for engine in [small("apb", "my_aes") if kind == "small" else several()]:
        header = dict(re.findall(r"^#define MY_AES_(\w+) (\w+?)u?$", registers_header(engine), re.MULTILINE))
        names = {name for name in header if not name.endswith(("_COUNT", "_SHIFT"))}
        found = dict(re.findall(r"^pub const (\w+): \w+ = (\w+);$", registers_module(engine), re.MULTILINE))
        assert {name.removesuffix("_MASK") for name in names} == {n for n in found if not n.endswith("_SHIFT")}
        values = {name: int(found[name.removesuffix("_MASK")], 0) for name in names}
        assert values == {name: int(header[name], 0) for name in names}
        shifts = {name: int(value) for name, value in found.items() if name.endswith("_SHIFT")}
        assert shifts.items() <= {name: int(value, 0) for name, value in header.items() if "SHIFT" in name}.items()


@needs_rust
@pytest.mark.thorough(but=("small",))
@pytest.mark.parametrize("preset", ["small", "cmac-small", "xts-disk", "ocb-compact", "cfb8-compact", "ccm-radio"])
def test_the_crate_compiles_without_a_warning_and_without_std(preset: str, tmp_path: Path) -> None:
    fields = {"name": "my_aes", "bus": "apb"}
    written(small(**fields) if preset == "small" else aesmith.engine(preset, **fields).design, tmp_path)
    source = tmp_path / "rust" / "src" / "lib.rs"
    command = ["rustc", *STRICT, "--emit", "metadata", str(source), "-o", str(tmp_path / "libmy_aes.rmeta")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    source.write_text(source.read_text() + "\n/// Needs `std`.\npub fn aloud() {\n    std::println!();\n}\n")
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert "`std`" in ended.stderr


@needs_rust
@pytest.mark.thorough
@pytest.mark.slow
def test_the_same_three_thousand_messages_pass_as_with_the_driver_in_c(tmp_path: Path) -> None:
    engine = aesmith.engine("multi-compact", name="my_aes", bus="axi4-lite").design
    script = vectors(engine, MESSAGES)
    ended = made(written(engine, tmp_path, script))
    found = re.search(r"^PASS: my_aes: (\d+) checks", ended.stdout, re.MULTILINE)
    assert found is not None, ended.stdout[-2000:] + ended.stderr[-2000:]
    assert int(found[1]) > 3 * MESSAGES


@needs_rust
@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    "fields", [{"byte_order": "big", "data_fifo": True}, {"release": "verified", "clear": False}], ids=str
)
def test_the_package_s_script_passes_with_other_fields(fields: dict[str, object], tmp_path: Path) -> None:
    ended = made(written(several(**fields), tmp_path))
    assert "PASS: my_aes: " in ended.stdout, ended.stdout[-2000:] + ended.stderr[-2000:]


WRONG = {
    "status ignored": ("return Err(Error::Failed);", "return Ok(());"),
    "refusal ignored": ("return Err(Error::Refused(", "let _ = Err::<(), _>(Error::Refused("),
    "text left": ("if ended.is_err() {", "if ended.is_err() && encrypt {"),
    "tag of 16 bytes always": ("tag as u32 & 15", "0"),
    "header's length in two bytes": ("&[0xff, 0xfe]", "&[0xff]"),
    "last word of three bytes whole": ("(self.count as u32 & 3)", "(self.count as u32 & 2)"),
    "slot of messages": ("(m.slot as u32) << 8", "0 << 8"),
    "any slot": ("if slot >= SLOTS", "if slot > SLOTS"),
    "short IV": ("Mode::Ctr => iv == 16", "Mode::Ctr => iv <= 16"),
    "no clear": ("self.bus.write(r::TRIGGER, r::TRIGGER_CLEAR);", ""),
}


@needs_rust
@pytest.mark.thorough
@pytest.mark.slow
def test_a_device_whose_self_test_fails_is_broken(tmp_path: Path) -> None:
    """A turned bit in the ROM's first answer; and a driver that does not look at BROKEN."""
    engine = aesmith.engine("gcm-small", name="my_aes", bus="apb", self_test="on_reset").design
    rom = next(source.text for source in engine.sources if source.name == "my_aes_self_test_rom.sv")
    found = re.search(r"'d0: answer_data_o = 32'h(\w+);", rom)
    assert found is not None
    wrong = found[0].replace(found[1], f"{int(found[1], 16) ^ 1:08x}")
    bench = written(wrong_one(engine, "self_test_rom", found[0], wrong), tmp_path, ["reset 6"])
    assert "PASS: my_aes: " in made(bench).stdout
    source = tmp_path / "rust" / "src" / "lib.rs"
    text = source.read_text()
    assert text.count("return Err(Error::Broken);") == 1
    source.write_text(text.replace("return Err(Error::Broken);", ""))
    assert "init must be 6" in made(bench).stdout


@needs_rust
@pytest.mark.thorough
@pytest.mark.slow
def test_wrong_drivers_are_found(tmp_path: Path) -> None:
    """All in one folder: of the program only the driver is made again."""
    engine = several()
    iv, text = "00" * 16, "11" * 20
    # Without a key: refused for that, and no text. A short IV and a slot too many are no business of the device.
    ctr = f"message {mode_number('ctr'):x} 1 0"
    refused, short = f"{ctr} {iv} - {text} - 2 4 {'00' * 20}", f"{ctr} {iv[:24]} - {text} - 3 0 -"
    beside = ["pause 0 1", *long_header(), short, f"key 2 {iv} 3", "clear 0", refused]
    bench = written(engine, tmp_path, [*standalone_script(engine), *beside])
    source = tmp_path / "rust" / "src" / "lib.rs"
    right = source.read_text()
    assert "PASS: my_aes: " in made(bench).stdout
    missed = []
    for name, (old, new) in WRONG.items():
        assert right.count(old) >= 1, name
        source.write_text(right.replace(old, new, 1))
        ended = made(bench)
        if "FAIL: my_aes: " not in ended.stdout:
            missed.append(name)
    assert not missed
