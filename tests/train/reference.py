"""The update rules of all optimizers in NumPy, written from their papers and TensorFlow's documentation.

RULES[op](slots, grad, s, attrs) returns the new values of the variable and its slots: `slots` are the old
ones in the order of the op, `s` the scalars by the names of the op's arguments.
"""

import numpy as np


def gradient_descent(slots, g, s, attrs):
    return [slots[0] - s["alpha"] * g]


def momentum(slots, g, s, attrs):
    var, accum = slots
    accum = accum * s["momentum"] + g
    step = g + s["momentum"] * accum if attrs.get("use_nesterov") else accum
    return [var - s["lr"] * step, accum]


def adagrad(slots, g, s, attrs):
    var, accum = slots
    if attrs.get("update_slots", True):
        accum = accum + g**2
    return [var - s["lr"] * g / (np.sqrt(accum) + s.get("epsilon", 0)), accum]


def adadelta(slots, g, s, attrs):
    var, accum, accum_update = slots
    rho, epsilon = s["rho"], s["epsilon"]
    accum = rho * accum + (1 - rho) * g**2
    update = np.sqrt((accum_update + epsilon) / (accum + epsilon)) * g
    return [var - s["lr"] * update, accum, rho * accum_update + (1 - rho) * update**2]


def adam(slots, g, s, attrs):
    var, m, v = slots
    beta1, beta2 = s["beta1"], s["beta2"]
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
    lr = s["lr"] * np.sqrt(1 - s["beta2_power"]) / (1 - s["beta1_power"])
    direction = beta1 * m + (1 - beta1) * g if attrs.get("use_nesterov") else m
    return [var - lr * direction / (np.sqrt(v) + s["epsilon"]), m, v]


def adamax(slots, g, s, attrs):
    var, m, v = slots
    m = s["beta1"] * m + (1 - s["beta1"]) * g
    v = np.maximum(s["beta2"] * v, np.abs(g))
    return [var - s["lr"] / (1 - s["beta1_power"]) * m / (v + s["epsilon"]), m, v]


def rms_prop(slots, g, s, attrs):
    var, ms, mom = slots
    ms = s["rho"] * ms + (1 - s["rho"]) * g**2
    mom = s["momentum"] * mom + s["lr"] * g / np.sqrt(ms + s["epsilon"])
    return [var - mom, ms, mom]


def centered_rms_prop(slots, g, s, attrs):
    var, mg, ms, mom = slots
    ms = s["rho"] * ms + (1 - s["rho"]) * g**2
    mg = s["rho"] * mg + (1 - s["rho"]) * g
    mom = s["momentum"] * mom + s["lr"] * g / np.sqrt(ms - mg**2 + s["epsilon"])
    return [var - mom, mg, ms, mom]


def ftrl(slots, g, s, attrs):
    var, accum, linear = slots
    lr, l1, l2, power = s["lr"], s["l1"], s["l2"], -s["lr_power"]
    new_accum = accum + g**2
    shrunk = g + 2 * s.get("l2_shrinkage", 0) * var
    sigma = new_accum**power - accum**power
    if attrs.get("multiply_linear_by_lr"):
        linear = linear + lr * shrunk - sigma * var
        var = _ftrl_weight(linear, l1 * lr, new_accum**power + 2 * l2 * lr)
    else:
        linear = linear + shrunk - sigma / lr * var
        var = _ftrl_weight(linear, l1, new_accum**power / lr + 2 * l2)
    return [var, new_accum, linear]


def _ftrl_weight(linear, l1, quadratic):
    return np.where(np.abs(linear) > l1, (np.sign(linear) * l1 - linear) / quadratic, 0)


def proximal_step(value, rate, l1, l2):
    return np.sign(value) * np.maximum(np.abs(value) - rate * l1, 0) / (1 + rate * l2)


def proximal_adagrad(slots, g, s, attrs):
    var, accum = slots
    accum = accum + g**2
    rate = s["lr"] / np.sqrt(accum)
    return [proximal_step(var - rate * g, rate, s["l1"], s["l2"]), accum]


def proximal_gradient_descent(slots, g, s, attrs):
    return [proximal_step(slots[0] - s["alpha"] * g, s["alpha"], s["l1"], s["l2"])]


def adagrad_da(slots, g, s, attrs):
    _, total, squares = slots
    total, squares = total + g, squares + g**2
    step = float(s["global_step"])
    pull = np.sign(total) * np.maximum(np.abs(total) - s["l1"] * step, 0)
    return [-s["lr"] * pull / (s["l2"] * step * s["lr"] + np.sqrt(squares)), total, squares]


def add_sign(slots, g, s, attrs):
    var, m = slots
    m = s["beta"] * m + (1 - s["beta"]) * g
    return [var - s["lr"] * (s["alpha"] + s["sign_decay"] * np.sign(g) * np.sign(m)) * g, m]


def power_sign(slots, g, s, attrs):
    var, m = slots
    m = s["beta"] * m + (1 - s["beta"]) * g
    scale = np.exp(s["logbase"] * s["sign_decay"] * np.sign(g) * np.sign(m))
    return [var - s["lr"] * scale * g, m]


def keras_momentum(slots, g, s, attrs):
    var, accum = slots
    accum = accum * s["momentum"] - s["lr"] * g
    return [var + (accum * s["momentum"] - s["lr"] * g if attrs.get("use_nesterov") else accum), accum]


def adam_with_amsgrad(slots, g, s, attrs):
    var, m, v, vhat = slots
    m = s["beta1"] * m + (1 - s["beta1"]) * g
    v = s["beta2"] * v + (1 - s["beta2"]) * g**2
    vhat = np.maximum(vhat, v)
    lr = s["lr"] * np.sqrt(1 - s["beta2_power"]) / (1 - s["beta1_power"])
    return [var - lr * m / (np.sqrt(vhat) + s["epsilon"]), m, v, vhat]


RULES = {
    "ApplyGradientDescent": gradient_descent,
    "ApplyMomentum": momentum,
    "ApplyAdagrad": adagrad,
    "ApplyAdagradV2": adagrad,
    "ApplyAdadelta": adadelta,
    "ApplyAdam": adam,
    "ApplyAdaMax": adamax,
    "ApplyRMSProp": rms_prop,
    "ApplyCenteredRMSProp": centered_rms_prop,
    "ApplyFtrl": ftrl,
    "ApplyFtrlV2": ftrl,
    "ApplyProximalAdagrad": proximal_adagrad,
    "ApplyProximalGradientDescent": proximal_gradient_descent,
    "ApplyAdagradDA": adagrad_da,
    "ApplyAddSign": add_sign,
    "ApplyPowerSign": power_sign,
    "ApplyKerasMomentum": keras_momentum,
    "ApplyAdamWithAmsgrad": adam_with_amsgrad,
}


def apply_rows(rule, slots, grad, indices, s, attrs):
    """A rule for the rows that indices name, one after the other."""
    slots = [slot.copy() for slot in slots]
    for row, index in zip(grad, indices, strict=True):
        for slot, new in zip(slots, rule([slot[index] for slot in slots], row, s, attrs), strict=True):
            slot[index] = new
    return slots
