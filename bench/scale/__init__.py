"""Protocols between tasks, run against a simulated network: see README.md."""
