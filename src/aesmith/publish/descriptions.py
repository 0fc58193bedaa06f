"""What tools read of a build: its manifest, its timing constraints, and its FuseSoC core description (CAPI2)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from aesmith import __version__
from aesmith.cores.design import Clocks, CoreDesign, Design, Direction, PublishedFigures, SourceFile
from aesmith.cores.ports import SIZE_CODES, Meaning, PortDirection, as_values, from_values
from aesmith.cores.sources import check_name
from aesmith.errors import RequestError
from aesmith.flow.measurement import TIED, Measurement, surroundings_of
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import BLOCK
from aesmith.modes.specification import engine_of
from aesmith.publications import Publication
from aesmith.publish.output import GENERATOR, MANIFEST, is_work, render
from aesmith.timing.static import TimingConditions

FORMAT = 2
MOST_CYCLES = 1_000_000
"""Clocks of a block beyond which a manifest is not believed: no simulation would end."""
_PATH = re.compile(r"(?:\w[\w-]*/)*\w[\w-]*(?:\.[\w-]+)*", re.ASCII)


@dataclass(frozen=True)
class Evidence:
    """What is known of a core beside its sources: measurements, and one paragraph on its verification. `pictures` are
    those of placed netlists, SVG by file name; the placement itself is not in a build, so they cannot be made again."""

    measurements: tuple[Measurement, ...] = ()
    verification: str = ""
    pictures: Mapping[str, str] = field(default_factory=dict)

    def as_values(self) -> dict[str, object]:
        """Plain JSON values, fields by their names, without the record of candidates: times differ from run to run."""
        measured = [
            {name: value for name, value in measurement.to_json().items() if name != "candidates"}
            for measurement in self.measurements
        ]
        pictures = {"pictures": sorted(self.pictures)} if self.pictures else {}
        return {"measurements": measured, "verification": self.verification, **pictures}

    @classmethod
    def of(cls, values: Mapping[str, Any], folder: Path) -> Evidence:
        """What `as_values` gave these for, without candidates; of older manifests nothing is known. Pictures are read
        in `folder`."""
        pictures = {
            _plain_path(name): (folder / name).read_text(encoding="utf-8") for name in values.get("pictures", [])
        }
        measured = (Measurement.from_json(each | {"candidates": []}) for each in values.get("measurements", []))
        return cls(tuple(measured), str(values.get("verification", "")), pictures)


def manifest_text(
    design: CoreDesign | StreamEngine, testbench: Sequence[SourceFile], evidence: Evidence, files: Mapping[str, str]
) -> str:
    """The manifest of a build that holds `files` (path -> text), made of a design, its test bench and the evidence."""
    values = evidence.as_values()
    bench = [[source.name, source.text] for source in testbench]
    beside = json.dumps([bench, values["measurements"], values["verification"]], sort_keys=True)
    beside_digest = hashlib.sha256(beside.encode()).hexdigest()
    made_from = hashlib.sha256(f"{__version__}\0{design.source_hash}\0{beside_digest}".encode()).hexdigest()
    content = {
        "generator": GENERATOR,
        "format": FORMAT,
        "version": __version__,
        "name": design.name,
        "top": design.top,
        "preset": design.preset,
        "title": design.title,
        "key_bits": list(design.key_bits),
        "directions": [str(direction) for direction in design.directions],
        "ports": as_values(design.ports),
        "cycles_per_block": design.cycles_per_block,
        "latency_cycles": design.latency_cycles,
        **(_of_core(design) if isinstance(design, CoreDesign) else _of_engine(design)),
        "parameters": dict(design.parameters),
        "citation": asdict(design.publication),
        "published": [asdict(figures) for figures in design.published],
        "remarks": list(design.remarks if isinstance(design, CoreDesign) else design.all_remarks),
        **values,
        "sources": [f"rtl/{source.name}" for source in design.sources],
        "source_hash": design.source_hash,
        "made_from": made_from,
        "files": [
            {"path": path, "sha256": hashlib.sha256(text.encode()).hexdigest()} for path, text in sorted(files.items())
        ],
    }
    return json.dumps(content | {"sha256": _own_digest(content)}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _of_core(design: CoreDesign) -> dict[str, object]:
    """What a manifest says of cores alone."""
    return {
        "block_width": design.block_width,
        "worst_latency_cycles": design.slowest_clocks(max(design.key_bits)).worst,
        "clocks": [
            {
                "key_bits": bits,
                "direction": str(direction),
                "cycles_per_block": clocks.per_block,
                "latency_cycles": clocks.first,
                "worst_latency_cycles": clocks.worst,
            }
            for bits in design.key_bits
            for direction in design.directions
            for clocks in [design.clocks(bits, direction)]
        ],
    }


def _of_engine(design: StreamEngine) -> dict[str, object]:
    """What a manifest says of engines alone."""
    most = design.most_beats
    return {
        "mode": design.mode,
        "first_answer_cycles": design.first_answer_cycles,
        "worst_latency_cycles": design.worst_latency_cycles,
        "worst_waits": [
            {"mode": view.mode, "direction": str(way), "cycles": wait}
            for view in design.views
            for way, wait in view.worst_waits.items()
        ],
        "limits": list(design.limits),
        "most_bytes_to_decrypt": most and BLOCK * most,
    }


def _own_digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of all that a manifest says beside it."""
    others = {name: value for name, value in content.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(others, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Build:
    """A build as it stands on disk: the design that its RTL is now, all files that the manifest lists, those that were
    edited since, and those that it does not list. The manifest itself is among the edited ones if it was. `version` of
    aesmith made it; `evidence` is what it says of measurements and verification."""

    folder: Path
    design: CoreDesign | StreamEngine
    changed: tuple[str, ...]
    listed: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    version: str = __version__
    evidence: Evidence = field(default_factory=Evidence)


def read_build(folder: Path) -> Build:
    """The build in `folder`. Raises RequestError if there is none, its manifest is damaged, or its RTL is missing."""
    file = folder / MANIFEST
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["generator"] != GENERATOR or content["format"] != FORMAT:
            raise RequestError(
                f"{file}: is not the manifest of a build that this version reads "
                f"(generator {GENERATOR}, format {FORMAT}); build it again"
            )
        design = _engine(folder, content) if "mode" in content else _design(folder, content)
        listed = {_plain_path(entry["path"]): str(entry["sha256"]) for entry in content["files"]}
        edited = [MANIFEST] * (content.get("sha256") != _own_digest(content))
        version, evidence = str(content["version"]), Evidence.of(content, folder)
    except FileNotFoundError as error:
        raise RequestError(f"build {folder}: {error.filename} is missing; build it again") from error
    except OSError as error:
        raise RequestError(f"build {folder}: {error.filename} cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "a field is missing or of another kind"
        raise RequestError(f"{file}: is not the manifest of a build ({reason}); build it again") from error
    edited += [path for path, digest in listed.items() if _digest(folder / path) != digest]
    found = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if not file.is_dir()}
    further = sorted(path for path in found - listed.keys() - {MANIFEST} if not is_work(path))
    return Build(folder, design, tuple(edited), tuple(listed), tuple(further), version, evidence)


def _plain_path(path: object) -> str:
    """A path as builds have them: words, with dots within, joined by slashes. Raises ValueError for any other: file
    names stand in the scripts of tools."""
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        raise ValueError(f"{path!r} is no name of a file in a build")
    return path


def _digest(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None


def _check_core(content: Mapping[str, Any]) -> None:
    """Raises ValueError for what a manifest says of its core that no core has."""
    known: dict[str, list[Any]] = {"key_bits": [*SIZE_CODES], "directions": [*map(str, Direction)]}
    sources = content["sources"]
    for field_name, values in known.items():
        given = content[field_name]
        if not given or given != [value for value in values if value in given]:
            raise ValueError(f"{field_name} must be some of {', '.join(map(str, values))} in this order, not {given!r}")
    for field_name in ("cycles_per_block", "latency_cycles"):
        given = content[field_name]
        if type(given) is not int or not 0 < given <= MOST_CYCLES:
            raise ValueError(f"{field_name} must be a whole number from 1 to {MOST_CYCLES:,}, not {given!r}")
    worst, latency = content.get("worst_latency_cycles"), content["latency_cycles"]
    if worst is not None and (type(worst) is not int or not latency <= worst <= MOST_CYCLES):
        raise ValueError(
            f"worst_latency_cycles must be a whole number from {latency} (latency_cycles) to {MOST_CYCLES:,}, "
            f"not {worst!r}"
        )
    if not sources or len(set(sources)) < len(sources):
        raise ValueError("sources must be at least one file, and each once")
    if not isinstance(content["ports"], Mapping):
        raise ValueError("ports must be a table")


def _sources(folder: Path, content: Mapping[str, Any]) -> tuple[SourceFile, ...]:
    """The sources as they stand in a build. Raises ValueError for names that are none of a build."""
    root, sources = folder.resolve(), []
    check_name(str(content["name"]))
    if content["top"] != content["name"]:
        raise ValueError(f"its top module is {content['top']!r}, and not {content['name']}")
    for name in content["sources"]:
        path = (root / _plain_path(name)).resolve()
        if root not in path.parents:
            raise ValueError(f"source {name!r} lies outside the build")
        if path.exists() and not path.is_file():
            raise ValueError(f"source {name!r} is no file")
        sources.append(SourceFile(path.name, path.read_bytes().decode()))
    return tuple(sources)


def _engine(folder: Path, content: Mapping[str, Any]) -> StreamEngine:
    """The engine that a manifest's fields ask for, made of the sources that stand in the build."""
    made = engine_of(dict(content["parameters"]), str(content["name"]), str(content["preset"]), "parameters")
    design = replace(made, shipped=_sources(folder, content))
    facts = {
        "mode": design.mode,
        "ports": as_values(design.ports),
        "key_bits": list(design.key_bits),
        "directions": [str(direction) for direction in design.directions],
        "cycles_per_block": design.cycles_per_block,
        "latency_cycles": design.latency_cycles,
        "worst_latency_cycles": design.worst_latency_cycles,
    }
    for name, value in facts.items():
        # Builds of old have not said the last one.
        if (content.get(name, value) if name == "worst_latency_cycles" else content[name]) != value:
            raise ValueError(f"{name} is {content[name]!r}, and an engine of its parameters has {value!r}")
    return design


def _design(folder: Path, content: Mapping[str, Any]) -> CoreDesign:
    _check_core(content)
    sources = _sources(folder, content)
    ports = from_values(content["ports"])
    if content["block_width"] != ports.payload(Meaning.BLOCK).width:
        raise ValueError(f"block_width is {content['block_width']!r}, and its ports have another")
    design = CoreDesign(
        name=str(content["name"]),
        preset=str(content["preset"]),
        title=str(content["title"]),
        sources=sources,
        key_bits=tuple(int(bits) for bits in content["key_bits"]),
        directions=tuple(Direction(direction) for direction in content["directions"]),
        ports=ports,
        cycles_per_block=int(content["cycles_per_block"]),
        latency_cycles=int(content["latency_cycles"]),
        latency_spread=(content.get("worst_latency_cycles") or content["latency_cycles"]) - content["latency_cycles"],
        parameters=dict(content["parameters"]),
        publication=Publication(**content["citation"]),
        published=tuple(PublishedFigures(**figures) for figures in content["published"]),
        remarks=tuple(map(str, content.get("remarks", []))),
    )
    clocks = {
        (int(row["key_bits"]), Direction(row["direction"])): Clocks(
            int(row["cycles_per_block"]), int(row["latency_cycles"]), worst and int(worst)
        )
        for row in content.get("clocks", [])
        for worst in [row.get("worst_latency_cycles")]
    }
    usual = all(own == design.clocks(*key) for key, own in clocks.items())
    return design if usual else replace(design, other_clocks=clocks)


UNMEASURED_PERIOD_NS = 10.0
MARGIN = 1.1
BOUNDARY_SHARE = 0.3
"""Part of a period that the surroundings have before each input, and after each output."""
EARLIEST_SHARE = 0.1
"""Part of a period for which inputs stay as they are after a clock edge."""
UNMEASURED_UNCERTAINTY = 0.05
"""Part of the period that the clock of a layout may be uncertain by, where nothing was measured."""
UNMEASURED_SURROUNDINGS = TimingConditions(input_slew_ns=0.05, output_load_ff=10.0)


def constraints(design: Design, measurement: Measurement | None, *, layout: bool = False) -> str:
    """The SDC text; for `layout` without capacitances and units, which are those of the flow's library. The period is
    one that the measured netlist meets with it, or a placeholder that says so.

    Half of what that netlist has to spare is left to the uncertainty of the clock. A reset that is asynchronous is
    released as an input changes, so that its recovery and removal are checked; the edge that asserts it is no path.
    """
    stated = measurement and surroundings_of(measurement)
    surroundings_reason = "What a transition takes at an input, and what hangs at an output: "
    surroundings_reason += "as it was measured." if stated else "placeholders, set them for your library."
    if measurement is not None and measurement.period_ns is not None:
        period = constrained_period_ns(measurement)
        assert period is not None
        uncertainty = 0.5 * min(part * period - path for path, part in _shares(measurement))
        uncertainty_reason = "For setup: half of what that netlist has to spare."
        reason = (
            f"The netlist measured with {measurement.library} ({measurement.corner}, {measurement.optimise}) meets "
            f"them, and has {MARGIN - 1:.0%} to spare; between its registers alone it takes "
            f"{measurement.period_ns:.3f}. Set the period for your library."
        )
        tied = next((condition for condition in measurement.conditions if condition.startswith(TIED)), None)
        reason += f"\n# In that netlist {tied}." * bool(tied)
    else:
        period = UNMEASURED_PERIOD_NS
        uncertainty, uncertainty_reason = UNMEASURED_UNCERTAINTY * period, "Placeholders."
        reason = "The period is a placeholder, for nothing was measured: set it for your library."
    ports = design.ports
    sides: dict[PortDirection, list[str]] = {PortDirection.INPUT: [], PortDirection.OUTPUT: []}
    for port in ports:
        if port.role != "clock":
            sides[port.direction].append(f"{port.name}[*]" if port.bits > 1 else port.name)
    return render(
        "constraints.sdc",
        name=design.name,
        reason=reason,
        period=period,
        share=BOUNDARY_SHARE,
        earliest=EARLIEST_SHARE,
        setup_uncertainty=uncertainty,
        uncertainty_reason=uncertainty_reason,
        surroundings=stated or UNMEASURED_SURROUNDINGS,
        surroundings_reason=surroundings_reason,
        clock=ports.clock,
        inputs=sides[PortDirection.INPUT],
        outputs=sides[PortDirection.OUTPUT],
        reset=ports.reset,
        scan_enable=ports.scan_enable,
        layout=layout,
    )


def constrained_period_ns(measurement: Measurement) -> float | None:
    """The period in ns of the constraints: the shortest in which every measured path fits into the part of it that the
    surroundings leave, and a tenth more. None for a netlist without a path between registers."""
    if measurement.period_ns is None:
        return None
    return MARGIN * max(path_ns / part for path_ns, part in _shares(measurement))


def _shares(measurement: Measurement) -> list[tuple[float, float]]:
    """Each measured path in ns, and the part of a period that the surroundings leave it."""
    inside = 1 - BOUNDARY_SHARE
    paths = (
        (measurement.period_ns, 1.0),
        (measurement.input_to_register_ns, inside),
        (measurement.register_to_output_ns, inside),
        (measurement.input_to_output_ns, inside - BOUNDARY_SHARE),
    )
    return [(path_ns, part) for path_ns, part in paths if path_ns is not None]


def core_description(
    design: CoreDesign | StreamEngine,
    testbench: Sequence[str],
    data: Sequence[str],
    testbench_top: str,
    whole: Sequence[str],
) -> str:
    """The text of NAME.core; `testbench` are the testbench's SystemVerilog files, `data` what it reads, `whole` all
    that is in the package, if it can be proved, as paths."""
    aes = design.aes if isinstance(design, StreamEngine) else f"AES-{'/'.join(map(str, design.key_bits))}"
    return render(
        "fusesoc.core",
        design=design,
        version=__version__,
        description=f"{design.title} ({aes})",
        testbench=list(testbench),
        data=list(data),
        testbench_top=testbench_top,
        whole=sorted(whole),
        driver=isinstance(design, StreamEngine) and bool(design.bus),
    )
