"""How fast does softmax regression train, in batches of 100?"""

import itertools

import numpy as np

from bench.rows import Program, Row

BATCH, RATE, STEPS = 100, 0.01, 5


def batches(size, count=20):
    rng = np.random.default_rng(0)
    images = rng.random((count, size, 784), np.float32)
    labels = np.eye(10, dtype=np.float32)[rng.integers(0, 10, (count, size))]
    return list(zip(images, labels))


def graph(tf):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 784])
        y_ = tf.placeholder(tf.float32, [None, 10])
        W = tf.Variable(tf.zeros([784, 10]))
        b = tf.Variable(tf.zeros([10]))
        y = tf.nn.softmax(tf.matmul(x, W) + b)
        cross_entropy = -tf.reduce_sum(y_ * tf.log(y))
        step = tf.train.GradientDescentOptimizer(RATE / BATCH).minimize(cross_entropy)
        initialize = tf.global_variables_initializer()
        session = tf.Session()
    return graph_program(session, step, cross_entropy, initialize, x, y_, BATCH)


def graph_program(session, step, loss, initialize, x, y_, size):
    """Runs a step on the next of some batches; the result: the loss after each of some steps."""
    session.run(initialize)
    data = batches(size)
    endless = itertools.cycle(data)

    def run():
        images, labels = next(endless)
        session.run(step, feed_dict={x: images, y_: labels})

    def result():
        session.run(initialize)
        losses = []
        for images, labels in data[:STEPS]:
            session.run(step, feed_dict={x: images, y_: labels})
            losses.append(session.run(loss, feed_dict={x: images, y_: labels}))
        return np.array(losses)

    return Program(run, result)


def torch(torch):
    W = torch.zeros(784, 10, requires_grad=True)
    b = torch.zeros(10, requires_grad=True)

    def loss(images, labels):
        return -(labels * torch.log_softmax(images @ W + b, 1)).sum()

    optimizer = torch.optim.SGD([W, b], lr=RATE / BATCH)
    return torch_program(torch, loss, optimizer, [W, b], BATCH)


def torch_program(torch, loss, optimizer, parameters, size, device="cpu"):
    """Like graph_program. The batches are in the host's memory."""
    start = [p.detach().clone() for p in parameters]
    data = [(torch.from_numpy(x), torch.from_numpy(y)) for x, y in batches(size)]
    endless = itertools.cycle(data)

    def step(images, labels):
        optimizer.zero_grad(set_to_none=True)
        loss(images.to(device), labels.to(device)).backward()
        optimizer.step()

    def result():
        with torch.no_grad():
            for parameter, value in zip(parameters, start):
                parameter.copy_(value)
        optimizer.state.clear()
        losses = []
        for images, labels in data[:STEPS]:
            step(images, labels)
            losses.append(loss(images.to(device), labels.to(device)).item())
        return np.array(losses)

    return Program(lambda: step(*next(endless)), result)


ROWS = [Row("softmax regression, batch 100", "ms", graph, torch, reference=(0.40, 0.165, 0.08))]
