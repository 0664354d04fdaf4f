"""Speeds of a GPU; see README.md."""
