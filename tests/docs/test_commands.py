"""Every command that the documentation shows works as it stands, page by page, from top to bottom."""

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aesmith.technology.registry import embedded_path

DOCS = Path(__file__).parents[2] / "docs"
LANGUAGES = {"sh", "text", "toml", "python", ""}


def blocks(page: Path) -> list[tuple[str, str]]:
    """(language, text) of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


PAGES = sorted(page.name for page in DOCS.glob("*.md") if any(language == "sh" for language, _ in blocks(page)))


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_work(name: str, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "my_library.lib.gz").write_bytes(gzip.compress(embedded_path().read_bytes()))
    program = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{program}{os.pathsep}{os.environ['PATH']}",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    assert shutil.which("aesmith", path=environment["PATH"])
    for language, text in blocks(DOCS / name):
        named = re.match(r"# (\w+\.toml)\n", text)
        if language == "toml" and named:
            (here / named[1]).write_text(text, encoding="utf-8")
        if language == "sh":
            for command in text.splitlines():
                ran = subprocess.run(
                    command, shell=True, cwd=here, env=environment, capture_output=True, text=True, check=False
                )
                assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"


@pytest.mark.parametrize("name", sorted(page.name for page in DOCS.glob("*.md")))
def test_links_lead_somewhere(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", text):
        assert (DOCS / target).exists(), target


@pytest.mark.parametrize("name", PAGES)
def test_commands_stand_in_blocks_that_are_run(name: str) -> None:
    for language, text in blocks(DOCS / name):
        assert language in LANGUAGES
        if language != "text":
            assert language == "sh" or not re.search(r"^aesmith ", text, flags=re.MULTILINE)
