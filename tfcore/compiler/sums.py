"""Sums of products that a loop adds up, as the gradient of a matrix that each iteration uses, become one object that goes
around the loop and multiplies when its value is asked for: kernels_c/matmul_sum.c says why. No bit changes.

    zeros -> Enter -> Merge -> Switch -> Exit -> ...              zeros' shape -> _ProductSumOfZeros -> Enter -> Merge ->
               NextIteration <- Add <-'              becomes        Switch -> Exit -> _ProductSumValue -> ...
                                 ^- MatMul(a, b)                    NextIteration <- _ProductSumAdd(a, b) <-'
"""

import numpy as np

from tfcore.compiler.devices import NULL, device_type
from tfcore.compiler.ir import Node
from tfcore.core.registry import has_user_kernels
from tfcore.framework import dtypes
from tfcore.framework.op_def import get_op_def

_ADDS = frozenset(["Add", "AddV2"])


def sum_products(program):
    """Applies the rewrite wherever the sum is used in no other way inside of its loop."""
    candidates = [n for n in program.nodes if n.type in _ADDS and n.dtypes[0] in (dtypes.float32, dtypes.float64)]
    if not candidates or not any(n.type == "NextIteration" for n in program.nodes):
        return
    if any(map(has_user_kernels, ("Add", "AddV2", "MatMul"))):
        return
    consumers = program.consumers()
    held = {c for n in program.nodes for c in n.controls}.union(program.targets)
    values = {}
    for add in candidates:
        loop = _Loop.of(add, consumers, held)
        if loop is not None:
            values.update(loop.rewrite(consumers))
    if values:
        program.replace(values=values)
        for (exit_node, _), (value, _) in values.items():
            value.inputs = [(exit_node, 0)]
        program.prune()


class _Loop:
    """The nodes around one sum."""

    def __init__(self, add, product, switch, merge, enter, following, exits):
        self.add, self.product, self.switch, self.merge = add, product, switch, merge
        self.enter, self.following, self.exits = enter, following, exits

    @classmethod
    def of(cls, add, consumers, held):
        """The loop variable that is what `add` adds a product to, None if it is not just that."""
        for (switch, side), (product, index) in (add.inputs, add.inputs[::-1]):
            if switch.type == "Switch" and side == 1 and product.type == "MatMul" and index == 0:
                break
        else:
            return None
        dims = product.dims[0]
        if dims is None or None in dims:
            return None
        merge = switch.inputs[0][0]
        if merge.type != "Merge" or len(merge.inputs) != 2 or merge.dims[0] != dims:
            return None
        (enter, _), (following, _) = merge.inputs
        if enter.type != "Enter" or following.type != "NextIteration" or enter.attrs["is_constant"]:
            return None
        only = [((product, 0), add), ((switch, 1), add), ((add, 0), following), ((following, 0), merge)]
        only += [((enter, 0), merge), ((merge, 0), switch)]
        if any(consumers.get(pair) != [user] for pair, user in only) or (merge, 1) in consumers:
            return None
        exits = consumers.get((switch, 0), [])
        if any(n is None or n.type != "Exit" for n in exits):
            return None
        start, output = enter.inputs[0]
        nodes = [add, product, switch, merge, enter, following, *exits]
        if start.is_feed or start.dims[output] != dims or any(n in held for n in nodes):
            return None
        devices = {n.device for n in (*nodes, start)}
        if len(devices) > 1 or device_type(devices.pop()) not in ("CPU", NULL):
            return None
        return cls(add, product, switch, merge, enter, following, exits)

    def rewrite(self, consumers):
        """Makes the object go around. Returns what replaces the values of the Exits."""
        dtype = self.add.dtypes[0]
        attrs = {"T": dtype, **{t: self.product.attrs[t] for t in ("transpose_a", "transpose_b")}}
        self.enter.inputs = [(self._start(dtype), 0)]
        for node in (self.enter, self.merge, self.switch, self.following, *self.exits):
            node.attrs = {**node.attrs, "T": dtypes.resource}
            node.dtypes = [t if t is dtypes.int32 else dtypes.resource for t in node.dtypes]
            node.dims = [()] * len(node.dims)
        add = self.add
        add.type, add.op_def, add.attrs = "_ProductSumAdd", get_op_def("_ProductSumAdd"), attrs
        add.inputs = [(self.switch, 1), *self.product.inputs]
        add.controls = [*add.controls, *self.product.controls]
        dims = self.product.dims[0]
        add.dtypes, add.dims = [dtypes.resource, dtype], [(), None]
        return {(e, 0): (self._made(e, "_ProductSumValue", attrs, [(e, 0)], dtype, dims), 0) for e in self.exits}

    def _start(self, dtype):
        """The node that makes the object, in the place of the matrix that the sum starts with."""
        source, index = self.enter.inputs[0]
        controls = source.controls
        if source.type == "Fill" and source.inputs[0][0].dtypes[0] is dtypes.int32 and _is_zero(source.inputs[1][0]):
            dims = source.inputs[0]
        elif source.type == "Const" and _is_zero(source):
            value = np.array(source.dims[0], np.int32)
            attrs = {"value": value, "dtype": dtypes.int32}
            dims = (self._made(source, "Const", attrs, [], dtypes.int32, (2,), controls), 0)
        else:
            return self._made(source, "_ProductSum", {"T": dtype}, [(source, index)], dtypes.resource, ())
        return self._made(source, "_ProductSumOfZeros", {"T": dtype}, [dims], dtypes.resource, (), controls)

    def _made(self, source, op_type, attrs, inputs, dtype, dims, controls=()):
        name = f"{self.add.name}/{op_type.lstrip('_')}"
        return Node.derived(
            source.op, name, get_op_def(op_type), source.device, attrs, inputs, [dtype], [dims], controls
        )


def _is_zero(node):
    """Whether it is a constant of positive zeros."""
    if node.type != "Const":
        return False
    value = node.attrs["value"]
    return not value.any() and not np.signbit(value).any()
