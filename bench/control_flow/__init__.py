"""Loops and recurrent networks inside a graph: see README.md."""
