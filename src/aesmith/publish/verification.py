"""A simulation report as plain values, and as the paragraph of a datasheet."""

from __future__ import annotations

from dataclasses import asdict

from aesmith.assurance.report import SimulationReport


def report_json(report: SimulationReport) -> dict[str, object]:
    """The report as plain JSON values."""
    return {
        "design": report.design,
        "passed": report.passed,
        "seed": report.seed,
        "key_bits": report.key_bits,
        "cases": report.cases,
        "cycles_per_block": report.cycles_per_block,
        "latency_cycles": report.latency_cycles,
        "source_hash": report.source_hash,
        "scenarios": [asdict(scenario) | {"passed": scenario.passed} for scenario in report.scenarios],
        "tools": dict(report.tools),
        "seconds": report.seconds,
    }


def verification_text(report: SimulationReport) -> str:
    """What was verified, as Markdown that is the same whenever the same was found: no times."""
    tools = ", ".join(f"{tool} {version}" for tool, version in sorted(report.tools.items()))
    lines = [
        f"Simulated against the standard's vectors and a golden model, seed {report.seed}: "
        f"{report.cases:,} blocks, {'all as they must be' if report.passed else 'NOT all as they must be'} ({tools}).",
        "",
        "| scenario | blocks | clocks | result |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {s.name} | {s.cases:,} | {s.cycles:,} | {'passed' if s.passed else 'failed'} |" for s in report.scenarios
    ]
    return "\n".join(lines)
