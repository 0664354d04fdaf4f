"""The elements of pipelines of tf.data, in either library. As a program of TensorFlow's interpreter it reads
pipelines as JSON, as texts and as graphs, and writes what they give."""

import base64
import json
import sys

import numpy as np

LIMIT = 200


def run(tf, text):
    """What one library makes of a text: its elements, and the graph for the other one."""
    with tf.Graph().as_default() as graph:
        dataset = as_written(tf, eval(text, {"tf": tf, "np": np})).take(LIMIT)
        # Not one-shot: in those of TensorFlow both iterators over a dataset that is zipped with itself shuffle alike.
        iterator = tf.data.make_initializable_iterator(dataset)
        value = tf.identity(iterator.get_next(), "value")
        names = [iterator.initializer.name, value.name]
        definition = graph.as_graph_def().SerializeToString()
        return {"elements": elements(tf, *names), "graph": base64.b64encode(definition).decode(), "names": names}


def run_graph(tf, graph, names):
    """The elements of a pipeline that the other library has written."""
    with tf.Graph().as_default():
        tf.import_graph_def(tf.GraphDef.FromString(base64.b64decode(graph)), name="")
        return elements(tf, *names)


def elements(tf, initializer, value):
    """Those of the default graph, as ints; the name of an error ends them."""
    found = []
    with tf.Session() as sess:
        sess.run(initializer)
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

    asked = json.load(sys.stdin)
    answer = {
        "texts": [run(tensorflow, text) for text in asked["texts"]],
        "graphs": [run_graph(tensorflow, *graph) for graph in asked["graphs"]],
    }
    json.dump(answer, sys.stdout)
