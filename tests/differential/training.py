"""Training graphs: whole programs, update operations included, a few steps in both libraries from the same weights."""

import numpy as np

import tfcore as tf
from tests.differential import bounds
from tests.differential.examine import Deviation
from tfcore.examples import custom_optimizer, mnist
from tfcore.examples.tutorials.mnist import input_data

N_STEPS = 6
# A step adds rounding differences, in units of the last place of the largest weight, and passes on earlier
# ones; Adam magnifies those of small gradients.
ULPS_IN_A_STEP = 256


class Program:
    """A training graph in its own tf.Graph: `loss`, `train` (an operation), and what each step feeds."""

    def __init__(self, build):
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.set_random_seed(7)
            self.loss, self.train, self.batches = build()
            self.variables = tf.global_variables()


# ---- The examples


def _mnist(model, keep_prob, batch):
    def build():
        data = input_data.read_data_sets(None, one_hot=True, validation_size=1000, seed=0)
        made = mnist.MODELS[model][0](1000)
        batches = [made.feed(*data.train.next_batch(batch), keep_prob) for _ in range(N_STEPS)]
        return made.loss, made.train_step, batches

    return build


def _custom_optimizer():
    x = tf.constant([0.0, 1.0, 2.0, 3.0])
    slope, offset = tf.Variable(0.5), tf.Variable(0.0)
    loss = tf.reduce_mean(tf.square(slope * x + offset - (2.0 * x - 1.0)))
    step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(0.1, step, 200, end_learning_rate=0.001)
    return loss, custom_optimizer.LionOptimizer(rate).minimize(loss, global_step=step), [{}] * N_STEPS


# ---- Small nets for the optimizers and layers


def _embedding_net(make_optimizer, dtype):
    """An embedding, whose gradient is sparse, and a dense layer."""

    def build():
        rng = np.random.default_rng(3)
        ids = tf.placeholder(tf.int32, [None])
        target = tf.placeholder(dtype, [None, 4])
        table = tf.Variable(rng.normal(size=(9, 5)), dtype=dtype)
        weights = tf.Variable(rng.normal(size=(5, 4)), dtype=dtype)
        bias = tf.Variable(np.zeros(4), dtype=dtype)
        hidden = tf.tanh(tf.nn.embedding_lookup(table, ids))
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden, weights) + bias - target))
        step = tf.train.get_or_create_global_step()
        train = make_optimizer(step).minimize(loss, global_step=step)
        kind = dtype.as_numpy_dtype
        # The third batch has an index twice: its gradients are added up.
        ids_of = [[0, 1, 2, 3], [5, 1, 7, 2], [4, 4, 8, 1]] * 2
        return loss, train, [{ids: i, target: rng.normal(size=(4, 4)).astype(kind)} for i in ids_of]

    return build


_OPTIMIZERS = {
    "gradient_descent": lambda step: tf.train.GradientDescentOptimizer(0.1),
    "gradient_descent_with_schedule": lambda step: tf.train.GradientDescentOptimizer(
        tf.train.exponential_decay(0.1, step, 3, 0.5)
    ),
    "proximal_gradient_descent": lambda step: tf.train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02),
    "momentum": lambda step: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda step: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda step: tf.train.AdagradOptimizer(0.1),
    "adagrad_da": lambda step: tf.train.AdagradDAOptimizer(0.1, step, l1_regularization_strength=0.001),
    "proximal_adagrad": lambda step: tf.train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.001),
    "adadelta": lambda step: tf.train.AdadeltaOptimizer(0.5, epsilon=1e-3),
    "adam": lambda step: tf.train.AdamOptimizer(0.01),
    "rmsprop": lambda step: tf.train.RMSPropOptimizer(0.01, momentum=0.5),
    "centered_rmsprop": lambda step: tf.train.RMSPropOptimizer(0.01, centered=True),
    "ftrl": lambda step: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.001, l2_regularization_strength=0.01),
    "ftrl_shrinkage": lambda step: tf.train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.01),
    "lion": lambda step: custom_optimizer.LionOptimizer(0.01, weight_decay=0.1),
}


def _layers():
    """Convolutions, batch normalization, pooling, dropout and dense layers of tf.layers, with moving averages."""
    rng = np.random.default_rng(5)
    x = tf.placeholder(tf.float32, [None, 8, 8, 2])
    labels = tf.placeholder(tf.int32, [None])
    net = tf.layers.conv2d(x, 6, 3, padding="same", use_bias=False)
    net = tf.nn.relu(tf.layers.batch_normalization(net, training=True))
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.conv2d(net, 4, 3, activation=tf.nn.relu, kernel_regularizer=tf.nn.l2_loss)
    net = tf.layers.average_pooling2d(net, 2, 2)
    net = tf.layers.dense(tf.layers.flatten(net), 12, activation=tf.nn.elu)
    net = tf.layers.dropout(net, 0.4, training=True)
    net = tf.layers.batch_normalization(net, training=True, fused=False)
    logits = tf.layers.dense(net, 5)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    loss += 1e-3 * tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        gradients, variables = zip(*optimizer.compute_gradients(loss))
        clipped, _ = tf.clip_by_global_norm(gradients, 1.0)
        train = optimizer.apply_gradients(zip(clipped, variables))
    averages = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([train]):
        train = averages.apply(tf.trainable_variables())
    batches = [
        {x: rng.normal(size=(6, 8, 8, 2)).astype(np.float32), labels: rng.integers(0, 5, 6)} for _ in range(N_STEPS)
    ]
    return loss, train, batches


PROGRAMS = {
    "mnist_softmax": _mnist("softmax", 1.0, 100),
    "mnist_mlp": _mnist("mlp", 1.0, 32),
    "mnist_mlp_dropout": _mnist("mlp", 0.7, 32),
    "mnist_conv": _mnist("conv", 0.5, 16),
    "custom_optimizer": _custom_optimizer,
    "layers": _layers,
    **{name: _embedding_net(make, tf.float32) for name, make in _OPTIMIZERS.items()},
    **{f"{name}_double": _embedding_net(make, tf.float64) for name, make in _OPTIMIZERS.items()},
}


# ---- In both libraries


def compare(name, peer):
    """Trains a program in both; returns (deviations, worst distance in units of the bound)."""
    program = Program(PROGRAMS[name])
    initial, ours = _train(program)
    answer = peer.ask(**_request(program, initial))
    if "error" in answer:
        kind, text = answer["error"]
        return [Deviation(name, f"TensorFlow raises {kind}", f"step {answer['step']}: {text[:800]}")], np.inf
    deviations, worst = [], 0.0
    drawn, _, *steps = answer["values"]
    rows = [(-1, "initial", initial, drawn)] + [
        (i, "step", a, b) for i, (a, b) in enumerate(zip(ours, steps, strict=True))
    ]
    for step, what, own, theirs in rows:
        for tensor, value in own.items():
            found = _distance(value, theirs[tensor], step)
            worst = max(worst, found)
            if found > 1:
                text = f"{tensor} after step {step}: {np.max(np.abs(value - theirs[tensor]))} apart"
                deviations.append(Deviation(name, f"{what} differs by {found:.3g} bounds", text))
    return deviations, worst


def _distance(a, b, step):
    if a.dtype.kind not in "fcV":
        return 0.0 if np.array_equal(a, b) else np.inf
    scale = np.full(a.shape, max(np.abs(b).max(initial=0), 1e-3))
    return bounds.ratio(a, b, ULPS_IN_A_STEP * (step + 2), scale)


def _train(program):
    """(initial values, values after each step); values by tensor name: all variables, and the loss during the step."""
    reads = {v.value().name: v for v in program.variables}
    with tf.Session(graph=program.graph) as session:
        session.run([v.initializer for v in program.variables])
        initial = session.run(reads)
        after = []
        for feeds in program.batches:
            _, loss = session.run([program.train, program.loss], feeds)
            after.append({**session.run(reads), program.loss.name: loss})
    as_array = lambda values: {name: np.asarray(value) for name, value in values.items()}  # noqa: E731
    return as_array(initial), [as_array(values) for values in after]


def _request(program, initial):
    """TensorFlow initializes by itself, which is compared, then takes our weights, and trains."""
    initializers = [v.initializer for v in program.variables]
    weights = {v.initializer.inputs[1].name: initial[v.value().name] for v in program.variables}
    steps = [
        {"feeds": {}, "targets": [op.name for op in initializers], "then": list(initial)},
        {"feeds": weights, "targets": [op.name for op in initializers]},
    ]
    for feeds in program.batches:
        named = {t.name: np.asarray(v, t.dtype.as_numpy_dtype) for t, v in feeds.items()}
        steps.append(
            {"feeds": named, "targets": [program.train.name], "fetches": [program.loss.name], "then": list(initial)}
        )
    return {"graph": program.graph.as_graph_def().SerializeToString(), "steps": steps}
