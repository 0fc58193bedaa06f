"""The testbench that runs inside the simulator: a cocotb test that speaks the block interface to any core."""
