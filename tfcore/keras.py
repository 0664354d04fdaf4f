"""tf.keras: the installed package Keras, whose imports of TensorFlow find tfcore from now on in this process."""

import importlib
import sys

from tfcore import as_tensorflow
from tfcore.as_tensorflow import keras

keras.check(__name__)  # without the package, later imports of TensorFlow are as they were
as_tensorflow.install()
sys.modules[__name__] = importlib.import_module("tensorflow.keras")
