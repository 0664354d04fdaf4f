"""The optimizers of tf.train. Each update is one fused operation (tfcore/ops/training/training.py)."""

from tfcore.framework.graph.graph import colocate_with, control_dependencies, get_default_graph
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array.array import identity, shape
from tfcore.ops.array.constants import fill
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import sqrt
from tfcore.ops.state.scatter import scatter_add
from tfcore.ops.state.state import assign, assign_sub
from tfcore.ops.training import training
from tfcore.ops.training.resource_variable import by_handles
from tfcore.train.optimizers.optimizer import Optimizer
from tfcore.variables import initializers as init_ops
from tfcore.variables.resource_variable import is_resource_variable


class _Fused:
    """What `fused` gives an optimizer whose updates are single operations, described by class attributes.

    _dense, _sparse: definitions of the update ops. Their arguments are matched by name: references are the variable
      and the slots of `_slot_names` in order, grad or delta and indices come from the gradient, the rest are scalars.
    _scalars: argument of the op -> (attribute with the value, attribute for its Tensor, name of the constant).
    """

    _dense = _sparse = None
    _slot_names = ()
    _scalars = {}

    def _prepare(self):
        self._by_dtype = {}
        for value, tensor, name in self._scalars.values():
            setattr(self, tensor, convert_to_tensor(self._call_if_callable(getattr(self, value)), name=name))

    def _scalar(self, arg, dtype):
        """A hyperparameter in the type of the variable, converted once."""
        key = (arg, dtype, get_default_graph()._get_control_flow_context())
        found = self._by_dtype.get(key)
        if found is None:
            found = self._by_dtype[key] = _cast(getattr(self, self._scalars[arg][1]), dtype)
        return found

    def _attrs(self):
        return {}

    def _apply_dense(self, grad, var):
        return self._apply(self._dense, var, grad, None)

    def _apply_sparse(self, grad, var):
        return self._apply(self._sparse, var, grad.values, grad.indices)

    def _apply(self, op_def, var, grad, indices):
        dtype = var.dtype.base_dtype
        if is_resource_variable(var):
            op_def = by_handles(op_def)
        slots = iter(self._slot_names)
        inputs = []
        for arg in op_def.inputs:
            name = arg.name
            if name == "var":
                inputs.append(var._ref())
            elif arg.is_ref or arg.dtype is dtypes.resource:
                inputs.append(self.get_slot(var, next(slots))._ref())
            elif name in ("grad", "delta"):
                inputs.append(grad)
            elif name == "indices":
                inputs.append(indices)
            else:
                inputs.append(self._scalar(name, dtype))
        return _add_op(op_def, inputs, dtype, indices, use_locking=self._use_locking, **self._attrs())


def fused(optimizer):
    """A decorator in place of a base class: programs expect `Optimizer` itself to be the base, as in TensorFlow."""
    for name, value in vars(_Fused).items():
        if name not in vars(optimizer) and not name.startswith("__"):
            setattr(optimizer, name, value)
    return optimizer


def _add_op(op_def, inputs, dtype, indices, **attrs):
    """Adds the op, skipping the conversions of a general call if all types match."""
    for arg, t in zip(op_def.inputs, inputs):
        if arg.type_attr == "T" and t.dtype.base_dtype is not dtype:
            op_def(*inputs, **attrs)  # raises an error with the reason
    for attr in op_def.attrs.values():
        if attr.name not in attrs and attr.name not in ("T", "Tindices"):
            attrs[attr.name] = attr.default
    attrs["T"] = dtype
    if indices is not None:
        attrs["Tindices"] = indices.dtype.base_dtype
    outputs = (dtype._as_ref,) * len(op_def.outputs)
    return get_default_graph().add_operation(op_def, inputs, attrs, outputs, op_def.name)


def _cast(tensor, dtype):
    if tensor.dtype.base_dtype is dtype:
        return tensor
    # Not colocated with the first variable: variables on other tasks share the result.
    with colocate_with(tensor.op, ignore_existing=True):
        return cast(tensor, dtype)


@fused
class GradientDescentOptimizer(Optimizer):
    """Gradient descent: `var -= learning_rate * grad`.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "GradientDescent" by default.

    Example:

    >>> x = tf.Variable(3.0)
    >>> train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(x))
    >>> sess.run(tf.global_variables_initializer())
    >>> sess.run(train)
    >>> print(f"{sess.run(x):.2f}")
    2.40
    """

    _dense = training.ApplyGradientDescent
    _scalars = {"alpha": ("_learning_rate", "_learning_rate_tensor", "learning_rate")}

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor = None

    def _apply_sparse_duplicate_indices(self, grad, var):
        rate = self._scalar("alpha", var.dtype.base_dtype)
        delta = IndexedSlices(grad.values * rate, grad.indices, grad.dense_shape)
        return var.scatter_sub(delta, use_locking=self._use_locking).op


@fused
class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent followed by a proximal step for L1 and L2 penalties.

    The step shrinks the variable towards zero, and to exactly zero where the L1 penalty outweighs the gradient.
    Source: J. Duchi and Y. Singer, "Efficient Learning using Forward-Backward Splitting" (FOBOS), NIPS 2009.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      l1_regularization_strength: Weight of the L1 penalty, a float >= 0.
      l2_regularization_strength: Weight of the L2 penalty, a float >= 0.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "ProximalGradientDescent" by default.
    """

    _dense = training.ApplyProximalGradientDescent
    _sparse = training.SparseApplyProximalGradientDescent
    _scalars = {
        "alpha": ("_learning_rate", "_learning_rate_tensor", "learning_rate"),
        "l1": ("_l1_regularization_strength", "_l1_regularization_strength_tensor", "l1_regularization_strength"),
        "l2": ("_l2_regularization_strength", "_l2_regularization_strength_tensor", "l2_regularization_strength"),
    }

    def __init__(self, learning_rate, l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name="ProximalGradientDescent"):  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength


@fused
class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum: `accum = momentum * accum + grad; var -= learning_rate * accum`.

    Source of the Nesterov form: I. Sutskever et al., "On the importance of initialization and momentum in deep
    learning", ICML 2013.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      momentum: Share of the previous update that is kept: a float, a scalar `Tensor` or a callable.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "Momentum" by default.
      use_nesterov: Whether the gradient is applied as if the next momentum step had already been taken.

    Example:

    >>> x = tf.Variable(3.0)
    >>> train = tf.train.MomentumOptimizer(0.1, momentum=0.9).minimize(tf.square(x))
    >>> sess.run(tf.global_variables_initializer())
    >>> for _ in range(2):
    ...     sess.run(train)
    >>> print(f"{sess.run(x):.2f}")  # 3 - 0.6, then - 0.9 * 0.6 - 0.48
    1.38
    """

    _dense = training.ApplyMomentum
    _sparse = training.SparseApplyMomentum
    _slot_names = ("momentum",)
    _scalars = {
        "lr": ("_learning_rate", "_learning_rate_tensor", "learning_rate"),
        "momentum": ("_momentum", "_momentum_tensor", "momentum"),
    }

    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "momentum", self._name)

    def _attrs(self):
        return {"use_nesterov": self._use_nesterov}


@fused
class AdagradOptimizer(Optimizer):
    """Adagrad: `accum += grad ** 2; var -= learning_rate * grad / sqrt(accum)`.

    Rarely updated parameters keep a large step, which suits sparse gradients.
    Source: J. Duchi et al., "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization", JMLR 2011.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      initial_accumulator_value: First value of `accum`, a float > 0.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "Adagrad" by default.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.

    Example:

    >>> x = tf.Variable([1.0, 1.0])
    >>> train = tf.train.AdagradOptimizer(0.1).minimize(tf.reduce_sum([2.0, 200.0] * x))
    >>> sess.run(tf.global_variables_initializer())
    >>> sess.run(train)
    >>> print(np.round(sess.run(x), 2))  # about the same step for gradients of 2 and 200
    [0.9 0.9]
    """

    _dense = training.ApplyAdagrad
    _sparse = training.SparseApplyAdagrad
    _slot_names = ("accumulator",)
    _scalars = {"lr": ("_learning_rate", "_learning_rate_tensor", "learning_rate")}

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        _check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._learning_rate_tensor = None

    def _create_slots(self, var_list):
        for v in var_list:
            dtype = v.dtype.base_dtype
            init = init_ops.Constant(self._initial_accumulator_value, dtype)
            if not v.shape.is_fully_defined():
                init = _fill_like(v, self._initial_accumulator_value)
            self._get_or_make_slot_with_initializer(v, init, v.shape, dtype, "accumulator", self._name)


def _check_positive(name, value):
    if value <= 0.0:
        raise ValueError(f"{name} must be positive: {value}")


def _fill_like(var, value):
    """An initializer for the slot of a variable of unknown shape."""

    def init():
        return fill(shape(var.initialized_value()), constant(value, var.dtype.base_dtype))

    return init


@fused
class AdagradDAOptimizer(Optimizer):
    """Adagrad with dual averaging: each step solves for the variable from the sums of gradients and of their squares.

    With an L1 penalty it gives truly sparse linear models.
    Source: J. Duchi et al., "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization", JMLR 2011.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      global_step: The integer variable that counts steps, from 0.
      initial_gradient_squared_accumulator_value: First value of the sum of squared gradients, a float > 0.
      l1_regularization_strength: Weight of the L1 penalty, a float >= 0.
      l2_regularization_strength: Weight of the L2 penalty, a float >= 0.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "AdagradDA" by default.

    Raises:
      ValueError: `initial_gradient_squared_accumulator_value` is not positive.
    """

    _dense = training.ApplyAdagradDA
    _sparse = training.SparseApplyAdagradDA
    _slot_names = ("gradient_accumulator", "gradient_squared_accumulator")
    _scalars = {
        "lr": ("_learning_rate", "_learning_rate_tensor", "learning_rate"),
        "l1": ("_l1_regularization_strength", "_l1_regularization_strength_tensor", "l1_regularization_strength"),
        "l2": ("_l2_regularization_strength", "_l2_regularization_strength_tensor", "l2_regularization_strength"),
    }

    def __init__(self, learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False,
                 name="AdagradDA"):  # fmt: skip
        _check_positive("initial_gradient_squared_accumulator_value", initial_gradient_squared_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_gradient_squared_accumulator_value = initial_gradient_squared_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step
        self._global_step_on_worker = None

    def _create_slots(self, var_list):
        squared = self._initial_gradient_squared_accumulator_value
        for v in var_list:
            dtype = v.dtype.base_dtype
            with colocate_with(v.op):
                zero = constant(0.0, shape=v.shape, dtype=dtype)
                start = constant(squared, shape=v.shape, dtype=dtype)
            self._get_or_make_slot(v, zero, "gradient_accumulator", self._name)
            self._get_or_make_slot(v, start, "gradient_squared_accumulator", self._name)

    def _prepare(self):
        _Fused._prepare(self)
        step = identity(self._global_step)
        self._global_step_on_worker = cast(step, dtypes.int64) + constant(1, dtypes.int64)

    def _scalar(self, arg, dtype):
        return self._global_step_on_worker if arg == "global_step" else _Fused._scalar(self, arg, dtype)


@fused
class AdadeltaOptimizer(Optimizer):
    """Adadelta: steps in proportion to the running size of previous updates over that of gradients.

    `accum = rho * accum + (1 - rho) * grad ** 2; update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad;
    accum_update = rho * accum_update + (1 - rho) * update ** 2; var -= learning_rate * update`.
    Source: M. Zeiler, "ADADELTA: An Adaptive Learning Rate Method", arXiv 1212.5701, 2012.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
        The paper's form has 1.
      rho: Decay of the running averages, a float, a scalar `Tensor` or a callable.
      epsilon: Keeps the quotient finite and the first updates above zero.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "Adadelta" by default.
    """

    _dense = training.ApplyAdadelta
    _sparse = training.SparseApplyAdadelta
    _slot_names = ("accum", "accum_update")
    _scalars = {
        "lr": ("_lr", "_lr_t", "lr"),
        "rho": ("_rho", "_rho_t", "rho"),
        "epsilon": ("_epsilon", "_epsilon_t", "epsilon"),
    }

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False, name="Adadelta"):
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "accum", self._name)
            self._zeros_slot(v, "accum_update", self._name)


def _current(variable):
    """The value of a variable, read again in each iteration of a loop."""
    outside = get_default_graph()._get_control_flow_context() is None
    return variable.value() if outside else variable.read_value()


@fused
class AdamOptimizer(Optimizer):
    """Adam: momentum and RMSProp with bias correction.

    `t += 1; rate = learning_rate * sqrt(1 - beta2 ** t) / (1 - beta1 ** t); m = beta1 * m + (1 - beta1) * grad;
    v = beta2 * v + (1 - beta2) * grad ** 2; var -= rate * m / (sqrt(v) + epsilon)`. For sparse gradients, `m` and
    `v` decay everywhere, as in TensorFlow.
    Source: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015. `epsilon` is the paper's
    "epsilon hat".

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      beta1: Decay of the running mean of gradients.
      beta2: Decay of the running mean of squared gradients.
      epsilon: Added to the root.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "Adam" by default.
      use_own_namescope_for_non_slot_vars: Whether the variables of the powers of beta get the prefix, too.

    Example:

    >>> x = tf.Variable(3.0)
    >>> train = tf.train.AdamOptimizer(0.1).minimize(tf.square(x))
    >>> sess.run(tf.global_variables_initializer())
    >>> sess.run(train)
    >>> print(f"{sess.run(x):.2f}")  # the first step is learning_rate long, whatever the gradient
    2.90
    """

    _dense = training.ApplyAdam
    _slot_names = ("m", "v")
    _scalars = {
        "lr": ("_lr", "_lr_t", "learning_rate"),
        "beta1": ("_beta1", "_beta1_t", "beta1"),
        "beta2": ("_beta2", "_beta2_t", "beta2"),
        "epsilon": ("_epsilon", "_epsilon_t", "epsilon"),
    }

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        use_locking=False,
        name="Adam",
        use_own_namescope_for_non_slot_vars=False,
    ):
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lr_t = self._beta1_t = self._beta2_t = self._epsilon_t = None

    def _get_beta_accumulators(self):
        graph = get_default_graph()
        return self._get_non_slot_variable("beta1_power", graph), self._get_non_slot_variable("beta2_power", graph)

    def _create_slots(self, var_list):
        first = min(var_list, key=lambda v: v.name)  # the same one whatever the order
        self._create_non_slot_variable(self._call_if_callable(self._beta1), "beta1_power", first)
        self._create_non_slot_variable(self._call_if_callable(self._beta2), "beta2_power", first)
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _scalar(self, arg, dtype):
        if arg in self._scalars:
            return _Fused._scalar(self, arg, dtype)
        power = self._get_non_slot_variable(arg)
        key = (arg, dtype, get_default_graph()._get_control_flow_context())
        found = self._by_dtype.get(key)
        if found is None:
            found = self._by_dtype[key] = _cast(_current(power), dtype)
        return found

    def _apply_sparse(self, grad, var):
        """Decays all of m and v, even where the gradient has no rows: not the lazy variant."""
        dtype = var.dtype.base_dtype
        beta1, beta2 = self._scalar("beta1", dtype), self._scalar("beta2", dtype)
        epsilon, lock = self._scalar("epsilon", dtype), self._use_locking
        power1, power2 = self._scalar("beta1_power", dtype), self._scalar("beta2_power", dtype)
        lr = self._scalar("lr", dtype) * sqrt(1 - power2) / (1 - power1)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        values = grad.values
        with control_dependencies([assign(m, m * beta1, use_locking=lock)]):
            m_t = scatter_add(m, grad.indices, values * (1 - beta1), use_locking=lock)
        with control_dependencies([assign(v, v * beta2, use_locking=lock)]):
            v_t = scatter_add(v, grad.indices, values * values * (1 - beta2), use_locking=lock)
        update = assign_sub(var, lr * m_t / (sqrt(v_t) + epsilon), use_locking=lock)
        return group(update, m_t, v_t)

    def _finish(self, update_ops, name_scope):
        before = update_ops
        if len({op.device for op in before}) > 1:
            before = [group(*before)]  # for one control edge from each device
        with control_dependencies(before):
            power1, power2 = self._get_beta_accumulators()
            with colocate_with(power1.op):
                update1 = power1.assign(_current(power1) * self._beta1_t, use_locking=self._use_locking)
                update2 = power2.assign(_current(power2) * self._beta2_t, use_locking=self._use_locking)
        return group(*update_ops, update1, update2, name=name_scope)


@fused
class RMSPropOptimizer(Optimizer):
    """RMSProp: steps in proportion to the gradient over its running root mean square.

    `ms = decay * ms + (1 - decay) * grad ** 2; mom = momentum * mom + learning_rate * grad / sqrt(ms + epsilon);
    var -= mom`. Centred, the running mean of the gradient is squared and subtracted from `ms` below the root.
    Source: T. Tieleman and G. Hinton, "Lecture 6.5: rmsprop", Coursera, 2012; centred: A. Graves, "Generating
    Sequences With Recurrent Neural Networks", arXiv 1308.0850, 2013.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      decay: Decay of the running averages.
      momentum: Share of the previous update that is kept.
      epsilon: Added below the root.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      centered: Whether to normalise by the estimated variance of the gradient instead of its second moment.
      name: Prefix of the names of slots and update operations; "RMSProp" by default.

    Example:

    >>> x = tf.Variable(3.0)
    >>> train = tf.train.RMSPropOptimizer(0.1).minimize(tf.square(x))
    >>> sess.run(tf.global_variables_initializer())
    >>> sess.run(train)
    >>> bool(sess.run(x) < 3)
    True
    """

    _scalars = {
        "lr": ("_learning_rate", "_learning_rate_tensor", "learning_rate"),
        "rho": ("_decay", "_decay_tensor", "decay"),
        "momentum": ("_momentum", "_momentum_tensor", "momentum"),
        "epsilon": ("_epsilon", "_epsilon_tensor", "epsilon"),
    }

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False,
                 name="RMSProp"):  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        if centered:
            self._dense, self._sparse = training.ApplyCenteredRMSProp, training.SparseApplyCenteredRMSProp
            self._slot_names = ("mg", "rms", "momentum")
        else:
            self._dense, self._sparse = training.ApplyRMSProp, training.SparseApplyRMSProp
            self._slot_names = ("rms", "momentum")

    def _create_slots(self, var_list):
        for v in var_list:
            dtype = v.dtype.base_dtype
            ones = init_ops.Ones(dtype) if v.shape.is_fully_defined() else _fill_like(v, 1.0)
            self._get_or_make_slot_with_initializer(v, ones, v.shape, dtype, "rms", self._name)
            if self._centered:
                self._zeros_slot(v, "mg", self._name)
            self._zeros_slot(v, "momentum", self._name)


@fused
class FtrlOptimizer(Optimizer):
    """FTRL-Proximal: follow the regularized leader, for sparse linear models.

    Source: H. B. McMahan et al., "Ad Click Prediction: a View from the Trenches", KDD 2013.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      learning_rate_power: Exponent of the accumulator in the step size, <= 0; -0.5 as in the paper, 0 for a fixed rate.
      initial_accumulator_value: First value of the sum of squared gradients, a float >= 0.
      l1_regularization_strength: Weight of the L1 penalty, a float >= 0.
      l2_regularization_strength: Weight of the L2 penalty, a float >= 0.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "Ftrl" by default.
      accum_name: Name of the slot of squared gradients.
      linear_name: Name of the slot of the linear term.
      l2_shrinkage_regularization_strength: Weight of a penalty on the size of the step's gradient, a float >= 0.
      beta: The paper's beta, which lowers the first steps, a float.

    Raises:
      ValueError: A value is out of its range.
      tf.errors.InvalidArgumentError: When run on a CPU with a sparse gradient: the same, also for the step size, which
        must be positive.
    """

    _slot_names = ("accum", "linear")

    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, name="Ftrl",
                 accum_name=None, linear_name=None, l2_shrinkage_regularization_strength=0.0,
                 beta=None):  # fmt: skip
        super().__init__(use_locking, name)
        for what, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{what} {value:f} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power:f} needs to be negative or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._accum_name = accum_name
        self._linear_name = linear_name
        names = {
            "lr": "learning_rate",
            "l1": "l1_regularization_strength",
            "l2": "l2_regularization_strength",
            "lr_power": "learning_rate_power",
        }
        self._dense, self._sparse = training.ApplyFtrl, training.SparseApplyFtrl
        if l2_shrinkage_regularization_strength > 0.0:
            names["l2_shrinkage"] = "l2_shrinkage_regularization_strength"
            self._dense, self._sparse = training.ApplyFtrlV2, training.SparseApplyFtrlV2
        self._scalars = {arg: (f"_{name}", f"_{name}_tensor", name) for arg, name in names.items()}

    def _create_slots(self, var_list):
        for v in var_list:
            dtype = v.dtype.base_dtype
            init = init_ops.Constant(self._initial_accumulator_value, dtype)
            if not v.shape.is_fully_defined():
                init = _fill_like(v, self._initial_accumulator_value)
            self._get_or_make_slot_with_initializer(v, init, v.shape, dtype, "accum", self._accum_name or self._name)
            self._zeros_slot(v, "linear", self._linear_name or self._name)

    def _prepare(self):
        _Fused._prepare(self)
        if self._beta:
            self._l2_regularization_strength_tensor += self._beta / (2.0 * self._learning_rate_tensor)


@fused
class ProximalAdagradOptimizer(Optimizer):
    """Adagrad followed by a proximal step for L1 and L2 penalties.

    Source: J. Duchi and Y. Singer, "Efficient Learning using Forward-Backward Splitting" (FOBOS), NIPS 2009.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      initial_accumulator_value: First value of the sum of squared gradients, a float > 0.
      l1_regularization_strength: Weight of the L1 penalty, a float >= 0.
      l2_regularization_strength: Weight of the L2 penalty, a float >= 0.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "ProximalAdagrad" by default.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.
      tf.errors.InvalidArgumentError: When run on a CPU: the step size is not positive, or a weight is negative.
    """

    _dense = training.ApplyProximalAdagrad
    _sparse = training.SparseApplyProximalAdagrad
    _slot_names = ("accumulator",)
    _scalars = {
        "lr": ("_learning_rate", "_learning_rate_tensor", "learning_rate"),
        "l1": ("_l1_regularization_strength", "_l1_regularization_strength_tensor", "l1_regularization_strength"),
        "l2": ("_l2_regularization_strength", "_l2_regularization_strength_tensor", "l2_regularization_strength"),
    }

    def __init__(self, learning_rate, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False, name="ProximalAdagrad"):  # fmt: skip
        _check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _create_slots(self, var_list):
        for v in var_list:
            with colocate_with(v.op):
                start = constant(self._initial_accumulator_value, v.dtype.base_dtype, v.shape)
            self._get_or_make_slot(v, start, "accumulator", self._name)
