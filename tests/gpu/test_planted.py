"""Mistakes planted in the kernels themselves: the tests of their families notice each of them."""

import os
import shutil

import numpy as np
import pytest

from tests.gpu import images, on_host, test_conv, test_cwise, test_indexing, test_matmul, test_pooling
from tests.gpu import kernels as k
from tests.gpu import test_random as random
from tests.gpu import test_reduce as reductions
from tests.gpu import test_softmax as softmaxes
from tests.gpu import test_training as training
from tfcore.gpu import build

X = np.random.default_rng(0).standard_normal((2, 700, 3)).astype(np.float32)
WINDOW = images.Window((2, 2), (1, 1), (1, 1), (0, 0), (0, 0))


def sums(seed):
    for shape in (X.shape, (60, 7, 10), (60, 70, 1), (5, 840, 1)):  # columns, lines of a warp and of a block
        reductions.reduce(k.gpu(), "Sum", "float", X.reshape(shape), seed)


def products(seed):
    a = X.reshape(70, 60)
    test_matmul.check("float", a, a, False, True, seed)


def convolutions(seed):
    same = WINDOW._replace(after=(1, 1))
    test_conv.Case(k.gpu(), "float", (5, 5), same, 1, (2, 2), False, seed).forward()


def pools(seed):
    x = X[:1, :12].reshape(1, 3, 4, 3)
    test_pooling.run(k.gpu(), "AvgPoolGrad", "float", x, x[:, :2, :3], WINDOW, False, seed)


def exponentials(seed):
    test_cwise.unary(k.gpu(), "cwise/unary", "Exp", "float", X.reshape(-1), seed=seed)


def softmax(seed):
    x = X[0, :50].reshape(3, 50)  # a warp has two rows
    softmaxes.sparse(k.gpu(), "float", x, np.zeros(3, np.int32), seed)


def transpose(seed):
    gpu = k.gpu()
    x, y = gpu.array(X), gpu.empty((2, 3, 700), np.float32)
    fields = {"from": x, "to": y, "batch": 2, "rows": 700, "cols": 3}
    gpu.run("array/copy", "Transpose_bytes4", "transpose", seed=seed, **fields)


def gather(seed):
    test_indexing.gather(k.gpu(), X[None], np.array([[700]]), seed)


def scatter(seed):
    indices = np.array([[1], [0], [1]])
    y, _ = test_indexing.scatter(k.gpu(), "ScatterSub", "float", X[0, :2], indices, (2,), X[0, :3], seed)
    np.testing.assert_array_equal(y, [X[0, 0] - X[0, 1], X[0, 1] - X[0, 0] - X[0, 2]])


def update(seed):
    one = [np.ones(300, np.float32)]
    training.run(k.gpu(), "ApplyGradientDescent", "training", "float", [1], one, one[0], 0, seed, n=300)


def numbers(seed):
    random.draw(k.gpu(), "RandomUniform", "float", 5, (1, 2), seed=seed)


# The file, the line and what it becomes, what notices it, and how
MISTAKES = {
    "no barrier before the lanes are combined": (
        "reduce/reduce.cuh", "    __syncthreads();\n    if (place.lane", "    if (place.lane", sums, on_host.RACE),
    "no barrier before the next tile": (
        "reduce/reduce.cuh", "  __syncthreads(); /* the next tile writes to the tree */", "", sums, on_host.RACE),
    "no barrier before the warps are combined": (
        "reduce/reduce.cuh", "  __syncthreads();\n  value = tree[first];", "  value = tree[first];", sums,
        on_host.RACE),
    "no barrier before the next line": (
        "reduce/reduce.cuh", "  __syncthreads(); /* the next reduction writes to the tree */", "", sums, on_host.RACE),
    "a group past the end": ("reduce/reduce.cu", "r < tail", "r < end", sums, "values or bounds"),
    "lanes past the end": ("reduce/reduce.cu", "if (result < results) {", "{", sums, on_host.BOUNDS),
    "no barrier after a product": (
        "linalg/gemm.cuh", "        __syncthreads(); /* the next tiles are there */\n", "", products, on_host.RACE),
    "a row too many": (
        "linalg/gemm.cuh", "first + tile_row < rows", "first + tile_row <= rows", products, on_host.BOUNDS),
    "a pixel too many": (
        "conv/conv.cu", "at.w < (position)from.w", "at.w <= (position)from.w", convolutions, "values or bounds"),
    "a window too many": ("pooling/pooling.cu", "(i + pad) / stride + 1 < windows", "true", pools, on_host.BOUNDS),
    "an element too many": ("common/element.cuh", "I < (N); I +=", "I <= (N); I +=", exponentials, on_host.BOUNDS),
    "a way around shuffles": (
        "nn/softmax.cu", "    const bool inside = row < p.rows;", "    const bool inside = row < p.rows;\n"
        "    if (!inside) break;", softmax, on_host.MASK),
    "no barrier within a transpose": (
        "array/copy.cu", "tile[y + k * ROWS][x] = own[k];\n    __syncthreads();", "tile[y + k * ROWS][x] = own[k];",
        transpose, on_host.RACE),
    "a column too many": ("array/copy.cu", "col + x < p.cols)", "true)", transpose, on_host.BOUNDS),
    "an index not checked": ("indexing/indexing.cu", "index < p.limit", "true", gather, on_host.BOUNDS),
    "each index for itself": (
        "indexing/indexing.cuh", "if (row < 0 || (i > 0 && key[i - 1].row == row)) continue;", "", scatter,
        on_host.RACE),
    "a sort without its barrier": (
        "indexing/indexing.cu", "        __syncthreads();\n      }\n", "      }\n", scatter, on_host.RACE),
    "updates in the wrong place": (
        "training/training.cu", "update_element<OP, T>(p, i, i)", "update_element<OP, T>(p, 1, i)",
        update, on_host.RACE),
    "a number too many": ("random/random.cu", "b * p.per_block + i < p.n", "true", numbers, on_host.BOUNDS),
}  # fmt: skip


def family_of(runner):
    return {
        sums: "reduce/reduce", products: "linalg/matmul", convolutions: "conv/conv", pools: "pooling/pooling",
        exponentials: "cwise/unary",
        softmax: "nn/softmax", transpose: "array/copy", gather: "indexing/indexing", scatter: "indexing/indexing",
        update: "training/training",
        numbers: "random/random",
    }[runner]  # fmt: skip


@k.needs_checks
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_noticed(mistake, tmp_path, monkeypatch):
    file, right, wrong, runner, kind = MISTAKES[mistake]
    folder = tmp_path / "kernels_cuda"
    shutil.copytree(build.SOURCES, folder)
    text = (folder / file).read_text()
    assert text.count(right) == 1, "the planted line has changed"
    (folder / file).write_text(text.replace(right, wrong))
    monkeypatch.setenv("TFCORE_CACHE", str(tmp_path / "cache"))
    os.makedirs(tmp_path / "cache")
    name = family_of(runner)
    family, ordinary = on_host.load(name, True, sources=str(folder), few_types=True), k.load
    monkeypatch.setattr(k, "load", lambda asked: family if asked == name else ordinary(asked))
    for seed in range(6):
        k.gpu().reset()
        try:
            runner(seed)
        except on_host.KernelError as e:
            assert kind in (e.kind, "values or bounds"), e
            return
        except AssertionError:
            assert kind == "values or bounds"
            return
    pytest.fail("nobody noticed")
