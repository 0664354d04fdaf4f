"""Shards of an input that the workers of a cluster take while they run; workers may die and join meanwhile."""

import time

import numpy as np

from tfcore.client.session import Session
from tfcore.data.dataset import Dataset
from tfcore.data.spec import is_dataset
from tfcore.distributed.task.server import Server
from tfcore.distributed.task.task import current
from tfcore.framework.types import dtypes
from tfcore.ops.array.constants import placeholder
from tfcore.ops.state.shards import TakeShard
from tfcore.variables.variables import Variable

NONE_NOW, NO_MORE = -1, -2  # instead of a shard, see kernels_c/state/shards.c
NOTHING = (-1, 0)  # finished
POLL_S = 0.02  # between questions, while others still read the last shards


def dynamic_shards(make, num_shards, server, num_epochs=1, name="dynamic_shards"):
    """The elements of the shards that this worker takes, one after another, while others take other shards.

    All workers of the cluster make this dataset, with the same arguments. A variable has a row for each shard: how
    often it was finished, and who holds it. Create it on a task that all workers use, such as the parameter server
    where `tf.train.replica_device_setter` puts variables. A worker takes the first shard that nobody holds, reads it to
    its end, and takes another. Quick workers take more of them than slow ones, and one that joins, or comes back, takes
    part from then on.

    - While nobody dies, each element comes exactly once in an epoch.
    - When a worker dies, or ends before it has finished its shard, another one gets that shard, or the process that
      takes the worker's place does, and reads it from the beginning. So each element of an epoch comes at least once;
      only those of the shard that a worker was reading come again. The same happens when an iterator is initialized
      again, as when a monitored session is replaced after a failure.
    - The variable is part of checkpoints. Training that continues from one, also with another number of workers, reads
      the shards that were not finished when it was saved from the beginning. If other workers go on while it is saved,
      it may miss their last updates by elements of shards that it has as finished, as it may miss other updates.

    A shard counts as finished when the element after its last one is asked for. So make one step after another, each of
    which uses the element that it gets, and initialize the iterator again after a step that failed. A worker has one
    iterator over the dataset, and does not save its position. Call transformations that take elements ahead of time,
    such as `shuffle`, `batch` and `prefetch`, in `make`: after this function, what their buffers contain would be lost
    when the worker dies.

    At the end of the last epoch a worker waits until all shards are finished, as it may have to read one again. Workers
    that need each other in every step, as with `AllreduceOptimizer` or without backup workers, must not wait: pass
    `num_epochs=None` and at least as many shards as there are workers, and end after a number of steps. In the next
    epoch a worker may take a shard while others still read theirs of the epoch before.

    Args:
      make: A function of (number of shards, index of a shard) that returns a `Dataset`, as for `reshard`. The index is
        an int64 tensor. `lambda n, i: tf.data.TFRecordDataset(tf.gather(files, i)).batch(32)` makes a shard of each
        file, `lambda n, i: dataset.shard(n, i)` of every n-th element.
      num_shards: How many shards there are, an int. More of them spread the work better, and make less come again.
      server: The `tf.train.Server` of this process.
      num_epochs: How often each shard is read; None: again and again, without end.
      name: Name of the variable.

    Returns:
      A `Dataset`. It depends on state: use `make_initializable_iterator`.

    Raises:
      TypeError: `server` is not a started `tf.train.Server`, or `make` returns something else than a `Dataset`.
      ValueError: A number is less than 1; or the variable would be on a device of each worker's own, because no task is
        named where it is created.
    """
    _check(num_shards, server, num_epochs)
    table = Variable(np.array([[0, 0, -1, 0]] * num_shards, np.int64), trainable=False, name=name, use_resource=False)
    if current().size > 1 and "/job:" not in table.device:
        raise ValueError(
            f"The variable {table.op.name!r} must be on a task that all workers use, such as a parameter server, but "
            f"its device is {table.device!r}: create the dataset inside of tf.device"
        )
    taking = _Taking(table, server.target, -1 if num_epochs is None else num_epochs)
    shards = Dataset.from_generator(taking.iterate, dtypes.int64, [])
    return shards.filter(lambda shard: shard >= 0).flat_map(lambda shard: _dataset(make(num_shards, shard)))


def _check(num_shards, server, num_epochs):
    if not isinstance(server, Server) or current() is None:
        raise TypeError(f"`server` must be a started tf.train.Server, but is {server!r}")
    if num_shards < 1 or (num_epochs is not None and num_epochs < 1):
        raise ValueError(f"`num_shards` and `num_epochs` must be at least 1, but are {num_shards!r} and {num_epochs!r}")


def _dataset(made):
    if not is_dataset(made):
        raise TypeError(f"`make` must return a `tf.data.Dataset` but returned {type(made)}.")
    return made


class _Taking:
    """The operation that takes shards; iterators run it in sessions of their own."""

    def __init__(self, table, target, num_epochs):
        self._graph, self._target = table.graph, target
        with table.graph.colocate_with(table.op):
            self._asked = [placeholder(dtypes.int64, shape) for shape in ([3], [current().size], [2])]
            self._take = TakeShard(table, *self._asked, np.int64(num_epochs))

    def iterate(self):
        return _Iteration(self)

    def session(self):
        return Session(self._target, self._graph)

    def take(self, sess, finished):
        """(A shard, its epoch) for this task, which has finished a shard and its epoch."""
        numbers = current().place_numbers()
        asker = current().job_number, current().rank, numbers[current().rank]
        return sess.run(self._take, dict(zip(self._asked, (asker, numbers, finished)))).tolist()


class _Iteration:
    """The shards that one iterator takes. An error does not end it: what it has finished is said again."""

    def __init__(self, taking):
        self._taking, self._session = taking, taking.session()
        self._held = NOTHING

    def __iter__(self):
        return self

    def __next__(self):
        shard, epoch = self._taking.take(self._session, self._held)
        if shard == NO_MORE:
            raise StopIteration
        if shard == NONE_NOW:
            time.sleep(POLL_S)
            self._held = NOTHING
            return NONE_NOW
        self._held = (shard, epoch)
        return shard
