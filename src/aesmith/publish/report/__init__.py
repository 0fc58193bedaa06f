"""The report: all measured designs in one HTML file that works offline."""
