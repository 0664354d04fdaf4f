"""Runs the CUDA kernels of a graph one at a time: on the host with all checks, or on a card through PyCUDA.

A `Program` is made from a function of tensors. Each `cuda_kernel` in it becomes a Python function that launches the
kernel on a `HostDevice` or a `CardDevice`; all else runs on the CPU.
"""

import contextlib
import ctypes
import functools
import os

import numpy as np

import tfcore as tf
from tfcore.core.registry.py_func import PyFunction
from tfcore.framework import errors
from tfcore.gpu import driver, host_build, host_launch, user_source
from tfcore.ops.functions.cuda_kernel import evaluate
from tfcore.testing.gradients import is_inexact, weighted_sum
from tfcore.testing.oracle import flatten

GUARD = 256  # poisoned bytes on both sides of each array on a card


class LaunchError(AssertionError):
    """A kernel made an invalid access, or its launch is invalid."""


class HostDevice:
    """Launches kernels on the host, in builds that check each access of memory."""

    def __init__(self):
        self._device = host_launch.Device(256 << 20)
        self._load = functools.cache(self._compile)

    def _compile(self, source, name, options):
        path = host_build.compile_source(source, options=options, checked=True, name=f"{name}.cu")
        return getattr(ctypes.CDLL(path), f"tfc_launch_of_{name}")

    def launch(self, source, name, options, grid, block, shared, arrays, scalars, seed):
        """Runs a kernel; the arrays, of which some may be the same, are its pointers, and get what it writes.

        Raises:
          LaunchError: what the checks found.
        """
        self._device.reset()
        placed = {id(array): self._device.array(array) for array in arrays}
        struct = packed([placed[id(array)].address for array in arrays], scalars)
        try:
            self._device.launch(self._load(source, name, options), grid, block, struct, shared=shared, seed=seed)
        except host_launch.KernelError as error:
            raise LaunchError(str(error)) from None
        for array in arrays:
            array[...] = placed[id(array)].numpy()


class CardDevice:
    """Launches kernels through PyCUDA, between guards that show writes out of bounds."""

    def __init__(self):
        tf.gpu.load_pycuda()
        import pycuda.driver

        self._cuda = pycuda.driver
        self._context = pycuda.driver.Device(0).retain_primary_context()
        self._load = functools.cache(self._compile)

    def _compile(self, source, name, options):
        major, minor = self._context.get_device().compute_capability()
        path = user_source.compile_source(source, name, options, 10 * major + minor)
        return self._cuda.module_from_file(path).get_function(name)

    def launch(self, source, name, options, grid, block, shared, arrays, scalars, seed):
        """As HostDevice.launch; a card takes its own order, not one of a seed."""
        self._context.push()  # PyCUDA has contexts by thread
        try:
            self._launch(self._load(source, name, options), name, grid, block, shared, arrays, scalars)
        finally:
            self._context.pop()

    def _launch(self, function, name, grid, block, shared, arrays, scalars):
        placed = {}
        for array in arrays:
            if id(array) not in placed:
                guard = np.full(GUARD, 0xCB, np.uint8)
                image = np.concatenate([guard, array.reshape(-1).view(np.uint8), guard])
                memory = self._cuda.mem_alloc(image.nbytes)
                self._cuda.memcpy_htod(memory, image)
                placed[id(array)] = array, memory, image
        pointers = [int(placed[id(array)][1]) + GUARD for array in arrays]
        function.prepare(["P"] * len(pointers) + [scalar.dtype for scalar in scalars])
        grid, block = ((*sizes, *[1] * (3 - len(sizes))) for sizes in (grid, block))
        function.prepared_call(grid, block, *pointers, *scalars, shared_size=shared)
        self._cuda.Context.synchronize()
        for array, memory, image in placed.values():
            found = np.empty_like(image)
            self._cuda.memcpy_dtoh(found, memory)
            memory.free()
            for side, where in ((slice(None, GUARD), "before"), (slice(-GUARD, None), "after")):
                if not np.array_equal(found[side], image[side]):
                    raise LaunchError(f"{name} writes {where} an array of shape {array.shape}")
            array.reshape(-1).view(np.uint8)[...] = found[GUARD : len(found) - GUARD]


def packed(pointers, scalars):
    """The parameters of a launch, each at a multiple of its size, as ctypes data."""
    parts = bytearray()
    for value in [*map(np.uint64, pointers), *scalars]:
        parts += bytes(-len(parts) % value.dtype.itemsize)
        parts += value.tobytes()
    return ctypes.create_string_buffer(bytes(parts), max(len(parts), 1))


@functools.cache
def device():
    """The one of this process: a card if there is one, or what TFCORE_TEST_CARD=1 asks for; else the host."""
    wanted = os.environ.get("TFCORE_TEST_CARD", "0") != "0"
    return CardDevice() if wanted or driver.may_be_there() and not driver.emulation_is_wanted() else HostDevice()


class _Runs:
    """How the launches of a program run: with which seed, and what fresh memory has."""

    def __init__(self):
        self.seed, self.poison = 0, 0xCB

    def launch(self, op, *inputs):
        """A node of type CudaKernel: its outputs for inputs."""
        attrs = op.attrs
        inputs = [np.array(x, order="C") for x in inputs]
        shapes = [x.shape for x in inputs]
        sizes = {name: _known(op, name, attrs[name], shapes) for name in ("grid", "block", "shared")}
        outputs = []
        in_place = attrs["in_place"] or [-1] * len(attrs["shapes"])
        for text, dtype, source in zip(attrs["shapes"], attrs["Tout"], in_place, strict=True):
            if source >= 0:
                outputs.append(inputs[source])
                continue
            shape = _known(op, "shape", text, shapes)
            output = np.empty(shape, dtype.as_numpy_dtype)
            output.reshape(-1).view(np.uint8)[...] = self.poison
            outputs.append(output)
        before = [x.copy() for x in inputs]
        scalars = [_scalar(op, *pair, shapes) for pair in zip(attrs["scalars"], attrs["scalar_types"], strict=True)]
        name, source = attrs["function"].decode(), attrs["source"].decode()
        options = tuple(option.decode() for option in attrs["options"])
        if 0 not in sizes["grid"]:
            launch = sizes["grid"], sizes["block"], sizes["shared"][0]
            device().launch(source, name, options, *launch, [*inputs, *outputs], scalars, self.seed)
        for i, (x, old) in enumerate(zip(inputs, before, strict=True)):
            if i not in in_place and x.tobytes() != old.tobytes():
                raise LaunchError(f"{name} writes to input {i}, which others may read")
        return outputs


def _known(op, what, text, shapes):
    try:
        return evaluate(text.decode(), shapes)
    except ValueError as error:
        raise LaunchError(f"{op.name}: {what}: {error}") from None


def _scalar(op, text, dtype, shapes):
    kind = np.dtype(dtype.as_numpy_dtype)
    if text.startswith(b"="):
        return np.frombuffer(int(text[1:]).to_bytes(kind.itemsize, "little"), kind)[0]
    return kind.type(_known(op, "a scalar", text, shapes)[0])


class Program:
    """A function of tensors, built for inputs of some types and ranks.

    Attributes: session, inputs, outputs; with `gradients` also loss, a weighted sum of all inexact outputs, and
    gradients, of the loss by each inexact input.
    """

    def __init__(self, function, types, ranks, gradients=False):
        self._runs, self._functions = _Runs(), []
        with tf.Graph().as_default() as graph:
            inputs = [tf.placeholder(t, [None] * rank) for t, rank in zip(types, ranks, strict=True)]
            outputs = flatten(function(*inputs))
            loss, grads = _loss_and_gradients(inputs, outputs) if gradients else (None, [])
        if not any(op.type == "CudaKernel" for op in graph.get_operations()):
            raise ValueError(f"{function} makes no cuda_kernel.")
        here = self._on_this_device(graph)
        self.inputs, self.outputs, self.gradients = (
            [t if t is None else here.get_tensor_by_name(t.name) for t in tensors]
            for tensors in (inputs, outputs, grads)
        )
        self.loss = loss if loss is None else here.get_tensor_by_name(loss.name)
        self.session = tf.Session(graph=here, config=tf.ConfigProto(device_count={"GPU": 0}))

    def _on_this_device(self, graph):
        """The graph with Python functions in place of its CUDA kernels."""
        definition = graph.as_graph_def()
        for node in definition.node:
            node.device = ""
            if node.op == "CudaKernel":
                function = PyFunction(functools.partial(self._runs.launch, graph.get_operation_by_name(node.name)))
                self._functions.append(function)
                for name in set(node.attr) - {"Tin", "Tout"}:
                    del node.attr[name]
                node.op, node.attr["token"].s = "PyFunc", function.token.encode()
        with tf.Graph().as_default() as replaced:
            tf.import_graph_def(definition, name="")
        return replaced

    def feeds(self, arrays):
        return dict(zip(self.inputs, arrays, strict=True))

    def run(self, arrays, seed=0, poison=0xCB):
        """The outputs. Raises as `launching` does."""
        self._runs.seed, self._runs.poison = seed, poison
        with self.launching():
            return self.session.run(self.outputs, self.feeds(arrays))

    @contextlib.contextmanager
    def launching(self):
        """Runs of the session may raise LaunchError."""
        try:
            yield
        except errors.OpError as error:
            if isinstance(error.__cause__, LaunchError):
                raise error.__cause__ from None
            raise


def _loss_and_gradients(inputs, outputs):
    inexact, xs = [y for y in outputs if is_inexact(y)], [x for x in inputs if is_inexact(x)]
    if not inexact:
        return None, [None] * len(xs)
    loss = weighted_sum(inexact, np.random.default_rng(0))
    try:
        grads = tf.gradients(loss, xs)
    except LookupError:  # of a kernel without a gradient
        grads = [None] * len(xs)
    return loss, [g if g is None else tf.convert_to_tensor(g) for g in grads]
