"""Relatives of Adam."""

from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.unary import abs as absolute
from tfcore.ops.cwise.unary import sqrt, square
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.training import training
from tfcore.train.optimizers.update_rules import AdamOptimizer


def _rows(optimizer, var, slot, indices):
    """A slot, and its rows as they are before the step."""
    slot = optimizer.get_slot(var, slot)
    return slot, gather(slot.read_value(), indices)


class LazyAdamOptimizer(AdamOptimizer):
    """Adam whose running means change only in the rows that a sparse gradient has.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      beta1: Decay of the running mean of gradients.
      beta2: Decay of the running mean of squared gradients.
      epsilon: Added to the root.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "Adam" by default.

    Example:

    >>> embedding = tf.get_variable("embedding", [1000, 8])
    >>> loss = tf.reduce_sum(tf.nn.embedding_lookup(embedding, [3, 7]) ** 2)
    >>> train = tf.contrib.opt.LazyAdamOptimizer(0.01).minimize(loss)  # 998 rows stay as they are
    """

    def _apply_sparse(self, grad, var):
        dtype, indices, values = var.dtype.base_dtype, grad.indices, grad.values
        beta1, beta2 = self._scalar("beta1", dtype), self._scalar("beta2", dtype)
        power1, power2 = self._scalar("beta1_power", dtype), self._scalar("beta2_power", dtype)
        rate = self._scalar("lr", dtype) * sqrt(1 - power2) / (1 - power1)
        m, m_rows = _rows(self, var, "m", indices)
        v, v_rows = _rows(self, var, "v", indices)
        m_rows = beta1 * m_rows + (1 - beta1) * values
        v_rows = beta2 * v_rows + (1 - beta2) * square(values)
        delta = rate * m_rows / (sqrt(v_rows) + self._scalar("epsilon", dtype))
        return _change(var, delta, indices, ((m, m_rows), (v, v_rows)), self._use_locking)


def _change(var, delta, indices, slots, use_locking):
    """Subtracts from rows of the variable, and sets rows of slots."""
    with control_dependencies([delta]):  # all rows are read
        updates = [slot.scatter_update(IndexedSlices(rows, indices), use_locking=use_locking) for slot, rows in slots]
        return group(var.scatter_sub(IndexedSlices(delta, indices), use_locking=use_locking), *updates)


class AdaMaxOptimizer(AdamOptimizer):
    """Adam with the largest gradient, which decays, in place of the root of the mean square.

    `t += 1; m = beta1 * m + (1 - beta1) * grad; v = max(beta2 * v, abs(grad));
    var -= learning_rate / (1 - beta1 ** t) * m / (v + epsilon)`. A sparse gradient changes only its rows.
    Source: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, section 7.1.

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      beta1: Decay of the running mean of gradients.
      beta2: Decay of the largest gradient.
      epsilon: Added to the divisor `v`.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "AdaMax" by default.
    """

    _dense = training.ApplyAdaMax

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="AdaMax"):
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _apply_sparse(self, grad, var):
        dtype, indices, values = var.dtype.base_dtype, grad.indices, grad.values
        beta1 = self._scalar("beta1", dtype)
        m, m_rows = _rows(self, var, "m", indices)
        v, v_rows = _rows(self, var, "v", indices)
        m_rows = m_rows * beta1 + values * (1 - beta1)
        v_rows = maximum(v_rows * self._scalar("beta2", dtype), absolute(values))
        rate = self._scalar("lr", dtype) / (1 - self._scalar("beta1_power", dtype))
        delta = rate * (m_rows / (v_rows + self._scalar("epsilon", dtype)))
        return _change(var, delta, indices, ((m, m_rows), (v, v_rows)), self._use_locking)


class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum.

    Source: T. Dozat, "Incorporating Nesterov Momentum into Adam", ICLR 2016 (workshop).

    Args:
      learning_rate: Step size: a float, a scalar `Tensor`, or a callable without arguments that returns one.
      beta1: Decay of the running mean of gradients.
      beta2: Decay of the running mean of squared gradients.
      epsilon: Added to the root.
      use_locking: Whether updates take the variable's lock; without it, concurrent updates may mix.
      name: Prefix of the names of slots and update operations; "Adam" by default.
    """

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam"):
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _attrs(self):
        return {"use_nesterov": True}

    def _apply_sparse(self, grad, var):
        """The means decay in all rows; the variable changes in those of the gradient only."""
        dtype, indices, values, lock = var.dtype.base_dtype, grad.indices, grad.values, self._use_locking
        beta1, beta2 = self._scalar("beta1", dtype), self._scalar("beta2", dtype)
        power1, power2 = self._scalar("beta1_power", dtype), self._scalar("beta2_power", dtype)
        rate = self._scalar("lr", dtype) * sqrt(1 - power2) / (1 - power1)
        m = self._decayed(self.get_slot(var, "m"), beta1, values * (1 - beta1), indices)
        v = self._decayed(self.get_slot(var, "v"), beta2, values * values * (1 - beta2), indices)
        mean = values * (1 - beta1) + beta1 * gather(m, indices)
        delta = rate * mean / (sqrt(gather(v, indices)) + self._scalar("epsilon", dtype))
        return group(var.scatter_sub(IndexedSlices(delta, indices), use_locking=lock), m, v)

    def _decayed(self, slot, decay, rows, indices):
        """The value of a slot after it decayed and rows were added."""
        with control_dependencies([slot.assign(slot.read_value() * decay, use_locking=self._use_locking)]):
            added = slot.scatter_add(IndexedSlices(rows, indices), use_locking=self._use_locking)
        with control_dependencies([added]):
            return slot.read_value()
