"""Fuses trees of element-wise operations on large tensors of one shape.

Each tensor is read once, and values between the operations never leave the cache. An operation joins the one that uses
its value if nothing else does.
"""

import math

from tfcore.compiler.fuse import has_builtin_kernels, replace_by_fused
from tfcore.framework.types import dtypes

# kernels_c/cwise/cwise.h: tfc_fusible_unary, tfc_fusible_binary
UNARY = frozenset("Abs Neg Square Reciprocal Sqrt Rsqrt Exp Log Tanh Sigmoid".split())
BINARY = frozenset("Add AddV2 Sub Mul RealDiv Maximum Minimum SquaredDifference".split())
_OPS = UNARY | BINARY
LEAST_SIZE = 4096  # smaller tensors stay in the cache anyway
# A tree of so many keeps at most 4 values at a time: one that needs 5 has 31 operations. The kernel has buffers for 8
# values, and room for 64 operations.
_MOST_OPS = 24


def fuse_cwise(program):
    """Replaces each tree by one _FusedCwise.

    Operations with control dependencies, targets and reads of references stay.
    """
    if sum(n.type in _OPS for n in program.nodes) < 2:
        return
    consumers = program.consumers()
    held = {c for n in program.nodes for c in n.controls}.union(program.targets)
    taken = set()
    for root in reversed(program.nodes):
        if root in taken or not _fits(root):
            continue
        tree = _Tree(root, consumers, held)
        if len(tree.nodes) > 1 and has_builtin_kernels(tree.nodes):
            taken.update(tree.nodes)
            tree.fuse()
    if taken:
        program.prune()


def _fits(node):
    """Whether it works on large tensors of its shape and on scalars."""
    if node.type not in _OPS or node.controls or node.dtypes[0] not in (dtypes.float32, dtypes.float64):
        return False
    dims = node.dims[0]
    if not dims or None in dims or math.prod(dims) < LEAST_SIZE or node.attrs.get("_may_be_dead"):
        return False
    shapes = [source.dims[index] for source, index in node.inputs]
    return dims in shapes and all(shape in (dims, ()) for shape in shapes) and not node.reads_reference()


class _Tree:
    """The nodes whose values reach the root only: `nodes` in the order in which they run."""

    def __init__(self, root, consumers, held):
        self.root = root
        self.inputs = {}
        self._room = _MOST_OPS - 1
        self._consumers, self._held = consumers, held
        self.nodes, _ = self._ordered(root)

    def _ordered(self, node):
        """The nodes up to this one, and how many values have to be kept at a time. As few as possible: the operand that
        needs more comes first."""
        parts = []
        for pair in node.inputs:
            if self._joins(pair, node):
                self._room -= 1
                parts.append(self._ordered(pair[0]))
            else:
                self.inputs.setdefault(pair, len(self.inputs))
        parts.sort(key=lambda part: -part[1])
        kept = max([1, *(i + needed for i, (_, needed) in enumerate(parts))])
        return [n for nodes, _ in parts for n in nodes] + [node], kept

    def _joins(self, pair, node):
        source, index = pair
        if not self._room or index or source.is_feed or source in self._held or self._consumers[pair] != [node]:
            return False
        return source.device == node.device and source.dims[0] == node.dims[0] and _fits(source)

    def fuse(self):
        number = {(node, 0): len(self.inputs) + i for i, node in enumerate(self.nodes)}
        args = []
        for node in self.nodes:
            values = [number.get(pair, self.inputs.get(pair)) for pair in node.inputs]
            args += [values[0], values[-1]]
        attrs = {"T": self.root.dtypes[0], "N": len(self.inputs), "args": args}
        attrs["ops"] = [node.type.encode() for node in self.nodes]
        replace_by_fused(self.root, "_FusedCwise", attrs, list(self.inputs))
