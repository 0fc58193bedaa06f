"""The self-checking testbench that travels with each build, for any simulator and without this project."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from aesmith.assurance.plan import CoreFacts, facts_of
from aesmith.assurance.probing.bench import with_surroundings
from aesmith.assurance.texts import filled, for_icarus
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.ports import SCAN_ENABLE, SIZE_CODES, Line
from aesmith.cores.wrapper import attach, behind_block_interface, with_one_key_size
from aesmith.reference.golden import encrypt
from aesmith.reference.known_answers import Suite, TestVector, aesavs, fips197, sp800_38a

MAKEFILE = "standalone.mk.txt"
"""The template of the Makefile beside every testbench; it asks for the build's NAME and its sources, RTL."""

_NEW_KEY, _DECRYPT = 1, 2
_RANDOM_KEYS = 12
_BLOCKS_A_KEY = 3

_SIGNALS: dict[str, str | Line] = {
    "clock": "clk",
    "reset": Line("rst_n", active=0),
    SCAN_ENABLE: "1'b0",
    "clear.clear": "1'b0",
    "key.valid": "key_valid",
    "key.ready": "key_ready",
    "key.key": "key",
    "key.key size": "key_size",
    "block.valid": "block_valid",
    "block.ready": "block_ready",
    "block.block": "block",
    "block.direction": "decrypt",
    "result.valid": "result_valid",
    "result.ready": "result_ready",
    "result.result": "result",
    "random.valid": "1'b1",
}
"""The testbench's signal at each port of the core."""

_SIZE_PORT = {
    "SIZES": ", 0, 4 or 8 = a key of 128, 192 or 256 bits",
    "KEY_SIZE": "  reg  [1:0]           key_size = 2'd0;\n",
    "KEY_SIZE_SENT": "            key_size = sent[KEY_BITS+259:KEY_BITS+258];\n",
}
"""What the testbench has for a core whose key size is chosen with each key."""

_BEATS_OF_SIZE = "(128 + 64 * sent[KEY_BITS+259:KEY_BITS+258]) / KEY_WIDTH"
"""How many words a key has where each says its size."""


_QUIET = """\
    if (result_valid === 1'b0 && result !== {WIDTH{1'b0}}) begin
      $display("FAIL: @NAME@: @RESULT@ is not 0 while nothing is offered, at %0t", $time);
      $fatal(1);
    end
"""
"""What the testbench looks at in every clock of a core with a quiet output."""


def _widest(design: CoreDesign) -> CoreFacts:
    """The facts of the design with its longest key."""
    return facts_of(with_one_key_size(design, max(design.key_bits)))


def standalone_vectors(key_bits: int) -> tuple[TestVector, ...]:
    """The cases that travel: all of FIPS-197, SP 800-38A, some of each AESAVS set, and random ones.

    Always the same. Raises RequestError for a key size that AES has not.
    """
    cases = [*fips197(key_bits), *sp800_38a(key_bits)]
    for suite in Suite:
        published = aesavs(key_bits, suite)
        cases += [published[0], published[len(published) // 4], published[-1]]
    random = Random(f"standalone {key_bits}")
    for _ in range(_RANDOM_KEYS):
        key = random.randbytes(key_bits // 8)
        for _ in range(_BLOCKS_A_KEY):
            plaintext = random.randbytes(16)
            cases.append(TestVector("random", key, plaintext, encrypt(key, plaintext)))
    return tuple(cases)


def _all_vectors(design: CoreDesign) -> Iterator[TestVector]:
    """The cases of all key sizes; at the end, with random keys, the size changes from key to key."""
    by_size = [standalone_vectors(bits) for bits in design.key_bits]
    for cases in by_size:
        yield from cases[: -_RANDOM_KEYS * _BLOCKS_A_KEY]
    for key in range(_RANDOM_KEYS):
        for cases in by_size:
            begin = len(cases) - (_RANDOM_KEYS - key) * _BLOCKS_A_KEY
            yield from cases[begin : begin + _BLOCKS_A_KEY]


def _hex_file(design: CoreDesign) -> tuple[str, int]:
    """The text of the vectors file, and the number of cases in it."""
    facts = _widest(design)
    several = len(design.key_bits) > 1
    size = ", 0, 4 or 8 = a key of 128, 192 or 256 bits, the others 0" if several else ""
    lines = [f"// flags (1 = a new key comes first, 2 = decrypt{size}), key, input, output: for {design.name}"]
    key, cases = b"", 0
    for case in _all_vectors(design):
        lines.append(f"// {case.source}")
        for decrypting in facts.modes:
            pair = (case.ciphertext, case.plaintext) if decrypting else (case.plaintext, case.ciphertext)
            flags = (_DECRYPT if decrypting else 0) | (_NEW_KEY if case.key != key or not cases else 0)
            if several:
                flags |= SIZE_CODES[8 * len(case.key)] << 2
            lines.append(f"{flags:x}_{case.key.hex():0<{facts.key_bits // 4}}_{pair[0].hex()}_{pair[1].hex()}")
            key = case.key
            cases += 1
    return "\n".join(lines) + "\n", cases


def standalone_testbench(design: CoreDesign) -> tuple[SourceFile, ...]:
    """The files of a build's `tb` folder: testbench, vectors and Makefile; the same text for the same design.

    The Makefile expects the design's sources in `../rtl` and the one-file Verilog as `../NAME.v`. Raises RequestError
    for a design that cannot be simulated.
    """
    facts = _widest(design)
    vectors, cases = _hex_file(design)
    names = facts.names
    whole = with_surroundings(design)
    module, ports, adapter = behind_block_interface(whole, f"tb_{design.name}_adapter")
    adapter = "\n".join([source.text for source in whole.sources[len(design.sources) :]] + [adapter] * bool(adapter))
    adapter = for_icarus(adapter)
    signals = {port.role: _SIGNALS[port.role] for port in ports}
    vectors_file = f"{design.name}_vectors.hex"
    values = {
        "NAME": design.name,
        "VECTORS_FILE": vectors_file,
        "CASES": str(cases),
        "KEY_BITS": str(facts.key_bits),
        "WIDTH": str(facts.block_width),
        "KEY_WIDTH": str(facts.key_width),
        "KEY_BEATS": _BEATS_OF_SIZE if len(design.key_bits) > 1 and facts.key_beats > 1 else "KEY_BEATS",
        "PATIENCE": str(facts.patience),
        **(_SIZE_PORT if len(design.key_bits) > 1 else dict.fromkeys(_SIZE_PORT, "")),
        "INSTANCE": attach(module, ports, signals, verilog=True),
        "ADAPTER": adapter and f"\n{adapter}",
        "QUIET": _QUIET if design.ports.quiet else "",
        "RESULT": names["result.result"],
        "STALLED": f"{names['result.valid']} or {names['result.result']} changed before {names['result.ready']}",
        "RTL": " ".join(f"../rtl/{source.name}" for source in design.sources),
    }
    return (
        SourceFile(f"tb_{design.name}.sv", filled("standalone_tb.sv.txt", values)),
        SourceFile(vectors_file, vectors),
        SourceFile("Makefile", filled(MAKEFILE, values)),
    )
