"""Inlining: replaces each call of a function by the function's body. The first pass after `ir.build`.

The operation `call` becomes operations `call/...`, one for each operation of the body. Nodes with a control input from
the call depend on all its outputs and side effects. A call behaves like one operation: if it runs, every side effect in
the body happens, whether or not a fetched output depends on it, and nothing runs before the control inputs of the call.
In a branch or loop, operations of the body without inputs get control inputs from the call's inputs, so that they run,
or are dead, with it. Loops in a body are renamed after the call, so that two calls have two frames.

The gradient of a call reuses the operations that it shares with that call. Functional conditionals and loops become
primitive ops (`inline_flow.py`).
"""

from tfcore.compiler.frames import CONTROL_FLOW, ENTER, EXIT, MERGE, NEXT_ITERATION, SWITCH
from tfcore.compiler.inlined_bodies import FUNCTIONAL, inlined_bodies, is_call
from tfcore.compiler.ir import Node
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.definitions.random_ops import draws_random_numbers
from tfcore.framework.functions.func_graph import needed
from tfcore.framework.functions.function_call import callee, find_function
from tfcore.ops.gradients.function import gradient_of_attr

_AT_ONCE = frozenset(["Const", "Variable", "VariableV2", "VarHandleOp", "Placeholder"])  # nothing to wait for
_HANDLE_READS = frozenset(
    ["ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp"]
)
_WITHOUT_EFFECT = _HANDLE_READS.union(["Variable", "VariableV2", "VarHandleOp", "_RefArgument"])  # and random numbers


def inline_calls(program):
    """Replaces all calls, including calls in bodies.

    Raises:
      NotFoundError: a function is not defined. UnimplementedError: a function calls itself.
      InvalidArgumentError: a body does not fit its call, or is malformed.
    """
    with program.nodes[0].op.graph._lock:
        Inliner(program).run()


# ---- What a body does


class Effects:
    """Operations of a body that must run with every call; `missed`: those that each output does not wait for."""

    __slots__ = ("ops", "missed")

    def __init__(self, body):
        depths, self.ops = {}, []
        for op in body.ops:
            inside = nesting(op, [t.op for t in op.inputs], op.controls, depths)
            if not inside and _has_effect(op):
                self.ops.append(op)
        self.missed = [()] * len(body.outputs)
        if self.ops:
            for i, tensor in enumerate(body.outputs):
                before = set(needed([tensor], body.inputs))
                self.missed[i] = [op for op in self.ops if op not in before]


def effects_of(body):
    if body.effects is None:
        body.effects = Effects(body)
    return body.effects


def _has_effect(op):
    if any(arg.is_ref for arg in op.op_def.inputs):
        return True
    attr = callee(op)
    if attr is not None:
        function = find_function(op, attr.name)
        body = function.body(attr.attrs) if function is not None else None
        return op.op_def.stateful if body is None else body.effects is None or bool(effects_of(body).ops)
    return op.op_def.stateful and op.type not in _WITHOUT_EFFECT and not draws_random_numbers(op.type)


def nesting(element, sources, controls, depths):
    """How many conditionals and loops surround a Node or Operation; records how many surround its outputs in `depths`.

    In unusual graphs the number may be too high, but never too low.
    """
    around = max((depths.get(s, 0) for s in (*sources, *controls)), default=0)
    kind = element.type
    after = around
    if kind in ENTER or kind in SWITCH and sources[1].type != "LoopCond":
        after += 1
    elif kind in EXIT or kind in MERGE and not any(s.type in NEXT_ITERATION for s in sources):
        after -= 1
    depths[element] = max(after, 0)
    return around


# ---- The pass


class _InlinedBody:
    """A body at one call: `nodes` by operation, `names`: the same by name, new names of its `frames`, the call's
    `inputs`."""

    __slots__ = ("nodes", "names", "frames", "inputs", "body")

    def __init__(self, body, inputs):
        self.body = body
        self.inputs = inputs
        self.nodes = {}
        self.names = {}
        self.frames = {}


class Inliner:
    def __init__(self, program):
        self.program = program
        self.graph = program.nodes[0].op.graph
        self.inlined = inlined_bodies(self.graph)
        self.values = {}  # (call, index) -> the pair that replaces it
        self.ends = {}  # call -> a node that runs when all of the call has run
        self.depths = {}
        self.parents = {}  # node of a body -> the call, the Body
        self.known = {}  # call -> _InlinedBody
        self.forward = {}  # gradient of a call -> the call that it is the gradient of
        self.signals = {}  # output of a Switch -> see `signal`
        self.nodes = []
        self.todo = []

    def run(self):
        by_name = {node.name: node for node in self.program.nodes}
        for node in self.program.nodes:
            if "_forward_call" in node.attrs:
                self.forward[node] = by_name.get(node.attrs["_forward_call"].decode(errors="replace"))
        self.todo = self.program.nodes[::-1]
        later = []  # gradients: their calls are inlined first
        while self.todo or later:
            node = self.todo.pop() if self.todo else later.pop(0)
            if node not in self.depths:
                nesting(node, [n for n, _ in node.inputs], node.controls, self.depths)
                if is_call(node) and self.forward.get(node) is not None:
                    later.append(node)
                    continue
            if self.forward.get(node) in later:
                later.append(node)
            elif is_call(node):
                self._expand(node)
            else:
                self.nodes.append(node)
        self.program.nodes = self.nodes
        self.program.replace(values=self.values, nodes=self.ends)
        self.program.prune()

    def _expand(self, node):
        if node.type in FUNCTIONAL:
            from tfcore.compiler.inline_flow import expand

            expand(self, node)
            return
        body = self._callee(node)
        begin = self.begin(node)
        outputs, done, known = self.instantiate(node, body, node.inputs, "", begin)
        self.known[node] = known
        given = [self.signal(node, pair) for pair in outputs if not pair[0].is_feed]
        self.finish(node, outputs, [*done, *given, *begin])

    def _callee(self, node):
        if node.type != "SymbolicGradient":
            return self.body_of(node, callee(node.op))
        try:
            function = gradient_of_attr(node.op)
        except LookupError as error:
            raise errors.NotFoundError(None, node.op, f"{error}{errors.location(node.op)}") from None
        return function.body()

    def body_of(self, node, attr):
        """The Body of the function that a FunctionAttr names."""
        function = find_function(node.op, attr.name)
        if function is None:
            raise errors.NotFoundError(None, node.op, f"Function {attr.name} is not defined.{errors.location(node.op)}")
        try:
            return function.body(attr.attrs)
        except (ValueError, errors.NotFoundError) as error:
            text = error.message if isinstance(error, errors.OpError) else error
            raise errors.InvalidArgumentError(None, node.op, f"{text}{errors.location(node.op)}") from None

    def begin(self, node):
        """The nodes that body operations without inputs must wait for, as a call runs when all inputs are available."""
        waits = dict.fromkeys(node.controls)
        for source, index in node.inputs:
            if not source.is_feed and (source.type not in _AT_ONCE or source.controls):
                waits[self.signal(node, (source, index))] = None
        if len(waits) < 2:
            return list(waits)
        return [self.derived(node, "NoOp", {}, [], [], list(waits), name="begin")]

    def signal(self, call, pair):
        """The node to wait for until a value is available. Of a Switch only one output may be live."""
        source, index = pair
        if source.type not in SWITCH:
            return source
        found = self.signals.get(pair)
        if found is None:
            dtype, dims = source.dtypes[index], source.dims[index]
            kind = "RefIdentity" if dtype._is_ref_dtype else "Identity"
            found = self.derived(call, kind, {"T": dtype.base_dtype}, [pair], [(dtype, dims)], name="signal")
            self.signals[pair] = found
        return found

    def finish(self, node, outputs, ran):
        """Replaces the outputs of a call by `outputs`; nodes that wait for the call wait for `ran`."""
        self.values.update(((node, i), pair) for i, pair in enumerate(outputs))
        self.ends[node] = self.derived(node, "NoOp", {}, [], [], list(dict.fromkeys(ran)))

    def derived(self, call, op_type, attrs, inputs, outputs, controls=(), name=None):
        """A node that serves a call; `outputs` are pairs of a type and dims."""
        name = call.name if name is None else f"{call.name}/{name}"
        types, dims = [t for t, _ in outputs], [d for _, d in outputs]
        node = Node.derived(call.op, name, get_op_def(op_type), call.device, attrs, inputs, types, dims, controls)
        nesting(node, [n for n, _ in inputs], node.controls, self.depths)
        self.nodes.append(node)
        return node

    # ---- Bodies

    def instantiate(self, node, body, inputs, prefix, begin, args=None):
        """Adds the nodes of a body in place of a call or of a part of it.

        Args:
          inputs: pairs for the body's inputs. prefix: of node names, after the call's name. begin: see `begin`.
          args: Tensors with the static information about the inputs; by default those of the call.

        Returns: pairs for the outputs, the nodes with side effects, and the _InlinedBody.
        """
        self._check(node, body, inputs)
        known = self._started(node, body, inputs)
        there = {op: known.nodes[op] for op in body.ops if op in known.nodes}
        ops = self.inlined.of(
            node.op,
            body,
            f"{node.name}/{prefix}",
            node.op.inputs if args is None else args,
            {s: n.op for s, n in there.items()},
        )
        pairs = dict(zip(body.inputs, inputs))
        for source, n in known.nodes.items():
            pairs.update((t, (n, i)) for i, t in enumerate(source.outputs))
        for source, op in ops.items():
            new = known.nodes[source] = known.names[source.name] = Node(op)
            pairs.update((t, (new, i)) for i, t in enumerate(source.outputs))
        new_nodes = [self._connected(node, known, source, pairs, prefix) for source in ops]
        self._anchor(node, inputs, there.values(), new_nodes, begin)
        self.todo += new_nodes[::-1]
        effects = effects_of(body)
        outputs = [
            self._after(node, pairs[t], [known.nodes[op] for op in missed])
            for t, missed in zip(body.outputs, effects.missed)
        ]
        return outputs, [known.nodes[op] for op in effects.ops], known

    def _connected(self, call, known, source, pairs, prefix):
        node = known.nodes[source]
        node.inputs = [pairs[t] for t in source.inputs]
        node.controls = [known.nodes[c] for c in source.controls if c in known.nodes]
        self.parents[node] = call, known.body
        if source.type in ENTER:
            frame = source.attrs["frame_name"]
            new = known.frames.setdefault(frame, f"{call.name}/{prefix}".encode() + frame)
            node.attrs = {**node.attrs, "frame_name": new}
        if "_forward_call" in source.attrs:
            self.forward[node] = known.names.get(source.attrs["_forward_call"].decode(errors="replace"))
        return node

    def _anchor(self, call, inputs, shared, new_nodes, begin):
        """Adds `begin` to the control inputs of the new nodes that must wait for it but don't yet.

        Nodes whose results depend on what has run before wait for all of `begin`. In a branch or loop, the others need
        only be `anchored`: they run, or are dead, with the call.
        """
        if not begin:
            return
        around = max((self.depths.get(n, 0) for n in begin), default=0)
        anchored = {n for n, _ in inputs if around and self.depths.get(n, 0) >= around}
        anchored.update(shared if around else ())  # those are in the branch or loop of the other call
        depths = {n: max(self.depths.get(n, 0) - self.depths.get(call, 0), 0) for n in shared}
        inside = {n: nesting(n, [s for s, _ in n.inputs], n.controls, depths) for n in new_nodes}
        ways_in = ENTER | SWITCH if any(inside[n] and _minds_when(n) for n in new_nodes) else ()
        after_begin = set(begin)  # all of these wait for `begin`; what is anchored may run before it
        for node in new_nodes:
            before = [*(n for n, _ in node.inputs), *node.controls]
            waits = any(n in after_begin for n in before)
            runs_with_call = waits or any(n in anchored for n in before)
            must_wait = node.type in ways_in or _minds_when(node)
            if not inside[node] and not waits and (must_wait or around and not runs_with_call):
                node.controls = [*node.controls, *begin]
                waits = True
            if waits:
                after_begin.add(node)
            if waits or runs_with_call:
                anchored.add(node)

    def _after(self, call, pair, nodes):
        """A value that is available once `nodes` have run."""
        if not nodes:
            return pair
        source, index = pair
        dtype, dims = source.dtypes[index].base_dtype, source.dims[index]
        return (self.derived(call, "Identity", {"T": dtype}, [pair], [(dtype, dims)], nodes), 0)

    def _started(self, node, body, inputs):
        """An _InlinedBody that starts with the nodes it shares with the call that it is the gradient of, if that call
        is in the program with the same inputs.
        """
        known = _InlinedBody(body, inputs)
        forward = self.known.get(self.forward.get(node))
        if forward is not None and inputs[: len(forward.inputs)] == forward.inputs:
            known.names.update(forward.names)
            if forward.body.graph is body.graph:
                known.nodes.update(forward.nodes)
                known.frames.update(forward.frames)
            else:
                known.nodes.update((op, forward.nodes[other]) for op, other in _same(body, forward.body).items())
        return known

    def _check(self, node, body, inputs):
        name = body.graph.name if body is not None else node.type
        names, inner = [name], node
        while inner is not None:
            inner, around = self.parents.get(inner, (None, None))
            if around is not None:
                names.append(around.graph.name)
            if body is None or body is around:
                path = " -> ".join(reversed(names))
                raise errors.UnimplementedError(
                    None,
                    node.op,
                    f"Function {name} calls itself ({path}): recursive functions are not supported; use tf.while_loop."
                    f"{errors.location(node.op)}",
                )
        found = [n.dtypes[i].base_dtype for n, i in inputs]
        wanted = [t.dtype.base_dtype for t in body.inputs]
        if found != wanted:
            texts = [", ".join(t.name for t in types) for types in (wanted, found)]
            raise errors.InvalidArgumentError(
                None, node.op, f"Function {name} takes ({texts[0]}), but gets ({texts[1]}){errors.location(node.op)}"
            )
        results = [t.dtype.base_dtype for t in body.outputs]
        if node.type not in FUNCTIONAL and results != [t.base_dtype for t in node.dtypes]:
            texts = [", ".join(t.name for t in types) for types in (results, node.dtypes)]
            raise errors.InvalidArgumentError(
                None,
                node.op,
                f"Function {name} gives ({texts[0]}), but ({texts[1]}) is expected{errors.location(node.op)}",
            )


def _same(body, other):
    """The operations of a body that another body contains too: same name, and the same computation from the first
    inputs. Ignores control flow.
    """
    twins = {op.name: op for op in other.ops}
    values = dict(zip(body.inputs, other.inputs))
    same = {}
    for op in body.ops:
        twin = twins.get(op.name)
        if (
            twin is None
            or twin.type != op.type
            or op.type in CONTROL_FLOW
            or [values.get(t) for t in op.inputs] != twin.inputs
        ):
            continue
        if any(same.get(c) not in twin.controls for c in op.controls):
            continue
        same[op] = twin
        values.update(zip(op.outputs, twin.outputs))
    return same


def _minds_when(node):
    """Whether the result of a body's node depends on what has run before it."""
    if is_call(node) or node.reads_reference() or node.type in _HANDLE_READS:
        return True
    return node.op_def.stateful and node.type not in _WITHOUT_EFFECT and not draws_random_numbers(node.type)
