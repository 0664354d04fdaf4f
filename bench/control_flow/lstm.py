"""How fast does an LSTM train, as a loop in the graph and unrolled into one long graph?"""

import numpy as np

from bench.rows import Program, Row

RATE, STEPS = 200.0, 4


class Size:
    """units: size of the cell and of its inputs; length: of the sequences; batch: sequences per step."""

    def __init__(self, units, length, batch):
        self.units, self.length, self.batch = units, length, batch

    def data(self):
        """Inputs [batch, length, units], and the outputs to learn, of the same shape."""
        rng = np.random.default_rng(3)
        shape = (2, self.batch, self.length, self.units)
        return (rng.standard_normal(shape) * 0.5).astype(np.float32)

    def kernel(self):
        """[inputs and state, 4 gates]: input, candidate, forget, output."""
        rng = np.random.default_rng(4)
        return (rng.standard_normal((2 * self.units, 4 * self.units)) / (2 * self.units) ** 0.5).astype(np.float32)


LARGE = Size(units=512, length=20, batch=32)
SMALL = Size(units=32, length=200, batch=8)


def cell_class(tf):
    """An LSTM cell for both graph libraries: TensorFlow's cells need another package today."""

    class Cell(getattr(tf.nn.rnn_cell, "RNNCell", object) if tf.__name__ == "tfcore" else object):
        def __init__(self, size):
            self.units = size.units
            self.kernel = tf.Variable(size.kernel())
            self.bias = tf.Variable(tf.zeros([4 * size.units]))

        state_size = property(lambda self: (self.units, self.units))
        output_size = property(lambda self: self.units)

        def zero_state(self, batch_size, dtype):
            return (tf.zeros([batch_size, self.units], dtype),) * 2

        def __call__(self, inputs, state, scope=None):
            c, h = state
            gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self.kernel), self.bias)
            i, j, f, o = tf.split(gates, 4, 1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(j)
            h = tf.sigmoid(o) * tf.tanh(c)
            return h, (c, h)

    return Cell


def graph(size, rnn):
    """rnn(tf, cell, x, batch) returns the outputs [batch, length, units]."""

    def make(tf):
        x_value, y_value = size.data()
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [size.batch, size.length, size.units])
            y_ = tf.placeholder(tf.float32, [size.batch, size.length, size.units])
            cell = cell_class(tf)(size)
            loss = tf.reduce_mean(tf.square(rnn(tf, cell, x) - y_))
            step = tf.train.GradientDescentOptimizer(RATE).minimize(loss)
            initialize = tf.global_variables_initializer()
            session = tf.Session()
        session.run(initialize)
        feeds = {x: x_value, y_: y_value}

        def result():
            session.run(initialize)
            losses = []
            for _ in range(STEPS):
                losses.append(session.run(loss, feeds))
                session.run(step, feeds)
            return np.array(losses)

        return Program(lambda: session.run(step, feeds), result)

    return make


def dynamic(tf, cell, x):
    return tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)[0]


def unrolled(tf, cell, x):
    return tf.stack(tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)[0], axis=1)


def torch_program(size, network):
    """network(torch, size) returns (module, function from inputs to outputs)."""

    def make(torch):
        x, y_ = (torch.from_numpy(value) for value in size.data())
        module, outputs = network(torch, size)
        # PyTorch's gates are in another order, transposed, with two biases.
        gates = np.split(size.kernel(), 4, axis=1)
        kernel = np.concatenate([gates[0], gates[2], gates[1], gates[3]], axis=1).T
        start = {"weight_ih": kernel[:, : size.units], "weight_hh": kernel[:, size.units :]}
        parameters = {name.removesuffix("_l0"): parameter for name, parameter in module.named_parameters()}
        parameters["bias_hh"].requires_grad_(False)
        optimizer = torch.optim.SGD([p for p in parameters.values() if p.requires_grad], lr=RATE)

        def initialize():
            with torch.no_grad():
                for name, parameter in parameters.items():
                    parameter.copy_(torch.from_numpy(start[name].copy()) if name in start else torch.zeros(()))

        def loss():
            return (outputs(x) - y_).square().mean()

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss().backward()
            optimizer.step()

        def result():
            initialize()
            losses = []
            for _ in range(STEPS):
                losses.append(loss().item())
                step()
            return np.array(losses)

        initialize()
        return Program(step, result)

    return make


def whole_network(torch, size):
    """PyTorch's own LSTM, which computes all steps in one call."""
    lstm = torch.nn.LSTM(size.units, size.units, batch_first=True)
    return lstm, lambda x: lstm(x)[0]


def loop_of_cells(torch, size):
    """A loop around any cell, like `dynamic_rnn` and `static_rnn`; in PyTorch a loop in Python."""
    cell = torch.nn.LSTMCell(size.units, size.units)

    def outputs(x):
        state, results = None, []
        for inputs in x.unbind(1):
            state = cell(inputs, state)
            results.append(state[0])
        return torch.stack(results, 1)

    return cell, outputs


ROWS = [
    Row(name, "ms", graph(size, rnn), torch_program(size, loop_of_cells), reference=reference)
    for name, size, rnn, reference in (
        ("LSTM 512, 20 steps, batch 32, dynamic", LARGE, dynamic, (78, 55, 38)),
        ("LSTM 512, 20 steps, batch 32, unrolled", LARGE, unrolled, (77, 55, 38)),
        ("LSTM 32, 200 steps, batch 8, dynamic", SMALL, dynamic, (16.6, 24.8, 4)),
    )
]
# Beside PyTorch's fastest for this cell. The reference has no number for it, so there is no floor.
ROWS += [
    Row(
        f"{name}, dynamic, beside nn.LSTM",
        "ms",
        graph(size, dynamic),
        torch_program(size, whole_network),
        reference=(tensorflow, None, reach),
    )
    for name, size, tensorflow, reach in (("LSTM 512", LARGE, 78, 38), ("LSTM 32", SMALL, 16.6, 4))
]
