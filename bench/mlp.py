"""How fast does a perceptron 784-512-512-10 train with Adam, in batches of 128?"""

import numpy as np

from bench import softmax
from bench.rows import Row

BATCH, RATE = 128, 1e-3
SIZES = (784, 512, 512, 10)


def start_weights():
    rng = np.random.default_rng(1)
    pairs = zip(SIZES, SIZES[1:])
    return [(rng.standard_normal(pair) * (2 / pair[0]) ** 0.5).astype(np.float32) for pair in pairs]


def graph(tf):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 784])
        y_ = tf.placeholder(tf.float32, [None, 10])
        layer = x
        for i, weights in enumerate(start_weights()):
            layer = tf.matmul(layer, tf.Variable(weights)) + tf.Variable(tf.zeros([weights.shape[1]]))
            layer = tf.nn.relu(layer) if i < 2 else layer
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=layer))
        step = tf.train.AdamOptimizer(RATE).minimize(loss)
        initialize = tf.global_variables_initializer()
        session = tf.Session()
    return softmax.graph_program(session, step, loss, initialize, x, y_, BATCH)


def torch(torch):
    weights = [torch.from_numpy(w).requires_grad_() for w in start_weights()]
    biases = [torch.zeros(w.shape[1], requires_grad=True) for w in weights]

    def loss(images, labels):
        layer = images
        for i, (w, b) in enumerate(zip(weights, biases)):
            layer = torch.addmm(b, layer, w)
            layer = torch.relu(layer) if i < 2 else layer
        return torch.nn.functional.cross_entropy(layer, labels)

    optimizer = torch.optim.Adam([*weights, *biases], lr=RATE)
    return softmax.torch_program(torch, loss, optimizer, [*weights, *biases], BATCH)


ROWS = [Row("MLP 784-512-512-10, Adam, batch 128", "ms", graph, torch, reference=(3.0, 2.9, 1.7))]
