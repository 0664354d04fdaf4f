"""The namespace tf.initializers."""

from tfcore.framework.initializers import Constant as constant
from tfcore.framework.initializers import GlorotNormal as glorot_normal
from tfcore.framework.initializers import GlorotUniform as glorot_uniform
from tfcore.framework.initializers import Identity as identity
from tfcore.framework.initializers import Ones as ones
from tfcore.framework.initializers import Orthogonal as orthogonal
from tfcore.framework.initializers import RandomNormal as random_normal
from tfcore.framework.initializers import RandomUniform as random_uniform
from tfcore.framework.initializers import TruncatedNormal as truncated_normal
from tfcore.framework.initializers import UniformUnitScaling as uniform_unit_scaling
from tfcore.framework.initializers import VarianceScaling as variance_scaling
from tfcore.framework.initializers import Zeros as zeros
from tfcore.framework.initializers import he_normal, he_uniform, lecun_normal, lecun_uniform
from tfcore.framework.variables import global_variables_initializer as global_variables
from tfcore.framework.variables import local_variables_initializer as local_variables
from tfcore.framework.variables import variables_initializer as variables

__all__ = [
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]
