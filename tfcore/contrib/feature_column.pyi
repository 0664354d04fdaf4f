# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.feature_column import sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket
from tfcore.feature_column import sequence_categorical_column_with_identity as sequence_categorical_column_with_identity
from tfcore.feature_column import sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file
from tfcore.feature_column import sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list
from tfcore.feature_column import sequence_numeric_column as sequence_numeric_column
from typing import Any as _Any

__all__ = [
'concatenate_context_input', 'sequence_categorical_column_with_hash_bucket',
'sequence_categorical_column_with_identity', 'sequence_categorical_column_with_vocabulary_file',
'sequence_categorical_column_with_vocabulary_list', 'sequence_input_layer', 'sequence_numeric_column'
]

def concatenate_context_input(context_input: _Any, sequence_input: _Any) -> _Any:
    """Joins a vector for each example to every step of its sequence."""

def sequence_input_layer(features: _Any, feature_columns: _Any, weight_collections: _Any = None, trainable: _Any = True) -> _Any:
    """The features of columns of sequences, joined to one vector for each step of an example."""
