"""tensorflow.python.ops.resources: what a program must create before it uses it, in two collections.

tfcore's own resources need no such step, so that the collections have only what programs register.
"""

import collections

from tfcore.framework.graph.default_graph import GraphKeys, add_to_collection, get_collection
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.ops.array.join import stack
from tfcore.ops.array.slice import boolean_mask
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.unary import logical_not

_Resource = collections.namedtuple("_Resource", ["handle", "create", "is_initialized"])


def register_resource(handle, create_op, is_initialized_op, is_shared=True):
    """Adds a resource, the operation that creates it and the bool that says so to a collection."""
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    add_to_collection(key, _Resource(handle, create_op, is_initialized_op))


def shared_resources():
    """The resources that tasks share."""
    return get_collection(GraphKeys.RESOURCES)


def local_resources():
    """The resources of this task."""
    return get_collection(GraphKeys.LOCAL_RESOURCES)


def initialize_resources(resource_list, name="init"):
    """An operation that creates the resources."""
    return group(*(resource.create for resource in resource_list or ()), name=name)


def report_uninitialized_resources(resource_list=None, name="report_uninitialized_resources"):
    """The names of the resources that do not exist yet, a string vector; of all of them by default."""
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    with name_scope(name):
        if not resource_list:
            return constant([], dtypes.string)
        missing = logical_not(stack([resource.is_initialized for resource in resource_list]))
        return boolean_mask(constant([resource.handle.name for resource in resource_list]), missing)
