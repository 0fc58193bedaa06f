"""The sub-pipelined family: any number of stages a round and rounds in the loop (Zhang and Parhi, 2004)."""
