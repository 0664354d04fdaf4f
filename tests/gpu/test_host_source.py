"""Users' CUDA sources, translated for the host and run by the threads of the emulated GPU."""

import ctypes

import numpy as np
import pytest

from tests.gpu import on_host
from tests.gpu.on_host import Device, KernelError, params
from tfcore.gpu import host_build, host_source
from tfcore.gpu.build import BuildError

ALL_WORDS = """
#include <cuda_fp16.h>
#define BLOCK 64
/* extern "C" __global__ void in_a_comment(float *x) {} */
extern "C" {
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int calls;
__device__ float twice(float x) { return x * 2; }
__global__ void __launch_bounds__(BLOCK)
scale(char shift, double factor, float *y, short n, const float *__restrict__ x, __half half) {
  extern __shared__ float all[];
  __shared__ float one[BLOCK];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  all[threadIdx.x] = i < n ? x[i] : 0;
  one[threadIdx.x] = table[i % 4];
  __syncthreads();
  if (i < n) y[i] = twice(all[threadIdx.x]) * (float)factor + shift + one[threadIdx.x] + __half2float(half);
  atomicAdd(&calls, 1);
}
__global__ void count(int *out) { out[0] = calls; calls = 0; }
}
"""


@pytest.fixture(scope="module")
def memory():
    return Device()


@pytest.fixture
def device(memory):
    memory.reset()
    return memory


def load(source, checked=True, **options):
    host_build.load_runtime()
    return ctypes.CDLL(host_build.compile_source(source, checked=checked, **options))


def kernels(source):
    """Their names, as the translation finds them in a source that needs no preprocessing."""
    return host_source.kernels(source.replace("__global__", "tfc_word_global"))


@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
def test_parameters_and_memory_of_all_kinds(device, checked):
    library = load(ALL_WORDS, checked)
    x = np.arange(100, dtype=np.float32)
    y, source, count = device.empty(100), device.array(x), device.empty(1, np.int32)
    struct = params(
        shift=ctypes.c_int8(-3), factor=0.5, y=y, n=ctypes.c_int16(100), x=source, half=ctypes.c_uint16(0x3C00)
    )
    device.launch(library.tfc_launch_of_scale, 2, 64, struct, shared=256, seed=5)
    np.testing.assert_array_equal(y.numpy(), x - 3 + np.array([1, 2, 3, 4])[np.arange(100) % 4] + 1)
    for expected in (128, 0):  # a variable outside of functions lives as long as the module
        device.launch(library.tfc_launch_of_count, 1, 1, params(out=count))
        assert count.numpy()[0] == expected


def test_an_access_out_of_bounds_is_found(device):
    source = 'extern "C" __global__ void f(int *x, int n) {\n  x[n] = 1;\n}'
    library = load(source)
    with pytest.raises(KernelError, match=r"^f, block.*kernel\.cu:2") as caught:
        device.launch(library.tfc_launch_of_f, 1, 1, params(x=device.empty(4, np.int32), n=4))
    assert caught.value.kind == on_host.BOUNDS


def test_a_race_in_dynamic_shared_memory_is_found(device):
    source = """
    extern "C" __global__ void f(int *x) {
      extern __shared__ __align__(16) int s[];
      s[threadIdx.x] = threadIdx.x;
      x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
    }"""
    with pytest.raises(KernelError) as caught:
        device.launch(load(source).tfc_launch_of_f, 1, 64, params(x=device.empty(64, np.int32)), shared=256)
    assert caught.value.kind == on_host.RACE


def test_which_kernels_have_names():
    assert kernels('extern "C" __global__ void a(int x) {}') == ["a"]
    assert kernels('extern "C" { static __global__ void a(); void __global__ b(int x) {} }') == ["a", "b"]
    assert kernels("__global__ void __attribute__((aligned(8))) a(int x); __global__ void a(int x) {}") == ["a"]
    assert kernels("template <class T> __global__ void a(T x) {} __global__ void b(int x) {}") == ["b"]
    assert kernels("namespace n { __global__ void a() { int c[] = {1}; } } __global__ void b() {}") == ["b"]
    assert kernels("namespace { __global__ void a() {} }") == ["a"]
    assert kernels("const char *s = \"__global__ void a() {\"; char c = '{'; __global__ void b() {}") == ["b"]


def test_options_and_includes_count(tmp_path):
    (tmp_path / "own.h").write_text("#define ZERO 0\n")
    source = '#include "own.h"\nextern "C" __global__ void f(int *x) { x[0] = VALUE + ZERO; }'
    options = ["-DVALUE=3", "-use_fast_math", "-Xptxas", "-v", "-arch=sm_90"]
    first = host_build.compile_source(source, [str(tmp_path)], options)
    assert first != host_build.compile_source(source, [str(tmp_path)], ["-DVALUE=4"])
    (tmp_path / "own.h").write_text("#define ZERO 00\n")
    assert first != host_build.compile_source(source, [str(tmp_path)], options)


def test_errors_have_the_lines_of_the_source():
    with pytest.raises(BuildError, match=r"mine\.cu:3:\d+: error: .*nowhere"):
        host_build.compile_source("\n\nint f() { return nowhere; }", name="mine.cu")
