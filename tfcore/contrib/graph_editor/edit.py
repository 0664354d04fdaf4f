"""Cuts parts out of a graph, and puts them together."""

from tfcore.contrib.graph_editor import reroute, util
from tfcore.contrib.graph_editor.select import check_cios
from tfcore.contrib.graph_editor.subgraph import SubGraphView, make_view
from tfcore.ops.array.constants import placeholder


def detach_control_inputs(sgv):
    """Removes the control dependencies of a view on operations outside of it.

    Args:
      sgv: What `make_view` takes.

    Raises:
      TypeError: It has another type.
    """
    view = make_view(sgv)
    for op in view.ops:
        reroute.remove_control_inputs(op, [other for other in op.control_inputs if other not in view.ops])


def detach_control_outputs(sgv, control_outputs):
    """Removes the control dependencies of operations outside of a view on those inside.

    Args:
      sgv: What `make_view` takes.
      control_outputs: A `ControlOutputs` of the graph.

    Raises:
      TypeError: An argument has another type.
    """
    if not isinstance(control_outputs, util.ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(control_outputs)}")
    control_outputs.update()
    view = make_view(sgv)
    for op in view.ops:
        for other in control_outputs.get(op):
            if other not in view.ops:
                reroute.remove_control_inputs(other, op)


def detach_inputs(sgv, control_inputs=False):
    """Gives a view placeholders as inputs.

    Args:
      sgv: What `make_view` takes; a view changes with its graph.
      control_inputs: Whether control dependencies are removed, too.

    Returns:
      The view, and a list of the placeholders.

    Raises:
      TypeError: An argument has another type.
    """
    view = make_view(sgv)
    with view.graph.as_default():
        placeholders = [placeholder(t.dtype, name=util.placeholder_name(t)) for t in view.inputs]
    reroute.swap_inputs(view, placeholders)
    if control_inputs:
        detach_control_inputs(view)
    return view, placeholders


def detach_outputs(sgv, control_outputs=None):
    """Gives the consumers of a view placeholders.

    Args:
      sgv: What `make_view` takes.
      control_outputs: A `ControlOutputs`, if control dependencies are removed, too.

    Returns:
      A view with those outputs that have consumers, and a list of the placeholders.

    Raises:
      TypeError: An argument has another type.
    """
    view = make_view(sgv)
    view = view.remap_outputs([i for i, t in enumerate(view.outputs) if t.consumers()])
    with view.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(t) for t in view.outputs]
    reroute.swap_outputs(view, placeholders)
    if control_outputs is not None:
        detach_control_outputs(view, control_outputs)
    return view, placeholders


def detach(sgv, control_inputs=False, control_outputs=None, control_ios=None):
    """Cuts a view out of its graph: placeholders are its inputs, and those of its consumers.

    Args:
      sgv: What `make_view` takes; a view changes with its graph.
      control_inputs: Whether control dependencies on other operations are removed, too.
      control_outputs: A `ControlOutputs`, if those of other operations are removed.
      control_ios: A `ControlOutputs`, if both are.

    Returns:
      The view, a list of the placeholders of its inputs, and one of those of its outputs.

    Raises:
      TypeError: An argument has another type.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    _, inputs = detach_inputs(sgv, control_inputs)
    _, outputs = detach_outputs(sgv, control_outputs)
    return sgv, inputs, outputs


def connect(sgv0, sgv1, disconnect_first=False):
    """Makes the outputs of a view the inputs of another one.

    Args:
      sgv0: What `make_view` takes.
      sgv1: Another one, with as many inputs; a view changes with its graph.
      disconnect_first: Whether the consumers that `sgv0` has lose it.

    Returns:
      Both views.

    Raises:
      TypeError: An argument has another type.
      ValueError: Numbers, types or shapes of tensors differ.
    """
    sgv0, sgv1 = make_view(sgv0), make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    if disconnect_first:
        detach_outputs(sgv0)
    reroute.reroute_inputs(SubGraphView(passthrough_ts=sgv0.outputs), sgv1)
    return sgv0, sgv1


def bypass(sgv):
    """Gives the consumers of a view its inputs instead of its outputs.

    Args:
      sgv: What `make_view` takes, with as many inputs as outputs; a view changes with its graph.

    Returns:
      The view, and a list of the placeholders that are now its inputs.

    Raises:
      TypeError: An argument has another type.
      ValueError: Numbers, types or shapes of inputs and outputs differ.
    """
    view = make_view(sgv)
    inputs = list(view.inputs)
    view, placeholders = detach_inputs(view)
    reroute.reroute_ts(inputs, view.outputs)
    return view, placeholders
