"""Kernels from CUDA C++: tf.gpu.cuda_kernel."""

import concurrent.futures
import ctypes
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.composed.test_cuda_kernel import Known, expressions
from tests.gpu.devices.on_both import run
from tfcore.core.device import gpu
from tfcore.framework.types import dtypes
from tfcore.gpu import build, driver, nvrtc, user_source

SCALE = """
__global__ void scale(const float* x, float* y, float by, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
"""
# Loads and stores T; adds in U.
DOUBLED = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <stdint.h>
__global__ void doubled(const T* __restrict__ x, T* __restrict__ y, long long n) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
    y[i] = TWICE;
}
"""
C_TYPES = {
    "half": "__half",
    "bfloat16": "__nv_bfloat16",
    "float32": "float",
    "float64": "double",
    "int8": "int8_t",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "uint16_t",
    "uint32": "unsigned",
    "uint64": "size_t",
    "complex64": "float2",
    "complex128": "double2",
    "bool": "bool",
}
TWICE = {
    "half": "__float2half(2 * __half2float(x[i]))",
    "bfloat16": "__float2bfloat16(2 * __bfloat162float(x[i]))",
    "complex64": "make_float2(2 * x[i].x, 2 * x[i].y)",
    "complex128": "make_double2(2 * x[i].x, 2 * x[i].y)",
    "bool": "!x[i]",
}
TRANSPOSE = """
template <typename Element>
__device__ void move(const Element* x, Element* y, int rows, int columns) {
  __shared__ Element tile[SIDE][SIDE + 1];
  int column = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
  __syncthreads();
  row = blockIdx.x * SIDE + threadIdx.y, column = blockIdx.y * SIDE + threadIdx.x;
  if (row < columns && column < rows) y[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}
__global__ void transpose(const float* x, float* y, int rows, int columns) { move(x, y, rows, columns); }
"""
# Sum and largest element of each row, with dynamic shared memory.
ROWS = """
extern "C" __global__ void rows(const double* x, double* sums, double* largest, int columns) {
  extern __shared__ double part[];
  double sum = 0, most = -1e300;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    double v = x[(long long)blockIdx.x * columns + c];
    sum += v;
    most = v > most ? v : most;
  }
  part[threadIdx.x] = sum;
  part[blockDim.x + threadIdx.x] = most;
  __syncthreads();
  if (threadIdx.x) return;
  for (int t = 1; t < blockDim.x; t++) {
    sum += part[t];
    most = part[blockDim.x + t] > most ? part[blockDim.x + t] : most;
  }
  sums[blockIdx.x] = sum;
  largest[blockIdx.x] = most;
}
"""
ADD_ONE_AT = """
__global__ void add_one_at(const float* before, const int* places, float* after, int n) {
  int i = threadIdx.x;
  if (i < n) atomicAdd(&after[places[i]], 1.0f);
}
"""
BEYOND = """
__global__ void beyond(const float* x, float* y, int n) {
  int i = threadIdx.x;
  y[i] = x[i];
}
"""
GRID = {"grid": lambda x: x.size.ceil_div(256), "block": 256}


def scale(x, by=0.5, **options):
    return tf.gpu.cuda_kernel(
        SCALE, "scale", [x], (tf.float32, lambda x: x.shape), scalars=[by, lambda x: x.size], **{**GRID, **options}
    )


def doubled(x, name):
    """Twice the values of a tensor."""
    constants = {"T": C_TYPES[name], "TWICE": TWICE.get(name, "2 * x[i]")}
    outputs = (x.dtype, lambda x: x.shape)
    grid = lambda x: x.size.ceil_div(64).min(3)  # noqa: E731  its loop covers the rest
    return tf.gpu.cuda_kernel(
        DOUBLED, "doubled", [x], outputs, grid, 64, constants=constants, scalars=[lambda x: x.size]
    )


def transpose(x):
    return tf.gpu.cuda_kernel(
        TRANSPOSE, "transpose", [x], (tf.float32, lambda x: (x.shape[1], x.shape[0])),
        grid=lambda x: (x.shape[1].ceil_div(8), x.shape[0].ceil_div(8)), block=(8, 8), constants={"SIDE": 8},
        scalars=[lambda x: x.shape[0], lambda x: x.shape[1]],
    )  # fmt: skip


def rows(x, threads=32):
    return tf.gpu.cuda_kernel(
        ROWS, "rows", [x], [(tf.float64, lambda x: x.shape[:-1])] * 2, grid=lambda x: x.shape[0], block=threads,
        shared=16 * threads, scalars=[lambda x: x.shape[-1]],
    )  # fmt: skip


def add_one_at(x, places):
    return tf.gpu.cuda_kernel(
        ADD_ONE_AT, "add_one_at", [x, places], (tf.float32, lambda x, places: x.shape), 1, 64, in_place={0: 0},
        scalars=[lambda x, places: places.size],
    )  # fmt: skip


@pytest.mark.parametrize("name", C_TYPES)
def test_types(name):
    rng = np.random.default_rng(1)
    dtype = dtypes.as_dtype(name).as_numpy_dtype
    for shape in [(), (1,), (63,), (3, 100), (2, 0)]:
        x = np.asarray(rng.normal(size=shape) * 10).astype(dtype)
        if name.startswith("complex"):
            x = x + np.asarray(1j * rng.normal(size=shape)).astype(dtype)
        found = run("/gpu:0", lambda x: doubled(x, name), [x])
        assert found.dtype == x.dtype and found.shape == shape
        np.testing.assert_array_equal(found, ~x if name == "bool" else (x + x).astype(dtype))


def test_shapes_and_grids_are_computed_from_the_inputs():
    x = np.arange(21 * 10, dtype=np.float32).reshape(21, 10)
    np.testing.assert_array_equal(run("/gpu:0", transpose, [x]), x.T)
    x = np.random.default_rng(2).integers(-9, 9, [5, 77]).astype(np.float64)
    with tf.device("/gpu:0"), tf.Session() as session:
        sums, largest = rows(tf.constant(x))
        assert sums.shape == largest.shape == [5]
        for found, expected in zip(session.run([sums, largest]), [x.sum(1), x.max(1)]):
            np.testing.assert_array_equal(found, expected)


def test_an_input_of_unknown_rank():
    x = tf.placeholder(tf.float32)
    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_kernel(
            "__global__ void fill(const float* x, float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = n; }",
            "fill", [x], (tf.float32, lambda x: (2, *[x.ndim]) + x.shape[1:] + (1,)), grid=1, block=64,
            scalars=[lambda x: 2 * x.ndim * x.size // x.shape[0]],
        )  # fmt: skip
    assert y.shape.ndims is None
    with tf.Session() as session:
        found = session.run(y, {x: np.zeros([3, 2, 4])})
        assert found.shape == (2, 3, 2, 4, 1) and (found == 48).all()
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"input 0 has no dimension 0: its rank is 0"):
            session.run(y, {x: 1.0})


def test_in_place_of_an_input():
    before, places = np.arange(6, dtype=np.float32), np.array([0, 5, 0, 2], np.int32)
    expected = before + np.array([2, 0, 1, 0, 0, 1])
    np.testing.assert_array_equal(run("/gpu:0", add_one_at, [before, places]), expected)
    with tf.device("/gpu:0"), tf.Session() as session:
        x = tf.placeholder(tf.float32, [6]) + 0.0
        kept, after = session.run([x * 1.0, add_one_at(x, places)], {x: before})
        np.testing.assert_array_equal(kept, before)  # it has another reader
        np.testing.assert_array_equal(after, expected)
        same = tf.gpu.cuda_kernel(
            "__global__ void same(const float* x, float* y, bool* is_same) { *is_same = x == y; }", "same", [x * 2.0],
            [(tf.float32, lambda x: x.shape), (tf.bool, ())], 1, 1, in_place={0: 0},
        )  # fmt: skip
        assert session.run(same[1], {x: before})


@pytest.mark.parametrize("replays", [False, True])
def test_what_others_need_is_not_written_in_place(replays):
    config = tf.ConfigProto()
    config.gpu_options.disable_cuda_graphs = not replays
    with tf.device("/gpu:0"):
        v, c, places = tf.Variable(tf.zeros([4])), tf.constant([1.0, 2.0, 3.0]), tf.placeholder(tf.int32, [3])
        changed, of_constant = add_one_at(v, places), add_one_at(c, places)
        with tf.control_dependencies([changed]):
            after = tf.assign(v, add_one_at(tf.exp(v) * 0.0 + v, places))
    with tf.Session(config=config) as session:
        session.run(v.initializer)
        for i in range(30):
            found = session.run([changed, of_constant, after], {places: [0, 1, 1]})
            np.testing.assert_array_equal(found[0], [i + 1, 2 * i + 2, 0, 0])
            np.testing.assert_array_equal(found[1], [2, 4, 3])
            np.testing.assert_array_equal(found[2], found[0])


def test_scalars_of_each_type():
    source = """
    #include <cuda_fp16.h>
    #include <stdint.h>
    __global__ void all(double* y, bool a, double b, __half c, int8_t d, uint64_t e, unsigned short f, float2 g,
                        int h) {
      double values[] = {
        double(a), b, double(__half2float(c)), double(d), double(e >> 32), double(f), g.x, g.y, double(h)};
      for (int i = 0; i < 9; i++) y[i] = values[i];
    }"""
    scalars = [True, 0.1, 1.5, -7, 2**63, np.uint16(65535), 2 - 3j, lambda: 5]
    with tf.device("/gpu:0"), tf.Session() as session:
        y = tf.gpu.cuda_kernel(source, "all", [], [(tf.float64, 9)], 1, 1, scalars=scalars)[0]
        assert session.run(y).tolist() == [1, 0.1, 1.5, -7, 2**31, 65535, 2, -3, 5]


def test_constants():
    source = "__global__ void f(double* y) { y[0] = A; y[1] = B + 1; y[2] = C ? 5 : 6; y[3] = D; y[4] = E 2; }"
    constants = {"A": 1.25, "B": -3, "C": True, "D": 2**40, "E": "sizeof(float) *"}
    with tf.device("/gpu:0"):
        y = tf.gpu.cuda_kernel(source, "f", [], (tf.float64, 5), 1, 1, constants=constants)
        other = tf.gpu.cuda_kernel(source, "f", [], (tf.float64, 5), 1, 1, constants={**constants, "C": False})
    with tf.Session() as session:
        assert session.run(y).tolist() == [1.25, -2, 5, 2**40, 8]
        assert session.run(other)[2] == 6  # another source


def test_a_kernel_that_is_defined_twice():
    kernel = "__global__ void f({} * y) {{ *y = 1; }}"
    source = f"#if WIDE\n{kernel.format('double')}\n#else\n{kernel.format('float')}\n#endif"
    with tf.device("/gpu:0"), tf.Session() as session:
        for dtype in (tf.float64, tf.float32):
            constants = {"WIDE": dtype == tf.float64}
            y = tf.gpu.cuda_kernel(source, "f", [], (dtype, ()), 1, 1, constants=constants)
            assert session.run(y) == 1


def test_a_file_and_what_it_includes(tmp_path):
    (tmp_path / "half.cuh").write_text("#pragma once\n__device__ float halve(float x) { return x / 2; }\n")
    (tmp_path / "scale.cu").write_text(
        '#include "half.cuh"\n#include "half.cuh"\n' + SCALE.replace("by *", "halve(by) *")
    )
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [3])
        y = tf.gpu.cuda_kernel(
            tmp_path / "scale.cu",
            "scale",
            [x],
            (tf.float32, lambda x: x.shape),
            scalars=[3.0, lambda x: x.size],
            **GRID,
        )
    (tmp_path / "half.cuh").unlink()
    with tf.Session() as session:
        assert session.run(y, {x: [1, 2, 3]}).tolist() == [1.5, 3, 4.5]
    (tmp_path / "scale.cu").write_text("\n\n" + SCALE.replace("by *", "byy *"))
    with tf.device("/gpu:0"), tf.Session() as session:
        wrong = tf.gpu.cuda_kernel(
            tmp_path / "scale.cu",
            "scale",
            [x],
            (tf.float32, lambda x: x.shape),
            scalars=[3.0, lambda x: x.size],
            **GRID,
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="byy") as error:
            session.run(wrong, {x: [1, 2, 3]})
    assert re.search(r"scale\.cu[:(]6\b", error.value.message)


def test_options_are_part_of_the_operation():
    source = "__global__ void f(float* y) { *y = VALUE; }"
    with tf.device("/gpu:0"):
        made = [
            tf.gpu.cuda_kernel(source, "f", [], (tf.float32, ()), 1, 1, options=options)
            for options in (["-DVALUE=2", "--use_fast_math"], ["-DVALUE=3"], [])
        ]
    with tf.Graph().as_default() as copied, tf.Session() as session:
        tf.import_graph_def(made[0].graph.as_graph_def(), name="")
        assert session.run([copied.get_tensor_by_name(t.name) for t in made[:2]]) == [2, 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match="VALUE"):
            session.run(copied.get_tensor_by_name(made[2].name))
        crafted = made[0].graph.as_graph_def()
        crafted.node[0].attr["options"].list.s[0] = b"-ccbin=other"
        (y,) = tf.import_graph_def(crafted, return_elements=[made[0].name], name="crafted")
        with pytest.raises(tf.errors.InvalidArgumentError, match="'-ccbin=other' is not an option"):
            session.run(y)
        crafted.node[1].attr["function"].s = b"../x"
        (y,) = tf.import_graph_def(crafted, return_elements=[made[1].name], name="renamed")
        with pytest.raises(tf.errors.InvalidArgumentError, match="'../x' can't be the name of a kernel"):
            session.run(y)
    with pytest.raises(ValueError, match="'-I/tmp' is not an option"):
        tf.gpu.cuda_kernel(source, "f", [], (tf.float32, ()), 1, 1, options=["-I/tmp"])


def test_a_source_that_does_not_compile():
    with tf.device("/gpu:0"), tf.Session() as session:
        x = tf.placeholder(tf.float32, [3])
        source = SCALE.replace("by *", "byy *") + "\n" * 5 + "__device__ int f() { return undefined_name; }"
        y = tf.gpu.cuda_kernel(
            source, "scale", [x], (tf.float32, 3), 1, 4, constants={"A": 1, "B": 2}, scalars=[1.0, 3], op_name="mine"
        )
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match="The source of scale can't be compiled") as error:
                session.run(y, {x: [1, 2, 3]})
        assert re.search(r"scale\.cu[:(]4\b", error.value.message), error.value.message
        assert "undefined_name" in error.value.message and re.search(r"scale\.cu[:(]11\b", error.value.message)
        assert error.value.op is y.op and "test_cuda_kernel.py" in error.value.message
        assert session.run(scale(x), {x: [1, 2, 3]}).tolist() == [0.5, 1, 1.5]


@pytest.mark.parametrize(
    "options, text",
    [
        ({"grid": lambda x: x.size * 0 - 1}, r"the grid is \(-1, 1, 1\), but its sizes go from 0 to"),
        ({"grid": (1, 65536)}, r"the grid is \(1, 65536, 1\)"),
        ({"grid": (1, 1, 1, 1)}, "the grid has 4 sizes"),
        ({"block": 0}, r"the block is \(0, 1, 1\), but its sizes go from 1 to \(1024, 1024, 64\)"),
        ({"block": (32, 33)}, r"the block is \(32, 33, 1\): more than 1024 threads"),
        ({"shared": lambda x: x.size - 4}, "the shared memory is -1 bytes"),
        ({"shared": 300_000}, r"the GPU refuses a grid of \(1, 1, 1\), a block of \(256, 1, 1\) and 300000 bytes"),
        ({"shared": lambda x: x.size // (x.size - 3)}, "the shared memory: a division by zero of 3 and 0"),
        ({"grid": lambda x: x.size * 2**62 * 2}, "the grid: an overflow of 13835058055282163712|the grid: an overflow"),
        ({"by": lambda x: x.size - 4, "source": SCALE.replace("float by", "unsigned by")}, "a scalar is -1"),
    ],
)
def test_sizes_out_of_range(options, text):
    options = {"by": 0.5, "source": SCALE, **GRID, **options}
    with tf.device("/gpu:0"), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        by, source = options.pop("by"), options.pop("source")
        y = tf.gpu.cuda_kernel(source, "scale", [x], (tf.float32, lambda x: x.shape), scalars=[by, 3], **options)
        with pytest.raises(tf.errors.InvalidArgumentError, match=text) as error:
            session.run(y, {x: np.ones(3)})
        assert error.value.op is y.op


def test_shapes_of_outputs_out_of_range():
    with tf.device("/gpu:0"), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        for shape, text in [
            (lambda x: x.size - 4, "the shape of output 0: dimension 0 is -1"),
        ]:
            y = tf.gpu.cuda_kernel(SCALE, "scale", [x], [(tf.float32, shape)], scalars=[1.0, 3], **GRID)
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(y, {x: np.ones(3)})
        other = tf.gpu.cuda_kernel(SCALE, "scale", [x], (tf.float32, 2), scalars=[1.0, 2], in_place={0: 0}, **GRID)
        with pytest.raises(tf.errors.InvalidArgumentError, match="in place of input 0, which has another shape"):
            session.run(other, {x: np.ones(3)})


@settings(max_examples=40)
@given(expressions(), st.lists(st.integers(1, 9), min_size=2, max_size=4))
def test_sizes_are_those_of_python(function, shape):
    source = "__global__ void store(const float* x, long long* y, long long n) { *y = n; }"
    with tf.Graph().as_default(), tf.device("/gpu:0"), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        y = tf.gpu.cuda_kernel(source, "store", [x], (tf.int64, ()), 1, 1, scalars=[function])
        try:
            found = session.run(y, {x: np.zeros(shape)})
        except tf.errors.InvalidArgumentError as error:
            assert "a scalar: a division by zero" in error.message
            with pytest.raises(ZeroDivisionError):
                function(Known(shape))
            return
    assert found == function(Known(shape))


def test_nothing_is_launched_without_blocks():
    with tf.device("/gpu:0"), tf.Session() as session:
        y = scale(tf.placeholder(tf.float32, [0, 3], name="x"))
        assert session.run(y, {"x:0": np.ones([0, 3])}).shape == (0, 3)


@pytest.mark.parametrize("soft", [False, True])
def test_it_runs_on_gpus_only(soft):
    x = tf.placeholder(tf.float32, [3])
    with tf.device("/cpu:0"):
        y = scale(x)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=soft)) as session:
        if soft:  # to the next device that can
            assert session.run(y, {x: [2, 4, 6]}).tolist() == [1, 2, 3]
            return
        with pytest.raises(tf.errors.InvalidArgumentError, match="CudaKernel runs on GPUs only, but scale is placed"):
            session.run(y, {x: [2, 4, 6]})
    with tf.Session(config=tf.ConfigProto(device_count={"GPU": 0}, allow_soft_placement=True)) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="CudaKernel runs on GPUs only, but scale is placed"):
            session.run(y, {x: [2, 4, 6]})


def test_replays():
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [100])
        y = tf.exp(x)
        for _ in range(3):
            y = scale(y + x, by=1.5) - tf.reduce_sum(y)

    def program(replays):
        config = tf.ConfigProto()
        config.gpu_options.disable_cuda_graphs = not replays
        with tf.Session(config=config) as session:
            return [session.run(y, {x: np.linspace(-1, i / 40, 100)}) for i in range(40)]

    before = gpu.gpu(0).graph_stats()["replays"]
    found = program(True)
    assert gpu.gpu(0).graph_stats()["replays"] >= before + 20
    for a, b in zip(found, program(False)):
        np.testing.assert_array_equal(a, b)


class Launches:
    """Notes for each launch whether it may start before the kernel ahead of it has ended."""

    def __init__(self):
        runtime = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "lib", "libtfcore.so"))
        self.real = ctypes.cast(ctypes.CDLL(driver.EMULATOR).cuLaunchKernelEx, ctypes.c_void_p).value
        functions = (ctypes.c_void_p * 100).in_dll(runtime, "tfc_cuda")  # which the sessions call
        self.slot = ctypes.c_void_p.from_buffer(functions, 8 * list(functions).index(self.real))
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
        self.launch, self.note = kind(self.real), kind(self.noted)
        self.early = []

    def noted(self, config, *arguments):
        # CUlaunchConfig: 7 numbers, the stream, the attributes and how many of them there are
        self.early.append(bool(ctypes.c_uint.from_address(config + 48).value))
        return self.launch(config, *arguments)

    def __enter__(self):
        self.slot.value = ctypes.cast(self.note, ctypes.c_void_p).value
        return self.early

    def __exit__(self, *error):
        self.slot.value = self.real


@pytest.mark.emulated_gpu
def test_it_starts_when_the_kernel_ahead_has_ended():
    """It does not wait for that by itself, as tfcore's kernels do; neither in the queue nor in a replayed graph."""
    made = gpu.gpu(0).graph_stats()["made"]
    with tf.device("/gpu:0"), tf.Session() as session, Launches() as early:
        y = tf.placeholder(tf.float32, [100], name="x")
        for _ in range(4):
            y = tf.exp(scale(y, by=-0.5))
        for _ in range(20):
            session.run(y, {"x:0": np.zeros(100)})
        assert gpu.gpu(0).graph_stats()["made"] == made + 1
    assert early == [False, True] * (len(early) // 2)


def test_traces_have_its_name():
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [100])
        y = scale(x, op_name="half")
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(y, {x: np.ones(100)}, options, metadata)
    named = [
        n for d in metadata.step_stats.dev_stats for n in d.node_stats if "stream" in d.device and "half" in n.node_name
    ]
    assert named and all(n.timeline_label.startswith("half") or "scale" in n.timeline_label for n in named), metadata


def test_control_flow():
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [3])
        looped = tf.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, scale(v, by=2.0)), [tf.constant(0), x])[1]
        chosen = tf.cond(tf.reduce_sum(x) > 0, lambda: scale(x), lambda: scale(x, by=-1.0))
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(looped, {x: [1, 2, 3]}).tolist() == [32, 64, 96]
        assert session.run(chosen, {x: [1, 2, 3]}).tolist() == [0.5, 1, 1.5]
        assert session.run(chosen, {x: [-1, -2, -3]}).tolist() == [1, 2, 3]


def test_constant_inputs_and_equal_kernels():
    with tf.device("/gpu:0"), tf.Session() as session:
        x = tf.constant([2.0, 4.0])
        assert session.run([scale(x), scale(x), scale(x, by=1.0)])[1].tolist() == [1, 2]


def test_gradients():
    with tf.device("/gpu:0"), tf.Session() as session:
        x = tf.placeholder(tf.float32, [3])
        with pytest.raises(LookupError, match="CudaKernel"):
            tf.gradients(scale(x), x)
        y = scale(x, by=3.0, gradient=lambda op, grad: scale(grad, by=3.0))
        (grad,) = tf.gradients(y * y, x)
        assert session.run(grad, {x: [1, 2, 3]}).tolist() == [18, 36, 54]


def test_a_kernel_of_an_imported_graph_has_no_gradient_of_another_source():
    with tf.device("/gpu:0"), tf.Session() as session:
        x = tf.placeholder(tf.float32, [3])
        y = scale(x, gradient=lambda op, grad: scale(grad))
        definition = y.graph.as_graph_def()
        for node in definition.node:  # as from a process whose first kernel was another one
            if node.op == "CudaKernel":
                key = node.attr["_gradient_op_type"]
                key.s = key.s.replace(b"CudaKernel-", b"CudaKernel-0")
        (other,) = tf.import_graph_def(definition, {x.name: x}, [y.name], name="other")
        with pytest.raises(LookupError, match="CudaKernel"):
            tf.gradients(other, x)
        (same,) = tf.import_graph_def(y.graph.as_graph_def(), {x.name: x}, [y.name], name="same")
        assert session.run(tf.gradients(same, x), {x: [1, 2, 3]})[0].tolist() == [0.5] * 3


@pytest.mark.parametrize("other", [{"name": "other"}, {"options": ["-DX"]}, {"scalars": [2.0]}])
def test_gradients_of_two_kernels_of_one_source_differ(other):
    source = "".join(f"__global__ void {name}(const float* x, float* y, float by) {{}}\n" for name in ("one", "other"))
    x = tf.placeholder(tf.float32, [3])

    def made(name="one", scalars=(1.0,), **options):
        return tf.gpu.cuda_kernel(
            source, name, [x], (tf.float32, 3), 1, 1, scalars=list(scalars), gradient=lambda op, grad: grad, **options
        )

    digests = [y.op.get_attr("_gradient_op_type").split(b"-")[1] for y in (made(), made(), made(**other))]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize(
    "shape, expected",
    [
        ("i0.0:9223372036854775807", [2, 3]),
        ("i0.9223372036854775807:-9223372036854775808", []),
        ("i0.-9223372036854775808:", [2, 3]),
        ("i0.9223372036854775807", None),
        ("i0.-9223372036854775808", None),
    ],
)
def test_crafted_positions_at_the_limits(shape, expected):
    source = "__global__ void f(const float* x, float* y) {}"
    with tf.device("/gpu:0"), tf.Session() as session:
        x = tf.placeholder(tf.float32, name="x")
        tf.gpu.cuda_kernel(source, "f", [x], (tf.float32, lambda x: x.shape[0:1]), 0, 1)
        definition = x.graph.as_graph_def()
        definition.node[-1].attr["shapes"].list.s[0] = shape.encode()
        (y,) = tf.import_graph_def(definition, {"x:0": x}, ["f:0"], name="crafted")
        if expected is None:
            with pytest.raises(tf.errors.InvalidArgumentError, match="input 0 has no dimension"):
                session.run(y, {x: np.ones([2, 3])})
        else:
            assert list(session.run(y, {x: np.ones([2, 3])}).shape) == expected


def test_other_sessions_run_while_a_kernel_is_compiled(monkeypatch):
    begun, may_end, compile_source = threading.Event(), threading.Event(), user_source.compile_source

    def slowly(*arguments):
        begun.set()
        assert may_end.wait(60)
        return compile_source(*arguments)

    with tf.device("/gpu:0"), tf.Session() as session:
        x = tf.placeholder(tf.float32, [3])
        known, new = scale(x), scale(x, constants={"UNKNOWN": 1})
        session.run(known, {x: [1, 2, 3]})
        monkeypatch.setattr(user_source, "compile_source", slowly)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            result = pool.submit(session.run, new, {x: [1, 2, 3]})
            try:
                assert begun.wait(60)
                with tf.Session() as other:
                    assert other.run(known, {x: [1, 2, 3]}).tolist() == [0.5, 1, 1.5]
                assert not result.done()
            finally:
                may_end.set()
            assert result.result().tolist() == [0.5, 1, 1.5]


@pytest.mark.two_gpus
def test_two_gpus():
    x = tf.placeholder(tf.float32, [3])
    with tf.device("/gpu:0"):
        y = scale(x)
    with tf.device("/gpu:1"):
        z = scale(y, by=4.0)
    with tf.Session() as session:
        for _ in range(15):
            assert session.run(z, {x: [1, 2, 3]}).tolist() == [2, 4, 6]


IMPORT = """
import numpy as np, sys
import tfcore as tf

definition = tf.GraphDef()
with open(sys.argv[1], "rb") as file:
    definition.ParseFromString(file.read())
tf.import_graph_def(definition, name="")
with tf.Session() as session:
    print(session.run("scale:0", {"x:0": np.ones([2, 2])}).tolist())
"""


def test_a_graph_of_another_process(tmp_path):
    with tf.device("/gpu:0"):
        scale(tf.placeholder(tf.float32, name="x"))
    path = tmp_path / "graph.pb"
    path.write_bytes(tf.get_default_graph().as_graph_def().SerializeToString())
    done = subprocess.run([sys.executable, "-c", IMPORT, path], capture_output=True, text=True)
    assert done.stdout == "[[0.5, 0.5], [0.5, 0.5]]\n", done.stderr


CHECKED = """
import numpy as np
import tfcore as tf

source = '''%s'''
with tf.device("/gpu:0"):
    x = tf.placeholder(tf.float32, [3])
    y = tf.gpu.cuda_kernel(source, "beyond", [x], (tf.float32, lambda x: x.shape), 1, 64, scalars=[3])
with tf.Session() as session:
    try:
        session.run(y, {x: np.ones(3)})
    except tf.errors.InternalError as error:
        print(error.op.name, error.message)
"""


@pytest.mark.emulated_gpu
def test_accesses_out_of_bounds_are_found():
    environment = {**os.environ, "TFCORE_EMULATE_CHECKED": "1"}
    command = [sys.executable, "-c", CHECKED % BEYOND]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout.startswith("beyond ") and "beyond.cu:4" in done.stdout, done.stdout + done.stderr


def no_nvcc():
    raise build.BuildError("No CUDA compiler")


@pytest.mark.parametrize("compiler", ["nvcc", "NVRTC"])
def test_compilers_for_cards_take_these_kernels(compiler, monkeypatch):
    if compiler == "nvcc":
        try:
            build.find_nvcc()
        except build.BuildError as error:
            pytest.skip(str(error))
    elif nvrtc.find() is None:
        pytest.skip("nvidia-cuda-nvrtc is not installed")
    else:
        monkeypatch.setattr(build, "find_nvcc", no_nvcc)
    x = tf.placeholder(tf.float32, [4, 4])
    made = [scale(x), transpose(x), *rows(tf.cast(x, tf.float64)), add_one_at(x[0], [1, 2])]
    made += [doubled(tf.cast(x, name), name) for name in ("half", "bfloat16", "complex64", "bool", "int64")]
    for op in {t.op for t in made}:
        source = op.get_attr("source").decode()
        assert os.path.getsize(user_source.compile_for_card(source, "made.cu", "sm_90")) > 1000
    with pytest.raises(build.BuildError, match=r'scale\.cu\(4\): error: identifier "byy"'):
        wrong = scale(x).op.get_attr("source").decode().replace("by *", "byy *")
        user_source.compile_for_card(wrong, "made.cu", "sm_90")
