"""A design's SystemVerilog sources, put where tools can read them."""

from __future__ import annotations

from pathlib import Path

from aesmith.cores.design import Design

SOURCE_FOLDER = "rtl"


def write_sources(design: Design, work_dir: Path) -> list[str]:
    """Write the sources to `work_dir`/rtl; return their names relative to `work_dir`, in compile order."""
    folder = work_dir / SOURCE_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for source in design.sources:
        (folder / source.name).write_text(source.text)
    return [f"{SOURCE_FOLDER}/{source.name}" for source in design.sources]


def read_commands(design: Design, files: list[str], *, keep_hierarchy: bool, keep_processes: bool = False) -> list[str]:
    """Yosys commands that elaborate `files` with the slang front end.

    With `keep_hierarchy` every instance becomes a module of its own, named *module*$*path of the instance*; without,
    one flat module results. With `keep_processes` the always blocks are left to a later `proc`, and expressions stay as
    they are written (the front end's own lowering rewrites them bit by bit).
    """
    options = ("--keep-hierarchy " if keep_hierarchy else "") + ("--no-proc " if keep_processes else "")
    return [f"read_slang {options}--top {design.top} {' '.join(files)}", f"hierarchy -check -top {design.top}"]
