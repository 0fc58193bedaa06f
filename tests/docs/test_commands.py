"""Every command that the documentation shows works as it stands, page by page, from top to bottom."""

import gzip
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.object_cache import object_cache

from aesmith.peripheral.system import BUSES, SIZES
from aesmith.technology.registry import embedded_path

from .shell import Ran, Shell, in_sh

DOCS = Path(__file__).parents[2] / "docs"
LANGUAGES = {"sh", "text", "toml", "python", "systemverilog", ""}
FIRST, EXTENDING, FIFTEEN = "index.md", "extending.md", "fifteen-minutes.md"
OWN_STORE = ("explore.md", "report.md")
"""Pages that show all there is in a store."""

Run = Callable[[str, Path, Mapping[str, str]], Ran]


def blocks(page: Path) -> list[tuple[str, str]]:
    """(language, text) of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


EVERY = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
PAGES = [name for name in EVERY if any(language == "sh" for language, _ in blocks(DOCS / name))]
QUICK_PAGES = tuple(
    f"{page}.md"
    for page in [
        "masking",
        "modes",
        "recommend",
        "reproduce",
    ]
)
"""Pages of which every run tries the commands."""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with Shell(tmp_path_factory.mktemp("shell")) as started:
        yield started


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a reader who goes through the pages one after another."""
    return tmp_path_factory.mktemp("kept") / "results.sqlite"


def run_page(name: str, folder: Path, run: Run, **variables: str) -> dict[str, str]:
    """What each command of a page prints. A block that begins with a comment of a path is written to that file.

    What a page installs with `pip` goes to a folder of its own, which programs find as if it were in the environment.
    """
    here, site = folder / "here", folder / "site"
    here.mkdir()
    (here / "my_library.lib.gz").write_bytes(gzip.compress(embedded_path().read_bytes()))
    program = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{program}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(site)))),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PIP_TARGET": str(site),
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        **variables,
    }
    assert shutil.which("aesmith", path=environment["PATH"])
    printed = {}
    for language, text in blocks(DOCS / name):
        named = re.match(r"(?:#|//) ([\w/-]+\.\w+)\n", text)
        if named:
            file = here / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        if language == "sh":
            for command in text.splitlines():
                ran = run(command, here, environment)
                assert ran.status == 0, f"{command}\n{ran.out}\n{ran.err}"
                printed[command] = ran.out
    if name in OWN:
        assert (here / OWN[name].own).is_file()
    return printed


@pytest.mark.thorough(but=QUICK_PAGES)
@pytest.mark.one_in(10)
@pytest.mark.slow
@pytest.mark.parametrize("name", [page for page in PAGES if page not in (EXTENDING, FIFTEEN, *OWN_STORE, FIRST)])
def test_the_commands_of_a_page_work(name: str, tmp_path: Path, shell: Shell, kept: Path) -> None:
    run_page(name, tmp_path, shell.run, AESMITH_STORE=str(kept))


@pytest.mark.thorough(but=("report.md",))
@pytest.mark.slow
@pytest.mark.parametrize("name", OWN_STORE)
def test_the_commands_of_a_page_on_what_is_in_the_store_work(name: str, tmp_path: Path, shell: Shell) -> None:
    run_page(name, tmp_path, shell.run)


@dataclass(frozen=True)
class Door:
    """What the first command of a door must print, a page that it leads to, and what a command there must write."""

    prints: str
    page: str
    command: str
    own: str


DOORS = {
    "I need AES in my chip": Door(
        "Recommended: gcm-small", "getting-started.md", "aesmith build mine.toml --no-measure", "mine/datasheet.md"
    ),
    "I compare architectures": Door(
        "388 points", "explore.md", "aesmith explore export points.parquet --space my_space", "points.parquet"
    ),
    "I teach": Door("exercise_1", "teaching.md", "aesmith build boyar2010-enc --out lesson", "lesson/datasheet.md"),
}
"""The doors of the first page."""
OWN = {door.page: door for door in DOORS.values()}


def cards() -> dict[str, tuple[str, str]]:
    """The first command of each door, and the rest of its card."""
    page = (DOCS / FIRST).read_text(encoding="utf-8")
    found = re.findall(r"^### ([^\n]+)\n\n```sh\n([^\n]+)\n```$(.*?)^</div>$", page, re.MULTILINE | re.DOTALL)
    return {title: (command, rest) for title, command, rest in found}


def test_each_door_of_the_first_page_gives_its_first_result_in_the_shell(tmp_path: Path) -> None:
    """With an empty home, where nothing is registered, cached or stored."""
    printed = run_page(FIRST, tmp_path, in_sh, **empty_home(tmp_path))
    for title, (command, rest) in cards().items():
        assert DOORS[title].prints in printed[command]
        assert f"]({DOORS[title].page})" in rest
    assert list(cards()) == list(DOORS)
    report = (tmp_path / "here" / "designs.html").read_text(encoding="utf-8")
    assert "<html" in report


def empty_home(folder: Path) -> dict[str, str]:
    """The environment of somebody who has just installed aesmith."""
    home = folder / "home"
    home.mkdir()
    return {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "AESMITH_STORE": str(home / "results.sqlite"),
    }


@pytest.mark.parametrize("name", OWN)
def test_the_page_behind_a_door_has_the_command_of_a_result_of_ones_own(name: str) -> None:
    commands = [line for language, text in blocks(DOCS / name) if language == "sh" for line in text.splitlines()]
    assert OWN[name].command in commands


@pytest.mark.parametrize("name", EVERY)
def test_a_page_writes_to_each_folder_once(name: str) -> None:
    """A build does not replace a folder in which `make` has left files."""
    commands = "\n".join(text for language, text in blocks(DOCS / name) if language in ("sh", "text"))
    folders = re.findall(r"^aesmith (?:build|exercise) .*--out (\w+)(?: +#.*)?$", commands, re.MULTILINE)
    assert len(folders) == len(set(folders))


def fifteen_minutes() -> list[str]:
    """The commands of the page that leads from a requirement to a peripheral."""
    return [line for language, text in blocks(DOCS / FIFTEEN) if language == "sh" for line in text.splitlines()]


def test_the_way_from_a_requirement_to_a_peripheral_has_at_most_four_commands() -> None:
    asks, *makes = fifteen_minutes()
    words = asks.split()
    assert words[:2] == ["aesmith", "recommend"]
    assert len(makes) < 4
    folder = words[words.index("--build") + 1]
    assert [f"make -C {folder}/tb", f"make -C {folder}/system run"] == makes
    assert words[words.index("--bus") + 1] in BUSES
    page = (DOCS / FIFTEEN).read_text(encoding="utf-8")
    assert f"messages of {SIZES[-1]} bytes" in page


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("riscv64-unknown-elf-gcc") is None, reason="gcc-riscv64-unknown-elf is not installed")
def test_the_way_from_a_requirement_to_a_peripheral_can_be_gone(tmp_path: Path) -> None:
    """What the system prints is what the page shows."""
    printed = list(run_page(FIFTEEN, tmp_path, in_sh, **object_cache()).values())
    assert re.search(r"^PASS: gcm_small: \d+ checks", printed[1], re.MULTILINE)
    shown = next(text for language, text in blocks(DOCS / FIFTEEN) if "clocks a byte" in text)
    assert shown in printed[2]


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_a_family_and_an_sbox_from_elsewhere_are_there_for_every_verb(tmp_path: Path, shell: Shell) -> None:
    """The worked examples of the page: a folder and a file, installed by `pip`, and nothing else."""
    texts = run_page(EXTENDING, tmp_path, shell.run)
    printed = {command: " ".join(text.split()) for command, text in texts.items()}
    here = tmp_path / "here"
    assert "half-round 1 1 two cycles per round" in printed["aesmith list families"]
    assert "wolkerstorfer2002 combined" in printed["aesmith list sboxes"]
    assert "wolkerstorfer2002" in printed["aesmith pipeline wolkerstorfer2002 --stages 3"]
    datasheet = (here / "smaller" / "datasheet.md").read_text(encoding="utf-8")
    assert "two cycles per round, S-box wolkerstorfer2002" in datasheet
    assert "module smaller_half_round" in (here / "smaller" / "rtl" / "smaller_half_round.sv").read_text()
    assert "passed" in printed["aesmith verify smaller"]
    assert "half_round_enc: proved" in printed["aesmith verify half-round-enc --prove"]
    assert "GE" in printed["aesmith measure half-round-enc"]
    assert "2 points" in printed["aesmith explore run halves.toml --verify prove"]
    report = (here / "halves.html").read_text(encoding="utf-8")
    assert "AES-128 encryption, half-round, S-box wolkerstorfer2002" in report
    assert "An ASIC Implementation of the AES SBoxes" in report


@pytest.mark.parametrize("name", EVERY)
def test_links_lead_somewhere(name: str) -> None:
    page = DOCS / name
    for path, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        assert target.exists(), path
        if anchor:
            assert anchor in anchors(target), f"{path}#{anchor}"


def anchors(page: Path) -> set[str]:
    """What the headings of a page are linked by: words in lower case between hyphens."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", EVERY)
def test_commands_stand_in_blocks_that_are_run(name: str) -> None:
    for language, text in blocks(DOCS / name):
        assert language in LANGUAGES
        if language != "text":
            assert language == "sh" or not re.search(r"^aesmith ", text, flags=re.MULTILINE)
