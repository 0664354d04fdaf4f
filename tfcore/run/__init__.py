"""Starts clusters: `python -m tfcore.run --help`."""
