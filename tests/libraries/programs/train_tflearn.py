"""tflearn: a network learns the parity of two bits, is saved and loaded."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tflearn

x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 16)
y = np.array([[0.0], [1.0], [1.0], [0.0]] * 16)


def network():
    tflearn.init_graph(seed=1)
    net = tflearn.input_data([None, 2])
    net = tflearn.fully_connected(net, 16, "tanh", weights_init=tflearn.initializations.normal(stddev=1.0))
    net = tflearn.fully_connected(net, 1, "sigmoid")
    return tflearn.DNN(tflearn.regression(net, optimizer="adam", learning_rate=0.05, loss="mean_square"))


model = network()
model.fit(x, y, n_epoch=60, batch_size=16, show_metric=False, snapshot_epoch=False)
found = np.array(model.predict(x[:4]))
assert (np.round(found) == y[:4]).all(), found
path = os.path.join(tempfile.mkdtemp(), "model")
model.save(path)
tf.reset_default_graph()
again = network()
again.load(path)
np.testing.assert_allclose(again.predict(x[:4]), found, rtol=1e-5)
