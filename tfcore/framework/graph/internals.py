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
    """`create_op`, and what `Graph` has besides its public interface."""

    def create_op(
        self,
        op_type,
        inputs,
        dtypes=None,
        input_types=None,
        name=None,
        attrs=None,
        op_def=None,
        compute_shapes=True,
        compute_device=True,
    ):
        """Adds an operation of any registered type. Calling `tf.raw_ops` is simpler.

        Args:
          op_type: Name of the op type, such as "MatMul".
          inputs: A list of `Tensor`s, with those of lists in sequence.
          dtypes: Ignored: the types of the outputs follow from the inputs and attributes.
          input_types: The expected `DType`s of the inputs (optional).
          name: Name of the operation, made unique; the op type by default. A name that ends in "/" is taken as it is.
          attrs: A dict from names of attributes to `AttrValue`s or Python values. Attributes with defaults may be left
            out, and types and numbers that follow from the inputs.
          op_def: Ignored: the definition is that of the op type.
          compute_shapes: Ignored: shapes are always inferred.
          compute_device: Whether the open `device` blocks apply.

        Returns:
          The `Operation`.

        Raises:
          TypeError: An input is not a `Tensor`, or not of its type in `input_types`.
          RuntimeError: There is no such op type, or the graph is finalized.
          ValueError: An attribute is missing, types do not match, or shapes are incompatible.
        """
        from tfcore.framework.graph.create_op import create_op

        devices = self.scopes.devices if compute_device else ()
        with self.as_default(), self.scopes.replaced(devices=devices):
            return create_op(self, op_type, list(inputs), input_types, name, dict(attrs or {}))

    _create_op_internal = create_op

    @property
    def _nodes_by_id(self):
        return {op._id: op for op in self.get_operations()}

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
