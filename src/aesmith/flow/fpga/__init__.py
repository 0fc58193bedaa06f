"""FPGA synthesis, and place and route where there are open tools for the device."""
