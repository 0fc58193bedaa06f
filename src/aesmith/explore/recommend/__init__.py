"""From a requirement to the core that serves it best: what modes need, which points meet it, what the others cost."""
