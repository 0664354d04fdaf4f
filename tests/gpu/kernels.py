"""Runs the kernels of kernels_cuda on the host, in checked builds: any wrong access or race is an error.

With TFCORE_TEST_CARD=1 they are launched through PyCUDA instead: on a card, or on an emulated GPU.

Parameter structs, plans and launches are those of the families' headers: the structs are read from them, the functions
compiled.
"""

import ctypes
import functools
import os
import re
import subprocess
import tempfile

import ml_dtypes
import numpy as np
import pytest

from tests.gpu import on_host
from tfcore.gpu import build, host_build

FLOATS = ("float", "double", "half", "bfloat16")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
REALS = FLOATS + INTEGERS
NUMPY = {
    "float": np.float32,
    "double": np.float64,
    "half": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "bool": np.bool_,
}
NUMPY = {name: np.dtype(NUMPY.get(name, name)) for name in (*REALS, "bool")}
# Relative rounding error of a result, with room for a few operations.
EPSILON = {"float": 2e-6, "double": 1e-13, "half": 2e-3, "bfloat16": 1.6e-2}
BYTES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}  # by the sizes in kernels' names
POISON = 0xCB
ON_CARD = os.environ.get("TFCORE_TEST_CARD", "0") != "0"
needs_checks = pytest.mark.skipif(ON_CARD, reason="needs the checks on the host")

SCALARS = {"int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64, "int32_t": ctypes.c_int32}
SCALARS |= {"uint32_t": ctypes.c_uint32, "double": ctypes.c_double, "float": ctypes.c_float}
STRUCT = re.compile(r"typedef struct (\w+) \{([^}]*)\} \1;")
LAUNCH = re.compile(r"^static inline tfc_launch (\w+)\(const (\w+)_params\* p\)", re.M)
PLAN = re.compile(r"^static inline void (\w+_plan\w*)\((\w+)_params\* p\)", re.M)


class Launch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3), ("shared", ctypes.c_uint32)]


def headers():
    """The headers of device code; those of launchers (kernels_cuda/*.c) are not among them."""
    used = {path for family in build.families() for path in build.sources_of(family)}
    found = [path for path in used if path.endswith(".h") and path.startswith(build.SOURCES + os.sep)]
    return sorted(found, key=lambda path: (os.path.basename(path) != "launch.h", path))


def parse_struct(body, structs, constants):
    """The ctypes fields of a struct's body in C."""
    fields = []
    for declaration in filter(None, (d.strip() for d in body.split(";"))):
        match = re.fullmatch(r"(?:const )?(\w+)\s*(.*)", declaration, re.S)
        for declarator in match[2].split(","):
            star, name, sizes = re.fullmatch(r"\s*(\*?)\s*(\w+)((?:\[\w+\])*)\s*", declarator).groups()
            kind = ctypes.c_void_p if star else SCALARS.get(match[1]) or structs[match[1]]
            for size in reversed(re.findall(r"\w+", sizes)):
                kind = kind * (int(size) if size.isdigit() else constants[size])
            fields.append((name, kind))
    return fields


@functools.cache
def structs():
    """All structs of the headers, by name."""
    found, constants, waiting = {}, {}, []
    for path in headers():
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        constants |= {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)\b", text)}
        waiting += STRUCT.findall(text)
    while waiting:  # a struct may have members of a header that comes later
        name, body = waiting.pop(0)
        try:
            found[name] = type(name, (ctypes.Structure,), {"_fields_": parse_struct(body, found, constants)})
        except KeyError as e:
            assert any(e.args[0] == other for other, _ in waiting), f"{name} needs the unknown {e}"
            waiting.append((name, body))
    return found


@functools.cache
def geometry():
    """A library with the plans and launches of all headers, as run_NAME(struct[, launch])."""
    code = "".join(f'#include "{path}"\n' for path in headers())
    for path in headers():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, params in LAUNCH.findall(text):
            code += f"void run_{name}(const {params}_params* p, tfc_launch* l) {{ *l = {name}(p); }}\n"
        for name, params in PLAN.findall(text):
            code += f"void run_{name}({params}_params* p) {{ {name}(p); }}\n"
    code += "".join(f"long size_of_{name}(void) {{ return (long)sizeof({name}); }}\n" for name in structs())
    with tempfile.TemporaryDirectory() as folder:
        source, product = os.path.join(folder, "geometry.c"), os.path.join(folder, "geometry.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(code)
        flags = [
            f"-I{os.path.dirname(build.SOURCES)}",
            "-shared",
            "-fPIC",
            "-std=c11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
        ]
        subprocess.run([host_build.find_compiler("c"), *flags, "-o", product, source], check=True)
        return ctypes.CDLL(product)


def fill_struct(struct, fields):
    """Sets members from Python values; arrays in device memory become their addresses."""
    for name, value in fields.items():
        kind = dict(struct._fields_)[name]
        if isinstance(value, dict):
            fill_struct(getattr(struct, name), value)
        elif issubclass(kind, ctypes.Array):
            for i, v in enumerate(value):
                getattr(struct, name)[i] = getattr(v, "address", v)
        else:
            setattr(struct, name, getattr(value, "address", value))
    return struct


class Host(on_host.Device):
    """A device without a card."""

    def reset(self):
        """Frees everything. The runtime on the host has one range of memory; another test may have set its own."""
        assert self.runtime.tfc_host_memory(self.base, len(self.memory)) == 0
        self.used = 256

    def launch(self, family, kernel, grid, block, struct, shared, seed):
        super().launch(getattr(load(family), kernel), grid, block, struct, shared=shared, seed=seed)


class Gpu:
    """Arrays and launches on a device: on the host, or on a card."""

    def __init__(self, device):
        self.device = device

    def reset(self):
        self.device.reset()

    def array(self, values):
        return self.device.array(values)

    def empty(self, shape, dtype):
        """Poisoned, as fresh device memory is."""
        values = np.empty(shape, dtype)
        values.reshape(-1).view(np.uint8)[...] = POISON
        return self.device.array(values)

    def report(self):
        return self.device.array(np.zeros(ctypes.sizeof(structs()["tfc_report"]), np.uint8))

    def plan(self, params, *, plan=None, **fields):
        """A struct filled from Python values, and planned where it has a plan."""
        struct = fill_struct(structs()[params + "_params"](), fields)
        if planner := getattr(geometry(), f"run_{plan or params + '_plan'}", None):
            planner(ctypes.byref(struct))
        return struct

    def launch(self, family, kernel, struct, *, launch=None, seed=0):
        """A third of all seeds give a grid of at most two blocks, so that loops over the grid go round."""
        size = Launch()
        name = launch or type(struct).__name__.replace("_params", "_launch")
        getattr(geometry(), f"run_{name}")(ctypes.byref(struct), ctypes.byref(size))
        if size.grid[0]:
            blocks = min(size.grid[0], 2) if seed % 3 == 1 else size.grid[0]
            grid = (blocks, *size.grid[1:])
            self.device.launch(family, kernel, grid, tuple(size.block), struct, size.shared, seed)

    def run(self, family, kernel, params, *, plan=None, launch=None, seed=0, **fields):
        """Plans and launches a kernel."""
        self.launch(family, kernel, self.plan(params, plan=plan, **fields), launch=launch, seed=seed)


@functools.cache
def load(family):
    return on_host.load(family, checked=True)


@functools.cache
def gpu():
    """The device of these tests. Begin each example with its `reset`."""
    if not ON_CARD:
        return Gpu(Host())
    from tests.gpu import on_card

    return Gpu(on_card.Device())


def failed(report):
    return read_report(report).failed


def read_report(report):
    return structs()["tfc_report"].from_buffer_copy(report.numpy())


def reported_index(report, depth=1):
    """The position and the numbers of the first wrong index; None if all are right."""
    words = read_report(report).index
    if not words[0][0]:
        return None
    values = [np.int64(np.uint64((words[k][0] & 0xFFFFFFFF) << 32 | words[k][1] & 0xFFFFFFFF)) for k in range(depth)]
    return 0xFFFFFFFF - (words[0][0] >> 32), [int(v) for v in values]


# ---- Values.


def random_values(rng, dtype, shape, scale=2.0):
    """Small numbers of all signs that the type has."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype in FLOATS:
        return (rng.standard_normal(shape) * scale).astype(NUMPY[dtype])
    low = 0 if dtype in UNSIGNED else -20
    return rng.integers(low, 20, shape).astype(NUMPY[dtype])


def exact(values):
    """For references: floating-point numbers as float64, integers as they are."""
    values = np.asarray(values)
    return values.astype(np.float64) if values.dtype.kind in "fV" or values.dtype == NUMPY["bfloat16"] else values


def assert_close(actual, expected, dtype, factor=1.0, scale=1.0):
    """Equal for integers; else within the type's rounding error, relative to the value or to `scale`."""
    if dtype not in FLOATS:
        np.testing.assert_array_equal(actual, np.asarray(expected).astype(actual.dtype))
        return
    with np.errstate(over="ignore"):
        expected = exact(np.asarray(expected).astype(NUMPY[dtype]))
    tolerance = EPSILON[dtype] * factor
    np.testing.assert_allclose(exact(actual), expected, rtol=tolerance, atol=tolerance * scale)


def strides(shape):
    """In elements, row-major; 0 for dimensions of size 1, which broadcast."""
    steps, step = [], 1
    for size in reversed(shape):
        steps.append(step if size != 1 else 0)
        step *= size
    return steps[::-1]


def broadcast_fields(shapes, names):
    """The fields dims, rank, n and NAME_stride for operands of these shapes."""
    dims = np.broadcast_shapes(*shapes)
    rank = max(len(dims), 1)
    fields = {"dims": (1,) * (rank - len(dims)) + tuple(dims), "rank": rank, "n": int(np.prod(dims, dtype=np.int64))}
    for name, shape in zip(names, shapes, strict=True):
        fields[f"{name}_stride"] = [0] * (rank - len(shape)) + strides(shape)
    return fields
