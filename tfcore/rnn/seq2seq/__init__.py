"""Sequence to sequence: decoders, attention, losses."""
