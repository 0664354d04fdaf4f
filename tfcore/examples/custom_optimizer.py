"""A user-defined optimizer in plain graph code: Lion (https://arxiv.org/abs/2302.06675).

    python -m tfcore.examples.custom_optimizer

Lion moves every weight by the same amount, in the direction of the sign of a momentum. The class below is complete:
slots hold the momentum, `_apply_dense` builds the update from ordinary operations, and `_apply_sparse` does the same
for the rows that a gather used. No kernel is needed; the compiler fuses what it can.
"""

import tfcore as tf


class LionOptimizer(tf.train.Optimizer):
    """var -= rate * (sign(beta1 * m + (1 - beta1) * grad) + weight_decay * var); m = beta2 * m + (1 - beta2) * grad"""

    def __init__(self, learning_rate=1e-4, beta1=0.9, beta2=0.99, weight_decay=0.0, use_locking=False, name="Lion"):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._weight_decay = weight_decay

    def _create_slots(self, var_list):
        for var in var_list:
            self._zeros_slot(var, "m", self._name)

    def _prepare(self):
        # Once for all variables; the learning rate may also be a schedule (a Tensor) or a function.
        self._rate = tf.convert_to_tensor(self._call_if_callable(self._learning_rate), name="learning_rate")

    def _direction(self, grad, m, var):
        return tf.sign(self._beta1 * m + (1 - self._beta1) * grad) + self._weight_decay * var

    def _apply_dense(self, grad, var):
        m = self.get_slot(var, "m")
        rate = tf.cast(self._rate, var.dtype.base_dtype)
        # Both updates use the old value of m, so the new value of var is computed first.
        new_var = var - rate * self._direction(grad, m.value(), var.value())
        with tf.control_dependencies([new_var]):
            new_m = m.assign(self._beta2 * m + (1 - self._beta2) * grad, use_locking=self._use_locking)
        return tf.group(var.assign(new_var, use_locking=self._use_locking), new_m)

    def _apply_sparse(self, grad, var):
        # Only the rows in grad.indices, which are unique here; others keep their value and momentum.
        m = self.get_slot(var, "m")
        rate = tf.cast(self._rate, var.dtype.base_dtype)
        old_m, old_var = tf.gather(m, grad.indices), tf.gather(var, grad.indices)
        new_var = old_var - rate * self._direction(grad.values, old_m, old_var)
        new_m = self._beta2 * old_m + (1 - self._beta2) * grad.values
        return tf.group(
            tf.scatter_update(var, grad.indices, new_var, use_locking=self._use_locking),
            tf.scatter_update(m, grad.indices, new_m, use_locking=self._use_locking),
        )


def main():
    """Fits a line with Lion."""
    x = tf.constant([0.0, 1.0, 2.0, 3.0])
    y = 2.0 * x - 1.0
    slope, offset = tf.Variable(0.0, name="slope"), tf.Variable(0.0, name="offset")
    loss = tf.reduce_mean(tf.square(slope * x + offset - y))
    step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(0.1, step, 200, end_learning_rate=0.001)
    train_step = LionOptimizer(rate).minimize(loss, global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(201):
            _, value = sess.run([train_step, loss])
            if i % 50 == 0:
                print(f"step {i}: loss {value:.6f}, slope {slope.eval():.3f}, offset {offset.eval():.3f}")


if __name__ == "__main__":
    main()
