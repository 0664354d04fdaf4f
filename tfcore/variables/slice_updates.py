"""Methods that update slices of variables."""

from tfcore.framework.definitions.paragraphs import documented_with
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.state import scatter

documented = documented_with(
    {
        "slices": """
          sparse_delta: An `IndexedSlices`: the rows and their indices.
          use_locking: Whether the update takes the variable's lock; updates of resource variables always do.
          name: Name of the operation (optional).
        """,
        "updated": """
          The updated variable: a mutable `Tensor` for a reference; for a resource variable, the variable, whose reads
          wait for the update.
        """,
    }
)


class SliceUpdates:
    """Derived classes define `_updated(op_def, *inputs, **attrs)`: the variable after an update of its reference."""

    def _scatter(self, op_def, slices, use_locking, name):
        slices = _checked(slices)
        return self._updated(op_def, slices.indices, slices.values, use_locking=use_locking, name=name)

    @documented
    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        """Adds slices to rows of the variable.

        Args:
          {slices}

        Returns:
          {updated}

        Raises:
          TypeError: `sparse_delta` is not an `IndexedSlices`.
        """
        return self._scatter(scatter.ScatterAdd, sparse_delta, use_locking, name)

    @documented
    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        """Subtracts slices from rows of the variable.

        Args:
          {slices}

        Returns:
          {updated}

        Raises:
          TypeError: `sparse_delta` is not an `IndexedSlices`.
        """
        return self._scatter(scatter.ScatterSub, sparse_delta, use_locking, name)

    @documented
    def scatter_mul(self, sparse_delta, use_locking=False, name=None):
        """Multiplies rows of the variable by slices.

        Args:
          {slices}

        Returns:
          {updated}

        Raises:
          TypeError: `sparse_delta` is not an `IndexedSlices`.
        """
        return self._scatter(scatter.ScatterMul, sparse_delta, use_locking, name)

    @documented
    def scatter_div(self, sparse_delta, use_locking=False, name=None):
        """Divides rows of the variable by slices.

        Args:
          {slices}

        Returns:
          {updated}

        Raises:
          TypeError: `sparse_delta` is not an `IndexedSlices`.
        """
        return self._scatter(scatter.ScatterDiv, sparse_delta, use_locking, name)

    @documented
    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        """Takes the minimum of rows of the variable and slices.

        Args:
          {slices}

        Returns:
          {updated}

        Raises:
          TypeError: `sparse_delta` is not an `IndexedSlices`.
        """
        return self._scatter(scatter.ScatterMin, sparse_delta, use_locking, name)

    @documented
    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        """Takes the maximum of rows of the variable and slices.

        Args:
          {slices}

        Returns:
          {updated}

        Raises:
          TypeError: `sparse_delta` is not an `IndexedSlices`.
        """
        return self._scatter(scatter.ScatterMax, sparse_delta, use_locking, name)

    @documented
    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Assigns slices to rows of the variable.

        Args:
          {slices}

        Returns:
          {updated}

        Raises:
          TypeError: `sparse_delta` is not an `IndexedSlices`.
        """
        return self._scatter(scatter.ScatterUpdate, sparse_delta, use_locking, name)

    @documented
    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Assigns elements for each batch: variable[b, indices[b, i]] = values[b, i].

        Args:
          sparse_delta: An `IndexedSlices`: `values` of shape [batch..., k, ...] and `indices` of shape [batch..., k].
          use_locking: Whether the update takes the variable's lock; updates of resource variables always do.
          name: Prefix of the names of the operations (optional).

        Returns:
          {updated}

        Raises:
          TypeError: `sparse_delta` is not an `IndexedSlices`.
          ValueError: The rank of the indices is unknown, or shapes are incompatible.
        """
        slices = _checked(sparse_delta)
        return scatter.batch_scatter_update(self, slices.indices, slices.values, use_locking=use_locking, name=name)

    @documented
    def scatter_nd_add(self, indices, updates, name=None):
        """Adds updates to slices of the variable.

        Args:
          indices: A `Tensor` of type int32 or int64, of shape [..., depth]: the indices of the slices.
          updates: A `Tensor` of the variable's type, of shape `indices.shape[:-1] + variable.shape[depth:]`.
          name: Name of the operation (optional).

        Returns:
          {updated}
        """
        return self._updated(scatter.ScatterNdAdd, indices, updates, use_locking=True, name=name)

    @documented
    def scatter_nd_sub(self, indices, updates, name=None):
        """Subtracts updates from slices of the variable.

        Args:
          indices: A `Tensor` of type int32 or int64, of shape [..., depth]: the indices of the slices.
          updates: A `Tensor` of the variable's type, of shape `indices.shape[:-1] + variable.shape[depth:]`.
          name: Name of the operation (optional).

        Returns:
          {updated}
        """
        return self._updated(scatter.ScatterNdSub, indices, updates, use_locking=True, name=name)

    @documented
    def scatter_nd_update(self, indices, updates, name=None):
        """Assigns updates to slices of the variable.

        Args:
          indices: A `Tensor` of type int32 or int64, of shape [..., depth]: the indices of the slices.
          updates: A `Tensor` of the variable's type, of shape `indices.shape[:-1] + variable.shape[depth:]`.
          name: Name of the operation (optional).

        Returns:
          {updated}
        """
        return self._updated(scatter.ScatterNdUpdate, indices, updates, use_locking=True, name=name)


def _checked(slices):
    if not isinstance(slices, IndexedSlices):
        raise TypeError(f"sparse_delta is not IndexedSlices: {slices}")
    return slices
