"""No op crashes or hangs, whatever it is fed.

A child process feeds every registered op random types, attributes, shapes and values (also empty, negative and huge
ones) that no shape function has seen. Errors are fine, as long as they are errors of TensorFlow's classes; the parent
sees a crash, and the child's last line names the op.
"""

import os
import resource
import subprocess
import sys

import numpy as np
import pytest

ROUNDS = int(12 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))
# They print, or wait by design.
SKIP = {"Print", "PrintV2"}
MEMORY_LIMIT = 1 << 30


def random_array(rng, dtype, shape):
    kind = rng.randint(6)
    name = dtype.name
    if name == "string":
        return np.array(
            [rng.choice([b"", b"a", b"\xff\0", b"long " * 9]) for _ in range(int(np.prod(shape)))], object
        ).reshape(shape)
    if name == "bool":
        return rng.randint(0, 2, shape).astype(bool)
    if dtype.is_integer:
        info = np.iinfo(dtype.as_numpy_dtype)
        low, high = [(0, 3), (-2, 5), (0, 1), (1, 3), (-1, 2), (None, None)][kind]
        if low is None:
            extreme = np.array([info.min, info.max, 0, 1, info.max // 2, info.min // 2], dtype.as_numpy_dtype)
            return extreme[rng.randint(0, 6, shape)]
        return rng.randint(max(low, info.min), high, shape).astype(dtype.as_numpy_dtype)
    values = rng.randn(*shape) * [1, 10, 1e-3, 1e30, 0, 1][kind]
    if kind == 5:
        values = np.array([np.nan, np.inf, -np.inf, -0.0, 1.0, 0.5])[rng.randint(0, 6, shape)]
    with np.errstate(all="ignore"):
        return np.asarray(values).astype(dtype.as_numpy_dtype)


def random_shape(rng):
    rank = rng.choice([0, 1, 1, 2, 2, 3, 4, 5])
    return tuple(
        int(rng.choice([0, 1, 2, 3, 5, 17])) if rank < 4 else int(rng.choice([0, 1, 2, 3, 4])) for _ in range(rank)
    )


def random_attr(rng, tf, attr, kinds):
    if attr.allowed is not None and not attr.type.startswith("list"):
        return attr.allowed[rng.randint(len(attr.allowed))]
    plain = attr.type[5:-1] if attr.type.startswith("list") else attr.type

    def one():
        if plain == "int":
            return int(rng.choice([0, 1, 1, 2, 3, -1, 7, 1 << 31, 1 << 62]))
        if plain == "float":
            return float(rng.choice([0.0, 1.0, 0.5, -1.0, 1e30, np.nan]))
        if plain == "bool":
            return bool(rng.randint(2))
        if plain == "type":
            return kinds[rng.randint(len(kinds))]
        if plain == "string":
            return (
                attr.allowed[rng.randint(len(attr.allowed))] if attr.allowed else [b"", b"NHWC", b"x"][rng.randint(3)]
            )
        if plain == "shape":
            return random_shape(rng)
        return None

    if attr.type.startswith("list"):
        return [one() for _ in range(rng.choice([0, 1, 2, 4, 4, 4, 5]))]
    return one()


def random_call(rng, tf, op_def, kinds):
    """(inputs by name, attributes, feeds) for one call."""
    attrs = {}
    for attr in op_def.attrs.values():
        if attr.default.__class__ is not object and rng.rand() < 0.6:
            continue
        value = random_attr(rng, tf, attr, kinds)
        if any(arg.number_attr == attr.name for arg in op_def.outputs):
            value = rng.randint(-1, 5)  # so many outputs
        if value is not None:
            attrs[attr.name] = value
    inputs, feeds = {}, {}
    shape = random_shape(rng)

    def tensor(dtype, is_ref):
        mine = shape if rng.rand() < 0.6 else random_shape(rng)
        if is_ref:
            return tf.Variable(tf.constant(random_array(rng, dtype, mine)))
        x = tf.placeholder(dtype)
        feeds[x] = random_array(rng, dtype, mine)
        return x

    def type_of(arg):
        if arg.type_attr is None:
            return arg.dtype
        allowed = op_def.attrs[arg.type_attr].allowed or kinds
        chosen = attrs.setdefault(arg.type_attr, allowed[rng.randint(len(allowed))])
        return tf.as_dtype(chosen)

    for arg in op_def.inputs:
        if arg.type_list_attr:
            attrs.pop(arg.type_list_attr, None)
            inputs[arg.name] = [tensor(kinds[rng.randint(len(kinds))], False) for _ in range(rng.randint(0, 4))]
        elif arg.number_attr:
            count = attrs.pop(arg.number_attr, None)
            count = count if count is not None and 0 <= count < 5 else rng.randint(0, 4)
            inputs[arg.name] = [tensor(type_of(arg), arg.is_ref) for _ in range(count)]
        else:
            inputs[arg.name] = tensor(type_of(arg), arg.is_ref)
    return inputs, attrs, feeds


def child(part, parts, rounds):
    from tfcore.core.runtime import set_memory_limit

    import tfcore as tf
    from tfcore.framework.op_def import registered_ops

    set_memory_limit(MEMORY_LIMIT)
    resource.setrlimit(resource.RLIMIT_AS, (16 * MEMORY_LIMIT, 16 * MEMORY_LIMIT))
    kinds = [
        tf.as_dtype(n)
        for n in (
            "float32",
            "float64",
            "int32",
            "int64",
            "uint8",
            "int8",
            "bool",
            "complex64",
            "float16",
            "bfloat16",
            "string",
            "uint64",
        )
    ]
    expected = (ValueError, TypeError, tf.errors.OpError, OverflowError, NotImplementedError)
    ran = 0
    for number, op_def in enumerate(registered_ops()):
        if number % parts != part or op_def.name in SKIP or op_def.name.startswith("Test"):
            continue
        for round_ in range(rounds):
            seed = number * 1000 + round_
            rng = np.random.RandomState(seed)
            with tf.Graph().as_default(), tf.Session() as session:
                print(f"{op_def.name} seed {seed}", flush=True)
                try:
                    inputs, attrs, feeds = random_call(rng, tf, op_def, kinds)
                    result = op_def(**inputs, **attrs)
                except expected:
                    continue
                try:
                    session.run(tf.global_variables_initializer())
                    session.run(result if not isinstance(result, tuple) else list(result), feeds)
                    ran += 1
                except expected:
                    pass
    print(f"ran {ran}")


@pytest.mark.parametrize("part", range(4))
@pytest.mark.filterwarnings("ignore")
def test_no_op_crashes_or_hangs(part):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = f"import tests.test_fuzz as fuzz; fuzz.child({part}, 4, {ROUNDS})"
    try:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", code],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=200,
        )
    except subprocess.TimeoutExpired as error:
        lines = (error.stdout or b"").decode().splitlines()
        raise AssertionError(f"hangs: {lines[-1:]}") from None
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"{last}: {done.stderr[-2500:]}"
    assert last and int(last[0].removeprefix("ran ")) > 50
