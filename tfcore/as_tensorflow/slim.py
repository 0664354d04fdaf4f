"""tf_slim, as TensorFlow 1 had it: its layers are those of `tf.contrib.layers`, and all arg scopes are of one kind.

The package has copies of both. A program that sets the defaults of `tf.contrib.layers.conv2d` and calls `slim.conv2d`
would build another network than it did.
"""

import importlib
import importlib.abc

from tfcore.as_tensorflow.loaders import Changing, alias, own_spec

_SCOPES, _LAYERS = "tf_slim.ops.arg_scope", "tf_slim.layers.layers"
_ARGUMENTS = "tfcore.contrib.framework.arguments"


class Finder(importlib.abc.MetaPathFinder):
    """Finds the two modules of tf_slim that have copies."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in (_SCOPES, _LAYERS):
            return None
        spec = own_spec(self, fullname, path, target)
        if spec is None:
            return None
        if fullname == _SCOPES:
            return alias(fullname, importlib.import_module(_ARGUMENTS))
        spec.loader = Changing(spec.loader, _share_layers)
        return spec


def _share_layers(module):
    layers = importlib.import_module("tfcore.contrib.layers")
    arguments = importlib.import_module(_ARGUMENTS)
    for name in module.__all__:
        ours = getattr(layers, name, None)
        if ours is not None and arguments.has_arg_scope(ours):
            setattr(module, name, ours)
