"""Selects operations and tensors of a graph: by names, by walks along its edges."""

import re

from tfcore.contrib.graph_editor.util import (
    ControlOutputs,
    concatenate_unique,
    get_consuming_ops,
    get_generating_ops,
    is_iterable,
    make_list_of_op,
    make_list_of_t,
)
from tfcore.framework.graph.graph import Graph
from tfcore.framework.graph.operation import Tensor


def can_be_regex(obj):
    """Whether it is a regular expression, compiled or not.

    Args:
      obj: Any object.

    Returns:
      A bool.

    Raises:
      Nothing.
    """
    return isinstance(obj, (str, re.Pattern))


def make_regex(obj):
    """A regular expression, compiled.

    Args:
      obj: A string or a compiled one.

    Returns:
      A `re.Pattern`.

    Raises:
      ValueError: It is neither.
    """
    if not can_be_regex(obj):
        raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj)


def _input_ts(ops):
    return list(dict.fromkeys(t for op in ops for t in op.inputs))


def _output_ts(ops):
    return [t for op in ops for t in op.outputs]


def filter_ts(ops, positive_filter):
    """The inputs and outputs of operations that a filter keeps.

    Args:
      ops: Operations, or a graph.
      positive_filter: A function of a tensor, or True.

    Returns:
      A list of `Tensor`s.

    Raises:
      TypeError: An element of `ops` is not an operation.
    """
    ops = make_list_of_op(ops)
    found = concatenate_unique(_input_ts(ops), _output_ts(ops))
    return found if positive_filter is True else [t for t in found if positive_filter(t)]


def filter_ts_from_regex(ops, regex):
    """The inputs and outputs of operations in whose names a regular expression is found.

    Args:
      ops: Operations, or a graph.
      regex: The regular expression.

    Returns:
      A list of `Tensor`s.

    Raises:
      TypeError: An element of `ops` is not an operation.
      ValueError: `regex` is not a regular expression.
    """
    pattern = make_regex(regex)
    return filter_ts(ops, lambda t: pattern.search(t.name))


def filter_ops(ops, positive_filter):
    """The operations that a filter keeps.

    Args:
      ops: Operations, or a graph.
      positive_filter: A function of an operation, or True.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An element of `ops` is not an operation.
    """
    ops = make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops, regex):
    """The operations in whose names a regular expression is found.

    Args:
      ops: Operations, or a graph.
      regex: The regular expression.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An element of `ops` is not an operation.
      ValueError: `regex` is not a regular expression.
    """
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops, scope):
    """The operations in a name scope.

    Args:
      ops: Operations, or a graph.
      scope: The name of the scope.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An element of `ops` is not an operation.
    """
    scope = scope[:-1] if scope.endswith("/") else scope
    return filter_ops_from_regex(ops, f"^{scope}(/.*)?$")


def check_cios(control_inputs=False, control_outputs=None, control_ios=None):
    """Checks what a function was told about control dependencies, and updates it.

    Args:
      control_inputs: Whether those before an operation count.
      control_outputs: A `ControlOutputs`, if those after it count.
      control_ios: A `ControlOutputs`, if both count.

    Returns:
      `control_inputs` and `control_outputs`.

    Raises:
      TypeError: One is not a `ControlOutputs`.
      ValueError: Both are given.
    """
    for given in (control_ios, control_outputs):
        if given is not None and not isinstance(given, ControlOutputs):
            raise TypeError(f"Expected a util.ControlOutputs, got: {type(given)}")
    if control_ios is not None:
        if control_outputs is not None:
            raise ValueError("control_outputs should be None when using control_ios.")
        control_inputs, control_outputs = True, control_ios
    if control_outputs is not None:
        control_outputs.update()
    return control_inputs, control_outputs


def get_ops_ios(ops, control_inputs=False, control_outputs=None, control_ios=None):
    """The operations next to some operations.

    Args:
      ops: Operations, or a graph.
      control_inputs: Whether control dependencies before an operation count.
      control_outputs: A `ControlOutputs`, if those after it count.
      control_ios: A `ControlOutputs`, if both count.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An element of `ops` is not an operation.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    found = {}
    for op in make_list_of_op(ops):
        found.update(dict.fromkeys(_before(op, (), control_inputs)))
        found.update(dict.fromkeys(_behind(op, (), control_outputs)))
    return list(found)


def _before(op, stop_at_ts, control_inputs):
    return [t.op for t in op.inputs if t not in stop_at_ts] + (op.control_inputs if control_inputs else [])


def _behind(op, stop_at_ts, control_outputs):
    data = [other for t in op.outputs if t not in stop_at_ts for other in t.consumers()]
    return data if control_outputs is None else data + list(control_outputs.get(op))


def compute_boundary_ts(ops, ambiguous_ts_are_outputs=True):
    """The tensors at the edge of some operations.

    Args:
      ops: Operations, or a graph.
      ambiguous_ts_are_outputs: Whether tensors that are used both inside and outside are outputs.

    Returns:
      Lists of the inputs, the outputs, and the tensors inside.

    Raises:
      TypeError: An element of `ops` is not an operation.
    """
    ops = make_list_of_op(ops)
    inputs, outputs, own = _input_ts(ops), _output_ts(ops), set(ops)
    made = set(outputs)
    inside = {
        t: None
        for t in inputs
        if t in made and not (ambiguous_ts_are_outputs and any(c not in own for c in t.consumers()))
    }
    return [t for t in inputs if t not in inside], [t for t in outputs if t not in inside], list(inside)


def get_within_boundary_ops(
    ops, seed_ops, boundary_ops=(), inclusive=True, control_inputs=False, control_outputs=None, control_ios=None
):
    """The operations that are reached from some, along edges in any direction, without crossing others.

    Args:
      ops: Operations to choose from, or a graph.
      seed_ops: Where the walk begins.
      boundary_ops: Where it ends.
      inclusive: Whether the result has those where it ends.
      control_inputs: Whether control dependencies before an operation count.
      control_outputs: A `ControlOutputs`, if those after it count.
      control_ios: A `ControlOutputs`, if both count.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An element is not an operation.
      ValueError: The walk begins where it ends.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    seeds, boundary = make_list_of_op(seed_ops, allow_graph=False), set(make_list_of_op(boundary_ops))
    if boundary.intersection(seeds):
        raise ValueError("Boundary is intersecting with the seeds.")
    found, queue = set(seeds), seeds
    while queue:
        for op in get_ops_ios(queue.pop(), control_inputs, control_outputs):
            if op not in found and (inclusive or op not in boundary):
                found.add(op)
                if op not in boundary:
                    queue.append(op)
    return [op for op in make_list_of_op(ops) if op in found]


def _seeds(seed_ops, of_tensors):
    seeds = list(seed_ops) if is_iterable(seed_ops) else [seed_ops]
    if seeds and isinstance(seeds[0], Tensor):
        return list(dict.fromkeys(of_tensors(seeds)))
    return list(dict.fromkeys(make_list_of_op(seeds, allow_graph=False)))


def _walk(seeds, step, inclusive, within_ops, within_ops_fn):
    within = None if within_ops is None else set(make_list_of_op(within_ops, allow_graph=False))
    if within:
        seeds = [op for op in seeds if op in within]
    found, queue = dict.fromkeys(seeds), list(seeds)
    for op in queue:  # which grows
        for other in step(op):
            inside = (within is None or other in within) and (within_ops_fn is None or within_ops_fn(other))
            if inside and other not in found:
                found[other] = None
                queue.append(other)
    return queue if inclusive else queue[len(seeds) :]


def get_forward_walk_ops(
    seed_ops, inclusive=True, within_ops=None, within_ops_fn=None, stop_at_ts=(), control_outputs=None
):
    """The operations that depend on some.

    Args:
      seed_ops: Operations; or tensors, of which the walk begins at the consumers.
      inclusive: Whether the result has these operations, too.
      within_ops: The operations to which the walk is limited, or one of them.
      within_ops_fn: A function of an operation, which is false for those where the walk ends.
      stop_at_ts: Tensors at which the walk ends, or one of them.
      control_outputs: A `ControlOutputs`, if control dependencies count.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An element is not an operation.
    """
    _, control_outputs = check_cios(False, control_outputs)
    stops = set(make_list_of_t(stop_at_ts))
    seeds = _seeds(seed_ops, get_consuming_ops)
    return _walk(seeds, lambda op: _behind(op, stops, control_outputs), inclusive, within_ops, within_ops_fn)


def get_backward_walk_ops(
    seed_ops, inclusive=True, within_ops=None, within_ops_fn=None, stop_at_ts=(), control_inputs=False
):
    """The operations on which some depend.

    Args:
      seed_ops: Operations; or tensors, of which the walk begins at the operations that make them.
      inclusive: Whether the result has these operations, too.
      within_ops: The operations to which the walk is limited, or one of them.
      within_ops_fn: A function of an operation, which is false for those where the walk ends.
      stop_at_ts: Tensors at which the walk ends, or one of them.
      control_inputs: Whether it also follows control dependencies.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An element is not an operation.
    """
    stops = set(make_list_of_t(stop_at_ts))
    seeds = _seeds(seed_ops, get_generating_ops)
    return _walk(seeds, lambda op: _before(op, stops, control_inputs), inclusive, within_ops, within_ops_fn)


def _both_walks(
    forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops, within_ops_fn, controls
):
    control_inputs, control_outputs = check_cios(*controls)
    forward = get_forward_walk_ops(
        forward_seed_ops, forward_inclusive, within_ops, within_ops_fn, control_outputs=control_outputs
    )
    backward = get_backward_walk_ops(
        backward_seed_ops, backward_inclusive, within_ops, within_ops_fn, control_inputs=control_inputs
    )
    return forward, backward


def get_walks_intersection_ops(
    forward_seed_ops,
    backward_seed_ops,
    forward_inclusive=True,
    backward_inclusive=True,
    within_ops=None,
    within_ops_fn=None,
    control_inputs=False,
    control_outputs=None,
    control_ios=None,
):
    """The operations that depend on some, and on which others depend.

    Args:
      forward_seed_ops: Where the walk forward begins, see `get_forward_walk_ops`.
      backward_seed_ops: Where the walk backward begins, see `get_backward_walk_ops`.
      forward_inclusive: Whether the walk forward has these operations, too.
      backward_inclusive: Whether the walk backward has them.
      within_ops: The operations to which both walks are limited, or one of them.
      within_ops_fn: A function of an operation, which is false for those where walks end.
      control_inputs: Whether the walk backward follows control dependencies.
      control_outputs: A `ControlOutputs`, if the walk forward follows them.
      control_ios: A `ControlOutputs`, if both do.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An element is not an operation.
    """
    forward, backward = _both_walks(
        forward_seed_ops,
        backward_seed_ops,
        forward_inclusive,
        backward_inclusive,
        within_ops,
        within_ops_fn,
        (control_inputs, control_outputs, control_ios),
    )
    behind = set(backward)
    return [op for op in forward if op in behind]


def get_walks_union_ops(
    forward_seed_ops,
    backward_seed_ops,
    forward_inclusive=True,
    backward_inclusive=True,
    within_ops=None,
    within_ops_fn=None,
    control_inputs=False,
    control_outputs=None,
    control_ios=None,
):
    """The operations that depend on some, and those on which others depend.

    Args:
      forward_seed_ops: Where the walk forward begins, see `get_forward_walk_ops`.
      backward_seed_ops: Where the walk backward begins, see `get_backward_walk_ops`.
      forward_inclusive: Whether the walk forward has these operations, too.
      backward_inclusive: Whether the walk backward has them.
      within_ops: The operations to which both walks are limited, or one of them.
      within_ops_fn: A function of an operation, which is false for those where walks end.
      control_inputs: Whether the walk backward follows control dependencies.
      control_outputs: A `ControlOutputs`, if the walk forward follows them.
      control_ios: A `ControlOutputs`, if both do.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An element is not an operation.
    """
    return concatenate_unique(
        *_both_walks(
            forward_seed_ops,
            backward_seed_ops,
            forward_inclusive,
            backward_inclusive,
            within_ops,
            within_ops_fn,
            (control_inputs, control_outputs, control_ios),
        )
    )


def _select(args, kwargs, prefix, restriction, of_regex, listed):
    """What regular expressions and collections select. Those that begin with another prefix are for others."""
    allowed = {"graph", "positive_filter", "restrict_ops_regex", "restrict_ts_regex"}
    if wrong := sorted(set(kwargs) - allowed):
        raise ValueError(f"Wrong keywords argument: {wrong[0]}.")
    graph, keep = kwargs.get("graph"), kwargs.get("positive_filter")
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    found = []
    for arg in args:
        if can_be_regex(arg):
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            pattern = make_regex(arg)
            named = re.match(r"\(\?#(ops|ts)\)", pattern.pattern)
            if (named and named[1] != prefix) or (not named and kwargs.get(restriction)):
                continue
            selected = of_regex(graph, re.compile(pattern.pattern[named.end() :], pattern.flags) if named else pattern)
        else:
            selected = listed(arg)
        concatenate_unique(found, [x for x in selected if keep is None or keep(x)])
    return found


def select_ops(*args, **kwargs):
    """Operations: of regular expressions for their names, and of collections.

    Args:
      *args: Regular expressions; operations and collections of them. Tensors are left out, and so are expressions that
        begin with "(?#ts)".
      **kwargs: `graph`: the graph in which regular expressions are looked for. `positive_filter`: a function of an
        operation that says whether to take it. `restrict_ops_regex`: whether only expressions that begin with "(?#ops)"
        count.

    Returns:
      A list of `Operation`s.

    Raises:
      TypeError: An argument has another type.
      ValueError: There is a regular expression, but no graph; or another keyword.
    """
    return _select(
        args,
        kwargs,
        "ops",
        "restrict_ops_regex",
        filter_ops_from_regex,
        lambda values: make_list_of_op(values, ignore_ts=True),
    )


def select_ts(*args, **kwargs):
    """Tensors: of regular expressions for their names, and of collections.

    Args:
      *args: Regular expressions; tensors and collections of them. Operations are left out, and so are expressions that
        begin with "(?#ops)".
      **kwargs: `graph`: the graph in which regular expressions are looked for. `positive_filter`: a function of a
        tensor that says whether to take it. `restrict_ts_regex`: whether only expressions that begin with "(?#ts)"
        count.

    Returns:
      A list of `Tensor`s.

    Raises:
      TypeError: An argument has another type.
      ValueError: There is a regular expression, but no graph; or another keyword.
    """
    return _select(
        args,
        kwargs,
        "ts",
        "restrict_ts_regex",
        filter_ts_from_regex,
        lambda values: make_list_of_t(values, ignore_ops=True),
    )


def select_ops_and_ts(*args, **kwargs):
    """Operations and tensors. Regular expressions are for operations, but for those that begin with "(?#ts)".

    Args:
      *args: Regular expressions; operations, tensors, and collections of them.
      **kwargs: `graph`: the graph in which regular expressions are looked for. `positive_filter`: a function that says
        whether to take an element.

    Returns:
      A list of `Operation`s and a list of `Tensor`s.

    Raises:
      TypeError: An argument has another type.
      ValueError: There is a regular expression, but no graph; or another keyword.
    """
    return select_ops(*args, restrict_ops_regex=False, **kwargs), select_ts(*args, restrict_ts_regex=True, **kwargs)
