"""Expands functional conditionals and loops (If, Case, While) to primitive control flow, with inlined bodies."""

import numpy as np

from tfcore.framework import errors
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes


def expand(inliner, node):
    """Replaces a functional conditional or loop by primitives."""
    if node.type in ("While", "StatelessWhile"):
        _Loop(inliner, node).expand()
    elif node.type in ("If", "StatelessIf"):
        bodies = [inliner.body_of(node, node.attrs[key]) for key in ("else_branch", "then_branch")]
        _Conditional(inliner, node).expand(_as_bool(inliner, node), node.inputs[1:], bodies, ("else/", "then/"))
    else:
        _expand_case(inliner, node)


def _as_bool(inliner, node):
    """The condition of an If as a bool: a scalar number is true if it is not zero."""
    source, index = pair = node.inputs[0]
    dtype, dims = source.dtypes[index].base_dtype, source.dims[index]
    if dtype is dtypes.bool:
        return pair
    if dtype is dtypes.string or dims is not None and dims != ():
        text = f"The condition of {node.name} must be a scalar bool or number, not {dtype.name} of shape {dims}"
        raise errors.UnimplementedError(None, node.op, text + errors.location(node.op))
    attrs = {"SrcT": dtype, "DstT": dtypes.bool, "Truncate": False}
    return (inliner.derived(node, "Cast", attrs, [pair], [(dtypes.bool, dims)], name="cond"), 0)


class _Primitives:
    def __init__(self, inliner, node):
        self.inliner = inliner
        self.node = node

    def add(self, op_type, inputs, outputs, controls=(), **attrs):
        return self.inliner.derived(self.node, op_type, attrs, inputs, outputs, controls, name=op_type)

    def switch(self, pair, pred, as_ref=False):
        source, index = pair
        dtype, dims = source.dtypes[index], source.dims[index]
        as_ref = as_ref and dtype._is_ref_dtype
        out = dtype if as_ref else dtype.base_dtype
        return self.add("RefSwitch" if as_ref else "Switch", [pair, pred], [(out, dims)] * 2, T=dtype.base_dtype)

    def merge(self, pairs, dims):
        dtype = pairs[0][0].dtypes[pairs[0][1]].base_dtype
        return self.add("Merge", pairs, [(dtype, dims), (dtypes.int32, ())], T=dtype, N=len(pairs))

    def identity(self, pair, controls=()):
        source, index = pair
        dtype = source.dtypes[index].base_dtype
        return self.add("Identity", [pair], [(dtype, source.dims[index])], controls, T=dtype)


class _Conditional(_Primitives):
    def expand(self, pred, inputs, bodies, prefixes):
        """Expands an If: bodies for False and True."""
        results = self.branches(pred, inputs, bodies, prefixes)
        self.finish(results)

    def branches(self, pred, inputs, bodies, prefixes):
        """For each body its outputs, and a scalar that is live once all of the body has run."""
        pivot = self.switch(pred, pred)
        as_refs = [
            any(b.inputs[i].dtype._is_ref_dtype for b in bodies if len(b.inputs) > i) for i in range(len(inputs))
        ]
        switches = [self.switch(pair, pred, as_ref) for pair, as_ref in zip(inputs, as_refs)]
        results = []
        for side, (body, prefix) in enumerate(zip(bodies, prefixes)):
            begin = self.identity((pivot, side), self.node.controls)
            results.append(self.branch(body, [(s, side) for s in switches], prefix, begin))
        return results

    def branch(self, body, inputs, prefix, begin):
        node = self.node
        args = node.op.inputs[1:]
        outputs, done, _ = self.inliner.instantiate(node, body, inputs, prefix, [begin], args)
        found, wanted = [[n.dtypes[i].base_dtype for n, i in outputs], [t.base_dtype for t in node.dtypes]]
        if found != wanted:
            texts = [", ".join(t.name for t in types) for types in (found, wanted)]
            text = f"Branch {prefix[:-1]} of {node.name} gives ({texts[0]}), but ({texts[1]}) is expected"
            raise errors.InvalidArgumentError(None, node.op, text + errors.location(node.op))
        outputs = [(self.identity(p), 0) if p[0].dtypes[p[1]]._is_ref_dtype else p for p in outputs]
        ran = list(dict.fromkeys([*done, *[self.inliner.signal(node, p) for p in outputs]]))
        return outputs, (self.identity((begin, 0), ran), 0)

    def finish(self, results):
        dims = self.node.dims
        merges = [self.merge([outputs[i] for outputs, _ in results], dims[i]) for i in range(len(self.node.dtypes))]
        ran = self.merge([end for _, end in results], ())
        self.inliner.finish(self.node, [(m, 0) for m in merges], [ran, *merges])


def _expand_case(inliner, node):
    """Tests one branch after the other; all other indices go to the last."""
    bodies = [inliner.body_of(node, attr) for attr in node.attrs["branches"]]
    flow = _Conditional(inliner, node)
    index, inputs, results = node.inputs[0], node.inputs[1:], []
    if len(bodies) == 1:
        begin = flow.identity(index, node.controls)
        flow.finish([flow.branch(bodies[0], list(inputs), "branch_0/", begin)])
        return
    for number, body in enumerate(bodies[:-1]):
        controls = [*node.controls] if index[0].is_feed else [inliner.signal(node, index), *node.controls]
        value = np.array(number, np.int32)
        constant = flow.add("Const", [], [(dtypes.int32, ())], controls, value=value, dtype=dtypes.int32)
        attrs = {"T": dtypes.int32, "incompatible_shape_error": True}
        pred = (flow.add("Equal", [index, (constant, 0)], [(dtypes.bool, ())], **attrs), 0)
        pivot = flow.switch(pred, pred)
        switches = [flow.switch(p, pred, p[0].dtypes[p[1]]._is_ref_dtype) for p in inputs]
        taken = [(s, 1) for s in switches]
        results.append(flow.branch(body, taken, f"branch_{number}/", flow.identity((pivot, 1))))
        rest = flow.switch(index, pred)
        index, inputs = (flow.identity((rest, 0)), 0), [(s, 0) for s in switches]
    results.append(flow.branch(bodies[-1], inputs, f"branch_{len(bodies) - 1}/", index[0]))
    flow.finish(results)


class _Loop(_Primitives):
    def expand(self):
        node, inliner = self.node, self.inliner
        if not node.inputs:
            raise errors.InvalidArgumentError(
                None, node.op, f"{node.name} has no values to loop over{errors.location(node.op)}"
            )
        cond, body = (inliner.body_of(node, node.attrs[key]) for key in ("cond", "body"))
        shapes = list(zip([t.base_dtype for t in node.dtypes], node.dims))
        frame = {
            "frame_name": f"{node.name}/".encode(),
            "is_constant": False,
            "parallel_iterations": node.attrs["parallel_iterations"],
        }
        enters = []
        for pair, (dtype, _) in zip(node.inputs, shapes):
            dims = pair[0].dims[pair[1]]
            enters.append(self.add("Enter", [pair], [(dtype, dims)], node.controls, T=dtype, **frame))
        merges = [self.merge([(e, 0), (e, 0)], dims) for e, (_, dims) in zip(enters, shapes)]
        inliner.depths.update(zip(merges, [inliner.depths[e] for e in enters]))
        pred = self.condition(cond, [(m, 0) for m in merges])
        loop = (self.add("LoopCond", [pred], [(dtypes.bool, ())]), 0)
        switches = [self.switch((m, 0), loop) for m in merges]
        begin = self.identity((switches[0], 1))
        outputs = self.part(body, [(s, 1) for s in switches], "body/", begin)
        if [n.dtypes[i].base_dtype for n, i in outputs] != [t for t, _ in shapes]:
            text = f"The body of {node.name} does not give values of the types that it takes"
            raise errors.InvalidArgumentError(None, node.op, text + errors.location(node.op))
        for merge, pair, (dtype, dims) in zip(merges, outputs, shapes):
            merge.inputs[1] = (self.add("NextIteration", [pair], [(dtype, dims)], T=dtype), 0)
        exits = [self.add("Exit", [(s, 0)], [out], T=out[0]) for s, out in zip(switches, shapes)]
        inliner.finish(node, [(e, 0) for e in exits], exits)

    def condition(self, cond, values):
        (pred,) = self.part(cond, values, "cond/", values[0][0]) if len(cond.outputs) == 1 else (None,)
        if pred is None or pred[0].dtypes[pred[1]].base_dtype is not dtypes.bool:
            text = f"The condition of {self.node.name} must give one bool"
            raise errors.InvalidArgumentError(None, self.node.op, text + errors.location(self.node.op))
        return pred

    def part(self, body, inputs, prefix, begin):
        """Inlines a body with the static shapes that hold in every iteration."""
        op = self.node.op
        args = [Tensor(op, i, t.dtype, t.dims) for i, t in enumerate(body.inputs)]
        outputs, _, _ = self.inliner.instantiate(self.node, body, inputs, prefix, [begin], args)
        return outputs
