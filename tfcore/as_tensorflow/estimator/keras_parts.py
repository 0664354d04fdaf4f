"""What the modules of tensorflow-estimator find where they import parts of tensorflow.python.keras that Keras lacks.

Of these the models that come with the package need a class that calls layers, whether Keras is installed or not. The
others are for estimators of TensorFlow 2, which are in the same modules.
"""

import tfcore as tf


class Model:
    """Layers that are called together, in a name scope.

    Args:
      name: Name of the scope.
    """

    def __init__(self, name):
        self.name = name

    def __call__(self, *args, **kwargs):
        with tf.name_scope(self.name):
            return self.call(*args, **kwargs)

    def call(self, *args, **kwargs):
        """Calls the layers."""
        raise NotImplementedError("When subclassing the `Model` class, you should implement a `call` method.")


class ReductionV2:
    """How the losses of a batch are reduced."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls):
        """All of them."""
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key):
        """Raises a ValueError if something else is given."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


class OptimizerV2:
    """The optimizers of TensorFlow 2. tfcore has none of them, so nothing is one."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            f"tfcore does not have the optimizer {type(self).__name__} of TensorFlow 2 yet. Those of tf.train are there"
        )


class Adagrad(OptimizerV2):
    pass


class Adam(OptimizerV2):
    pass


class Ftrl(OptimizerV2):
    pass


class RMSProp(OptimizerV2):
    pass


class SGD(OptimizerV2):
    pass
