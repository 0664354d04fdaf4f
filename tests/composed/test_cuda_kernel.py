"""What tf.gpu.cuda_kernel checks and computes when an operation is made. tests/gpu/devices runs its kernels."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tfcore.composed.cuda import sizes
from tfcore.composed.cuda import source as cuda_source
from tfcore.framework.types import dtypes
from tfcore.ops.functions.cuda_kernel import evaluate

SOURCE = """
// __global__ void commented(int *x);
/* __global__ void commented(int *x) */
const char quote = '"';
const char* text = "__global__ void quoted(int *x) {";
__device__ float helper(float x) { return x; }
template <typename T> __global__ void generic(const T* x, T* y) {}
__global__ void declared(const float* x, float* y, int n);
__global__ void __launch_bounds__(256, 2)
scale(const float *__restrict__ x, /* the result */ float* y, const float by = 1.f, unsigned long long int n = 0) {
  y[0] = x[0];
}
extern "C" __global__ __launch_bounds__(64) void own(Mine* x, const Pair<int, float>* y, float z[], void* w) {}
extern "C" {
namespace inner { __global__ void nothing(void) {} }
}
"""
FLOATS = (tf.float32, lambda x: x.shape)


@pytest.fixture
def x():
    with tf.Graph().as_default():
        yield tf.placeholder(tf.float32, [None, 3], name="x")


def call(x, name="scale", inputs=None, outputs=FLOATS, scalars=(2.0, lambda x: x.size), source=SOURCE, **options):
    return tf.gpu.cuda_kernel(
        source, name, [x] if inputs is None else inputs, outputs, 1, 1, scalars=scalars, **options
    )


def parameters(source, name="f", constants=None):
    return cuda_source.parameters(source, name, constants)[0]


@pytest.mark.parametrize(
    "text, dtype, is_pointer, is_const",
    [
        ("float x", "float32", False, False),
        ("const double *x", "float64", True, True),
        ("double const *const x", "float64", True, True),
        ("double* const __restrict__ x", "float64", True, False),
        ("unsigned", "uint32", False, False),
        ("unsigned int n", "uint32", False, False),
        ("unsigned n", "uint32", False, False),
        ("long long int n", "int64", False, False),
        ("long n", "int64", False, False),
        ("signed char c", "int8", False, False),
        ("const unsigned char c", "uint8", False, False),
        ("signed n", "int32", False, False),
        ("std::int64_t*x", "int64", True, False),
        ("::size_t n", "uint64", False, False),
        ("volatile short int x[]", "int16", True, False),
        ("const __half2*", "float16", True, True),
        ("__nv_bfloat16* x", "bfloat16", True, False),
        ("const float4* x", "float32", True, True),
        ("longlong2* x", "int64", True, False),
        ("const cuda::std::complex<float>* x", "complex64", True, True),
        ("float2 z", "complex64", False, False),
        ("bool b = f(1, 2)", "bool", False, False),
    ],
)
def test_types_of_parameters(text, dtype, is_pointer, is_const):
    (found,) = parameters(f"__global__ void f({text}) {{}}")
    assert (found.types[0].name, found.is_pointer, found.is_const) == (dtype, is_pointer, is_const)


def test_unknown_types_fit_all_and_some_fit_none():
    assert [p.types for p in parameters("__global__ void f(const void* x, Mine y, Pair<int, float>* z) {}")] == [
        None
    ] * 3
    assert [p.types for p in parameters("__global__ void f(float** x, int& y, float* z[]) {}")] == [()] * 3
    assert [p.types for p in parameters("__global__ void f(float4 x, __half2 y) {}")] == [()] * 2
    both = parameters("__global__ void f(const float2* x) {}")[0].types
    assert set(both) == {dtypes.float32, dtypes.complex64}


def test_macros_among_types():
    (found,) = parameters("__global__ void f(const T* x) {}", constants={"T": "unsigned char", "N": 4})
    assert found.types == (dtypes.uint8,) and found.is_const


def test_kernels_are_found():
    for name, count in [("scale", 4), ("own", 4), ("declared", 3), ("nothing", 0)]:
        assert len(parameters(SOURCE, name)) == count
    for name in ("commented", "quoted", "helper", "scal", "text"):
        with pytest.raises(
            ValueError, match=f"no kernel '{name}': its __global__ functions are declared, generic, noth"
        ):
            parameters(SOURCE, name)
    with pytest.raises(ValueError, match="'generic' is a template"):
        parameters(SOURCE, "generic")


def test_names_are_those_of_c():
    found = cuda_source.complete(SOURCE, "a.cu", "scale", {"N": 4, "M": np.float32(0.5)})
    assert found.startswith('#define N 4\n#define M 0.5f\n#line 1 "a.cu"\n\n// __global__')
    assert found.count('extern "C" __global__ void __launch_bounds__(256, 2)\nscale(') == 1
    assert cuda_source.complete(SOURCE, "a.cu", "own", None).count('extern "C"') == SOURCE.count('extern "C"')


@pytest.mark.parametrize("value", [float("inf"), None, "two\nlines", 2**64, [1]])
def test_constants_without_a_form_in_c(value):
    with pytest.raises(ValueError, match="constant N is"):
        cuda_source.complete(SOURCE, "a.cu", "scale", {"N": value})


def test_names_of_constants():
    with pytest.raises(ValueError, match="'2N' can't be the name of a constant"):
        cuda_source.complete(SOURCE, "a.cu", "scale", {"2N": 1})


def test_two_declarations(x):
    declared = "__global__ void f(const float* x, {}* y) {{}}"
    source = f"#if X\n{declared.format('float')}\n#else\n{declared.format('double')}\n#endif"
    for dtype in (tf.float32, tf.float64):
        assert call(x, "f", outputs=(dtype, 3), scalars=(), source=source).dtype == dtype
    with pytest.raises(ValueError, match="'double. y', does not fit output 0 of int32"):
        call(x, "f", outputs=(tf.int32, 3), scalars=(), source=source)


@pytest.mark.parametrize(
    "change, kind, text",
    [
        ({"scalars": [2.0]}, ValueError, "it has 4 parameters, but 3 arguments"),
        ({"outputs": (tf.float64, 3)}, ValueError, "parameter 1, 'float. y', does not fit output 0 of float64"),
        ({"name": "declared", "scalars": [1.5]}, ValueError, r"scalar 0 is 1.5, which 'int n' can't hold"),
        ({"name": "declared", "scalars": [2**31]}, ValueError, "scalar 0 is 2147483648, which 'int n' can't hold"),
        ({"name": "declared", "scalars": [True]}, ValueError, "scalar 0 is True, which 'int n' can't hold"),
        ({"name": "declared", "scalars": ["1"]}, ValueError, "scalar 0 is '1', which 'int n' can't hold"),
        ({"name": "declared", "scalars": [1j]}, ValueError, "which 'int n' can't hold"),
        ({"scalars": [1j, 1]}, ValueError, "scalar 0 is 1j, which 'const float by = 1.f' can't hold"),
        ({"scalars": [np.float64(1), 2]}, ValueError, "scalar 0 is a float64, but 'const float by = 1.f' a float32"),
        ({"scalars": [2.0, lambda x: x.size / 2]}, TypeError, "scalar 1: a size of an input is known only in a step"),
        ({"name": "own"}, ValueError, "parameter 0, 'Mine. x', must be const, as others may read input x:0 of float32"),
        ({"name": "absent"}, ValueError, "has no kernel 'absent'"),
        ({"in_place": {0: 1}}, ValueError, r"in_place is \{0: 1\}, but there are 1 inputs, and 1 outputs"),
        ({"in_place": {1: 0}}, ValueError, r"in_place is \{1: 0\}"),
        ({"outputs": tf.float32}, TypeError, "cuda_kernel scale: an output is a pair"),
        ({"outputs": ("no type", 3)}, TypeError, "cuda_kernel scale: an output is a pair"),
        ({"outputs": (tf.float32, 2.5)}, TypeError, "the shape of output 0: expected sizes"),
        ({"outputs": (tf.float32, lambda x: x.shape[2])}, TypeError, "the shape of output 0: tuple index out of range"),
        ({"outputs": (tf.float32, lambda: 3)}, TypeError, "takes 0 positional arguments but 1 was given"),
        ({"outputs": (tf.float32, lambda x: 3 if x.size > 2 else 4)}, TypeError, "known only in a step"),
    ],
)
def test_wrong_arguments(x, change, kind, text):
    with pytest.raises(kind, match=text):
        call(x, **change)


def test_an_error_shows_the_parameters_and_the_arguments(x):
    with pytest.raises(ValueError) as error:
        call(x, outputs=(tf.int64, 3))
    assert str(error.value) == (
        "cuda_kernel scale: parameter 1, 'float* y', does not fit output 0 of int64.\n"
        "  The kernel is scale(const float *__restrict__ x, float* y, const float by = 1.f, "
        "unsigned long long int n = 0)\n"
        f"  and gets input x:0 of float32, output 0 of int64, scalar 0, 2.0, scalar 1, {SCALARS[1]!r}"
    )


SCALARS = call.__defaults__[3]


def test_attributes(x):
    y, z = (
        call(x, "declared", outputs=[(tf.float32, lambda x: (4, x.shape[1] + 1))], scalars=[lambda x: 7 - x.size]) * 2
    )
    assert y is z and y.shape == [4, 4]
    assert y.op.get_attr("shapes") == [b"4 i0.1 1 +"] and y.op.get_attr("scalars") == [b"7 i0.size -"]
    assert y.op.name == "declared" and call(x, op_name="mine").op.name == "mine"


def test_a_list_of_outputs_gives_a_list(x):
    source = "__global__ void f(const float* x, float* y, int* z) {}"
    y, z = call(x, "f", outputs=[FLOATS, (tf.int32, ())], scalars=(), source=source)
    assert y.dtype == tf.float32 and z.dtype == tf.int32 and z.shape == []


# ---- Sizes

BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "ceil_div": lambda a, b: a.ceil_div(b) if is_traced(a) else -(-a // b),
    "min": lambda a, b: a.min(b) if is_traced(a) else b.min(a) if is_traced(b) else min(a, b),
    "max": lambda a, b: a.max(b) if is_traced(a) else b.max(a) if is_traced(b) else max(a, b),
}


def is_traced(size):
    return isinstance(size, sizes.Size)


class Known:
    """What a function of sizes gets for an array, with its sizes as they are."""

    def __init__(self, shape):
        self.shape, self.ndim, self.size = shape, len(shape), int(np.prod(shape))


def expressions():
    leaves = st.sampled_from(["size", "ndim", 0, 1, -1]).map(lambda what: lambda x: _leaf(x, what))
    leaves |= st.integers(-50, 50).map(lambda n: lambda x: n)

    def extend(inner):
        return st.tuples(st.sampled_from(list(BINARY)), inner, inner).map(
            lambda parts: lambda x: BINARY[parts[0]](parts[1](x), parts[2](x))
        )

    return st.recursive(leaves, extend, max_leaves=8)


def _leaf(x, what):
    return getattr(x, what) if isinstance(what, str) else x.shape[what]


@given(expressions(), st.lists(st.integers(0, 9), min_size=2, max_size=4), st.booleans())
def test_a_traced_function_computes_what_the_function_does(function, shape, rank_is_known):
    try:
        expected = function(Known(shape))
    except ZeroDivisionError:
        return
    text = sizes.trace(function, [len(shape) if rank_is_known else None])
    assert evaluate(text, [tuple(shape)]) == [expected]


def test_slices_of_an_unknown_rank():
    def program(function):
        return sizes.trace(function, [None])

    cases = [
        (lambda x: x.shape, (2, 3, 4)),
        (lambda x: x.shape[1:], (3, 4)),
        (lambda x: x.shape[:-1] + (5, x.size), (2, 3, 5, 24)),
        (lambda x: [7] + x.shape[-2:], (7, 3, 4)),
        (lambda x: x.shape[:1] + x.shape[2:], (2, 4)),
        (lambda x: x.shape[-1] * x.ndim, (12,)),
    ]
    for function, expected in cases:
        assert tuple(evaluate(program(function), [(2, 3, 4)])) == expected
    assert evaluate(program(cases[0][0]), [None]) is None
    assert evaluate(program(cases[-1][0]), [None]) == [None]
    assert evaluate(program(lambda x: x.size), [(None, 0)]) == [0]
    assert evaluate(program(lambda x: x.size // x.shape[0]), [(None, 2)]) == [None]
    for function in (
        lambda x: len(x.shape),
        lambda x: tuple(x.shape),
        lambda x: x.shape[::2],
        lambda x: x.shape[1:][0:],
    ):
        with pytest.raises(TypeError):
            program(function)


@pytest.mark.parametrize(
    "function", [int, float, bool, abs, round, lambda n: n > 1, lambda n: n == 1, lambda n: [0] * n, lambda n: n**2]
)
def test_what_needs_a_value_is_refused(function):
    with pytest.raises(TypeError, match="known only in a step|multiply sequence"):
        function(sizes.Size("i0.size"))


@pytest.mark.parametrize("wrong", [lambda x: x.shape[1:][0], lambda x: x.shape[:-1][-1], lambda x: x.shape[1:][1:]])
def test_a_slice_of_an_unknown_rank_is_not_indexed(wrong):
    with pytest.raises(TypeError, match="not from a slice"):
        sizes.trace(wrong, [None])


def test_a_negative_size_is_refused(x):
    x = tf.placeholder(tf.float32, [3])
    with pytest.raises(ValueError, match=r"an output of scale would have the shape \(-1,\)"):
        call(x, outputs=(tf.float32, lambda x: (x.shape[0] - 4,)))


def test_a_kernel_whose_name_begins_with_an_underscore(x):
    y = call(x, "__k", source="static __global__ void __k(const float* x, float* y, float by, long n) {}")
    assert y.op.name == "k"
    assert b'\n extern "C" __global__ void __k(' in y.op.get_attr("source")


def test_a_text_has_the_headers_that_it_names_by_full_paths(tmp_path):
    path = tmp_path / "half.h"
    path.write_text("half;\n")
    text, _ = cuda_source.read(f'#include "half.h"\n#include "{path}"\nlast', "k")
    assert text == f'#include "half.h"\n#line 1 "{path}"\nhalf;\n\n#line 3 "k.cu"\nlast'


def test_a_header_is_there_in_each_branch_and_once_where_it_says_so(tmp_path):
    (tmp_path / "list.h").write_text("X(1)\n")
    (tmp_path / "once.h").write_text('#pragma once\n#include "list.h"\n')
    (tmp_path / "circle.h").write_text('#include "circle.h"\nint circle;\n')
    main = '#ifdef A\n#include "list.h"\n#else\n#include "list.h"\n#endif\n#include "once.h"\n#include "once.h"\n'
    (tmp_path / "k.cu").write_text(main + '#include "circle.h"\nint last;\n')
    text, _ = cuda_source.read(str(tmp_path / "k.cu"), "k")
    assert text.count("X(1)") == 4 and text.count("int circle;") == 1 and "pragma once" not in text
    assert text.count("#ifndef TFC_ONCE_") == 2 and len(set(re.findall(r"TFC_ONCE_\w+", text))) == 1
    last = text.splitlines().index("int last;")
    assert text.splitlines()[last - 1].startswith(f'#line 9 "{tmp_path}/k.cu"')
