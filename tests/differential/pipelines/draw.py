"""Random pipelines of tf.data, as text that is a program for both libraries. All elements are scalars of type int64."""

import random

MOST_STAGES = 8

_SUM = "map(lambda x: tf.reduce_sum(x))"

# Each draws (a function of the text of a dataset, which returns that of another).


def _method(text):
    return lambda r: lambda d: f"{d}.{text(r)}"


def _of(function):
    return function


def _flag(r):
    return r.choice([True, False])


_STAGES = [
    _method(lambda r: f"map(lambda x: x * {r.randint(-3, 3)} + {r.randint(-9, 9)}, {r.choice([None, 1, 2, 4])})"),
    _method(lambda r: f"filter(lambda x: tf.equal(x % {r.randint(1, 4)}, 0))"),
    _method(lambda r: f"take({r.randint(-1, 20)})"),
    _method(lambda r: f"skip({r.randint(0, 5)})"),
    _method(lambda r: f"repeat({r.randint(0, 3)})"),
    _method(lambda r: f"shard(3, {r.randint(0, 2)})"),
    _method(lambda r: "cache()"),
    _method(lambda r: f"prefetch({r.choice([-1, 0, 1, 5])})"),
    _method(lambda r: f"shuffle({r.randint(1, 9)}, seed={r.randint(1, 99)}, reshuffle_each_iteration={_flag(r)})"),
    _method(lambda r: f"batch({r.randint(1, 5)}, drop_remainder={_flag(r)}).unbatch()"),
    _method(lambda r: f"batch({r.randint(1, 5)}).{_SUM}"),
    _method(
        lambda r: f"map(lambda x: tf.range(x % 4)).padded_batch({r.randint(1, 4)}, [{r.choice(['None', 3, 5])}], "
        f"padding_values=np.int64({r.randint(-2, 2)})).{_SUM}"
    ),
    _method(
        lambda r: f"window({r.randint(1, 4)}, {r.choice([None, 1, 2, 5])}, {r.randint(1, 3)}, {_flag(r)})"
        f".flat_map(lambda w: w.batch(9)).{_SUM}"
    ),
    _method(
        lambda r: f"interleave(lambda x: tf.data.Dataset.range(x, x + tf.abs(x) % 4), {r.randint(2, 5)}, "
        f"{r.randint(1, 3)}, {r.choice([None, 1, 2])})"
    ),
    _method(lambda r: "flat_map(lambda x: tf.data.Dataset.range(tf.abs(x) % 5))"),
    _method(lambda r: f"concatenate(tf.data.Dataset.range({r.randint(0, 6)}))"),
    _method(lambda r: f"enumerate({r.randint(0, 5)}).map(lambda i, x: i * 3 + x)"),
    _method(lambda r: "apply(tf.data.experimental.scan(np.int64(1), lambda s, x: (s + x % 5, s * 3 + x)))"),
    _method(lambda r: f"apply(tf.data.experimental.take_while(lambda x: x < {r.randint(5, 60)}))"),
    _method(lambda r: "apply(tf.data.experimental.unique())"),
    _method(
        lambda r: f"apply(tf.data.experimental.group_by_window(lambda x: x % {r.randint(1, 4)}, "
        f"lambda k, w: w.batch({r.randint(1, 4)}).map(lambda b: tf.reduce_sum(b) * 10 + k), {r.randint(1, 6)}))"
    ),
    _method(lambda r: f"map(lambda x: tf.debugging.check_numerics({r.randint(1, 9)} / x, 'zero'))"
                      ".apply(tf.data.experimental.ignore_errors()).map(lambda x: tf.cast(x * 100, tf.int64))"),
    _of(lambda r: lambda d: f"(lambda d: tf.data.Dataset.zip((d, d.skip(1))).map(lambda a, b: a - b))({d})"),
    _of(
        lambda r: lambda d: f"tf.data.experimental.choose_from_datasets([{d}, tf.data.Dataset.range(5)], "
        f"tf.data.Dataset.from_tensor_slices(np.int64({[r.randint(0, 1) for _ in range(12)]})))"
    ),
    _of(
        lambda r: lambda d: f"tf.data.experimental.sample_from_datasets([{d}, tf.data.Dataset.range(7)], "
        f"[{r.choice([0.2, 0.5, 0.9])}, {r.choice([0.1, 0.5])}], seed={r.randint(1, 99)})"
    ),
]  # fmt: skip


def draw(seed):
    """The text of a pipeline."""
    r = random.Random(seed)
    text = r.choice(
        [
            f"tf.data.Dataset.range({r.randint(0, 12)})",
            f"tf.data.Dataset.range({r.randint(-9, 9)}, {r.randint(-9, 9)}, {r.choice([-3, -1, 2])})",
            f"tf.data.Dataset.from_tensor_slices(np.int64({[r.randint(-20, 20) for _ in range(r.randint(1, 12))]}))",
            f"tf.data.Dataset.from_tensors(np.int64({r.randint(-20, 20)}))",
        ]
    )
    for _ in range(r.randint(1, MOST_STAGES)):
        text = r.choice(_STAGES)(r)(text)
    return text
