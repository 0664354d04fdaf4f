"""The elements of pipelines of tf.data, in either library. As a program of TensorFlow's interpreter it reads a list of
pipelines as JSON and writes the list of what they give."""

import json
import sys

import numpy as np

LIMIT = 200


def run(tf, text):
    """The first elements of a dataset that an expression makes, as ints; the name of an error ends them."""
    found = []
    with tf.Graph().as_default(), tf.Session() as sess:
        dataset = as_written(tf, eval(text, {"tf": tf, "np": np})).take(LIMIT)
        # Not one-shot: in those of TensorFlow both iterators over a dataset that is zipped with itself shuffle alike.
        iterator = tf.data.make_initializable_iterator(dataset)
        value = iterator.get_next()
        sess.run(iterator.initializer)
        while True:
            try:
                found.append(int(sess.run(value)))
            except tf.errors.OutOfRangeError:
                return found
            except tf.errors.OpError as error:
                return [*found, type(error).__name__]


def as_written(tf, dataset):
    """Not optimized: TensorFlow refuses `shuffle(9).repeat(0)` after it has fused the two."""
    if tf.__name__ == "tfcore":
        return dataset
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)


if __name__ == "__main__":
    import tensorflow.compat.v1 as tensorflow

    json.dump([run(tensorflow, text) for text in json.load(sys.stdin)], sys.stdout)
