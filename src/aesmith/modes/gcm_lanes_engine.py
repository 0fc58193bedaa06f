"""The GCM engine of several lanes as a design: a beat of blocks per clock through cores and GHASH, in one order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from aesmith.circuits.multipliers.field_128 import lanes_step
from aesmith.circuits.multipliers.gf2_128 import DEGREE
from aesmith.circuits.multipliers.splits import check_splits
from aesmith.circuits.nested import nested_systemverilog
from aesmith.cores.design import Direction, SourceFile
from aesmith.errors import RequestError
from aesmith.modes.counting import SHORT_IV
from aesmith.modes.engine import StreamEngine
from aesmith.modes.message import BLOCK, Cipher, Fault, Message
from aesmith.modes.stream import Beat, StreamedMessage, answer_of_gcm, streamed_with_tag
from aesmith.modes.traffic import GCM_SHORT_IV_TRAFFIC
from aesmith.publications import Publication

STANDARD = Publication(
    "sp800-38d",
    "National Institute of Standards and Technology",
    "Recommendation for Block Cipher Modes of Operation: Galois/Counter Mode (GCM) and GMAC",
    "SP 800-38D",
    2007,
)
LATENCY = 8
"""Clocks that the text of a message to encrypt takes beside those of a core: queue, look, slot, result, sum, hash, slot
that is held, queue."""


@dataclass(frozen=True)
class GcmLanesEngine(StreamEngine):
    """A GCM engine for both directions whose stream has several lanes, with IVs of 12 bytes.

    All lanes of a beat are hashed in one clock, by a circuit of these `splits`
    (`aesmith.circuits.multipliers.field_128.lanes_step`). Decrypted text leaves at once. Raises RequestError for values
    that no engine has.
    """

    splits: str = ""

    mode = "gcm"
    publication = STANDARD
    traffic = GCM_SHORT_IV_TRAFFIC
    short_tags = True
    one_at_a_time = ""
    directions = (Direction.ENCRYPT, Direction.DECRYPT)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lanes < 2:
            raise RequestError(f"stream_bits: must be more than 128 for an engine of lanes, not {self.stream_bits}")
        check_splits(self.splits, DEGREE)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return f"GCM with {self.cores} x {self.core.preset}, {self.lanes} lanes, cut-through text"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a receiver must do, and which IVs there are."""
        return (
            "**Decrypted text leaves before its tag was compared: the receiver must drop all of a message whose last "
            "beat says *failed*.**",
            *self.limits,
        )

    @property
    def limits(self) -> tuple[str, ...]:
        """Which IVs there are."""
        return (f"IVs have 12 bytes, and come in the command; others are refused with code {int(Fault.IV)}.",)

    @property
    def modules(self) -> tuple[str, ...]:
        """Its packaged modules in compile order, the engine last."""
        front = ("stream_fifo", "section_tracker", "core_keys", "message_front", "lane_counters", "lane_slots")
        return (*front, "output_register", "core_turns", "ghash_lanes", "lane_release", "gcm_lanes_engine")

    @property
    def module_parameters(self) -> Mapping[str, int]:
        """Parameters of the engine's module beside `Cores`."""
        return {"Lanes": self.lanes, "Slots": self.slots}

    @cached_property
    def leaves(self) -> tuple[SourceFile, ...]:
        """The multiplier, and the same with its lanes side by side."""
        circuit, step = f"{self.name}_ghash_sum", f"{self.name}_ghash_lanes_step"
        header = f"One step of GHASH in {self.lanes} lanes: p = (y + c0) h0 + c1 h1 + ... in GF(2^128), bit i the "
        text = nested_systemverilog(
            lanes_step(self.lanes, self.splits).circuit, header + "coefficient of x^i.", circuit
        )
        pins = [f".{name}{lane}_i({name}_i[{lane}])" for name in "ch" for lane in range(self.lanes)]
        lines = (
            f"// {circuit} with its lanes side by side.",
            f"module {step} (",
            "  input  logic [127:0] y_i,",
            f"  input  logic [{self.lanes - 1}:0][127:0] c_i,",
            f"  input  logic [{self.lanes - 1}:0][127:0] h_i,",
            "  output logic [127:0] p_o",
            ");",
            f"  {circuit} u_sum (",
            *(f"    {pin}," for pin in (".y_i", *pins)),
            "    .p_o",
            "  );",
            "endmodule",
            "",
        )
        return (SourceFile(f"{circuit}.sv", text), SourceFile(f"{step}.sv", "\n".join(lines)))

    def _answer(self, cipher: Cipher | None, sent: StreamedMessage) -> tuple[list[Beat], Fault | None]:
        """The beats that it gives for a message, and why it refuses it, if it does."""
        return answer_of_gcm(cipher, sent, verified=False, iv_in_stream=False, lanes=self.lanes)

    def sends(self, message: Message, *, encrypt: bool = True) -> StreamedMessage:
        """A message as it is sent, in whole beats."""
        return streamed_with_tag(message, encrypt=encrypt)

    def _plain(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> StreamedMessage:
        """A message of so many blocks of zeros; to decrypt, its tag is wrong."""
        message = Message(bytes(SHORT_IV), bytes(BLOCK * header_blocks), bytes(BLOCK * text_blocks), bytes(BLOCK))
        return self.sends(message, encrypt=encrypt)

    def kinds(self) -> Iterator[tuple[int, int, bool]]:
        """Messages in both directions whose header, text and tag fill beats, share them, or leave lanes unused."""
        return product((0, 1, 5), (1, 2, 4, 11), (True, False))

    @cached_property
    def slots(self) -> int:
        """Beats that may be in the cores: those that go to them in L clocks."""
        turns, latency = self.cores // self.lanes, self.core.latency_cycles
        clocks = [self.clock_of_block(self.lanes * number) for number in range(turns + latency)]
        return max(2, sum(clock < latency for clock in clocks))

    @property
    def latency_cycles(self) -> int:
        """Clocks from the one that takes a beat of text to encrypt up to and with the one that offers it."""
        return self.core.latency_cycles + LATENCY

    def _message_cycles(self, header_blocks: int, text_blocks: int, *, encrypt: bool = True) -> float:  # noqa: ARG002
        """Clocks from message to message, as a mean, of equal ones without pauses: those of its beats, of which one has
        the lane of the tag behind all others, taken or made."""
        beats = -(-(header_blocks + text_blocks + 1) // self.lanes)
        return beats * self.lanes * self._cycles_per_block
