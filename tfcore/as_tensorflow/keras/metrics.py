"""tensorflow.python.keras.metrics without Keras 2.3, for tensorflow-estimator."""


class Metric:
    """The class of Keras's metrics. Without Keras nothing is one."""
