"""The shares of workers that continue an input which a different number of workers has begun."""

from tfcore.data.base import derived
from tfcore.data.choices import Choices
from tfcore.data.spec import is_dataset
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.parsing.tensor import parse_tensor


def reshard(make, positions, num_shards, index):
    """One worker's share of the elements that a different number of workers left unread.

    Workers that each read one share of an input save the positions of their iterators. When the job starts again with
    more or fewer workers, each of them gets every `num_shards`-th of the elements that are left: none is lost, and none
    comes twice. What was read after the positions were saved is read again.

    Every worker computes the elements of all old shares and keeps its own. So `make` should only read, shuffle and
    repeat; apply costly functions after `reshard`. The elements must be the same in each run: give shuffles seeds, and
    use only deterministic `interleave`s.

    To change the number of workers again, pass a `make` that itself calls `reshard`, with the first `make` and
    `[""] * n` as positions, where n is the number of workers at first. The new positions contain the old ones.

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
