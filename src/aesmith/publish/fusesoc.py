"""The FuseSoC core description (CAPI2) of a build."""

from __future__ import annotations

from collections.abc import Sequence

from aesmith import __version__
from aesmith.cores.design import CoreDesign
from aesmith.publish.templating import render


def core_description(design: CoreDesign, testbench: Sequence[str], data: Sequence[str], testbench_top: str) -> str:
    """The text of NAME.core; `testbench` are the testbench's SystemVerilog files, `data` what it reads, as paths."""
    return render(
        "fusesoc.core",
        design=design,
        version=__version__,
        description=f"{design.title} (AES-{'/'.join(map(str, design.key_bits))})",
        testbench=list(testbench),
        data=list(data),
        testbench_top=testbench_top,
    )
