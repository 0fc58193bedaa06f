"""Projects for boards: a core with a self-test around it, and what tools build a bitstream from."""
