"""RaggedTensorValue: what sessions return for a ragged tensor."""

import numpy as np


class RaggedTensorValue:
    """The value of a `RaggedTensor`: rows of different lengths.

    Args:
      values: The values of all rows, one after another: a NumPy array, or a `RaggedTensorValue` if they are ragged.
      row_splits: Where rows begin and end: row i has `values[row_splits[i]:row_splits[i + 1]]`. A NumPy vector of type
        int32 or int64.

    Raises:
      TypeError: An argument is of another kind.
      ValueError: The splits and those of the values are of different types.
    """

    def __init__(self, values, row_splits):
        if not (
            isinstance(row_splits, (np.ndarray, np.generic))
            and row_splits.dtype in (np.int64, np.int32)
            and row_splits.ndim == 1
        ):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        self._values, self._row_splits = values, row_splits

    @classmethod
    def from_components(cls, flat_values, nested_row_splits):
        """The value with these flat values and splits, the outermost first; an array if there are no splits.

        Args:
          flat_values: A NumPy array.
          nested_row_splits: A sequence of NumPy vectors.

        Returns:
          A `RaggedTensorValue` or an array.
        """
        for splits in reversed(nested_row_splits):
            flat_values = cls(flat_values, splits)
        return flat_values

    @property
    def row_splits(self):
        """Where rows begin and end, a vector."""
        return self._row_splits

    @property
    def values(self):
        """The values of all rows, an array or a `RaggedTensorValue`."""
        return self._values

    @property
    def dtype(self):
        """The NumPy type of the values."""
        return self._values.dtype

    @property
    def flat_values(self):
        """The innermost values, an array."""
        return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

    @property
    def nested_row_splits(self):
        """The splits of all ragged dimensions, a tuple of vectors, the outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self):
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def shape(self):
        """The shape, a tuple; None for ragged dimensions."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    def to_list(self):
        """The rows as nested Python lists.

        Returns:
          A list.
        """
        ragged = isinstance(self._values, RaggedTensorValue)
        items = self._values.to_list() if ragged else self._values.tolist()
        return [items[begin:end] for begin, end in zip(self._row_splits[:-1], self._row_splits[1:])]

    def __str__(self):
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self):
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"
