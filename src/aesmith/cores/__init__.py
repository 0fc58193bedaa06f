"""The architectures. A core is parameters, leaf circuits, SystemVerilog around them, and schedule facts."""
