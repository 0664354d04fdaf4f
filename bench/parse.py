"""How fast are examples and records of text parsed? Batches of 128 examples of 20 features, and of 1,000 records."""

import numpy as np

from bench.rows import Program, Row

EXAMPLES, RECORDS, COLUMNS = 128, 1000, 10
KINDS = ("dense_int", "dense_float", "dense_bytes", "sparse_int", "sparse_float", "sparse_bytes")
COUNTS = dict(zip(KINDS, (4, 4, 2, 4, 4, 2)))


def example(tf, rng):
    """A serialized example of 20 features."""
    message = tf.train.Example()
    for kind, count in COUNTS.items():
        for i in range(count):
            feature = message.features.feature[f"{kind}_{i}"]
            n = rng.randint(0, 10) if kind.startswith("sparse") else 16 if kind == "dense_float" else 1
            if kind.endswith("int"):
                feature.int64_list.value.extend(rng.randint(0, 2**20, n).tolist())
            elif kind.endswith("float"):
                feature.float_list.value.extend(rng.standard_normal(n).tolist())
            else:
                feature.bytes_list.value.extend(rng.bytes(12) for _ in range(n))
    return message.SerializeToString()


def features(tf):
    types = {"int": tf.int64, "float": tf.float32, "bytes": tf.string}
    asked = {}
    for kind, count in COUNTS.items():
        dtype = types[kind.split("_")[1]]
        shape = [16] if kind == "dense_float" else []
        for i in range(count):
            dense = kind.startswith("dense")
            asked[f"{kind}_{i}"] = tf.FixedLenFeature(shape, dtype) if dense else tf.VarLenFeature(dtype)
    return asked


def program(tf, make):
    """Runs what `make` returns: the tensors to compute, and one to compare."""
    options = tf.ConfigProto()
    options.graph_options.rewrite_options.disable_meta_optimizer = True  # TensorFlow leaves out what is not fetched
    with tf.Graph().as_default():
        initialize, tensors, result = make()
        session = tf.Session(config=options)
        session.run(initialize)
        return Program(session.make_callable(tf.group(*tensors)), lambda: session.run(result))


def kept(tf, strings):
    """Strings that steps find in a variable."""
    variable = tf.Variable(np.array(strings, object), dtype=tf.string, trainable=False)
    return variable.initializer, variable.read_value()


def examples(tf):
    def make():
        rng = np.random.RandomState(1)
        initialize, batch = kept(tf, [example(tf, rng) for _ in range(EXAMPLES)])
        parsed = tf.parse_example(batch, features(tf))
        tensors = [x.values if isinstance(x, tf.SparseTensor) else x for x in parsed.values()]
        numbers = [tf.cast(tf.reshape(parsed[f"dense_{kind}_0"], [-1]), tf.float32) for kind in ("int", "float")]
        return initialize, tensors, tf.concat([*numbers, parsed["sparse_float_0"].values], 0)

    return program(tf, make)


def records(tf):
    def make():
        rng = np.random.RandomState(1)
        rows = rng.standard_normal((RECORDS, COLUMNS)) * 100
        initialize, lines = kept(tf, [",".join(f"{x:.6g}" for x in row).encode() for row in rows])
        columns = tf.decode_csv(lines, [tf.constant([], tf.float32)] * COLUMNS)
        return initialize, columns, tf.stack(columns)

    return program(tf, make)


ROWS = [
    Row("parse_example, 128 examples of 20 features", "us", examples, reference=(400, None, 133)),
    Row("decode_csv, 1,000 records of 10 floats", "us", records, reference=(700, None, 233)),
]
