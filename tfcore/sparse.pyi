# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import SparseConditionalAccumulator as SparseConditionalAccumulator
from tfcore import SparseTensor as SparseTensor
from tfcore import sparse_add as add
from tfcore import sparse_concat as concat
from tfcore import sparse_fill_empty_rows as fill_empty_rows
from tfcore import sparse_mask as mask
from tfcore import sparse_maximum as maximum
from tfcore import sparse_merge as merge
from tfcore import sparse_minimum as minimum
from tfcore import sparse_placeholder as placeholder
from tfcore import sparse_reduce_max as reduce_max
from tfcore import sparse_reduce_max_sparse as reduce_max_sparse
from tfcore import sparse_reduce_sum as reduce_sum
from tfcore import sparse_reduce_sum_sparse as reduce_sum_sparse
from tfcore import sparse_reorder as reorder
from tfcore import sparse_reset_shape as reset_shape
from tfcore import sparse_reshape as reshape
from tfcore import sparse_retain as retain
from tfcore import sparse_segment_mean as segment_mean
from tfcore import sparse_segment_sqrt_n as segment_sqrt_n
from tfcore import sparse_segment_sum as segment_sum
from tfcore import sparse_slice as slice
from tfcore import sparse_softmax as softmax
from tfcore import sparse_split as split
from tfcore import sparse_tensor_dense_matmul as matmul
from tfcore import sparse_tensor_dense_matmul as sparse_dense_matmul
from tfcore import sparse_tensor_to_dense as to_dense
from tfcore import sparse_to_indicator as to_indicator
from tfcore import sparse_transpose as transpose
from typing import Any as _Any

__all__ = [
'SparseConditionalAccumulator', 'SparseTensor', 'add', 'concat', 'cross', 'cross_hashed', 'expand_dims', 'eye',
'fill_empty_rows', 'from_dense', 'mask', 'matmul', 'maximum', 'merge', 'minimum', 'placeholder', 'reduce_max',
'reduce_max_sparse', 'reduce_sum', 'reduce_sum_sparse', 'reorder', 'reset_shape', 'reshape', 'retain', 'segment_mean',
'segment_sqrt_n', 'segment_sum', 'slice', 'softmax', 'sparse_dense_matmul', 'split', 'to_dense', 'to_indicator',
'transpose'
]

def cross(inputs: _Any, name: str | None = None, separator: _Any = None) -> SparseTensor:
    """All combinations of the values of several features, row by row, as text."""

def cross_hashed(inputs: _Any, num_buckets: _Any = 0, hash_key: _Any = None, name: str | None = None) -> SparseTensor:
    """The hash values of all combinations of the values of several features, row by row."""

def expand_dims(sp_input: _Any, axis: _Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor with a dimension of size 1 added."""

def eye(num_rows: _Any, num_columns: _Any = None, dtype: _Any = ..., name: str | None = None) -> SparseTensor:
    """A sparse matrix with ones on the diagonal."""

def from_dense(tensor: _Any, name: str | None = None) -> SparseTensor:
    """The elements of a dense tensor that are not 0, as a sparse tensor."""
