"""The Python side of a user's op: loads the library, and adds a shape function and a gradient.

python -m tfcore.examples.custom_op.log_cosh_op log_cosh.so
"""

import sys

import tfcore as tf


def load(path):
    """Loads the library and returns the module with its ops."""
    library = tf.load_op_library(path)

    @tf.RegisterShape("LogCosh")
    def _shape(op):
        return [op.inputs[0].shape.with_rank_at_least(1)[:-1]]

    @tf.RegisterGradient("LogCosh")
    def _gradient(op, grad):
        # d/dx log(cosh(s x)) / s = tanh(s x)
        return tf.expand_dims(grad, -1) * tf.tanh(op.get_attr("scale") * op.inputs[0])

    return library


def main(path):
    library = load(path)
    x = tf.constant([[0.5, -1.0], [100.0, 0.0]])
    loss = library.log_cosh(x, scale=2.0)
    slope = tf.gradients(loss, x)[0]
    with tf.Session() as sess:
        print(loss.shape, *sess.run([loss, slope]), sep="\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
