"""Names that begin with an underscore in TensorFlow, but that its libraries and many programs use."""

import contextlib


class TensorInternals:
    """What `Tensor` has besides its public interface."""

    __slots__ = ()

    @property
    def _op(self):
        return self.op

    @property
    def _dtype(self):
        return self.dtype

    @property
    def _shape(self):
        return self.shape

    def _rank(self):
        return None if self.dims is None else len(self.dims)

    def _shape_as_list(self):
        return None if self.dims is None else list(self.dims)

    def _shape_tuple(self):
        return self.dims


class OperationInternals:
    """What `Operation` has besides its public interface."""

    __slots__ = ()
    _fill = _add_input = None  # methods that exchange/operation_of_node_def.py sets

    @property
    def _control_inputs(self):
        return list(self.controls)

    @property
    def _inputs(self):
        return self.inputs

    @property
    def _outputs(self):
        return self.outputs

    @property
    def _node_def(self):
        return self.node_def

    @property
    def _input_types(self):
        return [tensor.dtype for tensor in self.inputs]

    @property
    def _output_types(self):
        return [tensor.dtype for tensor in self.outputs]

    @property
    def _is_stateful(self):
        return self.op_def.stateful

    @property
    def _control_outputs(self):
        return [op for op in self.graph.get_operations() if self in op.controls]

    def _set_device_from_string(self, device):
        self._set_device(device)

    def _remove_all_control_inputs(self):
        self.controls = ()
        self.graph.modified()

    def _clear_attr(self, name):
        self.attrs = {key: value for key, value in self.attrs.items() if key != name}
        self.graph.modified()


class GraphInternals:
    """What `Graph` has besides its public interface."""

    def __reduce_ex__(self, protocol):
        """Pickles and deep copies of a graph, or of a tensor or variable of it, are refused."""
        raise TypeError(
            "cannot pickle a tf.Graph, nor its tensors, operations and variables: they belong to this process. Send "
            "graph.as_graph_def() or tf.train.export_meta_graph() and import it there, or build the graph there; send "
            "values as the arrays that Session.run returns, and variables by a tf.train.Saver"
        )

    @property
    def _nodes_by_id(self):
        return {op._id: op for op in self.get_operations()}

    @property
    def _colocation_stack(self):
        return [op for op in self.scopes.colocations if op is not None]

    @property
    def _container(self):
        return self.scopes.container

    @property
    def _name_stack(self):
        return self.scopes.name

    @contextlib.contextmanager
    def _original_op(self, op):
        """A context manager in which new operations have `op` as their `_original_op`."""
        with self.scopes.replaced(original_op=op):
            yield

    def _get_operation_by_name(self, name):
        return self.get_operation_by_name(name)

    def _as_graph_def(self, from_version=None, add_shapes=False):
        return self.as_graph_def(from_version, add_shapes), self.version

    def _colocate_with_for_gradient(self, op, gradient_uid, ignore_existing=False):
        return self.colocate_with(op, ignore_existing)

    def _current_control_dependencies(self):
        return {op for block in self.scopes.controls for op in block.ops}

    @contextlib.contextmanager
    def _variable_creator_scope(self, creator, priority=100):
        with self.scopes.replaced(creators=(*self.scopes.creators, creator)):
            yield
