"""The crypto device of Zephyr, over a driver in software and stand-ins of Zephyr's headers: it answers as Mbed TLS."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.peripheral.conftest import small
from tests.peripheral.test_psa import needs_mbedtls

import aesmith
from aesmith.peripheral.files import driver, driver_values, registers_header
from aesmith.peripheral.zephyr import zephyr_files

HERE = Path(__file__).parent
SOURCE = "crypto_my_aes.c"
SANITIZED = ("-fsanitize=undefined,address", "-g")


def written(folder: Path, preset: str = "multi-compact") -> dict[str, str]:
    """The module and the driver of an engine, by default one of several modes, in one folder."""
    design = aesmith.engine(preset, name="my_aes", bus="apb", release="cut-through", clear=True).design
    files = {**zephyr_files(design, driver_values(design)), **driver(design)}
    files["driver/my_aes_regs.h"] = registers_header(design)
    named = {Path(path).name: text for path, text in files.items()}
    for name, text in named.items():
        (folder / name).write_text(text)
    return named


def ran(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """The comparison, compiled and run."""
    shutil.copy(HERE / "psa" / "device.c", folder)
    shutil.copy(HERE / "zephyr" / "compares.c", folder)
    kinds = [
        "-DCONFIG_CRYPTO_MY_AES_SESSIONS=4",
        "-DCONFIG_CRYPTO_INIT_PRIORITY=90",
        f"-I{HERE / 'zephyr' / 'include'}",
    ]
    strict = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", *flags, *kinds]
    command = ["cc", *strict, SOURCE, "device.c", "compares.c", "-lmbedcrypto", "-o", "compares"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(["./compares"], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@needs_mbedtls
@pytest.mark.thorough(but=("plain",))
@pytest.mark.parametrize("flags", [(), SANITIZED], ids=["plain", "sanitized"])
def test_sessions_answer_as_the_library_does(flags: tuple[str, ...], tmp_path: Path) -> None:
    written(tmp_path)
    ended = ran(tmp_path, *flags)
    assert ended.stdout == "PASS\n", ended.stdout + ended.stderr


@needs_mbedtls
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return -EBADMSG;", "return 0;"),
        ("status = run(ctx, pkt, &message, 0, prefix);", "status = run(ctx, pkt, &message, 0, 0);"),
        ("return run(ctx, pkt, &message, prefix, 0);", "return run(ctx, pkt, &message, 0, 0);"),
        ("BLOCK - ctx->mode_params.ctr_info.ctr_len / 8", "BLOCK"),
        ("pkt->out_buf_max < bytes + out_skip", "pkt->out_buf_max < bytes + out_skip - 1"),
        (
            "memcpy(session->key, ctx->key.bit_stream, sizeof(session->key));",
            "memcpy(session->key, dev, sizeof(session->key));",
        ),
        ("	k_mutex_unlock(&data->lock);\n	pkt->out_len", "	pkt->out_len"),
        ("session->used = false;", ""),
        ("pkt->in_len == BLOCK ? ", "pkt->in_len ? "),
        ("message->header_bytes = packet->ad_len;", "message->header_bytes = 0;"),
        (".tag_bytes = ctx->mode_params.ccm_info.tag_len", ".tag_bytes = 16"),
    ],
)
def test_wrong_drivers_are_found(old: str, new: str, tmp_path: Path) -> None:
    text = written(tmp_path)[SOURCE]
    assert text.count(old) == 1
    (tmp_path / SOURCE).write_text(text.replace(old, new))
    ended = ran(tmp_path, *SANITIZED)
    assert ended.returncode != 0
    assert "PASS" not in ended.stdout


def test_the_module_names_one_device_in_one_way(tmp_path: Path) -> None:
    files = written(tmp_path, "gcm-small")
    binding = yaml.safe_load(files["aesmith-my_aes.yaml"])
    vendor, _, model = binding["compatible"].partition(",")
    assert f"#define DT_DRV_COMPAT {vendor}_{model.replace('-', '_')}\n" in files[SOURCE]
    assert f"{vendor}\t" in files["vendor-prefixes.txt"]
    assert binding["properties"]["reg"]["required"]
    module = yaml.safe_load(files["module.yml"])
    assert module["build"] == {"cmake": "zephyr", "kconfig": "zephyr/Kconfig", "settings": {"dts_root": "zephyr"}}
    symbols = set(re.findall(r"^config (\w+)$", files["Kconfig"], re.MULTILINE))
    used = set(re.findall(r"CONFIG_(CRYPTO_MY_AES\w*)", files[SOURCE] + files["CMakeLists.txt"]))
    assert symbols == used == {"CRYPTO_MY_AES", "CRYPTO_MY_AES_SESSIONS"}
    assert f"DT_HAS_{vendor.upper()}_{model.replace('-', '_').upper()}_ENABLED" in files["Kconfig"]


def test_modes_that_the_api_does_not_have_get_no_module() -> None:
    design = small(modes=("cmac",))
    assert zephyr_files(design, driver_values(design)) == {}
