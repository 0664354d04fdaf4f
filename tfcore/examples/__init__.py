"""Runnable programs: python -m tfcore.examples.NAME."""
