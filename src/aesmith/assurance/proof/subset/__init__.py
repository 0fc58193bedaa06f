"""The SystemVerilog that proofs accept: kinds of slang's syntax nodes, and the rules on what they say."""
