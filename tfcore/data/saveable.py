"""Positions of iterators in checkpoints."""

from tfcore.framework.types import dtypes
from tfcore.io.saveable_object import SaveableObject, SaveSpec
from tfcore.ops.data.iterator import DeserializeIterator, SerializeIterator
from tfcore.ops.parsing.tensor import parse_tensor, serialize_tensor


class IteratorSaveable(SaveableObject):
    """The position of an iterator, as a string."""

    def __init__(self, handle):
        self._handle = handle

        def read():
            with handle.graph.device(handle.device or None):
                return serialize_tensor(SerializeIterator(handle))

        super().__init__(handle, [SaveSpec(read, "", handle.op.name, dtypes.string, handle.device)], handle.op.name)

    def restore(self, restored_tensors, restored_shapes):
        with self._handle.graph.device(self.device or None):
            return DeserializeIterator(self._handle, parse_tensor(restored_tensors[0], dtypes.variant))


def make_saveable_from_iterator(iterator, external_state_policy=None):
    """What saves the position of an iterator with a checkpoint: buffers of shuffles, offsets in files, and so on.

    Add it to the collection `tf.GraphKeys.SAVEABLE_OBJECTS` before the `Saver` is made. A restored iterator goes on
    with the elements that it would have given after the save. If it has no dataset yet, its next initializer sets it to
    that position. The dataset must be the same as before; only numbers of threads and sizes of `prefetch` may differ.
    (An `interleave` without a `cycle_length` has one that depends on the number of threads, or of cores.)
    What functions of the dataset keep for themselves is not saved: generators run again up to the position. Random
    operations go on with the same values in functions that `map` and `interleave` call on several threads; in others
    they go on as they are.

    Args:
      iterator: A `tf.data.Iterator`.
      external_state_policy: "fail", "warn" or "ignore"; has no effect.

    Returns:
      A `SaveableObject`.

    Raises:
      ValueError: The policy is none of these.
    """
    check_policy(external_state_policy)
    return IteratorSaveable(iterator._handle)


def check_policy(external_state_policy):
    """Fails if it is no policy for state outside of a dataset."""
    if external_state_policy not in (None, "fail", "warn", "ignore"):
        raise ValueError(
            f"Invalid `external_state_policy`. Supported values include 'fail', 'warn', and 'ignore'. Received "
            f"{external_state_policy}."
        )
