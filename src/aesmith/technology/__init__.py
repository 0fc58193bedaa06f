"""Technology: cells of a Liberty library as timing and power need them, and the embedded library."""
