"""The shares of workers that continue an input which others, in another number, have begun."""

from tfcore.data.base import derived
from tfcore.data.choices import Choices
from tfcore.data.spec import is_dataset
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.parsing.tensor import parse_tensor


def reshard(make, positions, num_shards, index):
    """A worker's share of what other workers, in another number, have left of an input.

    Workers that each read one share of an input save the positions of their iterators. When the job starts again with
    more or fewer workers, each of them gets every `num_shards`-th of the elements that are left: none is lost, and none
    comes twice. What was read after the positions were saved is read again.

    Each worker makes the elements of all old shares and leaves out those of others. So `make` should do no more than
    read, shuffle and repeat; costly functions come after `reshard`. A dataset that functions or threads make otherwise
    each time can't be divided: shuffles need seeds, and an `interleave` must be deterministic.

    To change the number once more, `make` is a function that calls `reshard` itself, with the positions of before left
    out: `[""] * n`. They are part of the later ones.

    Args:
      make: A function of (number of shares, index of a share) that returns a `Dataset`, such as
        `lambda n, i: tf.data.TFRecordDataset(files).shard(n, i).shuffle(1000, seed=1)`, with which the positions were
        saved.
      positions: The position of each old share: bytes or string tensors, as `make_saveable_from_iterator` writes them
        into a checkpoint. An empty string stands for the beginning.
      num_shards: How many workers there are now.
      index: Which of them this is, from 0.

    Returns:
      A `Dataset`.

    Raises:
      ValueError: There are no positions.
      TypeError: `make` returns something else than a `Dataset`, or a position is no string.
      InvalidArgumentError: `index` is not one of the shares. A position that does not fit the dataset is this error
        when the iterator is initialized.
    """
    if not positions:
        raise ValueError("`positions` must have the position of each old share, but is empty.")
    left = [_restored(make(len(positions), i), position) for i, position in enumerate(positions)]
    in_turn = left[0]
    if len(left) > 1:
        turns = type(left[0]).range(len(left)).repeat()
        in_turn = Choices.choose_from_datasets(left, turns, stop_on_empty_dataset=False)
    return in_turn.shard(num_shards, index)


def _restored(dataset, position):
    if not is_dataset(dataset):
        raise TypeError(f"`make` must return a `tf.data.Dataset` but returned {type(dataset)}.")
    position = convert_to_tensor(position, dtypes.string, name="position")
    begins = constant_value(position)
    known = begins is not None and not begins.item()
    return derived(dataset, "_RestoredDataset", [] if known else [parse_tensor(position, dtypes.variant)])
