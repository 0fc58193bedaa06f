"""The tables of the publications, with what they state and how each of their rows is measured here."""
