"""Programs for developers: `python -m tfcore.tools.NAME`."""
