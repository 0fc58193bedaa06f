"""The module for Linux: which modes it offers, and that the kernel's own build takes it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import aesmith
from aesmith.peripheral.files import peripheral_files

BUILDS = sorted(Path("/usr/src").glob("linux-headers-*/Module.symvers"))
needs_headers = pytest.mark.skipif(not BUILDS, reason="no headers of Linux: apt install linux-headers-amd64")
FIELDS: dict[str, dict[str, object]] = {
    "multi-compact": {"release": "cut-through", "clear": True},
    "xts-disk": {},
    "gcm-small": {"self_test": "on_reset", "data_streams": True},
    "ctr-pipeline": {"byte_order": "big"},
}


def placed(preset: str, folder: Path) -> dict[str, str]:
    """What a package of an engine has for software, in a folder."""
    files = peripheral_files(aesmith.engine(preset, name="my_aes", bus="apb", **FIELDS.get(preset, {})).design)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return files


def made(folder: Path) -> subprocess.CompletedProcess[str]:
    """The module, by the kernel's build."""
    inherited = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in inherited}
    command = ["make", "-C", str(BUILDS[-1].parent), f"M={folder}/linux", "W=1", "modules"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.parametrize(
    ("preset", "names"),
    [
        ("multi-compact", ["ecb", "cbc", "ctr", "gcm", "ccm"]),
        ("xts-disk", ["xts"]),
        ("gcm-small", ["gcm"]),
        ("cmac-small", []),
        ("ofb-compact", []),
    ],
)
def test_it_offers_the_modes_that_linux_has(preset: str, names: list[str], tmp_path: Path) -> None:
    files = placed(preset, tmp_path)
    assert ("linux/Kbuild" in files) is bool(names)
    text = files.get("linux/my_aes_crypto.c", "")
    assert re.findall(r'^\t(?:CIPHER|AEAD)\(MY_AES_\w+, "(\w+)"', text, re.MULTILINE) == names


@pytest.mark.parametrize(("bits", "most"), [(32, "1ull << 32"), (16, "1ull << 16")])
def test_counters_that_the_device_would_not_carry_go_elsewhere(bits: int, most: str) -> None:
    engine = aesmith.engine("ctr-pipeline", name="my_aes", bus="apb", counter_bits=bits).design
    assert most in peripheral_files(engine)["linux/my_aes_crypto.c"]


@needs_headers
@pytest.mark.thorough
@pytest.mark.parametrize("preset", FIELDS)
def test_the_kernels_build_makes_the_module_without_a_warning(preset: str, tmp_path: Path) -> None:
    placed(preset, tmp_path)
    ended = made(tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "warning" not in ended.stderr + ended.stdout
    assert (tmp_path / "linux" / "my_aes_linux.ko").exists()


@needs_headers
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("crypto_unregister_aead(", "crypto_unregister_aeads_all(", "implicit declaration"),
        ("crypto_register_skcipher(&ciphers[of_ciphers].alg)", "crypto_register_skcipher(&ciphers)", "incompatible"),
        ("own_cipher_alg", "cipher_alg", "redefinition"),
    ],
)
def test_a_module_that_linux_does_not_take_is_found(old: str, new: str, told: str, tmp_path: Path) -> None:
    placed("multi-compact", tmp_path)
    source = tmp_path / "linux" / "my_aes_crypto.c"
    source.write_text(source.read_text().replace(old, new))
    ended = made(tmp_path)
    assert told in ended.stderr
