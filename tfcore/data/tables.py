"""Lookup tables whose entries are the elements of a dataset."""

from tfcore.composed.lookup import KeyValueTensorInitializer, StaticHashTable
from tfcore.composed.vocabulary import FastHashSpec, IdTableWithHashBuckets
from tfcore.data.transformations import assert_cardinality
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.type_spec import TensorSpec
from tfcore.ops.cwise.cast import cast

_ALL = 2**62  # the size of a batch that has all elements


class DatasetInitializer(KeyValueTensorInitializer):
    """Fills a static table with the elements of a dataset.

    Args:
      dataset: A `Dataset` of pairs (key, value) of scalars.

    Raises:
      ValueError: The elements are others.
      tf.errors.FailedPreconditionError: When run: a key has two values.
    """

    def __init__(self, dataset):
        _check_pairs(dataset.element_spec)
        super().__init__(*dataset.batch(_ALL).get_single_element())


def _check_pairs(spec):
    text = (
        "Datasets used to initialize lookup tables must produce elements in the form (key, value), where the keys and "
        f"values are scalar tensors. However, the given dataset produces {spec}"
    )
    if not isinstance(spec, tuple) or len(spec) != 2:
        raise ValueError(text)
    if not all(isinstance(part, TensorSpec) and part.shape.rank in (None, 0) for part in spec):
        raise ValueError(text)


def table_from_dataset(
    dataset=None,
    num_oov_buckets=0,
    vocab_size=None,
    default_value=None,
    hasher_spec=FastHashSpec,
    key_dtype=dtypes.string,
    name=None,
):
    """A table of the elements of a dataset.

    Args:
      dataset: A `Dataset` of pairs (key, value) of scalars.
      num_oov_buckets: The number of ids for other keys, which follow those of the table; the values must be ids then.
      vocab_size: The number of elements to take; all by default.
      default_value: The value of other keys if `num_oov_buckets` is 0; -1 by default.
      hasher_spec: A `HasherSpec`.
      key_dtype: Type of the keys: an integer type or string.
      name: Name of the operations.

    Returns:
      A table.

    Raises:
      ValueError: An argument is invalid, or the elements are not pairs.
      TypeError: A type is not supported.
      tf.errors.FailedPreconditionError: When the table is filled: there are fewer elements, or a key has two values.
    """
    spec = dataset.element_spec
    _check_pairs(spec)
    if default_value is None:
        default_value = -1
        if not (spec[1].dtype.is_integer or spec[1].dtype.is_floating):
            raise ValueError(
                "`default_value` must be specified when creating a table from a dataset that produces values of type "
                f"{spec[1].dtype}."
            )
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if vocab_size is not None and not isinstance(vocab_size, Tensor) and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    key_dtype = dtypes.as_dtype(key_dtype)
    if not key_dtype.is_integer and key_dtype != dtypes.string:
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {key_dtype}")
    with name_scope(name, "string_to_index"):
        if vocab_size is not None:
            vocab_size = cast(vocab_size, dtypes.int64)
            dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
        initializer = DatasetInitializer(dataset)
        with name_scope(None, "hash_table"):
            table = StaticHashTable(initializer, default_value)
        if num_oov_buckets:
            return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, None, key_dtype)
        return table


def index_table_from_dataset(
    dataset=None,
    num_oov_buckets=0,
    vocab_size=None,
    default_value=-1,
    hasher_spec=FastHashSpec,
    key_dtype=dtypes.string,
    name=None,
):
    """A table from the elements of a dataset to their numbers.

    Args:
      dataset: A `Dataset` of scalars, the keys.
      num_oov_buckets: The number of ids for other keys.
      vocab_size: The number of elements to take; all by default.
      default_value: The id of other keys if `num_oov_buckets` is 0.
      hasher_spec: A `HasherSpec`.
      key_dtype: Type of the keys: an integer type or string.
      name: Name of the operations.

    Returns:
      A table.

    Raises:
      ValueError: An argument is invalid, or the elements are not scalars.
      TypeError: A type is not supported.
      tf.errors.FailedPreconditionError: When the table is filled: there are fewer elements, or a key is there twice.
    """
    pairs = dataset.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)
