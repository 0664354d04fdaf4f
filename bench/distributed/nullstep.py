"""The null steps of the paper's section 6.2: a worker fetches shared parameters, does next to nothing, sends updates.

Parameters are 1 at first, and a step adds their sign: after n steps of all workers together they are 1 + n, so that
lost updates show. The same graph code is used for tfcore and TensorFlow.
"""

ROWS, WIDTH, DRAWN = 200_000, 256, 32

# Kind: the number of dense variables and their shape, or None for rows of a table.
KINDS = {
    "scalar": (1, []),
    "sparse": None,
    "dense 16 MB": (4, [1000, 1000]),
    "dense 100 MB": (10, [2500, 1000]),
    "dense 1 GB": (25, [10_000, 1000]),
}


def bytes_moved(kind):
    """The bytes that a step fetches, without ids; it sends as many back."""
    if KINDS[kind] is None:
        return DRAWN * WIDTH * 4
    count, shape = KINDS[kind]
    return 4 * count * (shape[0] * shape[1] if shape else 1)


class NullStep:
    """Graph of a worker's step.

    servers: tasks of job ps; 0: all in one process, no devices.
    step: the operation to run. variables: the parameters. initialize, missing: to set them up.
    updates: a scalar tensor, the number of updates summed over all parameters; for_step: that of one step.
    """

    def __init__(self, tf, kind, servers, worker_device):
        setter = tf.train.replica_device_setter(ps_tasks=servers, worker_device=worker_device)
        with tf.device(setter), tf.variable_scope(kind.replace(" ", "_")):
            if KINDS[kind] is None:
                self.variables, updates, self.for_step = _rows(tf, servers)
            else:
                self.variables, updates, self.for_step = _dense(tf, servers, *KINDS[kind])
            self.step = tf.group(*updates)
            self.initialize = tf.variables_initializer(self.variables)
            self.missing = tf.report_uninitialized_variables(self.variables)
            sums = []
            for v in self.variables:
                with tf.device(v.device):
                    sums.append(tf.reduce_sum(tf.cast(v, tf.float64) - 1))
            self.updates = tf.add_n(sums)


def _dense(tf, servers, count, shape):
    if not shape:
        count = max(servers, 1)  # a value from each server
    ones = tf.ones_initializer()
    variables = [tf.get_variable(f"v{i}", shape, initializer=ones, trainable=False) for i in range(count)]
    updates = [tf.assign_add(v, tf.sign(v)).op for v in variables]
    return variables, updates, count * (shape[0] * shape[1] if shape else 1)


def _rows(tf, servers):
    partitioner = tf.fixed_size_partitioner(max(servers, 1))
    table = tf.get_variable("table", [ROWS, WIDTH], initializer=tf.ones_initializer(), partitioner=partitioner)
    shards = list(table)
    ids = tf.random_uniform([DRAWN], 0, ROWS, tf.int32)
    rows = tf.nn.embedding_lookup(shards, ids, partition_strategy="div")
    slices = tf.gradients(rows, shards, grad_ys=tf.sign(rows))
    updates = [tf.scatter_add(v, s.indices, s.values).op for v, s in zip(shards, slices)]
    return shards, updates, DRAWN * WIDTH
