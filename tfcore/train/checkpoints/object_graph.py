"""The objects that can be reached from a root, and the keys that their variables have in checkpoints.

The key of a variable is the names on the shortest path to it, as in `layer/kernel/.ATTRIBUTES/VARIABLE_VALUE`. A slot
that an optimizer has for it follows it: `layer/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE`. A
checkpoint also has the graph of objects, a TrackableObjectGraph under `OBJECT_GRAPH_KEY`.
"""

from tfcore.framework import errors, protos
from tfcore.io.checkpoint_reader import NewCheckpointReader
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.trackable import checkpoint_dependencies
from tfcore.variables.variables import Variable

OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
VALUE = "VARIABLE_VALUE"  # the attribute that variables have


def has_value(item):
    """Whether an object is a variable, rather than one that has variables below it."""
    return isinstance(item, (Variable, PartitionedVariable))


def parts_of(item):
    """The variables that hold the value of one: its parts if it is partitioned, or else it alone."""
    return list(item) if isinstance(item, (PartitionedVariable, list)) else [item]


def object_id(item):
    """The same for the same object, and another for a part of it.

    Partitioned variables are compared by their parts: `slot_of` puts the slots of one together again in each call.
    """
    return tuple(map(id, item)) if isinstance(item, PartitionedVariable) else id(item)


def slot_of(optimizer, variable, name):
    """The slot that an optimizer has for a variable, None if there is none."""
    if not isinstance(variable, PartitionedVariable):
        return optimizer.get_slot(variable, name) if isinstance(variable, Variable) else None
    slots = [optimizer.get_slot(part, name) for part in variable]
    if any(slot is None for slot in slots):
        return None
    full_name = slots[0].op.name if slots[0]._save_slice_info is None else slots[0]._save_slice_info.full_name
    return PartitionedVariable(full_name, variable.shape, slots[0].dtype, slots, variable._get_partitions())


def _escaped(name):
    return name.replace(".", "..").replace("/", ".S")


class ObjectGraph:
    """What can be reached from `root` now: objects, breadth first, and then the slots of optimizers for variables.

    Where a partitioned variable and parts of it can be reached, it is there once, as a whole.

    Attributes:
      objects: A list; the positions are the numbers of nodes in the message.

    Raises:
      ValueError: A dict has an object to save under a key that is not a string, or there is an object that checkpoints
        can't save.
      NotImplementedError: A slot can be reached by another way as well.
    """

    def __init__(self, root):
        self.objects = [root]
        self._paths = [""]  # names of objects in keys
        self._children = []  # [(name, number)] for each object
        self._slots = {}  # {number of an optimizer: [(name of the slot, number of the variable, number of the slot)]}
        self._numbers = {object_id(root): 0}
        for number, item in enumerate(self.objects):  # grows meanwhile
            prefix = self._paths[number] + "/" if number else ""
            children = checkpoint_dependencies(item, prefix).items()
            self._children.append([(name, self._add(child, prefix + _escaped(name))) for name, child in children])
        self._drop_parts_of_wholes()
        self._add_slots()

    def _add(self, item, path):
        number = self._numbers.setdefault(object_id(item), len(self.objects))
        if number == len(self.objects):
            self.objects.append(item)
            self._paths.append(path)
        return number

    def _drop_parts_of_wholes(self):
        parts = {id(part) for item in self.objects if isinstance(item, PartitionedVariable) for part in item}
        kept = [number for number, item in enumerate(self.objects) if id(item) not in parts]
        now = {number: position for position, number in enumerate(kept)}
        self.objects = [self.objects[number] for number in kept]
        self._paths = [self._paths[number] for number in kept]
        self._children = [[(name, now[n]) for name, n in self._children[number] if n in now] for number in kept]
        self._numbers = {object_id(item): number for number, item in enumerate(self.objects)}

    def _add_slots(self):
        others = list(enumerate(self.objects))
        reached = {id(part) for item in self.objects if has_value(item) for part in parts_of(item)}
        for number, optimizer in others:
            if not hasattr(optimizer, "get_slot_names"):
                continue
            for name in optimizer.get_slot_names():
                for of, variable in others:
                    slot = slot_of(optimizer, variable, name)
                    if slot is None:
                        continue
                    if any(id(part) in reached for part in parts_of(slot)):
                        raise NotImplementedError(
                            f"A slot variable was re-used as a dependency of a Trackable object: {slot}. This is not "
                            "currently allowed."
                        )
                    path = f"{self._paths[of]}/.OPTIMIZER_SLOT/{self._paths[number]}/{_escaped(name)}"
                    self._slots.setdefault(number, []).append((name, of, self._add(slot, path)))
                    self._children.append([])

    def variables(self):
        """The variables, slots included, by key.

        Returns:
          A dict from strings to a `Variable` or `PartitionedVariable`.
        """
        return {self._key(number): item for number, item in enumerate(self.objects) if has_value(item)}

    def _key(self, number):
        return f"{self._paths[number]}/.ATTRIBUTES/{VALUE}"

    def to_proto(self):
        """Describes the objects for a checkpoint.

        Returns:
          A TrackableObjectGraph.
        """
        result = protos.TrackableObjectGraph()
        for number, item in enumerate(self.objects):
            node = result.nodes.add()
            for name, child in self._children[number]:
                node.children.add(node_id=child, local_name=name)
            for name, of, slot in self._slots.get(number, ()):
                node.slot_variables.add(slot_name=name, original_variable_node_id=of, slot_variable_node_id=slot)
            if has_value(item):
                node.attributes.add(name=VALUE, full_name=_full_name(item), checkpoint_key=self._key(number))
        return result


def _full_name(variable):
    """The name by which a `Saver` saves it."""
    if isinstance(variable, PartitionedVariable):
        return variable.name
    info = variable._save_slice_info
    return variable._shared_name if info is None else info.full_name


def read_object_graph(prefix):
    """Reads the graph of objects of a checkpoint.

    Args:
      prefix: Prefix of the checkpoint.

    Returns:
      A TrackableObjectGraph; None if the checkpoint is name-based (of a `Saver`).

    Raises:
      tf.errors.NotFoundError: There is no such checkpoint.
      tf.errors.DataLossError: It is damaged.
    """
    reader = NewCheckpointReader(prefix)
    if not reader.has_tensor(OBJECT_GRAPH_KEY):
        return None
    data = reader.get_tensor(OBJECT_GRAPH_KEY)
    try:
        graph = protos.TrackableObjectGraph.FromString(data)
    except Exception as error:  # DecodeError, or TypeError for a tensor of another type; their class needs protobuf
        raise errors.DataLossError(
            None, None, f"{OBJECT_GRAPH_KEY} in checkpoint {prefix} is not a TrackableObjectGraph: {error}"
        ) from None
    numbers = [child.node_id for node in graph.nodes for child in node.children]
    for node in graph.nodes:
        for slot in node.slot_variables:
            numbers += [slot.original_variable_node_id, slot.slot_variable_node_id]
    if not graph.nodes or not all(0 <= number < len(graph.nodes) for number in numbers):
        raise errors.DataLossError(
            None, None, f"{OBJECT_GRAPH_KEY} in checkpoint {prefix} refers to nodes outside of its {len(graph.nodes)}"
        )
    return graph


def keys_by_name(prefix):
    """The keys of an object-based checkpoint, by the names that the variables had in the graph.

    Args:
      prefix: Prefix of the checkpoint.

    Returns:
      A dict from names to keys; None if the checkpoint is name-based (of a `Saver`).
    """
    graph = read_object_graph(prefix)
    if graph is None:
        return None
    attributes = [attribute for node in graph.nodes for attribute in node.attributes]
    return {attribute.full_name: attribute.checkpoint_key for attribute in attributes if attribute.full_name}


def paths(graph):
    """How to reach each object of a TrackableObjectGraph, for messages: "(root).layer.kernel".

    Returns:
      A list of strings, one for each node.
    """
    found = {0: "(root)"}
    todo = [0]
    for number in todo:
        for child in graph.nodes[number].children:
            if child.node_id not in found:
                found[child.node_id] = f"{found[number]}.{child.local_name}"
                todo.append(child.node_id)
    for number, node in enumerate(graph.nodes):
        for slot in node.slot_variables:
            of = found.get(slot.original_variable_node_id)
            found[slot.slot_variable_node_id] = f"{found.get(number)}'s state '{slot.slot_name}' for {of}"
    return [found.get(number, f"node {number}") for number in range(len(graph.nodes))]
