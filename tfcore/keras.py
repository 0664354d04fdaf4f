"""tf.keras: the installed package Keras, whose imports of TensorFlow find tfcore from now on in this process."""

import importlib
import sys

from tfcore import as_tensorflow

as_tensorflow.install()
sys.modules[__name__] = importlib.import_module("tensorflow.keras")
