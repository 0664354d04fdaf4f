"""The only module that imports Hypothesis, which is needed only for drawing examples."""

import os

try:
    from hypothesis import HealthCheck, Phase, given, reject, settings
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError(
        "tfcore.testing draws its examples with hypothesis, which is not installed: pip install 'tfcore[test]'"
    ) from error

__all__ = ["EFFORT", "example_settings", "given", "reject", "st"]

# TFCORE_TEST_EFFORT=10 draws ten times as many examples, different ones in each run. Up to 1 they are always the same.
EFFORT = float(os.environ.get("TFCORE_TEST_EFFORT", "1"))


def example_settings(count):
    """Settings for a derived test with about `count` examples, the same ones in each run."""
    return settings(
        max_examples=max(1, round(count * EFFORT)),
        deadline=None,
        derandomize=EFFORT <= 1,
        database=None,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
