"""Tests of clusters.

PATIENCE multiplies every limit after which a test says that something hangs: sanitizers, and machines that do other
things too, make programs many times slower (TFCORE_TEST_PATIENCE).
"""

import os

PATIENCE = float(os.environ.get("TFCORE_TEST_PATIENCE", "1"))
LONG_S = 30 * PATIENCE  # for a message that should come at once
