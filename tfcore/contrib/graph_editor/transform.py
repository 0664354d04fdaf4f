"""Copies of parts of a graph."""

import functools

from tfcore.contrib.graph_editor import edit, reroute, util
from tfcore.contrib.graph_editor.select import get_walks_intersection_ops
from tfcore.contrib.graph_editor.subgraph import SubGraphView, make_view
from tfcore.framework import errors
from tfcore.framework.graph.graph import Graph
from tfcore.framework.graph.operation import Operation, Tensor


def replace_t_with_placeholder_handler(info, t):
    """A placeholder for a tensor.

    Args:
      info: What the `Transformer` knows.
      t: The `Tensor`.

    Returns:
      A `Tensor`.

    Raises:
      TypeError: `t` is not a tensor.
    """
    with info.graph_.as_default():
        return util.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info, t, scope=None):
    """The tensor itself if the copies are in the same graph, else a placeholder.

    Args:
      info: What the `Transformer` knows.
      t: The `Tensor`.
      scope: Ignored.

    Returns:
      A `Tensor`.

    Raises:
      TypeError: `t` is not a tensor.
    """
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info, elem, elem_):
    """Adds a copy to the collections that have the original; those that TensorFlow does not know are renamed.

    Args:
      info: What the `Transformer` knows.
      elem: The original `Operation` or `Tensor`.
      elem_: The copy.

    Raises:
      ValueError: A collection that would be renamed is not in the source scope.
    """
    known = util.get_predefined_collection_names()
    for name, members in info.collections.items():
        if elem in members:
            info.graph_.add_to_collection(name if name in known else info.new_name(name), elem_)


def transform_op_if_inside_handler(info, op, keep_if_possible=True):
    """The copy of an operation of the view. Others stay if the copies are in the same graph.

    Args:
      info: What the `Transformer` knows.
      op: The `Operation`, or None.
      keep_if_possible: Whether others may stay.

    Returns:
      An `Operation` or None.

    Raises:
      KeyError: The operation has not been copied.
    """
    if op is None:
        return None
    if op in info.ops:
        return info.transformed_ops[op]
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(info, op, new_inputs, copy_shape=False):
    """A copy of an operation with other inputs.

    Args:
      info: What the `Transformer` knows.
      op: The `Operation`.
      new_inputs: Its inputs.
      copy_shape: Whether the outputs have all that is known of the shapes of the originals.

    Returns:
      The copy, and a list of its outputs.

    Raises:
      NotImplementedError: The operation is part of a loop.
      ValueError: The inputs have shapes that the operation refuses.
    """
    if op.type in ("Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration", "LoopCond"):
        raise NotImplementedError(
            f"graph_editor cannot copy {op.name!r} ({op.type}), which is part of a loop{errors.location(op)}"
        )
    graph = info.graph_
    name = graph.unique_name(info.new_name(op.name))
    with graph.as_default(), graph.control_dependencies(None):
        made = graph.add_operation(
            op.op_def, list(new_inputs), dict(op.attrs), [t.dtype for t in op.outputs], f"{name}/"
        )
    if not made.device:
        made._set_device(op.device)
    if copy_shape:
        for t, t_ in zip(op.outputs, made.outputs):
            t_.set_shape(t.shape)
    return made, made.outputs


def transform_op_in_place(info, op, detach_outputs=False):
    """Gives an operation its transformed inputs, without a copy.

    Args:
      info: What the `Transformer` knows.
      op: The `Operation`.
      detach_outputs: Whether its consumers lose it.

    Returns:
      The operation, and a list of its outputs.

    Raises:
      ValueError: Inputs have different types or shapes.
    """
    inputs = [info.transformed_t(t) for t in op.inputs]
    if inputs != list(op.inputs):
        reroute.reroute_ts(inputs, op.inputs, can_modify=op)
    if detach_outputs:
        edit.detach_outputs(op)
    return op, op.outputs


class TransformerInfo:
    """The originals and copies of a transformation. Names that end with "_" are those of the copies."""

    def __init__(self, transformer, sgv, dst_graph, dst_scope, src_scope):
        """Used by `Transformer`.

        Args:
          transformer: The `Transformer`.
          sgv: The `SubGraphView` of the originals.
          dst_graph: The graph of the copies.
          dst_scope: The scope of the copies.
          src_scope: The scope of the originals, which the names of copies lack.
        """
        self.transformer = transformer
        self.sgv = sgv
        self.sgv_inputs_set = frozenset(sgv.inputs)
        self.ops = frozenset(sgv.ops)
        self.graph, self.graph_ = sgv.graph, dst_graph
        self.scope, self.scope_ = src_scope, dst_scope
        names = sgv.graph.get_all_collection_keys()
        self.collections = {name: sgv.graph.get_collection(name) for name in names}
        self.transformed_ops, self.transformed_ts = {}, {}

    def new_name(self, name):
        """The name of a copy.

        Args:
          name: That of the original.

        Returns:
          A string.

        Raises:
          ValueError: The original is not in the source scope.
        """
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]

    def transformed_t(self, t):
        """What stands for a tensor among the copies.

        Args:
          t: The original `Tensor`.

        Returns:
          A `Tensor`.
        """
        if t not in self.transformed_ts:
            handlers = self.transformer
            outside = t in self.sgv_inputs_set
            handler = (
                handlers.transform_external_input_handler
                if outside
                else handlers.transform_external_hidden_input_handler
            )
            self.add_t(t, handler(self, t))
        return self.transformed_ts[t]

    def add_t(self, t, t_):
        """Remembers what stands for a tensor, and adds it to collections.

        Args:
          t: The original `Tensor`.
          t_: The other one.
        """
        if t is not t_:
            self.transformer.assign_collections_handler(self, t, t_)
        self.transformed_ts[t] = t_


class ResultInfo:
    """Which copies have been made of which originals."""

    def __init__(self, info):
        """Used by `Transformer`.

        Args:
          info: Its `TransformerInfo`.
        """
        self._graph, self._graph_ = info.graph, info.graph_
        self._scope, self._scope_ = info.scope, info.scope_
        self._transformed_ops, self._transformed_ts = info.transformed_ops, info.transformed_ts

    def _map_of(self, element):
        if isinstance(element, Operation):
            return self._transformed_ops
        if isinstance(element, Tensor):
            return self._transformed_ts
        if isinstance(element, str):
            return self._transformed_ts if ":" in element else self._transformed_ops
        raise TypeError(f"Expected a tf.Tensor or a tf.Operation, got a {type(element)}")

    def _found(self, element, pairs, missing_fn):
        for key, value in pairs:
            if key.name == element if isinstance(element, str) else key is element:
                return value
        return None if missing_fn is None else missing_fn(element)

    def transformed(self, original, missing_fn=None):
        """The copies of originals.

        Args:
          original: An `Operation`, a `Tensor`, a name, or nested collections of them.
          missing_fn: A function of an original that has no copy (optional).

        Returns:
          The same structure; None where there is no copy.

        Raises:
          TypeError: An element has another type.
        """
        return util.transform_tree(original, lambda x: self._found(x, self._map_of(x).items(), missing_fn))

    def original(self, transformed, missing_fn=None):
        """The originals of copies.

        Args:
          transformed: An `Operation`, a `Tensor`, a name, or nested collections of them.
          missing_fn: A function of what is not a copy (optional).

        Returns:
          The same structure; None for what is not a copy.

        Raises:
          TypeError: An element has another type.
        """

        def find(x):
            return self._found(x, [(copy, original) for original, copy in self._map_of(x).items()], missing_fn)

        return util.transform_tree(transformed, find)

    def __str__(self):
        lines = ["Transform result info:"]
        if self._graph is self._graph_:
            lines.append(f"  Within graph[{id(self._graph)}]{'' if self._scope_ else ' IN-PLACE'}")
        else:
            lines.append(f"  graph[{id(self._graph)}] => graph[{id(self._graph_)}]")
        lines += [f"  Relative to source scope: {self._scope}"] if self._scope else []
        lines += [f"  Scope destination: {self._scope_}"] if self._scope_ else []
        lines.append("Operations mapping:")
        return "\n".join(lines + [f"  {op.name} => {op_.name}" for op, op_ in self._transformed_ops.items()]) + "\n"


class Transformer:
    """Copies a part of a graph. Functions, its attributes, say what becomes of operations and tensors.

    Attributes:
      transform_op_handler: A function of (info, op, inputs) that returns a new operation and its outputs.
      transform_control_input_handler: A function of (info, op), for control dependencies of copies.
      assign_collections_handler: A function of (info, original, copy).
      transform_external_input_handler: A function of (info, t), for the inputs of the view.
      transform_external_hidden_input_handler: A function of (info, t), for those that the view leaves out.
      transform_original_op_handler: A function of (info, op), for the operations that gradients belong to.
    """

    def __init__(self):
        self.transform_op_handler = copy_op_handler
        self.transform_control_input_handler = transform_op_if_inside_handler
        self.assign_collections_handler = assign_renamed_collections_handler
        self.transform_external_input_handler = replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler = keep_t_if_possible_handler
        self.transform_original_op_handler = transform_op_if_inside_handler

    def __call__(self, sgv, dst_graph, dst_scope, src_scope="", reuse_dst_scope=False):
        """Copies a part of a graph.

        Args:
          sgv: What `make_view` takes.
          dst_graph: The `Graph` of the copies.
          dst_scope: Their scope.
          src_scope: The scope of the originals, which the names of copies lack.
          reuse_dst_scope: Whether `dst_scope` may already exist; else its name is made unique.

        Returns:
          A `SubGraphView` of the copies, and a `ResultInfo`.

        Raises:
          TypeError: `dst_graph` is not a graph.
          NotImplementedError: The view has a part of a loop.
        """
        view = make_view(sgv)
        if not isinstance(dst_graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
        src_scope, dst_scope = util.scope_finalize(src_scope), util.scope_finalize(dst_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = util.scope_finalize(dst_graph.unique_name(dst_scope[:-1]))
        info = TransformerInfo(self, view, dst_graph, dst_scope, src_scope)
        for op in _in_order(view.ops):
            self._transform(info, op)
        for op, made in info.transformed_ops.items():
            self._connect(info, op, made)
        return _view_of_copies(info), ResultInfo(info)

    def _transform(self, info, op):
        made, outputs = self.transform_op_handler(info, op, [info.transformed_t(t) for t in op.inputs])
        if made is not op:
            self.assign_collections_handler(info, op, made)
        info.transformed_ops[op] = made
        for t, t_ in zip(op.outputs, outputs):
            info.add_t(t, t_)

    def _connect(self, info, op, made):
        """What may belong to operations that are copied later."""
        controls = [self.transform_control_input_handler(info, other) for other in op.control_inputs]
        if made is not op:
            made._add_control_inputs([other for other in controls if other is not None])
            made._original_op = self.transform_original_op_handler(info, op._original_op)


def _in_order(ops):
    """Operations, each behind those that make its inputs."""
    inside, done, order = set(ops), set(), []
    for start in ops:
        stack = [(start, iter(start.inputs))] if start not in done else []
        done.add(start)
        while stack:
            op, inputs = stack[-1]
            before = next((t.op for t in inputs if t.op in inside and t.op not in done), None)
            if before is None:
                order.append(op)
                stack.pop()
            else:
                done.add(before)
                stack.append((before, iter(before.inputs)))
    return order


def _view_of_copies(info):
    view = SubGraphView(list(info.transformed_ops.values()))
    inputs, outputs = (
        [info.transformed_ts[t] for t in tensors if t in info.transformed_ts]
        for tensors in (info.sgv.inputs, info.sgv.outputs)
    )
    return view.remap(
        list(dict.fromkeys(view.inputs.index(t) for t in inputs if t in view.inputs)),
        [view.outputs.index(t) for t in outputs if t in view.outputs],
    )


def copy(sgv, dst_graph=None, dst_scope="", src_scope="", reuse_dst_scope=False):
    """Copies a part of a graph, with placeholders as its inputs.

    Args:
      sgv: What `make_view` takes.
      dst_graph: The `Graph` of the copies; by default that of the originals.
      dst_scope: Their scope.
      src_scope: The scope of the originals, which the names of copies lack.
      reuse_dst_scope: Whether `dst_scope` may already exist; else its name is made unique.

    Returns:
      A `SubGraphView` of the copies, and a `ResultInfo`.

    Raises:
      TypeError: `dst_graph` is not a graph.
      NotImplementedError: A part of a loop would be copied.
    """
    view = make_view(sgv)
    return Transformer()(view, view.graph if dst_graph is None else dst_graph, dst_scope, src_scope, reuse_dst_scope)


def copy_with_input_replacements(
    sgv, replacement_ts, dst_graph=None, dst_scope="", src_scope="", reuse_dst_scope=False
):
    """Copies a part of a graph, with other inputs.

    Args:
      sgv: What `make_view` takes.
      replacement_ts: A dict from inputs of the view to tensors. Other inputs stay.
      dst_graph: The `Graph` of the copies; by default that of the originals.
      dst_scope: Their scope.
      src_scope: The scope of the originals, which the names of copies lack.
      reuse_dst_scope: Whether `dst_scope` may already exist; else its name is made unique.

    Returns:
      A `SubGraphView` of the copies, and a `ResultInfo`.

    Raises:
      TypeError: `dst_graph` is not a graph.
      NotImplementedError: A part of a loop would be copied.
    """
    view = make_view(sgv)
    transformer = Transformer()
    transformer.transform_external_input_handler = functools.partial(_replace, replacement_ts)
    return transformer(view, view.graph if dst_graph is None else dst_graph, dst_scope, src_scope, reuse_dst_scope)


def _replace(replacements, info, t):
    return replacements[t] if t in replacements else keep_t_if_possible_handler(info, t)


def graph_replace(target_ts, replacement_ts, dst_scope="", src_scope="", reuse_dst_scope=False):
    """Tensors as they would be if others had been used instead of some that they depend on.

    Args:
      target_ts: A `Tensor`, or nested collections of them.
      replacement_ts: A dict from tensors to those that replace them.
      dst_scope: Scope of the copies.
      src_scope: The scope of the originals, which the names of copies lack.
      reuse_dst_scope: Whether `dst_scope` may already exist; else its name is made unique.

    Returns:
      The same structure as `target_ts`; tensors that do not depend on those replaced stay.

    Raises:
      ValueError: No target depends on a tensor that is replaced.
      NotImplementedError: A part of a loop would be copied.
    """
    targets = util.flatten_tree(target_ts)
    graph = util.get_unique_graph(targets, check_types=Tensor)
    controls = util.ControlOutputs(graph)
    ops = get_walks_intersection_ops(list(replacement_ts), targets, control_ios=controls)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    _, info = copy_with_input_replacements(ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope)
    return info.transformed(target_ts, missing_fn=lambda original: original)
