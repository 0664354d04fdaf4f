"""How fast does a LeNet-style convolutional net train with momentum, in batches of 64?"""

import numpy as np

from bench import softmax
from bench.rows import Row

BATCH, RATE, MOMENTUM = 64, 0.01, 0.9


def start_weights():
    """Two filters and two matrices, in the layouts of the graph libraries."""
    rng = np.random.default_rng(2)
    shapes = [(5, 5, 1, 32), (5, 5, 32, 64), (7 * 7 * 64, 512), (512, 10)]
    weights = [rng.standard_normal(s) * (2 / np.prod(s[:-1])) ** 0.5 for s in shapes]
    return [w.astype(np.float32) for w in weights]


def graph(tf, size=BATCH, device=None):
    with tf.Graph().as_default(), tf.device(device):
        x = tf.placeholder(tf.float32, [None, 784])
        y_ = tf.placeholder(tf.float32, [None, 10])
        filters, matrices = start_weights()[:2], start_weights()[2:]
        layer = tf.reshape(x, [-1, 28, 28, 1])
        for w in filters:
            layer = tf.nn.conv2d(layer, tf.Variable(w), strides=[1, 1, 1, 1], padding="SAME")
            layer = tf.nn.relu(tf.nn.bias_add(layer, tf.Variable(tf.zeros([w.shape[3]]))))
            layer = tf.nn.max_pool(layer, [1, 2, 2, 1], [1, 2, 2, 1], padding="SAME")
        layer = tf.reshape(layer, [-1, 7 * 7 * 64])
        layer = tf.nn.relu(tf.matmul(layer, tf.Variable(matrices[0])) + tf.Variable(tf.zeros([512])))
        logits = tf.matmul(layer, tf.Variable(matrices[1])) + tf.Variable(tf.zeros([10]))
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
        step = tf.train.MomentumOptimizer(RATE, MOMENTUM).minimize(loss)
        initialize = tf.global_variables_initializer()
        session = tf.Session()
    return softmax.graph_program(session, step, loss, initialize, x, y_, size)


def torch(torch, size=BATCH, device="cpu"):
    filter1, filter2, dense1, dense2 = start_weights()
    # PyTorch has channels first, so the rows of the first matrix are in another order.
    dense1 = dense1.reshape(7, 7, 64, 512).transpose(2, 0, 1, 3).reshape(-1, 512)
    values = [filter1.transpose(3, 2, 0, 1), filter2.transpose(3, 2, 0, 1), dense1, dense2]
    weights = [torch.from_numpy(np.ascontiguousarray(v)).to(device).requires_grad_() for v in values]
    biases = [torch.zeros(n, device=device, requires_grad=True) for n in (32, 64, 512, 10)]
    nn = torch.nn.functional

    def loss(images, labels):
        layer = images.reshape(-1, 1, 28, 28)
        for w, b in zip(weights[:2], biases[:2]):
            layer = nn.max_pool2d(torch.relu(nn.conv2d(layer, w, b, padding=2)), 2)
        layer = torch.relu(torch.addmm(biases[2], layer.reshape(-1, 7 * 7 * 64), weights[2]))
        return nn.cross_entropy(torch.addmm(biases[3], layer, weights[3]), labels)

    parameters = [*weights, *biases]
    optimizer = torch.optim.SGD(parameters, lr=RATE, momentum=MOMENTUM)
    return softmax.torch_program(torch, loss, optimizer, parameters, size, device)


ROWS = [Row("LeNet-style net, momentum, batch 64", "ms", graph, torch, reference=(19, 23, 13))]
