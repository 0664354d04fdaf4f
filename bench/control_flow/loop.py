"""How many iterations per second do loops over scalars make: plain, nested, and with a branch?"""

from bench.rows import Program, Row

ITERATIONS = 100_000


def program(session, last, n, timed, checked):
    """Runs the loop; `n` is fed its number of iterations: `timed` ones to measure, `checked` ones for the result."""
    return Program(lambda: session.run(last, {n: timed}), lambda: [session.run(last, {n: checked})])


def counting(tf):
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [])
        last = tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])
        return program(tf.Session(), last, n, ITERATIONS, 1000)


def branching(tf):
    """The iterations take the two branches in turn."""
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [])

        def body(i, total):
            even = tf.equal(i % 2, 0)
            return i + 1, tf.cond(even, lambda: total + 3.0, lambda: total - 1.0)

        last = tf.while_loop(lambda i, total: i < n, body, [0, 0.0])[1]
        return program(tf.Session(), last, n, ITERATIONS // 10, 1000)


def nested(tf):
    """Ten iterations of the inner loop per iteration of the outer one."""
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [])

        def body(i, total):
            inner = tf.while_loop(lambda j, t: j < 10, lambda j, t: (j + 1, t + 1), [0, total])
            return i + 1, inner[1]

        last = tf.while_loop(lambda i, total: i < n, body, [0, 0])[1]
        return program(tf.Session(), last, n, ITERATIONS // 10, 100)


# The floors of the second and third row come from one run of TensorFlow; only the first has a target.
ROWS = [
    Row(
        "while loop over a scalar",
        "M it/s",
        counting,
        reference=(0.43, None, 4),
        work=ITERATIONS / 1e6,
        expected=lambda: [1000],
    ),
    Row(
        "loop with a branch",
        "M it/s",
        branching,
        reference=(0.21, None, 1),
        work=ITERATIONS / 1e7,
        expected=lambda: [1000],
    ),
    Row(
        "loop in a loop, inner iterations",
        "M it/s",
        nested,
        reference=(0.29, None, 1.5),
        work=ITERATIONS / 1e6,
        expected=lambda: [1000],
    ),
]
