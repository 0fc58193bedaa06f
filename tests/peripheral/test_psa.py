"""The PSA driver of a peripheral, over a driver in software: it answers as the PSA functions of Mbed TLS do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import aesmith
from aesmith.peripheral.files import peripheral_files

HEADER = Path("/usr/include/psa/crypto.h")
needs_mbedtls = pytest.mark.skipif(not HEADER.is_file(), reason="libmbedtls-dev is not installed")


def driver_files(folder: Path) -> dict[str, str]:
    """The files of a driver, written to a folder."""
    design = aesmith.engine("multi-compact", name="my_aes", bus="apb", release="cut-through", clear=True).design
    files = {Path(path).name: text for path, text in peripheral_files(design).items() if path.startswith("driver/")}
    for name, text in files.items():
        (folder / name).write_text(text)
    return files


def ran(folder: Path) -> subprocess.CompletedProcess[str]:
    """The comparison, compiled and run."""
    for file in ("device.c", "compares.c"):
        shutil.copy(Path(__file__).parent / "psa" / file, folder)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined,address", "-g", "-c"]
    for flags, file in ((["-pedantic"], "my_aes_psa"), ([], "device"), ([], "compares")):
        done = subprocess.run(
            ["cc", *strict, *flags, f"{file}.c"], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    objects = ["my_aes_psa.o", "device.o", "compares.o"]
    subprocess.run(
        ["cc", "-fsanitize=undefined,address", *objects, "-lmbedcrypto", "-o", "compares"], cwd=folder, check=True
    )
    # What stands in for the device frees nothing.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(["./compares"], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@needs_mbedtls
def test_the_entry_points_answer_as_the_library_does(tmp_path: Path) -> None:
    driver_files(tmp_path)
    ended = ran(tmp_path)
    assert ended.stdout == "PASS\n", ended.stdout + ended.stderr


@needs_mbedtls
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("*ciphertext_length = plaintext_length + tag_length", "*ciphertext_length = plaintext_length"),
        ("input + iv_length, input_length - iv_length", "input, input_length - iv_length"),
        ("return PSA_ERROR_INVALID_SIGNATURE", "return PSA_SUCCESS"),
        ("if (!length) length = 16;", "length = 16;"),
        ("key_size != MY_AES_KEY_BYTES", "key_size < MY_AES_KEY_BYTES"),
        ("ciphertext[text_length + i]", "ciphertext[i]"),
        ("output_size < input_length", "output_size + 1 < input_length"),
    ],
)
def test_wrong_entry_points_are_found(old: str, new: str, tmp_path: Path) -> None:
    text = driver_files(tmp_path)["my_aes_psa.c"]
    assert text.count(old) == 1
    (tmp_path / "my_aes_psa.c").write_text(text.replace(old, new))
    ended = ran(tmp_path)
    assert ended.returncode != 0
    assert "PASS" not in ended.stdout


def test_the_description_names_the_functions_of_the_header(tmp_path: Path) -> None:
    files = driver_files(tmp_path)
    described = json.loads(files["my_aes_psa.json"])
    named = {name for capability in described["capabilities"] for name in capability["names"].values()}
    assert len(named) == 5
    for name in named:
        assert f"psa_status_t {name}(" in files["my_aes_psa.h"]
        assert f"psa_status_t {name}(" in files["my_aes_psa.c"]
    algorithms = {algorithm for capability in described["capabilities"] for algorithm in capability["algorithms"]}
    assert algorithms == {
        *("PSA_ALG_ECB_NO_PADDING", "PSA_ALG_CBC_NO_PADDING", "PSA_ALG_CFB", "PSA_ALG_OFB", "PSA_ALG_CTR"),
        *("PSA_ALG_GCM", "PSA_ALG_CCM", "PSA_ALG_CMAC"),
    }


def test_modes_that_psa_does_not_have_get_no_driver_of_it() -> None:
    paths = peripheral_files(aesmith.engine("cfb8-compact", bus="apb").design)
    assert not any("psa" in path for path in paths)
