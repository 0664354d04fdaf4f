# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from tfcore.contrib.graph_editor import edit as edit
from tfcore.contrib.graph_editor import reroute as reroute
from tfcore.contrib.graph_editor import select as select
from tfcore.contrib.graph_editor import subgraph as subgraph
from tfcore.contrib.graph_editor import transform as transform
from tfcore.contrib.graph_editor import util as util
from typing import Any as _Any

__all__ = [
'ControlOutputs', 'SubGraphView', 'Transformer', 'add_control_inputs', 'assign_renamed_collections_handler', 'bypass',
'check_cios', 'compute_boundary_ts', 'connect', 'copy', 'copy_op_handler', 'copy_with_input_replacements', 'detach',
'detach_control_inputs', 'detach_control_outputs', 'detach_inputs', 'detach_outputs', 'edit', 'filter_ops',
'filter_ops_from_regex', 'filter_ts', 'filter_ts_from_regex', 'get_backward_walk_ops', 'get_consuming_ops',
'get_forward_walk_ops', 'get_generating_ops', 'get_name_scope_ops', 'get_ops_ios', 'get_tensors',
'get_walks_intersection_ops', 'get_walks_union_ops', 'get_within_boundary_ops', 'graph_replace',
'keep_t_if_possible_handler', 'make_list_of_op', 'make_list_of_t', 'make_placeholder_from_dtype_and_shape',
'make_placeholder_from_tensor', 'make_view', 'make_view_from_scope', 'ph', 'placeholder_name', 'remove_control_inputs',
'replace_t_with_placeholder_handler', 'reroute', 'reroute_inputs', 'reroute_ios', 'reroute_outputs', 'reroute_ts',
'select', 'select_ops', 'select_ops_and_ts', 'select_ts', 'sgv', 'sgv_scope', 'subgraph', 'swap_inputs', 'swap_ios',
'swap_outputs', 'swap_ts', 'transform', 'transform_op_if_inside_handler', 'transform_op_in_place', 'util'
]

class ControlOutputs:
    """Which operations of a graph wait for each of its operations."""
    def __init__(self, graph: _Any) -> None:
        """Reads a graph."""
    def get(self, op: _Any) -> _Any:
        """The operations that wait for one."""
    def get_all(self) -> _Any:
        """All of them."""
    @property
    def graph(self) -> _Any:
        """The graph."""
    def update(self) -> _Any:
        """Reads the graph again if it has changed."""

class SubGraphView:
    """A part of a graph, seen as a function: operations, the tensors that enter, and the tensors that leave them."""
    def __enter__(self) -> SubGraphView: ...
    def __exit__(self, *error: _Any) -> None: ...
    def __init__(self, inside_ops: _Any = (), passthrough_ts: _Any = ()) -> None:
        """Makes a view."""
    def assign_from(self, other: _Any) -> _Any:
        """Makes the view the same as another one."""
    @property
    def connected_inputs(self) -> _Any:
        """The inputs that do not pass through."""
    @property
    def connected_outputs(self) -> _Any:
        """The outputs that do not pass through."""
    def consumers(self) -> _Any:
        """The operations that use the outputs."""
    def copy(self) -> _Any:
        """Another view of the same operations."""
    def find_op_by_name(self, op_name: _Any) -> Operation:
        """The operation of a name."""
    graph: _Any
    def input_index(self, t: _Any) -> int:
        """The place of an input."""
    inputs: _Any
    def is_passthrough(self, t: _Any) -> builtins.bool:
        """Whether a tensor passes through."""
    def op(self, op_id: _Any) -> Operation:
        """An operation."""
    ops: _Any
    def output_index(self, t: _Any) -> int:
        """The first place of an output."""
    outputs: _Any
    passthroughs: _Any
    def remap(self, new_input_indices: _Any = None, new_output_indices: _Any = None) -> _Any:
        """A view with some of the inputs and outputs."""
    def remap_default(self, remove_input_map: _Any = True, remove_output_map: _Any = True) -> _Any:
        """A view with all inputs and outputs again."""
    def remap_inputs(self, new_input_indices: _Any) -> _Any:
        """A view with some of the inputs."""
    def remap_outputs(self, new_output_indices: _Any) -> _Any:
        """A view with some of the outputs."""
    def remap_outputs_make_unique(self) -> _Any:
        """A view in which each output stands once."""
    def remap_outputs_to_consumers(self) -> _Any:
        """A view in which each output stands once for each of its consumers."""
    def remove_unused_ops(self, control_inputs: _Any = True) -> _Any:
        """A view without the operations that neither use an input nor are needed for an output."""

class Transformer:
    """Copies a part of a graph. Functions, its attributes, say what becomes of operations and tensors."""
    def __call__(self, sgv: _Any, dst_graph: _Any, dst_scope: _Any, src_scope: _Any = '', reuse_dst_scope: _Any = False) -> _Any:
        """Copies a part of a graph."""
    def __init__(self) -> None: ...
    assign_collections_handler: _Any
    transform_control_input_handler: _Any
    transform_external_hidden_input_handler: _Any
    transform_external_input_handler: _Any
    transform_op_handler: _Any
    transform_original_op_handler: _Any

def add_control_inputs(op: _Any, cops: _Any) -> _Any:
    """Adds control dependencies."""

def assign_renamed_collections_handler(info: _Any, elem: _Any, elem_: _Any) -> _Any:
    """Adds a copy to the collections that have the original; those that TensorFlow does not know are renamed."""

def bypass(sgv: _Any) -> _Any:
    """Gives the consumers of a view its inputs instead of its outputs."""

def check_cios(control_inputs: _Any = False, control_outputs: _Any = None, control_ios: _Any = None) -> _Any:
    """Checks what a function was told about control dependencies, and updates it."""

def compute_boundary_ts(ops: _Any, ambiguous_ts_are_outputs: _Any = True) -> _Any:
    """The tensors at the edge of some operations."""

def connect(sgv0: _Any, sgv1: _Any, disconnect_first: _Any = False) -> _Any:
    """Makes the outputs of a view the inputs of another one."""

def copy(sgv: _Any, dst_graph: _Any = None, dst_scope: _Any = '', src_scope: _Any = '', reuse_dst_scope: _Any = False) -> _Any:
    """Copies a part of a graph, with placeholders as its inputs."""

def copy_op_handler(info: _Any, op: _Any, new_inputs: _Any, copy_shape: _Any = False) -> _Any:
    """A copy of an operation with other inputs."""

def copy_with_input_replacements(sgv: _Any, replacement_ts: _Any, dst_graph: _Any = None, dst_scope: _Any = '', src_scope: _Any = '', reuse_dst_scope: _Any = False) -> _Any:
    """Copies a part of a graph, with other inputs."""

def detach(sgv: _Any, control_inputs: _Any = False, control_outputs: _Any = None, control_ios: _Any = None) -> _Any:
    """Cuts a view out of its graph: placeholders are its inputs, and those of its consumers."""

def detach_control_inputs(sgv: _Any) -> _Any:
    """Removes the control dependencies of a view on operations outside of it."""

def detach_control_outputs(sgv: _Any, control_outputs: _Any) -> _Any:
    """Removes the control dependencies of operations outside of a view on those inside."""

def detach_inputs(sgv: _Any, control_inputs: _Any = False) -> _Any:
    """Gives a view placeholders as inputs."""

def detach_outputs(sgv: _Any, control_outputs: _Any = None) -> _Any:
    """Gives the consumers of a view placeholders."""

def filter_ops(ops: _Any, positive_filter: _Any) -> _Any:
    """The operations that a filter keeps."""

def filter_ops_from_regex(ops: _Any, regex: _Any) -> _Any:
    """The operations in whose names a regular expression is found."""

def filter_ts(ops: _Any, positive_filter: _Any) -> list[Tensor]:
    """The inputs and outputs of operations that a filter keeps."""

def filter_ts_from_regex(ops: _Any, regex: _Any) -> list[Tensor]:
    """The inputs and outputs of operations in whose names a regular expression is found."""

def get_backward_walk_ops(seed_ops: _Any, inclusive: _Any = True, within_ops: _Any = None, within_ops_fn: _Any = None, stop_at_ts: _Any = (), control_inputs: _Any = False) -> _Any:
    """The operations on which some depend."""

def get_consuming_ops(ts: _Any) -> _Any:
    """The operations that have one of some tensors as an input."""

def get_forward_walk_ops(seed_ops: _Any, inclusive: _Any = True, within_ops: _Any = None, within_ops_fn: _Any = None, stop_at_ts: _Any = (), control_outputs: _Any = None) -> _Any:
    """The operations that depend on some."""

def get_generating_ops(ts: _Any) -> _Any:
    """The operations that make some tensors."""

def get_name_scope_ops(ops: _Any, scope: _Any) -> _Any:
    """The operations in a name scope."""

def get_ops_ios(ops: _Any, control_inputs: _Any = False, control_outputs: _Any = None, control_ios: _Any = None) -> _Any:
    """The operations next to some operations."""

def get_tensors(graph: _Any) -> list[Tensor]:
    """All tensors of a graph."""

def get_walks_intersection_ops(forward_seed_ops: _Any, backward_seed_ops: _Any, forward_inclusive: _Any = True, backward_inclusive: _Any = True, within_ops: _Any = None, within_ops_fn: _Any = None, control_inputs: _Any = False, control_outputs: _Any = None, control_ios: _Any = None) -> _Any:
    """The operations that depend on some, and on which others depend."""

def get_walks_union_ops(forward_seed_ops: _Any, backward_seed_ops: _Any, forward_inclusive: _Any = True, backward_inclusive: _Any = True, within_ops: _Any = None, within_ops_fn: _Any = None, control_inputs: _Any = False, control_outputs: _Any = None, control_ios: _Any = None) -> _Any:
    """The operations that depend on some, and those on which others depend."""

def get_within_boundary_ops(ops: _Any, seed_ops: _Any, boundary_ops: _Any = (), inclusive: _Any = True, control_inputs: _Any = False, control_outputs: _Any = None, control_ios: _Any = None) -> _Any:
    """The operations that are reached from some, along edges in any direction, without crossing others."""

def graph_replace(target_ts: _Any, replacement_ts: _Any, dst_scope: _Any = '', src_scope: _Any = '', reuse_dst_scope: _Any = False) -> _Any:
    """Tensors as they would be if others had been used instead of some that they depend on."""

def keep_t_if_possible_handler(info: _Any, t: _Any, scope: _Any = None) -> Tensor:
    """The tensor itself if the copies are in the same graph, else a placeholder."""

def make_list_of_op(ops: _Any, check_graph: _Any = True, allow_graph: _Any = True, ignore_ts: _Any = False) -> _Any:
    """Operations as a list."""

def make_list_of_t(ts: _Any, check_graph: _Any = True, allow_graph: _Any = True, ignore_ops: _Any = False) -> _Any:
    """Tensors as a list."""

def make_placeholder_from_dtype_and_shape(dtype: _Any, shape: _Any = None, scope: _Any = None) -> Tensor:
    """A placeholder named "geph", in the default graph."""

def make_placeholder_from_tensor(t: _Any, scope: _Any = None) -> Tensor:
    """A placeholder of a tensor's type and shape, in the default graph."""

def make_view(*args: _Any, **kwargs: _Any) -> _Any:
    """A view of what is selected; a view stays the same."""

def make_view_from_scope(scope: _Any, graph: _Any) -> _Any:
    """A view of the operations in a name scope."""

ph = make_placeholder_from_dtype_and_shape

def placeholder_name(t: _Any = None, scope: _Any = None) -> str:
    """The name of a placeholder that stands for a tensor; all begin with "geph"."""

def remove_control_inputs(op: _Any, cops: _Any) -> _Any:
    """Takes control dependencies away."""

def replace_t_with_placeholder_handler(info: _Any, t: _Any) -> Tensor:
    """A placeholder for a tensor."""

def reroute_inputs(sgv0: _Any, sgv1: _Any) -> _Any:
    """Gives a view the inputs of another one."""

def reroute_ios(sgv0: _Any, sgv1: _Any) -> _Any:
    """Gives a view the inputs, and its consumers the outputs, of another one."""

def reroute_outputs(sgv0: _Any, sgv1: _Any) -> _Any:
    """Gives the consumers of a view the outputs of another one."""

def reroute_ts(ts0: _Any, ts1: _Any, can_modify: _Any = None, cannot_modify: _Any = None) -> _Any:
    """Gives the consumers of the tensors `ts1` those of `ts0` instead."""

def select_ops(*args: _Any, **kwargs: _Any) -> _Any:
    """Operations: of regular expressions for their names, and of collections."""

def select_ops_and_ts(*args: _Any, **kwargs: _Any) -> _Any:
    """Operations and tensors. Regular expressions are for operations, but for those that begin with "(?#ts)"."""

def select_ts(*args: _Any, **kwargs: _Any) -> list[Tensor]:
    """Tensors: of regular expressions for their names, and of collections."""

sgv = make_view

sgv_scope = make_view_from_scope

def swap_inputs(sgv0: _Any, sgv1: _Any) -> _Any:
    """Gives each of two views the inputs of the other one."""

def swap_ios(sgv0: _Any, sgv1: _Any) -> _Any:
    """Puts each of two views into the place of the other one."""

def swap_outputs(sgv0: _Any, sgv1: _Any) -> _Any:
    """Gives the consumers of each of two views the outputs of the other one."""

def swap_ts(ts0: _Any, ts1: _Any, can_modify: _Any = None, cannot_modify: _Any = None) -> _Any:
    """Gives the consumers of each tensor its counterpart."""

def transform_op_if_inside_handler(info: _Any, op: _Any, keep_if_possible: _Any = True) -> _Any:
    """The copy of an operation of the view. Others stay if the copies are in the same graph."""

def transform_op_in_place(info: _Any, op: _Any, detach_outputs: _Any = False) -> _Any:
    """Gives an operation its transformed inputs, without a copy."""
