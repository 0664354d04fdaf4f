"""The network of TensorFlow's tutorials "TensorFlow Mechanics 101" and "Reading data": two hidden layers.

    from tfcore.examples.tutorials.mnist import mnist
    logits = mnist.inference(images, 128, 32)
    loss = mnist.loss(logits, labels)
    train_op = mnist.training(loss, 0.01)

Variables have the names of the tutorials, so their checkpoints can be read.
"""

import tfcore as tf

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _linear(inputs, columns, units):
    """A layer without activation, within the current name scope; its initial outputs are about as large as inputs."""
    initial = tf.truncated_normal([columns, units], stddev=columns**-0.5)
    weights = tf.Variable(initial, name="weights")
    biases = tf.Variable(tf.zeros([units]), name="biases")
    return tf.matmul(inputs, weights) + biases


def inference(images, hidden1_units, hidden2_units):
    """Logits of the classes.

    Args:
      images: float32, [batch, 784]
      hidden1_units: How many units the first hidden layer has.
      hidden2_units: The same of the second.

    Returns:
      float32, [batch, 10]
    """
    with tf.name_scope("hidden1"):
        hidden1 = tf.nn.relu(_linear(images, IMAGE_PIXELS, hidden1_units))
    with tf.name_scope("hidden2"):
        hidden2 = tf.nn.relu(_linear(hidden1, hidden1_units, hidden2_units))
    with tf.name_scope("softmax_linear"):
        return _linear(hidden2, hidden2_units, NUM_CLASSES)


def loss(logits, labels):
    """The mean cross entropy of logits [batch, 10] with integer labels [batch]."""
    return tf.losses.sparse_softmax_cross_entropy(labels=tf.to_int64(labels), logits=logits)


def training(loss, learning_rate):
    """The operation of a step of gradient descent. Adds a summary of the loss and the variable `global_step`."""
    tf.summary.scalar("loss", loss)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return tf.train.GradientDescentOptimizer(learning_rate).minimize(loss, global_step=global_step)


def evaluation(logits, labels):
    """How many of the examples have their largest logit at their label: int32, a scalar."""
    return tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
