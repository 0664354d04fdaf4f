# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any as _Any

__all__ = [
'bucketized_column', 'categorical_column_with_hash_bucket', 'categorical_column_with_identity',
'categorical_column_with_vocabulary_file', 'categorical_column_with_vocabulary_list', 'crossed_column',
'embedding_column', 'indicator_column', 'input_layer', 'linear_model', 'make_parse_example_spec', 'numeric_column',
'sequence_categorical_column_with_hash_bucket', 'sequence_categorical_column_with_identity',
'sequence_categorical_column_with_vocabulary_file', 'sequence_categorical_column_with_vocabulary_list',
'sequence_numeric_column', 'shared_embedding_columns', 'weighted_categorical_column'
]

def bucketized_column(source_column: _Any, boundaries: _Any) -> _Any:
    """A column of the buckets that numbers fall in: both a dense column, of one-hot vectors, and a categorical one."""

def categorical_column_with_hash_bucket(key: _Any, hash_bucket_size: _Any, dtype: _Any = ...) -> _Any:
    """A column of words or integers that get their ids by hashing."""

def categorical_column_with_identity(key: _Any, num_buckets: _Any, default_value: _Any = None) -> _Any:
    """A column of integers that are ids as they are."""

def categorical_column_with_vocabulary_file(key: _Any, vocabulary_file: _Any, vocabulary_size: _Any = None, num_oov_buckets: _Any = 0, default_value: _Any = None, dtype: _Any = ...) -> _Any:
    """A column of words or integers whose ids are the numbers of their lines in a file."""

def categorical_column_with_vocabulary_list(key: _Any, vocabulary_list: _Any, dtype: _Any = None, default_value: _Any = -1, num_oov_buckets: _Any = 0) -> _Any:
    """A column of words or integers whose ids are their places in a list."""

def crossed_column(keys: _Any, hash_bucket_size: _Any, hash_key: _Any = None) -> _Any:
    """A column of all combinations of the values of several features, which get their ids by hashing."""

def embedding_column(categorical_column: _Any, dimension: _Any, combiner: _Any = 'mean', initializer: _Any = None, ckpt_to_load_from: _Any = None, tensor_name_in_ckpt: _Any = None, max_norm: _Any = None, trainable: _Any = True, use_safe_embedding_lookup: _Any = True) -> _Any:
    """A dense column of trained vectors, one for each id. Those of the ids of an example are combined."""

def indicator_column(categorical_column: _Any) -> _Any:
    """A dense column of how often each id occurs in an example, or of the sums of their weights."""

def input_layer(features: _Any, feature_columns: _Any, weight_collections: _Any = None, trainable: _Any = True, cols_to_vars: _Any = None, cols_to_output_tensors: _Any = None) -> _Any:
    """The features of dense columns, joined to one vector for each example."""

def linear_model(features: _Any, feature_columns: _Any, units: _Any = 1, sparse_combiner: _Any = 'sum', weight_collections: _Any = None, trainable: _Any = True, cols_to_vars: _Any = None) -> _Any:
    """A linear function of the features of columns: the sum of weighted features, and a bias."""

def make_parse_example_spec(feature_columns: _Any) -> _Any:
    """What `tf.io.parse_example` needs to know, so that its result has all features of some columns."""

def numeric_column(key: _Any, shape: _Any = (1,), default_value: _Any = None, dtype: _Any = ..., normalizer_fn: _Any = None) -> _Any:
    """A column of numbers."""

def sequence_categorical_column_with_hash_bucket(key: _Any, hash_bucket_size: _Any, dtype: _Any = ...) -> _Any:
    """A column of sequences of words that get their ids by hashing; see `categorical_column_with_hash_bucket`."""

def sequence_categorical_column_with_identity(key: _Any, num_buckets: _Any, default_value: _Any = None) -> _Any:
    """A column of sequences of integers that are ids as they are; see `categorical_column_with_identity`."""

def sequence_categorical_column_with_vocabulary_file(key: _Any, vocabulary_file: _Any, vocabulary_size: _Any = None, num_oov_buckets: _Any = 0, default_value: _Any = None, dtype: _Any = ...) -> _Any:
    """A column of sequences of words whose ids a file has; see `categorical_column_with_vocabulary_file`."""

def sequence_categorical_column_with_vocabulary_list(key: _Any, vocabulary_list: _Any, dtype: _Any = None, default_value: _Any = -1, num_oov_buckets: _Any = 0) -> _Any:
    """A column of sequences of words whose ids are their places in a list."""

def sequence_numeric_column(key: _Any, shape: _Any = (1,), default_value: _Any = 0.0, dtype: _Any = ..., normalizer_fn: _Any = None) -> _Any:
    """A column of sequences of numbers."""

def shared_embedding_columns(categorical_columns: _Any, dimension: _Any, combiner: _Any = 'mean', initializer: _Any = None, shared_embedding_collection_name: _Any = None, ckpt_to_load_from: _Any = None, tensor_name_in_ckpt: _Any = None, max_norm: _Any = None, trainable: _Any = True, use_safe_embedding_lookup: _Any = True) -> _Any:
    """Dense columns of trained vectors that share one table; see `embedding_column`."""

def weighted_categorical_column(categorical_column: _Any, weight_feature_key: _Any, dtype: _Any = ...) -> _Any:
    """A column of ids with a weight for each."""
