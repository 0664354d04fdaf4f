"""tf.data.experimental and tf.contrib.data: functions for `Dataset.apply`, and datasets by other names."""

from tfcore.data.dataset import Dataset
from tfcore.framework.types import dtypes


def batch_and_drop_remainder(batch_size):
    """Batches without a smaller rest, for `Dataset.apply`.

    Args:
      batch_size: The number of elements.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """`map`, then `batch`, for `Dataset.apply`.

    Args:
      map_func: A function from an element to a structure of tensors.
      batch_size: The number of elements.
      num_parallel_batches: How many batches' worth of calls run at the same time.
      drop_remainder: Whether a smaller rest at the end is left out.
      num_parallel_calls: How many calls run at the same time.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      ValueError: Both numbers of calls are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set."
        )
    calls = num_parallel_batches * batch_size if num_parallel_batches is not None else num_parallel_calls
    return lambda dataset: dataset.map(map_func, calls).batch(batch_size, drop_remainder).prefetch(1)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """`shuffle`, then `repeat`, for `Dataset.apply`.

    Args:
      buffer_size: Size of the buffer.
      count: How often; without an end if it is None or -1.
      seed: An int, see `Dataset.shuffle`.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def parallel_interleave(
    map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None
):
    """`interleave` with elements that are made ahead of time, for `Dataset.apply`.

    Args:
      map_func: A function from an element to a `Dataset`.
      cycle_length: How many datasets take turns.
      block_length: How many elements of a dataset come one after the other.
      sloppy: Has no effect: elements always come in the same order.
      buffer_output_elements: Has no effect.
      prefetch_input_elements: Has no effect.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, num_parallel_calls=cycle_length)


def unbatch():
    """The rows of the elements as elements, for `Dataset.apply`.

    Args:
      None.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.unbatch()


def ignore_errors(log_warning=False):
    """Leaves out the elements at which a dataset fails, for `Dataset.apply`.

    Args:
      log_warning: Has no effect.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def enumerate_dataset(start=0):
    """Pairs of a number and an element, for `Dataset.apply`.

    Args:
      start: The first number.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.enumerate(start)


def scan(initial_state, scan_func):
    """What a function makes of each element and of a state, for `Dataset.apply`.

    Args:
      initial_state: A structure of values: the first state.
      scan_func: A function from a state and an element to the next state and an element.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate):
    """The elements up to, but without, the first for which a function returns false, for `Dataset.apply`.

    Args:
      predicate: A function from an element to a scalar bool.

    Returns:
      A function from a `Dataset` to a `Dataset`.

    Raises:
      Nothing.
    """
    return lambda dataset: dataset.take_while(predicate)


def Counter(start=0, step=1, dtype=dtypes.int64):  # noqa: N802
    """A dataset of numbers without an end.

    Args:
      start: The first number.
      step: The difference between two numbers.
      dtype: The `DType` of the numbers.

    Returns:
      A `Dataset` of scalars.

    Raises:
      Nothing.
    """
    most = (2**63 - 1) * (1 if step >= 0 else -1)
    return Dataset.range(start, most, step, output_type=dtype)
