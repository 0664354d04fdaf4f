"""The namespace tf.initializers."""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.variables import initializers as _classes
from tfcore.variables.initializers import he_normal, he_uniform, lecun_normal, lecun_uniform
from tfcore.variables.variable_collections import global_variables_initializer as global_variables
from tfcore.variables.variable_collections import local_variables_initializer as local_variables
from tfcore.variables.variable_collections import tables_initializer
from tfcore.variables.variable_collections import variables_initializer as variables

constant = _classes.Constant
glorot_normal = _classes.GlorotNormal
glorot_uniform = _classes.GlorotUniform
identity = _classes.Identity
ones = _classes.Ones
orthogonal = _classes.Orthogonal
random_normal = _classes.RandomNormal
random_uniform = _classes.RandomUniform
truncated_normal = _classes.TruncatedNormal
uniform_unit_scaling = _classes.UniformUnitScaling
variance_scaling = _classes.VarianceScaling
zeros = _classes.Zeros

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
    "tables_initializer",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]

__getattr__, __dir__ = _lazy_names(globals(), {})
