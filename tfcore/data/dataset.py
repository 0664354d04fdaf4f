"""tf.data.Dataset: elements that a graph makes, one after the other."""

from tfcore.data.base import DatasetBase
from tfcore.data.batches import Batches
from tfcore.data.calls import Calls
from tfcore.data.choices import Choices
from tfcore.data.groups import Groups
from tfcore.data.selection import Selection
from tfcore.data.sources import Sources
from tfcore.data.spec import makes_datasets


@makes_datasets
class Dataset(Sources, Choices, Selection, Calls, Batches, Groups, DatasetBase):
    """A potentially large set of elements, which a pipeline of operations makes one after the other.

    An element is a nested structure of tensors and datasets: tuples, named tuples and dictionaries. Functions of
    elements, such as that of `map`, get a tuple's components as arguments. They become functions of the graph, which
    run without Python.

    Raises:
      TypeError: It is not made by one of its methods.

    Example:

    >>> dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> value = dataset.make_one_shot_iterator().get_next()
    >>> with tf.Session() as sess:
    ...     sess.run(value), sess.run(value), sess.run(value)
    (array([0, 1]), array([4, 9]), array([16]))
    """

    def __init__(self):
        raise TypeError("Datasets are made by methods such as tf.data.Dataset.from_tensor_slices().")
