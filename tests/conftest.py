"""Settings for all tests: Hypothesis without deadlines, the same examples at each run, poisoned memory."""

import os

from hypothesis import HealthCheck, settings

# Before tfcore is imported: outputs that a kernel does not write are NaN, not what was there before.
os.environ.setdefault("TFCORE_POISON", "1")

settings.register_profile(
    "tfcore",
    deadline=None,
    max_examples=50,
    database=None,
    derandomize="TFCORE_TEST_EFFORT" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tfcore")
