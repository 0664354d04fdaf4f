"""tf.estimator: the installed package tensorflow-estimator, whose imports of TensorFlow find tfcore from now on."""

import importlib
import sys

from tfcore import as_tensorflow

as_tensorflow.install()
sys.modules[__name__] = importlib.import_module("tensorflow.estimator")
