"""Constant folding: nodes whose value is the same in every step are computed once, at compile time."""

import numpy as np

from tfcore.compiler.devices import cpu_of, has_own_memory
from tfcore.compiler.ir import Node, effect_free
from tfcore.compiler.python_functions import PYTHON
from tfcore.core.step.executor import run_plan
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.definitions.shapes import num_elements
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import sizes_array

MAX_BYTES = 10 << 20  # keeping larger results costs more than computing them again
# A user's Python function may run steps itself, which is not possible during compilation. CudaKernel can't run on the
# CPU.
_KEEP = PYTHON.union(["Const", "CudaKernel", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault"])
_FAILURES = (errors.OpError, ValueError)  # NumPy has no empty arrays of every shape that tensors have


def fold_constants(program, lower):
    """Replaces foldable nodes by Const nodes. `lower` makes a plan of a program."""
    _fold_static_shapes(program)
    known = {}
    for node in program.nodes:
        known[node] = node.type == "Const" and not node.controls or _foldable(node, known)
    frontier = _frontier(program, known)
    if not frontier:
        return
    values = _evaluate(program, frontier, lower)
    replaced = {}
    for pair, value in values.items():
        replaced[pair] = (make_const(pair[0], value, pair[1]), 0)
    program.replace(values=replaced)
    program.prune()


def _foldable(node, known):
    if node.type in _KEEP or not node.inputs or node.controls or not node.is_pure() or not node.dtypes:
        return False
    if not all(known.get(n) for n, _ in node.inputs):
        return False
    return all(_small(d, t) for d, t in zip(node.dims, node.dtypes))


def _small(dims, dtype):
    if dims is None or None in dims or dtype.as_numpy_dtype is None:
        return False
    size = dtype.size
    for d in dims:
        size *= d
    return size <= MAX_BYTES


def _frontier(program, known):
    """Foldable values that are used by nodes that can't be folded."""
    found = {}
    for node in program.nodes:
        if not known[node]:
            for pair in node.inputs:
                if known.get(pair[0]) and pair[0].type != "Const":
                    found[pair] = True
    for pair in program.fetches:
        if known.get(pair[0]) and pair[0].type != "Const":
            found[pair] = True
    return list(found)


def _evaluate(program, pairs, lower):
    try:
        return dict(zip(pairs, _run(program, pairs, lower)))
    except _FAILURES:
        pass
    values = {}
    for pair in pairs:  # one of them fails: its error must occur in the step
        try:
            values[pair] = _run(program, [pair], lower)[0]
        except _FAILURES:
            continue
    return values


def _run(program, pairs, lower):
    sub = type(program)([], [], pairs, [])
    sub.prune()
    if any(has_own_memory(node.device) for node in sub.nodes):
        _move_to_cpu(sub)
    return run_plan(lower(sub), ())


def _move_to_cpu(program):
    """Replaces the nodes by copies on the CPU, where the values are needed."""
    moved = {}
    for n in program.nodes:
        inputs = [(moved[source], index) for source, index in n.inputs]
        cpu, types, dims = cpu_of(n.device), list(n.dtypes), list(n.dims)
        moved[n] = Node.derived(n.op, n.name, n.op_def, cpu, n.attrs, inputs, types, dims)
    program.nodes = list(moved.values())
    program.fetches = [(moved[n], index) for n, index in program.fetches]


def make_const(node, value, index=0):
    """A Const node that takes the place of output `index` of `node`."""
    dtype = node.dtypes[index]
    value = np.array(value, dtype=object) if dtype is dtypes.string else np.asarray(value, dtype.as_numpy_dtype)
    attrs = {"dtype": dtype, "value": value}
    return Node.derived(node.op, node.name, get_op_def("Const"), node.device, attrs, [], [dtype], [value.shape])


def _fold_static_shapes(program):
    """Folds Shape, Size and Rank of values whose static shape is known."""
    replaced = {}
    free = effect_free(program.nodes)
    for node in program.nodes:
        if node.type not in ("Shape", "ShapeN", "Size", "Rank") or node.controls:
            continue
        for i, (source, index) in enumerate(node.inputs):
            dims = source.dims[index]
            if dims is None or node.type != "Rank" and None in dims or source.dtypes[index]._is_ref_dtype:
                continue  # reading a variable also checks that it is initialized
            if source not in free and not source.is_feed:
                continue
            sizes = len(dims) if node.type == "Rank" else num_elements(dims) if node.type == "Size" else dims
            value = sizes_array(sizes, node.dtypes[i])
            if value is not None:  # else the kernel reports a size that its output type can't hold
                replaced[(node, i)] = (make_const(node, value, i), 0)
    if replaced:
        program.replace(values=replaced)
        program.prune()
