"""Records of the updates of optimizers by handle: none, as the compiler replaces them by those by reference."""

from tfcore.ops.resource_variable_training import by_handles
from tfcore.ops.training import UPDATES

RECORDS = []

EXPLICIT = {by_handles(update).name: "tests/ops/test_resource_variable.py::test_updates_of_optimizers"
            for update in UPDATES}  # fmt: skip
