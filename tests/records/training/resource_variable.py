"""Records of the updates of optimizers by handle: none, as the compiler replaces them by those by reference."""

from tfcore.ops.training.resource_variable import by_handles
from tfcore.ops.training.training import UPDATES

RECORDS = []

EXPLICIT = {by_handles(update).name: "tests/ops/state/test_resource_variable.py::test_updates_of_optimizers"
            for update in UPDATES}  # fmt: skip
