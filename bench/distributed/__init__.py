"""The cost of steps that only move parameters between tasks, and how it grows with the number of workers."""
