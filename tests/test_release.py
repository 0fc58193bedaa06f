"""`scripts/release` makes what an index takes, of a committed tree with one version everywhere, after all tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERSION = "9.8.7"
FILES = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "CITATION.cff",
         "CODE_OF_CONDUCT.md", "SECURITY.md", "scripts/release")  # fmt: skip

pytestmark = pytest.mark.slow


def git(tree: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    ran = subprocess.run(["git", *settings, *arguments], cwd=tree, capture_output=True, text=True, check=True)
    return ran.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository of its own with what a release is made of, everything at one version and committed."""
    made = tmp_path / "tree"
    (made / "scripts").mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / name, made / name)
    shutil.copytree(ROOT / "src", made / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name, pattern, new in (
        ("pyproject.toml", r'^version = ".*"$', f'version = "{VERSION}"'),
        ("CITATION.cff", r"^version: .*$", f"version: {VERSION}"),
        ("CHANGELOG.md", r"^## .*$", f"## {VERSION}"),
    ):
        text = (made / name).read_text()
        (made / name).write_text(re.sub(pattern, new, text, count=1, flags=re.MULTILINE))
    (made / ".gitignore").write_text(".venv\nbuild\ndist\n*.egg-info\n")
    (made / ".venv").symlink_to(sys.prefix)
    git(made, "init", "--quiet")
    git(made, "add", "--all")
    git(made, "commit", "--quiet", "--message", "all")
    return made


def release(tree: Path, version: str = VERSION, *, tests_pass: bool = True) -> subprocess.CompletedProcess[str]:
    """The script, with a `make` that notes what it is asked for."""
    tools = tree.parent / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "make").write_text(f'#!/bin/sh\necho "$@" >> "{tree.parent}/made"\nexit {int(not tests_pass)}\n')
    (tools / "make").chmod(0o755)
    named = {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b.c"}
    environment = os.environ | named | {"PATH": f"{tools}:{os.environ['PATH']}"}
    command = [tree / "scripts" / "release", version]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.thorough
def test_it_makes_wheel_and_archive_that_an_index_takes_and_tags_the_commit(tree: Path) -> None:
    ran = release(tree)
    if "No matching distribution found for twine" in ran.stderr:
        pytest.skip("no index can be reached, which twine comes from")
    assert ran.returncode == 0, ran.stderr
    assert (tree.parent / "made").read_text() == "test\n"
    assert ran.stdout.count("PASSED") == 2
    assert "twine upload" in ran.stdout
    assert git(tree, "tag").split() == [f"v{VERSION}"]
    assert git(tree, "status", "--porcelain") == ""
    assert {path.name for path in (tree / "dist").iterdir()} == {
        f"aesmith-{VERSION}-py3-none-any.whl",
        f"aesmith-{VERSION}.tar.gz",
    }
    with zipfile.ZipFile(tree / "dist" / f"aesmith-{VERSION}-py3-none-any.whl") as opened:
        assert "aesmith/cli.py" in opened.namelist()
    with tarfile.open(tree / "dist" / f"aesmith-{VERSION}.tar.gz") as archive:
        assert f"aesmith-{VERSION}/src/aesmith/cli.py" in archive.getnames()


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("pyproject.toml", VERSION, "1.0.0", "pyproject.toml has another version"),
        ("CITATION.cff", VERSION, "1.0.0", "CITATION.cff has another version"),
        ("CHANGELOG.md", f"## {VERSION}", f"## Unreleased\n\n## {VERSION}", f"does not begin with ## {VERSION}"),
        ("README.md", "aesmith", "Aesmith", "changes that are not committed"),
    ],
)
def test_it_refuses_a_tree_that_is_not_ready(tree: Path, file: str, old: str, new: str, told: str) -> None:
    text = (tree / file).read_text()
    assert old in text
    (tree / file).write_text(text.replace(old, new))
    if file != "README.md":
        git(tree, "commit", "--all", "--quiet", "--message", "other")
    ran = release(tree)
    assert (ran.returncode, told in ran.stderr) == (2, True), ran.stderr
    assert not (tree / "dist").exists()
    assert not (tree.parent / "made").exists()


def test_it_makes_nothing_if_a_test_fails(tree: Path) -> None:
    assert release(tree, tests_pass=False).returncode != 0
    assert not (tree / "dist").exists()
    assert git(tree, "tag") == ""
