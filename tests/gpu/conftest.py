"""Which tests of CUDA kernels run by default.

A family is compiled by g++ and nvcc before its first test, all of them in more than ten minutes on two cores. By
default only the tests of the checks themselves and of two families run; TFCORE_TEST_CUDA=1 adds the others.
"""

import os

if not os.environ.get("TFCORE_TEST_CUDA"):
    collect_ignore = [
        "test_array_copy.py",
        "test_build.py",
        "test_conv.py",
        "test_cwise.py",
        "test_indexing.py",
        "test_pooling.py",
        "test_random.py",
        "test_reduce.py",
        "test_training.py",
    ]
