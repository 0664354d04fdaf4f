"""Arrays that are aligned to their elements only, as views of others may be: kernels that read 16 bytes at once must
notice. A wrong access is an error of the checked builds."""

import numpy as np
import pytest

from tests.gpu import images, test_conv, test_cwise, test_indexing, test_matmul, test_softmax
from tests.gpu import kernels as k

DTYPES = ["float", "half", "bfloat16"]
pytestmark = k.needs_checks


@pytest.fixture(autouse=True)
def skewed(monkeypatch):
    monkeypatch.setattr(k.gpu().device, "skewed", True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m, n, depth", [(64, 64, 64), (132, 68, 12)])
def test_products(dtype, m, n, depth):
    rng = np.random.default_rng(0)
    a, b = k.random_values(rng, dtype, (m, depth)), k.random_values(rng, dtype, (depth, n))
    test_matmul.check(dtype, a, b, False, False, 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_convolutions(dtype):
    window = images.Window((3, 3), (1, 1), (1, 1), (1, 1), (1, 1))
    case = test_conv.Case(k.gpu(), dtype, (6, 7), window, 2, (8, 12), False, 0)
    case.forward()
    case.input()
    case.filter_()


@pytest.mark.parametrize("op", ["Square", "Neg"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements(op, dtype):
    test_cwise.check_unary(k.gpu(), "cwise/unary", op, dtype, test_cwise.UNARY[op], 1000, 0)


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_softmax_of_rows(op, dtype):
    test_softmax.test_softmax.hypothesis.inner_test(op, dtype, (5, 512), 0)


@pytest.mark.parametrize("size", [4, 8, 16])
def test_gathered_rows(size):
    test_indexing.test_gather.hypothesis.inner_test((1, 2), 9, 64, 30, size, 0)
