import pytest

from aesmith.errors import RequestError
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library
from aesmith.technology.registry import embedded_path
from aesmith.testing.netlists import parse_netlist
from aesmith.timing.graph import FALL, RISE
from aesmith.timing.static import FROM_REGISTER, TimingConditions, TimingReport, analyse, default_conditions

CHAIN = """
module top(clk, rn, a, b, y, z);
  input clk, rn, a, b; output y, z;
  wire q, n, m;
  DFFR_X1 first (.CK(clk), .D(a), .RN(rn), .Q(q));
  INV_X1 one (.A(q), .Z(n));
  NAND2_X1 two (.A(n), .B(b), .Z(m));
  DFF_X2 last (.CK(clk), .D(m), .Q(y));
  XOR2_X1 over (.A(a), .B(b), .Z(z));
endmodule
"""
CONDITIONS = TimingConditions(input_slew_ns=0.02, output_load_ff=5.0)


@pytest.fixture(scope="module")
def library() -> Library:
    return read_library(embedded_path())


def _time(library: Library, text: str = CHAIN) -> TimingReport:
    return analyse(parse_netlist(text, library), library, CONDITIONS)


def _arc(library: Library, pin: str, edge: str, slew: float, load: float) -> tuple[float, float]:
    """Delay and output transition straight from the library's tables."""
    cell, related = pin.split("/")
    arc = next(arc for arc in library.cell(cell).arcs if arc.related_pin == related and arc.cell_fall is not None)
    delay, transition = (arc.cell_rise, arc.rise_transition) if edge == "rise" else (arc.cell_fall, arc.fall_transition)
    assert delay is not None
    assert transition is not None
    return delay.at(slew, load), transition.at(slew, load)


def _setup(library: Library, cell: str, edge: str, slew: float) -> float:
    arc = next(arc for arc in library.cell(cell).arcs if arc.type == "setup_rising")
    table = arc.rise_constraint if edge == "rise" else arc.fall_constraint
    assert table is not None
    return table.at(0.0, slew)


def test_the_period_is_clock_to_q_and_logic_and_setup(library: Library) -> None:
    """Both edges of the chain by hand, table by table."""
    inverter, nand = library.cell("INV_X1").pins["A"].rise, library.cell("NAND2_X1").pins["A"].rise
    data = library.cell("DFF_X2").pins["D"].rise
    by_edge = {}
    for last in ("rise", "fall"):
        middle = "fall" if last == "rise" else "rise"
        launch, slew = _arc(library, "DFFR_X1/CK", last, 0.0, inverter)
        one, slew = _arc(library, "INV_X1/A", middle, slew, nand)
        two, slew_a = _arc(library, "NAND2_X1/A", last, slew, data)
        # The slower transition counts, here that of the other input: graph-based timing merges them.
        _, slew_b = _arc(library, "NAND2_X1/B", last, CONDITIONS.input_slew_ns, data)
        by_edge[last] = launch + one + two + _setup(library, "DFF_X2", last, max(slew_a, slew_b))
    report = _time(library)
    assert report.period_ns == pytest.approx(max(by_edge.values()), rel=1e-12)
    assert [(point.instance, point.pin) for point in report.critical_path] == [
        ("first", "Q"),
        ("one", "Z"),
        ("two", "Z"),
    ]
    assert report.register_to_register is not None
    assert report.register_to_register.end == "last/D"
    assert report.critical_path[-1].arrival_ns + report.register_to_register.setup_ns == report.period_ns
    assert report.critical_path[0].load_ff == inverter


def test_paths_of_ports_stand_beside_the_period(library: Library) -> None:
    report = _time(library)
    to_nand = max(
        _arc(library, "NAND2_X1/B", edge, 0.02, 1.5)[0]
        + _setup(library, "DFF_X2", edge, _arc(library, "NAND2_X1/B", edge, 0.02, 1.5)[1])
        for edge in ("rise", "fall")
    )
    assert library.cell("DFF_X2").pins["D"].rise == 1.5
    assert report.input_to_register_ns == pytest.approx(to_nand, rel=1e-3)
    assert report.register_to_output_ns == pytest.approx(_arc(library, "DFF_X2/CK", "rise", 0, 5)[0], rel=1e-12)
    assert report.input_to_output_ns == pytest.approx(_arc(library, "XOR2_X1/B", "rise", 0.02, 5)[0], rel=1e-12)
    assert report.input_to_output is not None
    assert report.input_to_output.end == "z"
    assert [point.instance for point in report.input_to_output.points] == ["b", "over"]


def test_the_graph_shows_every_pin_and_arc(library: Library) -> None:
    report = _time(library)
    graph, state = report.graph, report.state
    net = {name: number for number, name in enumerate(graph.bound.netlist.nets)}
    assert state.load[2 * net["y"] + RISE] == 5.0
    assert state.load[2 * net["q"] + FALL] == library.cell("INV_X1").pins["A"].fall
    assert state.slew[2 * net["b"] + RISE] == 0.02
    assert state.arrival[FROM_REGISTER, 2 * net["z"]] == -float("inf")
    xor = next(index for index, instance in enumerate(graph.bound.netlist.instances) if instance.name == "over")
    edges = graph.instance == xor
    assert edges.sum() == 8, "two inputs, both edges of each give both edges of the output"
    assert {graph.arcs[arc].related_pin for arc in graph.arc[edges]} == {"A", "B"}
    assert (state.delay[edges] > 0).all()
    assert (graph.target[edges] >> 1 == net["z"]).all()


def test_reset_is_no_path(library: Library) -> None:
    inputs = {point.instance for path in [_time(library).input_to_register] if path for point in path.points}
    assert "rn" not in inputs
    alone = CHAIN.replace(".D(a)", ".D(q)").replace(".B(b), .Z(m)", ".B(q), .Z(m)")
    assert _time(library, alone).input_to_register_ns is None


@pytest.mark.parametrize(
    ("select", "edges"), [("l", {("A", RISE, RISE), ("A", FALL, FALL)}), ("h", {("B", RISE, RISE), ("B", FALL, FALL)})]
)
def test_what_a_constant_switches_off_is_no_path(
    library: Library, select: str, edges: set[tuple[str, int, int]]
) -> None:
    report = _time(
        library,
        f"""module t(a, b, y); input a, b; output y; wire l, h;
        TIELO_X1 low (.Z(l)); TIEHI_X1 high (.Z(h)); MUX2_X1 g (.A(a), .B(b), .S({select}), .Z(y)); endmodule""",
    )
    graph = report.graph
    found = {
        (graph.arcs[arc].related_pin, int(source) & 1, int(target) & 1)
        for arc, source, target in zip(graph.arc, graph.source, graph.target, strict=True)
    }
    assert found == edges


def test_a_constant_makes_an_xor_one_sided(library: Library) -> None:
    text = """module t(a, y); input a; output y; wire h;
    TIEHI_X1 high (.Z(h)); XOR2_X1 g (.A(a), .B(h), .Z(y)); endmodule"""
    graph = _time(library, text).graph
    assert [(int(s) & 1, int(t) & 1) for s, t in zip(graph.source, graph.target, strict=True)] == [
        (FALL, RISE),
        (RISE, FALL),
    ]


def test_kinds_of_path_a_netlist_lacks_are_none(library: Library) -> None:
    report = _time(library, "module t(a, y); input a; output y; INV_X1 g (.A(a), .Z(y)); endmodule")
    assert report.period_ns is None
    assert report.input_to_register_ns is None
    assert report.register_to_output_ns is None
    assert report.input_to_output_ns is not None
    assert report.critical_path == ()


def test_a_netlist_of_wires_has_no_times(library: Library) -> None:
    report = _time(library, "module t(a, y, k); input a; output y, k; assign y = a; assign k = 1'b1; endmodule")
    assert report.input_to_output_ns == 0
    assert report.period_ns is None


def test_more_load_and_slower_inputs_take_longer(library: Library) -> None:
    netlist = parse_netlist(CHAIN, library)
    quick = analyse(netlist, library, TimingConditions(0.01, 1.0))
    slow = analyse(netlist, library, TimingConditions(0.1, 50.0))
    for name in ("input_to_register_ns", "register_to_output_ns", "input_to_output_ns"):
        assert getattr(slow, name) > getattr(quick, name)


def test_an_output_that_drives_too_much_is_named(library: Library) -> None:
    assert analyse(parse_netlist(CHAIN, library), library, CONDITIONS).overloaded == ()
    assert analyse(parse_netlist(CHAIN, library), library, TimingConditions(0.02, 100.0)).overloaded == ("over/Z",)


@pytest.mark.parametrize(("field", "value"), [("input_slew_ns", -0.1), ("output_load_ff", float("nan"))])
def test_impossible_conditions_are_refused(field: str, value: float) -> None:
    with pytest.raises(RequestError, match=f"{field}: must be a number of at least 0"):
        TimingConditions(**({"input_slew_ns": 0.1, "output_load_ff": 1.0} | {field: value}))


@pytest.mark.thorough
def test_default_conditions_are_those_among_four_nand2(library: Library) -> None:
    conditions = default_conditions(library)
    assert conditions.output_load_ff == pytest.approx(4 * 1.5 * 1.05)
    assert 0.01 < conditions.input_slew_ns < 0.1
    assert analyse(parse_netlist(CHAIN, library), library).conditions == conditions
