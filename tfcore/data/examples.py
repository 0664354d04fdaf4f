"""Datasets of parsed examples."""

from tfcore.composed.parsing.example import parse_example
from tfcore.data import elements
from tfcore.data.base import AUTOTUNE
from tfcore.data.csv_files import file_names, interleaved_files, shuffled_and_repeated
from tfcore.data.files import TFRecordDataset
from tfcore.framework.types import dtypes
from tfcore.framework.values.type_spec import TensorSpec


def parse_example_dataset(features, num_parallel_calls=1, deterministic=None):
    """Parses batches of serialized messages `tf.train.Example`, for `Dataset.apply`.

    Args:
      features: A dict from keys to `FixedLenFeature` and others, see `tf.parse_example`.
      num_parallel_calls: See `Dataset.map`.
      deterministic: Accepted for compatibility; has no effect: elements always come in order.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      ValueError: There are no features.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def apply(dataset):
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.string or spec.shape.rank not in (1, None):
            raise TypeError(f"Input dataset should be a dataset of vectors of strings. Instead it is `{spec}`.")
        return dataset.map(lambda serialized: parse_example(serialized, features), num_parallel_calls)

    return apply


def make_batched_features_dataset(
    file_pattern,
    batch_size,
    features,
    reader=TFRecordDataset,
    label_key=None,
    reader_args=None,
    num_epochs=None,
    shuffle=True,
    shuffle_buffer_size=10000,
    shuffle_seed=None,
    prefetch_buffer_size=None,
    reader_num_threads=None,
    parser_num_threads=None,
    sloppy_ordering=False,
    drop_final_batch=False,
):
    """Batches of the features of files of `tf.train.Example`: dictionaries, or pairs of a dictionary and labels.

    Args:
      file_pattern: A pattern of names of files, or a list of them.
      batch_size: The number of examples of a batch.
      features: A dict from keys to `FixedLenFeature` and others, see `tf.parse_example`.
      reader: A function from the name of a file, and `reader_args`, to a `Dataset` of serialized examples, or of pairs
        with them.
      label_key: The key of the feature that is the second part of each pair.
      reader_args: Further arguments of `reader`.
      num_epochs: How often files are read; without an end if it is None.
      shuffle: Whether files and examples come in random order.
      shuffle_buffer_size: See `Dataset.shuffle`.
      shuffle_seed: See `Dataset.shuffle`.
      prefetch_buffer_size: How many batches are made ahead of time.
      reader_num_threads: How many files are read at the same time, ahead of time; by default one after the other.
      parser_num_threads: How many batches are parsed at the same time; 2 by default.
      sloppy_ordering: Whether a file whose examples are not there in time is passed over.
      drop_final_batch: Whether a smaller batch at the end is left out.

    Returns:
      A `Dataset`.

    Raises:
      ValueError: There are no such files, or `label_key` is not one of `features`.
    """
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys: {features.keys()}."
        )
    reader = TFRecordDataset if reader is None else reader
    dataset = interleaved_files(
        file_names(file_pattern),
        lambda name: reader(name, *(reader_args or ())),
        reader_num_threads,
        shuffle,
        shuffle_seed,
        sloppy_ordering,
    )
    if len(elements.flatten(dataset.element_spec)) == 2:
        dataset = dataset.map(lambda _, value: value)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, 2 if parser_num_threads is None else parser_num_threads))
    if label_key is not None:
        dataset = dataset.map(lambda found: (found, found.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
