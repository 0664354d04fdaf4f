"""Settings for all tests: Hypothesis without deadlines, the same examples at each run."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "tfcore",
    deadline=None,
    max_examples=50,
    database=None,
    derandomize="TFCORE_TEST_EFFORT" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tfcore")
