"""Moved to tfcore.testing.strategies; here for tests that are still being moved."""

from tfcore.testing.arrays import *  # noqa: F403
from tfcore.testing.arrays import float_limits  # noqa: F401
