"""A user's op in C and in Cython: see the README beside this file."""
