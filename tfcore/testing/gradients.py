"""check_gradient: compares symbolic with numeric derivatives of an op, of first and second order."""

import numpy as np

import tfcore as tf
from tfcore.testing.calls import calls_of
from tfcore.testing.drawing import example_settings, given, st
from tfcore.testing.kernels import cpu_level, cpu_levels
from tfcore.testing.oracle import flatten
from tfcore.testing.records import OpRecord, gradient_cases, gradient_order
from tfcore.testing.report import explained

GRADIENT_EXAMPLES = 6
# Item size -> step and tolerance of the central differences. float32 is used if there is no double kernel.
_STEP = {8: (1e-4, 1e-7), 4: (3e-2, 1e-3)}


def check_gradient(op, inputs=None, *, order=None, domain=None, **options):
    """Tests the gradient of an op by central differences along random directions, at every instruction-set level.

    The types are float64 (else float32) and complex128, as far as there are kernels.

    Args:
      op: an op type (or an OpDef), or an OpRecord, which has the other arguments already.
      inputs: function `(draw, case)` that draws inputs, or (inputs, attributes), where the op is differentiable;
        default: from the op's definition.
      order: 1, or 2 to differentiate the gradient, too (default: 2).
      domain: (low, high), the bounds of the inputs' values (default: -4 to 4).
      options: `differentiable`, `types`, `attrs`, `build` as in an OpRecord.

    Raises:
      AssertionError: a derivative is wrong or missing; the message has the call and both values.
      ValueError: there is no kernel for this op with floating-point types, or the op has no gradient.
      KeyError: no such op type is defined.
    """
    if isinstance(op, OpRecord):
        record = op
    else:
        record = OpRecord(op, None, inputs, domain=domain, gradient=order, **options)
    if gradient_order(record) == 0:
        raise ValueError(f"Op type {record.op} has no gradient: tf.RegisterGradient({record.op!r}) gives it one")
    cases = gradient_cases(record)
    if not cases:
        raise ValueError(f"No CPU kernel of op type {record.op} takes float64, float32 or complex128 inputs")
    for case in cases:
        check_gradient_case(case)


def check_gradient_case(case):
    """check_gradient for one of a record's gradient_cases."""
    record = case.record

    @example_settings(GRADIENT_EXAMPLES)
    @given(calls_of(case, record.gradient_inputs), st.integers(0, 2**31))
    def test(call, seed):
        call.know_no_values()
        for level in cpu_levels():
            with cpu_level(level), explained(call, level):
                check_derivatives(call, gradient_order(record), seed)

    test()


def check_derivatives(call, order, seed):
    """Compares symbolic with numeric derivatives along random directions, up to `order`."""
    rng = np.random.default_rng(seed)
    with tf.Graph().as_default() as graph:
        tensors, feeds = call.tensors()
        first, outputs = call.outputs(tensors)
        xs = _differentiable(call.case.record, tensors)
        loss = weighted_sum([y for y in outputs if is_inexact(y)], rng)
        with tf.Session(graph=graph) as session:
            if first:
                session.run(first, feeds)
            for degree in range(1, order + 1):
                grads = [_dense(g) for g in tf.gradients(loss, xs)]
                if degree == 1:
                    missing = [x.name for x, g in zip(xs, grads, strict=True) if g is None]
                    assert not missing, f"no gradient for {missing}"
                compare_derivatives(session, loss, xs, grads, feeds, rng, degree)
                present = [g for g in grads if g is not None]
                if degree == order or not present:
                    break
                # The next round differentiates a weighted sum of the gradients.
                loss = weighted_sum(present, rng)


def is_inexact(tensor):
    """Whether a tensor has a floating-point or complex type."""
    return tensor.dtype.base_dtype.is_floating or tensor.dtype.base_dtype.is_complex


def _differentiable(record, tensors):
    if record.differentiable is not None:
        tensors = [tensors[i] for i in record.differentiable]
    return [t for t in flatten(list(tensors)) if is_inexact(t) and t.op.type == "Placeholder"]


def _dense(gradient):
    """A gradient as a tensor: IndexedSlices become dense."""
    return None if gradient is None else tf.convert_to_tensor(gradient)


def weighted_sum(tensors, rng):
    """The sum of all elements with random weights, a real scalar.

    The weights are cos(position + phase), which does not need the static shape. The imaginary parts of complex tensors
    have separate weights.
    """
    total = []
    for tensor in tensors:
        parts = [tf.real(tensor), tf.imag(tensor)] if tensor.dtype.is_complex else [tensor]
        for part in parts:
            flat = tf.cast(tf.reshape(part, [-1]), tf.float64)
            position = tf.cast(tf.range(tf.size(flat)), tf.float64)
            weights = tf.cos(1.7 * position + tf.constant(rng.uniform(0, 6), tf.float64))
            total.append(tf.reduce_sum(flat * weights))
    return tf.add_n(total)


def compare_derivatives(session, loss, xs, grads, feeds, rng, degree):
    """Compares the gradients of `loss` with differences along random directions; None stands for 0."""
    present = [i for i, g in enumerate(grads) if g is not None]
    values = session.run([grads[i] for i in present], feeds)
    symbolic = dict(zip(present, values, strict=True))
    for i, x in enumerate(xs):
        gradient = symbolic.get(i, np.zeros(feeds[x].shape))
        assert gradient.shape == feeds[x].shape, f"gradient of shape {gradient.shape} for {x}"
        for _ in range(2):
            _compare_direction(session, loss, x, gradient, feeds, rng, degree)


def _compare_direction(session, loss, x, gradient, feeds, rng, degree):
    direction = rng.uniform(-1, 1, feeds[x].shape)
    if x.dtype.is_complex:  # the gradient is dL/dRe + i dL/dIm
        direction = direction + 1j * rng.uniform(-1, 1, feeds[x].shape)
    contributions = np.real(np.conj(gradient) * direction)
    expected = float(contributions.sum())
    step, tolerance = _STEP[feeds[x].real.dtype.itemsize]

    def at(multiple):
        return float(session.run(loss, {**feeds, x: feeds[x] + multiple * step * direction}))

    # Fourth-order central difference: the error is about step**4 + rounding / step.
    numeric = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step)
    size = 1 + abs(expected) + abs(at(0)) + float(np.abs(contributions).sum())
    assert abs(numeric - expected) <= tolerance * size, (
        f"derivative of order {degree} with respect to {x.name}: symbolic {expected!r}, numeric {numeric!r}"
    )
