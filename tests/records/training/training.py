"""Records of the Apply and SparseApply ops; their reference is tests/train/reference.py."""

import numpy as np
from hypothesis import strategies as st

from tests.train.reference import RULES, apply_rows
from tfcore.testing import After, OpRecord

# Where values of arguments come from; slots that are sums or averages of squares are positive.
_DOMAINS = {
    "accum": (0.5, 2),
    "accum_update": (0.5, 2),
    "gradient_squared_accumulator": (0.5, 2),
    "v": (0.5, 2),
    "vhat": (0.5, 2),
    "ms": (1, 2),
    "mg": (-0.5, 0.5),
    "lr": (0.05, 0.5),
    "alpha": (0.05, 0.5),
    "l1": (0, 0.5),
    "l2": (0, 0.5),
    "l2_shrinkage": (0, 0.5),
    "lr_power": (-0.9, -0.1),
    "epsilon": (0.01, 0.1),
    "momentum": (0, 0.9),
}
_DECAY = (0.1, 0.9)  # rho, beta1, beta1_power, ...
_SIGNED = ("var", "m", "mom", "linear", "gradient_accumulator", "grad", "delta")
# Momentum's accumulator may have any sign, but nothing is lost by testing it with one.
_ATTRS = {
    "ApplyKerasMomentum": "use_nesterov",
    "ApplyMomentum": "use_nesterov",
    "ApplyAdam": "use_nesterov",
    "ApplyAdagrad": "update_slots",
    "ApplyAdagradV2": "update_slots",
    "ApplyFtrl": "multiply_linear_by_lr",
    "ApplyFtrlV2": "multiply_linear_by_lr",
}


def _domain(arg):
    return _DOMAINS.get(arg, (-2, 2) if arg in _SIGNED else _DECAY)


class _Layout:
    """The arguments of an op: which are references, where the gradient is."""

    def __init__(self, op, args, slots):
        op = op.removeprefix("_")
        self.sparse = op.startswith("Sparse")
        self.rule_name = op.removeprefix("Sparse")
        self.args = args.split()
        self.n_slots = slots
        self.grad = next(i for i, a in enumerate(self.args) if a in ("grad", "delta"))
        fixed = {self.grad, self.grad + 1} if self.sparse else {self.grad}
        self.scalars = [i for i in range(slots, len(self.args)) if i not in fixed]


def _draw_scalar(draw, case, op, arg):
    if arg == "global_step":
        return np.array(draw(st.integers(1, 5)), np.int64)
    if arg == "lr_power" and draw(st.booleans()):
        return np.array(-0.5, case.T)
    low, high = (0.5, 1) if arg == "epsilon" and "Centered" in op else _domain(arg)  # a variance may be near 0
    return np.array(draw(st.floats(low, high)), case.T)


def _inputs(layout):
    def inputs(draw, case):
        shape = draw(case.shapes(min_rank=1 if layout.sparse else 0, max_rank=3))
        values = [None] * len(layout.args)
        for i in range(layout.n_slots):
            values[i] = draw(case.array(shape, domain=_domain(layout.args[i])))
        grad_shape = shape
        if layout.sparse:
            n = draw(st.integers(0, 6)) if shape[0] else 0
            index = st.integers(0, max(shape[0] - 1, 0))
            values[layout.grad + 1] = np.array([draw(index) for _ in range(n)], case.Tindices)
            grad_shape = (n, *shape[1:])
        values[layout.grad] = draw(case.array(grad_shape, domain=(-2, 2)))
        for i in layout.scalars:
            values[i] = _draw_scalar(draw, case, layout.rule_name, layout.args[i])
        attr = _ATTRS.get(layout.rule_name)
        if layout.rule_name == "ApplyAdam" and layout.sparse:
            attr = None
        return values, {attr: draw(st.booleans())} if attr else {}

    return inputs


def _reference(layout):
    rule = RULES[layout.rule_name]

    def reference(*values, **attrs):
        slots = [np.asarray(v) for v in values[: layout.n_slots]]
        scalars = {layout.args[i]: values[i] for i in layout.scalars}
        grad = values[layout.grad]
        if layout.sparse:
            return apply_rows(rule, slots, grad, values[layout.grad + 1], scalars, attrs)
        return rule(slots, grad, scalars, attrs)

    return reference


def _scale(layout):
    """Updates cancel with what they are added to, and rows are updated several times."""
    reference = _reference(layout)

    def scale(*values, **attrs):
        new = reference(*values, **attrs)
        return [np.abs(n) + np.abs(v) + 4 for n, v in zip(new, values)]

    return scale


def _build(op, layout):
    def build(tensors, attrs):
        import tfcore as tf

        by_handle = op.startswith("_")  # what is not in TensorFlow takes handles there
        name = op.replace("_", "Resource")
        slots = [tf.Variable(t, validate_shape=False, use_resource=by_handle) for t in tensors[: layout.n_slots]]

        def outputs():
            out = getattr(tf.raw_ops, name)(
                **dict(zip(layout.args, [*(v._ref() for v in slots), *tensors[layout.n_slots :]])), **attrs
            )
            with tf.control_dependencies([out]):
                return [v.read_value() for v in slots]

        return After([v.initializer for v in slots], outputs)

    return build


def _record(op, args, slots):
    layout = _Layout(op, args, slots)
    return OpRecord(
        op,
        _reference(layout),
        _inputs(layout),
        build=_build(op, layout),
        scale=_scale(layout),
        ulps=8,
        gradient=0,
        examples=8,
    )


RECORDS = [
    _record("_ApplyKerasMomentum", "var accum lr grad momentum", 2),
    _record("_SparseApplyKerasMomentum", "var accum lr grad indices momentum", 2),
    _record("_ApplyAdamWithAmsgrad", "var m v vhat beta1_power beta2_power lr beta1 beta2 epsilon grad", 4),
    _record("ApplyGradientDescent", "var alpha delta", 1),
    _record("ApplyMomentum", "var accum lr grad momentum", 2),
    _record("SparseApplyMomentum", "var accum lr grad indices momentum", 2),
    _record("ApplyAdagrad", "var accum lr grad", 2),
    _record("SparseApplyAdagrad", "var accum lr grad indices", 2),
    _record("ApplyAdagradV2", "var accum lr epsilon grad", 2),
    _record("SparseApplyAdagradV2", "var accum lr epsilon grad indices", 2),
    _record("ApplyAdadelta", "var accum accum_update lr rho epsilon grad", 3),
    _record("SparseApplyAdadelta", "var accum accum_update lr rho epsilon grad indices", 3),
    _record("ApplyAdam", "var m v beta1_power beta2_power lr beta1 beta2 epsilon grad", 3),
    _record("ApplyAdaMax", "var m v beta1_power lr beta1 beta2 epsilon grad", 3),
    _record("ApplyRMSProp", "var ms mom lr rho momentum epsilon grad", 3),
    _record("SparseApplyRMSProp", "var ms mom lr rho momentum epsilon grad indices", 3),
    _record("ApplyCenteredRMSProp", "var mg ms mom lr rho momentum epsilon grad", 4),
    _record("SparseApplyCenteredRMSProp", "var mg ms mom lr rho momentum epsilon grad indices", 4),
    _record("ApplyFtrl", "var accum linear grad lr l1 l2 lr_power", 3),
    _record("SparseApplyFtrl", "var accum linear grad indices lr l1 l2 lr_power", 3),
    _record("ApplyFtrlV2", "var accum linear grad lr l1 l2 l2_shrinkage lr_power", 3),
    _record("SparseApplyFtrlV2", "var accum linear grad indices lr l1 l2 l2_shrinkage lr_power", 3),
    _record("ApplyProximalAdagrad", "var accum lr l1 l2 grad", 2),
    _record("SparseApplyProximalAdagrad", "var accum lr l1 l2 grad indices", 2),
    _record("ApplyProximalGradientDescent", "var alpha l1 l2 delta", 1),
    _record("SparseApplyProximalGradientDescent", "var alpha l1 l2 grad indices", 1),
    _record("ApplyAdagradDA", "var gradient_accumulator gradient_squared_accumulator grad lr l1 l2 global_step", 3),
    _record(
        "SparseApplyAdagradDA",
        "var gradient_accumulator gradient_squared_accumulator grad indices lr l1 l2 global_step",
        3,
    ),
    _record("ApplyAddSign", "var m lr alpha sign_decay beta grad", 2),
    _record("ApplyPowerSign", "var m lr logbase sign_decay beta grad", 2),
]
