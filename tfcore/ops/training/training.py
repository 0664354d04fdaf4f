"""The fused update ops of optimizers: ApplyAdam, SparseApplyMomentum, ...

Each takes the variable and its slots (references), scalars, and the gradient, and returns the variable after the
update. The arithmetic of each op is in kernels_c/training/rules_type.h.
"""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient

UPDATES = []  # the definitions of all update ops


def check_scalar(op, dims):
    """Raises ValueError unless dims may be those of a scalar."""
    if dims:
        raise ValueError(f"Shape must be rank 0 but is rank {len(dims)}")


def _apply_shape(op):
    """Variable, slots and gradient have one shape; the rest are scalars. Sparse: the gradient holds rows."""
    sparse = op.type.startswith("Sparse")
    dims = op.inputs[0].dims
    for arg, tensor in zip(op.op_def.inputs, op.inputs):
        if arg.is_ref or arg.name in ("grad", "delta") and not sparse:
            dims = shapes.merge(dims, tensor.dims)
        elif arg.name == "indices":
            shapes.with_rank(tensor.dims, 1)
        elif arg.name == "grad":
            check_rows(dims, tensor.dims)
        else:
            check_scalar(op, tensor.dims)
    return [dims]


def check_rows(var, grad):
    """Raises ValueError unless dims `grad` may be those of rows of `var`."""
    if var is not None and grad is not None:
        shapes.with_rank_at_least(var, 1)
        shapes.merge((None, *var[1:]), grad)


def _define(name, slots, args, attrs, doc):
    """An op on references `slots`, then `args`: all of type T except the indices and the global step."""
    kinds = {"indices": "Tindices", "global_step": "int64"}
    inputs = [f"{slot}: Ref(T)" for slot in slots.split()]
    inputs += [f"{arg}: {kinds.get(arg, 'T')}" for arg in args.split()]
    types = ["T: numbertype"]
    if "indices" in args.split():
        types.append("Tindices: {int32, int64}")
    op_def = define_op(
        name,
        inputs=inputs,
        outputs=["out: Ref(T)"],
        attrs=[*types, "use_locking: bool = false", *attrs],
        shape=_apply_shape,
        doc=doc,
    )
    undefined_gradient(name)
    UPDATES.append(op_def)
    return op_def


_NESTEROV = ["use_nesterov: bool = false"]
_SLOTS = ["update_slots: bool = true"]
_BY_LR = ["multiply_linear_by_lr: bool = false"]

ApplyGradientDescent = _define("ApplyGradientDescent", "var", "alpha delta", [], "var -= alpha * delta")
ApplyMomentum = _define(
    "ApplyMomentum", "var accum", "lr grad momentum", _NESTEROV,
    "accum = accum * momentum + grad; var -= lr * accum (Nesterov: lr * (grad + momentum * accum))",
)  # fmt: skip
SparseApplyMomentum = _define(
    "SparseApplyMomentum", "var accum", "lr grad indices momentum", _NESTEROV,
    "ApplyMomentum for the rows of var that indices name.",
)  # fmt: skip
ApplyAdagrad = _define(
    "ApplyAdagrad", "var accum", "lr grad", _SLOTS, "accum += grad ** 2; var -= lr * grad / sqrt(accum)"
)
SparseApplyAdagrad = _define(
    "SparseApplyAdagrad", "var accum", "lr grad indices", _SLOTS, "ApplyAdagrad for rows of var."
)
ApplyAdagradV2 = _define(
    "ApplyAdagradV2", "var accum", "lr epsilon grad", _SLOTS,
    "accum += grad ** 2; var -= lr * grad / (sqrt(accum) + epsilon)",
)  # fmt: skip
SparseApplyAdagradV2 = _define(
    "SparseApplyAdagradV2", "var accum", "lr epsilon grad indices", _SLOTS, "ApplyAdagradV2 for rows of var."
)
ApplyAdadelta = _define(
    "ApplyAdadelta", "var accum accum_update", "lr rho epsilon grad", [],
    """accum = rho * accum + (1 - rho) * grad ** 2
    update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad; var -= lr * update
    accum_update = rho * accum_update + (1 - rho) * update ** 2""",
)  # fmt: skip
SparseApplyAdadelta = _define(
    "SparseApplyAdadelta", "var accum accum_update", "lr rho epsilon grad indices", [],
    "ApplyAdadelta for rows of var.",
)  # fmt: skip
ApplyAdam = _define(
    "ApplyAdam", "var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad", _NESTEROV,
    """lr_t = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    m += (grad - m) * (1 - beta1); v += (grad ** 2 - v) * (1 - beta2)
    var -= lr_t * m / (sqrt(v) + epsilon) (Nesterov: m * beta1 + grad * (1 - beta1) for m)""",
)  # fmt: skip
ApplyAdaMax = _define(
    "ApplyAdaMax", "var m v", "beta1_power lr beta1 beta2 epsilon grad", [],
    "m as in ApplyAdam; v = max(beta2 * v, abs(grad)); var -= lr / (1 - beta1_power) * m / (v + epsilon)",
)  # fmt: skip
ApplyRMSProp = _define(
    "ApplyRMSProp", "var ms mom", "lr rho momentum epsilon grad", [],
    """ms += (grad ** 2 - ms) * (1 - rho); mom = mom * momentum + lr * grad / sqrt(ms + epsilon)
    var -= mom""",
)  # fmt: skip
SparseApplyRMSProp = _define(
    "SparseApplyRMSProp", "var ms mom", "lr rho momentum epsilon grad indices", [], "ApplyRMSProp for rows of var."
)
ApplyCenteredRMSProp = _define(
    "ApplyCenteredRMSProp", "var mg ms mom", "lr rho momentum epsilon grad", [],
    "ApplyRMSProp with the variance ms - mg ** 2 in place of ms, where mg is the moving average of grad.",
)  # fmt: skip
SparseApplyCenteredRMSProp = _define(
    "SparseApplyCenteredRMSProp", "var mg ms mom", "lr rho momentum epsilon grad indices", [],
    "ApplyCenteredRMSProp for rows of var.",
)  # fmt: skip

_FTRL = """linear += grad - (accum_new ** -lr_power - accum ** -lr_power) / lr * var; accum_new = accum + grad ** 2
    var = 0 if abs(linear) <= l1 else (sign(linear) * l1 - linear) / (accum_new ** -lr_power / lr + 2 * l2)"""
ApplyFtrl = _define("ApplyFtrl", "var accum linear", "grad lr l1 l2 lr_power", _BY_LR, _FTRL)
SparseApplyFtrl = _define(
    "SparseApplyFtrl", "var accum linear", "grad indices lr l1 l2 lr_power", _BY_LR, "ApplyFtrl for rows of var."
)
ApplyFtrlV2 = _define(
    "ApplyFtrlV2", "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", _BY_LR,
    "ApplyFtrl, with grad + 2 * l2_shrinkage * var for the first grad.",
)  # fmt: skip
SparseApplyFtrlV2 = _define(
    "SparseApplyFtrlV2", "var accum linear", "grad indices lr l1 l2 l2_shrinkage lr_power", _BY_LR,
    "ApplyFtrlV2 for rows of var.",
)  # fmt: skip
ApplyProximalAdagrad = _define(
    "ApplyProximalAdagrad", "var accum", "lr l1 l2 grad", [],
    """accum += grad ** 2; rate = lr / sqrt(accum); v = var - rate * grad
    var = sign(v) / (1 + rate * l2) * max(abs(v) - rate * l1, 0)""",
)  # fmt: skip
SparseApplyProximalAdagrad = _define(
    "SparseApplyProximalAdagrad", "var accum", "lr l1 l2 grad indices", [], "ApplyProximalAdagrad for rows of var."
)
ApplyProximalGradientDescent = _define(
    "ApplyProximalGradientDescent", "var", "alpha l1 l2 delta", [],
    "v = var - alpha * delta; var = sign(v) / (1 + alpha * l2) * max(abs(v) - alpha * l1, 0)",
)  # fmt: skip
SparseApplyProximalGradientDescent = _define(
    "SparseApplyProximalGradientDescent", "var", "alpha l1 l2 grad indices", [],
    "ApplyProximalGradientDescent for rows of var.",
)  # fmt: skip
ApplyAdagradDA = _define(
    "ApplyAdagradDA", "var gradient_accumulator gradient_squared_accumulator",
    "grad lr l1 l2 global_step", [],
    """g += grad; gg += grad ** 2 (the accumulators)
    var = -sign(g) * lr * max(abs(g) - l1 * global_step, 0) / (l2 * global_step * lr + sqrt(gg))""",
)  # fmt: skip
SparseApplyAdagradDA = _define(
    "SparseApplyAdagradDA", "var gradient_accumulator gradient_squared_accumulator",
    "grad indices lr l1 l2 global_step", [], "ApplyAdagradDA for rows of var.",
)  # fmt: skip
ApplyAddSign = _define(
    "ApplyAddSign", "var m", "lr alpha sign_decay beta grad", [],
    """m = beta * m + (1 - beta) * grad
    var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad""",
)  # fmt: skip
ApplyPowerSign = _define(
    "ApplyPowerSign", "var m", "lr logbase sign_decay beta grad", [],
    """m = beta * m + (1 - beta) * grad
    var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad""",
)  # fmt: skip

# Without a form by references in TensorFlow: ResourceApplyKerasMomentum and so on become these.
_define(
    "_ApplyKerasMomentum", "var accum", "lr grad momentum", _NESTEROV,
    "accum = accum * momentum - lr * grad; var += accum (Nesterov: var += momentum * accum - lr * grad)",
)  # fmt: skip
_define(
    "_SparseApplyKerasMomentum", "var accum", "lr grad indices momentum", _NESTEROV,
    "_ApplyKerasMomentum for the rows of var that indices name.",
)  # fmt: skip
_define(
    "_ApplyAdamWithAmsgrad", "var m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon grad", [],
    "ApplyAdam with vhat, the maximum of all v so far, in place of v in the update of var.",
)  # fmt: skip
