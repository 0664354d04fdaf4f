"""The MNIST example as a command, on the sample in the package."""

import os

import numpy as np
import pytest

import tfcore as tf
from tfcore.examples import mnist
from tfcore.examples.tutorials.mnist import input_data


@pytest.mark.parametrize(("model", "steps", "least"), [("softmax", 400, 0.85), ("mlp", 150, 0.88), ("conv", 60, 0.85)])
def test_learns(model, steps, least, capsys):
    accuracy = mnist.main(["--model", model, "--steps", str(steps)])
    assert accuracy > least
    output = capsys.readouterr()
    assert f"test accuracy: {accuracy:.2%}" in output.out
    assert "loss=" in output.err


def test_plot(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = tmp_path / "curve.png"
    mnist.main(["--steps", "200", "--plot", str(path)])
    assert path.read_bytes()[:4] == b"\x89PNG"
    assert str(path) in capsys.readouterr().out


def test_same_seed_same_result():
    results = {mnist.main(["--steps", "30", "--seed", "5", "--model", "mlp"]) for _ in range(2)}
    assert len(results) == 1


def test_the_program_of_the_white_paper():
    """Word for word, but for the import."""
    data = input_data.read_data_sets(None, one_hot=True)
    x = tf.placeholder("float", shape=[None, 784])
    W = tf.Variable(tf.zeros([784, 10]))
    b = tf.Variable(tf.zeros([10]))
    y = tf.nn.softmax(tf.matmul(x, W) + b)
    y_ = tf.placeholder(tf.float32, [None, 10])
    cross_entropy = -tf.reduce_sum(y_ * tf.log(y))
    opt = tf.train.GradientDescentOptimizer(0.01)
    train_step = opt.minimize(cross_entropy)
    sess = tf.Session()
    sess.run(tf.initialize_all_variables())
    for _ in range(300):
        batch_xs, batch_ys = data.train.next_batch(100)
        sess.run(train_step, feed_dict={x: batch_xs, y_: batch_ys})
    correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, "float"))
    result = sess.run(accuracy, feed_dict={x: data.test.images, y_: data.test.labels})
    assert 0.8 < result <= 1.0
    assert isinstance(result, np.float32)
    sess.close()
    tf.reset_default_graph()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "no/such/place"], "There is no train-images"),
        (["--model", "forest"], "invalid choice"),
        (["--steps", "0"], "argument --steps: must be at least 1"),
        (["--batch", "-1"], "argument --batch: must be at least 1"),
    ],
)
def test_bad_arguments(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        mnist.main(arguments)
    assert message in f"{caught.value}{capsys.readouterr().err}"


def test_reads_a_directory(capsys):
    directory = os.path.abspath(input_data.SAMPLE_DIR)
    mnist.main(["--data", directory, "--steps", "3"])
    assert "5000 training images" in capsys.readouterr().out
