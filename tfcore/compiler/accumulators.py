"""Replaces loop variables that a loop only adds to by an object that goes around the loop, accumulates the values, and
makes the result on demand. Gradients of what each iteration uses are such variables. No bit changes.

A matrix to which products are added (see kernels_c/linalg/matmul_sum.c; sums with a start other than zeros work alike):

    zeros -> Enter -> Merge -> Switch -> Exit -> ...
    Switch -> Add(., MatMul(a, b)) -> NextIteration -> Merge
  becomes
    shape -> _ProductSumOfZeros -> Enter -> Merge -> Switch -> Exit -> _ProductSumValue -> ...
    Switch -> _ProductSumAdd(., a, b) -> NextIteration -> Merge

Rows to which rows are appended (ConcatV2 would copy all of them in each iteration) become _RowList, _RowListAdd and
_RowListValue.
"""

import numpy as np

from tfcore.compiler.devices import NULL, device_type
from tfcore.compiler.ir import Node
from tfcore.core.registry.registry import has_user_kernels
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes

_ADDS = frozenset(["Add", "AddV2"])


def replace_accumulators(program):
    """Applies the rewrite wherever the loop uses the variable in no other way."""
    candidates = [n for n in program.nodes if n.type in _ADDS or n.type == "ConcatV2"]
    if not candidates or not any(n.type == "NextIteration" for n in program.nodes):
        return
    if any(map(has_user_kernels, ("Add", "AddV2", "ConcatV2", "MatMul"))):
        return
    consumers = program.consumers()
    held = {c for n in program.nodes for c in n.controls}.union(program.targets)
    values = {}
    for node in candidates:
        found = (_Products if node.type in _ADDS else _Rows).of(node, consumers, held)
        if found is not None:
            values.update(found.rewrite())
    if values:
        program.replace(values=values)
        for (exit_node, _), (value, _) in values.items():
            value.inputs = [(exit_node, 0)]
        program.prune()


class _Accumulator:
    """The nodes around one loop variable: `update` computes its next value from the output of `switch`."""

    def __init__(self, update, switch, merge, enter, following, exits):
        self.update, self.switch, self.merge = update, switch, merge
        self.enter, self.following, self.exits = enter, following, exits

    @classmethod
    def around(cls, update, switch, consumers, held, also=()):
        """None if the variable has other uses. also: nodes that only `update` may use."""
        merge = switch.inputs[0][0]
        if merge.type != "Merge" or len(merge.inputs) != 2 or (merge, 1) in consumers:
            return None
        (enter, _), (following, _) = merge.inputs
        if enter.type != "Enter" or following.type != "NextIteration" or enter.attrs["is_constant"]:
            return None
        only = [((switch, 1), update), ((update, 0), following), ((following, 0), merge)]
        only += [((enter, 0), merge), ((merge, 0), switch), *(((n, 0), update) for n in also)]
        if any(consumers.get(pair) != [user] for pair, user in only):
            return None
        exits = consumers.get((switch, 0), [])
        if any(n is None or n.type != "Exit" for n in exits):
            return None
        start = enter.inputs[0][0]
        nodes = [update, switch, merge, enter, following, *exits, *also]
        if any(n in held for n in nodes):
            return None
        devices = {n.device for n in nodes}.union([] if start.is_feed else [start.device])
        if len(devices) > 1 or device_type(devices.pop()) not in ("CPU", NULL):
            return None
        return cls(update, switch, merge, enter, following, exits)

    def send_around(self, start, update_type, value_type, attrs, inputs):
        """Sends the object that `start` makes around the loop. Returns what replaces the values of the Exits."""
        update = self.update
        dtype = update.dtypes[0]
        values = {(e, 0): (self.made(e, value_type, attrs, [(e, 0)], dtype, e.dims[0]), 0) for e in self.exits}
        self.enter.inputs = [(start, 0)]
        for node in (self.enter, self.merge, self.switch, self.following, *self.exits):
            node.attrs = {**node.attrs, "T": dtypes.resource}
            node.dtypes = [dtypes.resource] * len(node.dtypes)
            node.dims = [()] * len(node.dims)
        self.merge.dtypes[1] = dtypes.int32  # index of the input that arrived
        update.type, update.op_def, update.attrs = update_type, get_op_def(update_type), attrs
        update.inputs = [(self.switch, 1), *inputs]
        outputs = len(update.op_def.outputs)
        update.dtypes, update.dims = [dtypes.resource, dtype][:outputs], [(), None][:outputs]
        return values

    def made(self, source, op_type, attrs, inputs, dtype, dims, controls=()):
        name = f"{self.update.name}/{op_type.lstrip('_')}"
        return Node.derived(
            source.op, name, get_op_def(op_type), self.update.device, attrs, inputs, [dtype], [dims], controls
        )


class _Products(_Accumulator):
    """A sum of products."""

    @classmethod
    def of(cls, add, consumers, held):
        for (switch, side), (product, index) in (add.inputs, add.inputs[::-1]):
            if switch.type == "Switch" and side == 1 and product.type == "MatMul" and index == 0:
                break
        else:
            return None
        dims = product.dims[0]
        if add.dtypes[0] not in (dtypes.float32, dtypes.float64) or dims is None or None in dims:
            return None
        found = cls.around(add, switch, consumers, held, [product])
        if found is None or found.merge.dims[0] != dims:
            return None
        found.product = product
        start, output = found.enter.inputs[0]
        return found if start.dims[output] == dims else None

    def rewrite(self):
        product = self.product
        attrs = {"T": self.update.dtypes[0], **{t: product.attrs[t] for t in ("transpose_a", "transpose_b")}}
        self.update.controls = [*self.update.controls, *product.controls]
        return self.send_around(self._start(attrs["T"]), "_ProductSumAdd", "_ProductSumValue", attrs, product.inputs)

    def _start(self, dtype):
        """The node that makes the object from the initial value of the sum."""
        source, index = self.enter.inputs[0]
        controls = source.controls
        if source.type == "Fill" and source.inputs[0][0].dtypes[0] is dtypes.int32 and _is_zero(source.inputs[1][0]):
            dims = source.inputs[0]
        elif source.type == "Const" and _is_zero(source):
            value = np.array(source.dims[0], np.int32)
            attrs = {"value": value, "dtype": dtypes.int32}
            dims = (self.made(source, "Const", attrs, [], dtypes.int32, (2,), controls), 0)
        else:
            return self.made(source, "_ProductSum", {"T": dtype}, [(source, index)], dtypes.resource, ())
        return self.made(source, "_ProductSumOfZeros", {"T": dtype}, [dims], dtypes.resource, (), controls)


def _is_zero(node):
    """Whether it is a constant of positive zeros."""
    if node.type != "Const":
        return False
    value = node.attrs["value"]
    return not value.any() and not np.signbit(value).any()


class _Rows(_Accumulator):
    """Rows to which rows are appended."""

    @classmethod
    def of(cls, concat, consumers, held):
        if len(concat.inputs) != 3 or concat.dtypes[0] in (dtypes.string, dtypes.resource):
            return None
        (switch, side), _, (axis, _) = concat.inputs
        if switch.type != "Switch" or side != 1 or axis.type != "Const" or axis.attrs["value"] != 0:
            return None
        return cls.around(concat, switch, consumers, held)

    def rewrite(self):
        attrs = {"T": self.update.dtypes[0]}
        start, new = self.enter.inputs[0], self.update.inputs[1]
        made = self.made(start[0], "_RowList", attrs, [start], dtypes.resource, ())
        return self.send_around(made, "_RowListAdd", "_RowListValue", attrs, [new])
