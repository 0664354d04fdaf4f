"""tf.estimator: the installed package tensorflow-estimator, whose imports of TensorFlow find tfcore from now on."""

import importlib
import sys

from tfcore import as_tensorflow
from tfcore.as_tensorflow import estimator

estimator.check(__name__)  # without the package, later imports of TensorFlow are as they were
as_tensorflow.install()
sys.modules[__name__] = importlib.import_module("tensorflow.estimator")
